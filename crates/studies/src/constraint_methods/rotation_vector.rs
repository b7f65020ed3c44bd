use bdem_core::geometry::{Mat3, Vec3, rotation};
use bdem_core::model::State;
use nalgebra::{Matrix4x3, SMatrix, SVector, Vector4};

use super::Problem;
use super::blocks::{SymmetricBlocks, mapped};
use super::newton::Formulation;
use super::problem::with_identity;

/// Equations of motion by rotation vectors theta from the identity, q = exp(theta/2) (\[IBDEM\] section 6.1 after M. Geilinger
/// and others, "ADD: Analytically Differentiable Dynamics for Multi-Body Systems with Frictional Contact", 2020).
///
/// As the paper cites ADD: six unknowns a particle without a constraint, the same potential and threshold, and Gauss-Newton on the
/// equations of motion r = 0. Its step minimises |r + J d|, which the minimal residual method does, and its line search decreases
/// |r|. Inertia is that of the same objective, so that both methods have one solution; the paper gives no other.
///
/// At a rotation of 2 pi the derivative dq/dtheta is singular, and so are the equations.
pub(super) struct Motion<'a>(pub &'a Problem<'a>);

impl Motion<'_> {
    /// Start, with its rotation vectors, rad.
    pub(super) fn start(&self) -> (State, Vec<Vec3>) {
        let x = self.0.start.clone();
        let theta = x.q.iter().map(|q| rotation::log(q) * 2.0).collect();
        (x, theta)
    }
}

/// Operators diag(I, 2 (dq/dtheta)^T) of each particle, from quaternions times 2r to rotation vectors times r.
fn operators(theta: &[Vec3]) -> Vec<SMatrix<f64, 6, 7>> {
    theta.iter().map(|theta| with_identity(&(exponential(theta).transpose() * 2.0))).collect()
}

impl Formulation<6> for Motion<'_> {
    /// State, and rotation vectors, rad.
    type Point = (State, Vec<Vec3>);

    fn state<'x>(&self, (x, _): &'x Self::Point) -> &'x State {
        x
    }

    fn residual(&self, (x, theta): &Self::Point) -> Vec<SVector<f64, 6>> {
        mapped(&operators(theta), &self.0.gradient(x))
    }

    fn matrix(&self, (x, theta): &Self::Point) -> SymmetricBlocks<6> {
        let gradient = self.0.gradient(x);
        let mut matrix = self.0.hessian(x).mapped(&operators(theta));
        for (i, block) in matrix.diagonal.iter_mut().enumerate() {
            let curve = exponential_curvature(&theta[i], &gradient[i].fixed_rows::<4>(3).into());
            let mut on_theta = block.fixed_view_mut::<3, 3>(3, 3);
            on_theta += curve * (4.0 / self.0.size(i));
        }
        matrix
    }

    fn moved(&self, at: &Self::Point, step: &[SVector<f64, 6>], length: f64) -> Self::Point {
        let (mut x, mut theta) = at.clone();
        for (i, step) in step.iter().enumerate().filter(|(i, _)| !self.0.is_held(*i)) {
            x.p[i] += step.fixed_rows::<3>(0) * length;
            theta[i] += step.fixed_rows::<3>(3) * (2.0 * length / self.0.size(i));
            x.q[i] = rotation::exp(&(theta[i] * 0.5));
        }
        (x, theta)
    }

    fn energy(&self, _: &Self::Point) -> Option<f64> {
        None
    }
}

/// Derivative dq/dtheta of q = exp(theta/2).
pub fn exponential(theta: &Vec3) -> Matrix4x3<f64> {
    let [s, s1, _] = sines(theta.norm_squared());
    let mut derivative = Matrix4x3::zeros();
    derivative.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * s + theta * theta.transpose() * s1));
    derivative.set_row(3, &(theta.transpose() * (-0.5 * s)));
    derivative
}

/// Second derivative of y.q by theta for a constant vector y.
pub fn exponential_curvature(theta: &Vec3, y: &Vector4<f64>) -> Mat3 {
    let [s, s1, s2] = sines(theta.norm_squared());
    let (y, w) = (y.xyz(), y.w);
    let outer = theta * theta.transpose();
    let across = theta * y.transpose();
    (across + across.transpose() + Mat3::identity() * y.dot(theta)) * s1 + outer * (s2 * y.dot(theta))
        - (Mat3::identity() * s + outer * s1) * (0.5 * w)
}

/// Functions s(a) = sin(a/2)/a, s1 = s'/a and s2 = s1'/a of a^2. The power series are exact to rounding for up to one
/// and a half turns.
fn sines(square: f64) -> [f64; 3] {
    const TERMS: usize = 20;
    let mut coefficients = [0.5; TERMS];
    for k in 1..TERMS {
        coefficients[k] = -coefficients[k - 1] / (8 * k * (2 * k + 1)) as f64;
    }
    // of a^(2k) in s; in s1 it is of a^(2k - 2), in s2 of a^(2k - 4)
    let power = |order: usize, k: usize| (0..order).map(|slope| 2.0 * (k - slope) as f64).product::<f64>();
    std::array::from_fn(|order| {
        let terms = (order..TERMS).rev().map(|k| coefficients[k] * power(order, k));
        terms.fold(0.0, |sum, term| sum * square + term)
    })
}
