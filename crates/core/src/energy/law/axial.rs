use crate::energy::bond_lanes::half;
use crate::energy::{BondHessian, BondPose, GradientLanes, PoseLanes, stretch};
use crate::model::{Bond, Stiffness};
use crate::simd::{Lanes, Vec3x};

use super::{BondLaw, LoadStrain};

/// Stretch alone, `V = 1/2 k (l - l0)^2` (\[MSC\] section 2.1): neither orientations nor directions matter.
pub(super) struct Axial;

impl BondLaw for Axial {
    const NAME: &'static str = "axial";
    const HAS_ORIENTATION: bool = false;
    const BREAKS_IN_COMPRESSION: bool = false;

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let (stretch, zero) = (pose.l - s.l0, Vec3x::splat(0.0));
        let pull = s.k[0] * stretch;
        (half::<L>() * pull * stretch, GradientLanes { p_j: pose.n * pull, theta_i: zero, theta_j: zero })
    }

    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let zero = L::splat(0.0);
        LoadStrain { stretch: pose.l - s.l0, shear_squared: zero, twist: zero, bend_squared: zero }
    }

    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let mut h = stretch::gauss_newton(bond.k.n, pose);
        h += stretch::tension(bond.k.n, bond.l0, pose);
        h
    }

    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        stretch::hessian(bond.k.n, bond.l0, pose)
    }
}
