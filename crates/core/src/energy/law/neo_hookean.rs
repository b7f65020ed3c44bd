//! A bond of rubber: the quaternion bond whose stretch is that of an incompressible neo-Hookean bar (Treloar),
//!
//! ```text
//! V_n = k_n l0^2/6 (x^2 + 2/x - 3),    dV_n/dl = k_n l0/3 (x - 1/x^2),    d2V_n/dl2 = k_n/3 (1 + 2/x^3),    x = l/l0
//! ```
//!
//! It has the stiffness k_n at rest, a third of it at long stretches, and no finite energy at l = 0.

use crate::energy::{BondHessian, BondPose, GradientLanes, PoseLanes, bend_twist, shear, stretch};
use crate::model::{Bond, Stiffness};
use crate::simd::Lanes;

use super::{BondLaw, LoadStrain, Quaternion};

/// The neo-Hookean bond.
pub(super) struct NeoHookean;

/// Rest length and stiffness (m, N/m) of the linear spring with the axial force and stiffness of the bond at this pose.
fn tangent_spring(bond: &Bond, pose: &BondPose) -> [f64; 2] {
    let x = pose.l / bond.l0;
    let k = bond.k.n * (1.0 + 2.0 / (x * x * x)) / 3.0;
    let force = bond.k.n * bond.l0 * (x - 1.0 / (x * x)) / 3.0;
    [pose.l - force / k, k]
}

impl BondLaw for NeoHookean {
    const NAME: &'static str = "neo-hookean";

    #[inline(always)]
    fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
        let [_, shear, twist, bend] = Quaternion::energies(pose, s);
        let x = pose.l / s.l0;
        let sum = x * x + L::splat(2.0) / x - L::splat(3.0);
        [s.k[0] * s.l0 * s.l0 * sum * L::splat(1.0 / 6.0), shear, twist, bend]
    }

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let (energy, gradient) = Quaternion::elastic(pose, s);
        let (x, stretch) = (pose.l / s.l0, pose.l - s.l0);
        let force = s.k[0] * s.l0 * (x - L::splat(1.0) / (x * x)) * L::splat(1.0 / 3.0);
        let linear = s.k[0] * stretch;
        let more = GradientLanes { p_j: pose.n * (force - linear), ..GradientLanes::zero() };
        (energy - L::splat(0.5) * linear * stretch + Self::energies(pose, s)[0], gradient.plus(more))
    }

    /// The stretch of a linear spring with the same axial force.
    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let x = pose.l / s.l0;
        let stretch = s.l0 * (x - L::splat(1.0) / (x * x)) * L::splat(1.0 / 3.0);
        LoadStrain { stretch, ..Quaternion::strain(pose, s) }
    }

    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let [l0, k] = tangent_spring(bond, pose);
        let mut h = stretch::gauss_newton(k, pose);
        h += stretch::tension(k, l0, pose);
        h += shear::gauss_newton(bond.k.s, pose);
        h += bend_twist::gauss_newton(&bond.k, pose);
        h
    }

    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let [l0, k] = tangent_spring(bond, pose);
        let mut h = stretch::hessian(k, l0, pose);
        h += shear::hessian(bond.k.s, pose);
        h += bend_twist::hessian(&bond.k, pose);
        h
    }
}
