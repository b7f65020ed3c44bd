//! Quaternion bond as a function of positions and of quaternions as vectors of R4. Methods that leave the unit sphere,
//! or project onto it, need this form.
//!
//! Off unit length the energy is continued as \[IBDEM\] eqs 7-11 read. The mean orientation u = (q_i + q_j)/L is
//! normalised. The strain t = 2 G_l(q_j) q_i is not; it is in the body frame here, so that R0 is not needed.

use bdem_core::energy::shear::ShearAngle;
use bdem_core::geometry::rotation::{cross_matrix, nullspace_left, nullspace_right, rotate};
use bdem_core::geometry::{Mat3, Quat, Vec3};
use bdem_core::model::{Bond, Pair, State};
use nalgebra::{Matrix3x4, Matrix4, SMatrix, SVector, Vector4};

/// Vector by a particle's position and quaternion (x, y, z, w).
pub type Vector7 = SVector<f64, 7>;
/// Matrix block of two particles, with rows and columns in the order of [`Vector7`].
pub type Matrix7 = SMatrix<f64, 7, 7>;

/// Relative pose of a bond's particles, with quaternions of any length but zero.
#[derive(Clone, Copy, Debug)]
pub struct EuclideanPose<'a> {
    bond: &'a Bond,
    /// Unit vector from i to j, and their distance, m.
    n: Vec3,
    l: f64,
    /// q_i and q_j, with signs such that q_i . q_j >= 0.
    q: [Quat; 2],
    /// Sign of q_j.
    sign: f64,
    /// Mean orientation u and sum's norm L.
    mean: Vector4<f64>,
    sum: f64,
    /// Rest direction R(u) d0.
    d: Vec3,
    angle: ShearAngle,
    /// Moment K t, N m.
    moment: Vec3,
    t: Vec3,
}

impl<'a> EuclideanPose<'a> {
    /// Pose of the ends of `bond` in the state `x`.
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

    /// Energy V, J.
    pub fn value(&self) -> f64 {
        let k = &self.bond.k;
        0.5 * (k.n * (self.l - self.bond.l0).powi(2) + k.s * self.angle.squared + self.t.dot(&self.moment))
    }

    /// First derivatives of V by (p_i, q_i) and by (p_j, q_j).
    pub fn gradient(&self) -> [Vector7; 2] {
        let weight = -self.bond.k.s * self.angle.phi;
        let [p_j, turn] =
            [self.n * (self.bond.k.n * (self.l - self.bond.l0)) + self.dc_dp() * weight, self.moment * 2.0];
        let mean = self.a() * (2.0 * weight / self.sum);
        let q_i = mean + nullspace_left(&self.q[1]).transpose() * turn;
        let q_j = mean - nullspace_left(&self.q[0]).transpose() * turn;
        [joined(&-p_j, &q_i), joined(&p_j, &(q_j * self.sign))]
    }

    /// Second derivatives of V: the blocks (i, i), (i, j), (j, j).
    pub fn hessian(&self) -> [Matrix7; 3] {
        let pp = self.hessian_pp();
        let [p_i, p_j] = [1.0, self.sign].map(|sign| self.hessian_pq() * sign);
        let [ii, ij, jj] = self.hessian_qq();
        [
            blocks(&pp, &-p_i, &-p_i.transpose(), &ii),
            blocks(&-pp, &-p_j, &p_i.transpose(), &(ij * self.sign)),
            blocks(&pp, &p_j, &p_j.transpose(), &jj),
        ]
    }

    /// Cosine c = d . n.
    fn c(&self) -> f64 {
        1.0 - self.angle.x
    }

    /// Derivative dc/dp_j.
    fn dc_dp(&self) -> Vec3 {
        (self.d - self.n * self.c()) / self.l
    }

    /// Matrix A - c I, where c = u^T A u.
    fn a_less_c(&self) -> Matrix4<f64> {
        let [n, d0] = [self.n, self.bond.d0].map(Quat::from_imag);
        -left(&n) * right(&d0) - Matrix4::identity() * self.c()
    }

    /// Vector a = (A - c I) u. dc/dq_i and dc/dq_j are (2/L) a.
    fn a(&self) -> Vector4<f64> {
        self.a_less_c() * self.mean
    }

    /// Second derivatives by p_j and p_j: stretch, and shear's (k_s/2) [f'' dc dc^T + f' d2c] with f = theta^2.
    fn hessian_pp(&self) -> Mat3 {
        let (n, c, k) = (&self.n, self.c(), &self.bond.k);
        let along = n * n.transpose();
        let stretch = along * k.n + (Mat3::identity() - along) * (k.n * (1.0 - self.bond.l0 / self.l));
        let dn = self.d * n.transpose();
        let curve = (along * (3.0 * c) - dn - dn.transpose() - Mat3::identity() * c) / (self.l * self.l);
        let dc = self.dc_dp();
        stretch + dc * dc.transpose() * (k.s * self.angle.phi_x) - curve * (k.s * self.angle.phi)
    }

    /// Second derivatives by p_j and q_i, or by p_j and the q_j with q_i . q_j >= 0.
    fn hessian_pq(&self) -> Matrix3x4<f64> {
        let k_s = self.bond.k.s;
        let turn = cross_matrix(&self.d) * nullspace_right(&Quat::from(self.mean)) * (-2.0 / self.sum);
        let curve = (Mat3::identity() - self.n * self.n.transpose()) * turn / self.l;
        let by_q = self.a() * (2.0 / self.sum);
        self.dc_dp() * by_q.transpose() * (k_s * self.angle.phi_x) - curve * (k_s * self.angle.phi)
    }

    /// Second derivatives by q_i and q_i, by q_i and q_j, by q_j and q_j.
    fn hessian_qq(&self) -> [Matrix4<f64>; 3] {
        let (k, d0) = (&self.bond.k, &self.bond.d0);
        let (a, u) = (self.a(), &self.mean);
        let au = a * u.transpose();
        let curve = self.a_less_c() - (au + au.transpose()) * 2.0;
        let square = 2.0 / (self.sum * self.sum);
        let shear =
            a * a.transpose() * (2.0 * square * k.s * self.angle.phi_x) - curve * (square * k.s * self.angle.phi);
        let stiffness = (Mat3::identity() * k.b + d0 * d0.transpose() * (k.t - k.b)) * 4.0;
        let [g_i, g_j] = [nullspace_left(&self.q[0]), nullspace_left(&self.q[1])];
        let coupling = right(&Quat::from_imag(self.moment * 2.0));
        [
            shear + g_j.transpose() * stiffness * g_j,
            shear - g_j.transpose() * stiffness * g_i + coupling,
            shear + g_i.transpose() * stiffness * g_i,
        ]
    }
}

/// Vector of a particle from its position part and its quaternion part.
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

/// Matrix `Q_l(a)` with `Q_l(a) b = a b` (\[IBDEM\] eqs 41, 50).
fn left(a: &Quat) -> Matrix4<f64> {
    product(&nullspace_left(a), a)
}

/// Matrix `Q_r(b)` with `Q_r(b) a = a b` (\[IBDEM\] eqs 42, 50).
fn right(b: &Quat) -> Matrix4<f64> {
    product(&nullspace_right(b), b)
}

/// Matrix `(G^T q)`.
fn product(nullspace: &Matrix3x4<f64>, q: &Quat) -> Matrix4<f64> {
    let mut all = Matrix4::zeros();
    all.fixed_view_mut::<4, 3>(0, 0).copy_from(&nullspace.transpose());
    all.set_column(3, &q.coords);
    all
}
