//! The quaternion bond by positions and by quaternions taken for vectors of R4: what ways that leave the unit sphere, or
//! project on to it, start from.
//!
//! Beyond unit length the energy is continued as \[IBDEM\] eqs 7-11 read: the mean orientation is normalised,
//! u = (q_i + q_j)/L, the strain t = 2 G_l(q_j) q_i (here in the body frame, so that R0 is not needed) is not.

use nalgebra::{Matrix3x4, Matrix4, SMatrix, SVector, Vector4};

use crate::energy::shear::ShearAngle;
use crate::geometry::rotation::{cross_matrix, nullspace_left, nullspace_right, rotate};
use crate::geometry::{Mat3, Quat, Vec3};
use crate::model::{Bond, Pair, State};

/// By a particle's position and quaternion (x, y, z, w).
pub type Vector7 = SVector<f64, 7>;
pub type Matrix7 = SMatrix<f64, 7, 7>;

/// How a bond's particles stand to each other, with quaternions of any length but zero.
#[derive(Clone, Copy, Debug)]
pub struct EuclideanPose<'a> {
    bond: &'a Bond,
    /// From i to j: the unit vector and the length, m.
    n: Vec3,
    l: f64,
    /// q_i and q_j, of the signs that have q_i . q_j >= 0.
    q: [Quat; 2],
    /// What q_j was multiplied by for it.
    sign: f64,
    /// u and L.
    mean: Vector4<f64>,
    sum: f64,
    /// R(u) d0.
    d: Vec3,
    angle: ShearAngle,
    /// K t, N m.
    moment: Vec3,
    t: Vec3,
}

impl<'a> EuclideanPose<'a> {
    pub fn new(bond: &'a Bond, x: &State) -> Self {
        let [i, j] = bond.ends();
        let sign = if x.q[i].coords.dot(&x.q[j].coords) < 0.0 { -1.0 } else { 1.0 };
        let q = [x.q[i], x.q[j] * sign];
        let both = q[0] + q[1];
        let along = x.p[j] - x.p[i];
        let (l, sum) = (along.norm(), both.norm());
        let (n, d) = (along / l, rotate(&both, &bond.d0));
        let t = nullspace_left(&q[1]) * q[0].coords * 2.0;
        let moment = t * bond.k.b + bond.d0 * ((bond.k.t - bond.k.b) * bond.d0.dot(&t));
        let angle = ShearAngle::new(0.5 * (d - n).norm_squared());
        Self { bond, n, l, q, sign, mean: both.coords / sum, sum, d, angle, moment, t }
    }

    /// V, J.
    pub fn value(&self) -> f64 {
        let k = &self.bond.k;
        0.5 * (k.n * (self.l - self.bond.l0).powi(2) + k.s * self.angle.squared + self.t.dot(&self.moment))
    }

    /// First derivatives of V by (p_i, q_i) and by (p_j, q_j).
    pub fn gradient(&self) -> [Vector7; 2] {
        let weight = -self.bond.k.s * self.angle.phi;
        let [p_j, turn] =
            [self.n * (self.bond.k.n * (self.l - self.bond.l0)) + self.slope() * weight, self.moment * 2.0];
        let mean = self.lean() * (2.0 * weight / self.sum);
        let q_i = mean + nullspace_left(&self.q[1]).transpose() * turn;
        let q_j = mean - nullspace_left(&self.q[0]).transpose() * turn;
        [joined(&-p_j, &q_i), joined(&p_j, &(q_j * self.sign))]
    }

    /// Second derivatives of V: the blocks (i, i), (i, j), (j, j).
    pub fn hessian(&self) -> [Matrix7; 3] {
        let pp = self.by_positions();
        let [p_i, p_j] = [1.0, self.sign].map(|sign| self.by_position_and_quaternion() * sign);
        let [ii, ij, jj] = self.by_quaternions();
        [
            blocks(&pp, &-p_i, &-p_i.transpose(), &ii),
            blocks(&-pp, &-p_j, &p_i.transpose(), &(ij * self.sign)),
            blocks(&pp, &p_j, &p_j.transpose(), &jj),
        ]
    }

    /// d . n.
    fn c(&self) -> f64 {
        1.0 - self.angle.x
    }

    /// dc/dp_j.
    fn slope(&self) -> Vec3 {
        (self.d - self.n * self.c()) / self.l
    }

    /// A - c I, where c = u^T A u.
    fn tilt(&self) -> Matrix4<f64> {
        let [n, d0] = [self.n, self.bond.d0].map(Quat::from_imag);
        -left(&n) * right(&d0) - Matrix4::identity() * self.c()
    }

    /// a = (A - c I) u: dc/dq_i and dc/dq_j are (2/L) a.
    fn lean(&self) -> Vector4<f64> {
        self.tilt() * self.mean
    }

    /// By p_j and p_j: stretch, and shear's (k_s/2) [f'' dc dc^T + f' d2c] with f = theta^2.
    fn by_positions(&self) -> Mat3 {
        let (n, c, k) = (&self.n, self.c(), &self.bond.k);
        let along = n * n.transpose();
        let stretch = along * k.n + (Mat3::identity() - along) * (k.n * (1.0 - self.bond.l0 / self.l));
        let dn = self.d * n.transpose();
        let curve = (along * (3.0 * c) - dn - dn.transpose() - Mat3::identity() * c) / (self.l * self.l);
        let slope = self.slope();
        stretch + slope * slope.transpose() * (k.s * self.angle.phi_x) - curve * (k.s * self.angle.phi)
    }

    /// By p_j and q_i, or the q_j that makes q_i . q_j >= 0.
    fn by_position_and_quaternion(&self) -> Matrix3x4<f64> {
        let k_s = self.bond.k.s;
        let turn = cross_matrix(&self.d) * nullspace_right(&Quat::from(self.mean)) * (-2.0 / self.sum);
        let curve = (Mat3::identity() - self.n * self.n.transpose()) * turn / self.l;
        let by_q = self.lean() * (2.0 / self.sum);
        self.slope() * by_q.transpose() * (k_s * self.angle.phi_x) - curve * (k_s * self.angle.phi)
    }

    /// By q_i and q_i, by q_i and q_j, by q_j and q_j.
    fn by_quaternions(&self) -> [Matrix4<f64>; 3] {
        let (k, d0) = (&self.bond.k, &self.bond.d0);
        let (a, u) = (self.lean(), &self.mean);
        let au = a * u.transpose();
        let curve = self.tilt() - (au + au.transpose()) * 2.0;
        let square = 2.0 / (self.sum * self.sum);
        let shear =
            a * a.transpose() * (2.0 * square * k.s * self.angle.phi_x) - curve * (square * k.s * self.angle.phi);
        let stiffness = (Mat3::identity() * k.b + d0 * d0.transpose() * (k.t - k.b)) * 4.0;
        let [g_i, g_j] = [nullspace_left(&self.q[0]), nullspace_left(&self.q[1])];
        let across = right(&Quat::from_imag(self.moment * 2.0));
        [
            shear + g_j.transpose() * stiffness * g_j,
            shear - g_j.transpose() * stiffness * g_i + across,
            shear + g_i.transpose() * stiffness * g_i,
        ]
    }
}

/// A particle's vector of its part by position and its part by quaternion.
pub fn joined(p: &Vec3, q: &Vector4<f64>) -> Vector7 {
    let mut both = Vector7::zeros();
    both.fixed_rows_mut::<3>(0).copy_from(p);
    both.fixed_rows_mut::<4>(3).copy_from(q);
    both
}

fn blocks(pp: &Mat3, pq: &Matrix3x4<f64>, qp: &SMatrix<f64, 4, 3>, qq: &Matrix4<f64>) -> Matrix7 {
    let mut all = Matrix7::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(pp);
    all.fixed_view_mut::<3, 4>(0, 3).copy_from(pq);
    all.fixed_view_mut::<4, 3>(3, 0).copy_from(qp);
    all.fixed_view_mut::<4, 4>(3, 3).copy_from(qq);
    all
}

/// `Q_l(a)`: `Q_l(a) b = a b` (\[IBDEM\] eqs 41, 50).
fn left(a: &Quat) -> Matrix4<f64> {
    product(&nullspace_left(a), a)
}

/// `Q_r(b)`: `Q_r(b) a = a b` (\[IBDEM\] eqs 42, 50).
fn right(b: &Quat) -> Matrix4<f64> {
    product(&nullspace_right(b), b)
}

/// `(G^T q)`.
fn product(nullspace: &Matrix3x4<f64>, q: &Quat) -> Matrix4<f64> {
    let mut all = Matrix4::zeros();
    all.fixed_view_mut::<4, 3>(0, 0).copy_from(&nullspace.transpose());
    all.set_column(3, &q.coords);
    all
}
