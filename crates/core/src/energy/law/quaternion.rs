use crate::energy::bond_lanes::half;
use crate::energy::{BondHessian, BondPose, GradientLanes, PoseLanes, bend_twist, shear, stretch};
use crate::model::{Bond, Stiffness};
use crate::simd::Lanes;

use super::{BondLaw, LoadStrain};

/// The quaternion bond (\[IBDEM\] eqs 7-11): stretch, shear, and bending with twist.
pub struct Quaternion;

impl BondLaw for Quaternion {
    const NAME: &'static str = "quaternion";

    #[inline(always)]
    fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
        let [k_n, k_s, k_t, k_b] = s.k;
        let LoadStrain { stretch, twist, bend_squared, .. } = Self::strain(pose, s);
        let squares = [k_n * stretch * stretch, k_s * pose.angle_squared(), k_t * twist * twist, k_b * bend_squared];
        squares.map(|square| square * half())
    }

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let [k_n, k_s, k_t, k_b] = s.k;
        let stretch = pose.l - s.l0;
        let weight = -(k_s * pose.phi);
        let gradient = pose.cosine_gradient();
        let u = pose.turn();
        let m = pose.moment(k_t, k_b, u);
        let bend = pose.bend_projection(m);
        let pull = k_n * stretch;
        let energy = half::<L>() * k_s.mul_add(pose.angle_squared(), pull.mul_add(stretch, u.dot(m)));
        let gradient = GradientLanes {
            p_j: gradient.p_j.mul_add(weight, pose.n * pull),
            theta_i: gradient.theta_i.mul_add(weight, bend),
            theta_j: gradient.theta_j.mul_add(weight, -bend),
        };
        (energy, gradient)
    }

    /// F_s = |dV_shear/dp| = k_s theta/l.
    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let [twist, bend_squared] = pose.twist_and_bend_squared(pose.turn());
        let arm = s.l0 * s.l0 * pose.inv_l;
        LoadStrain { stretch: pose.l - s.l0, shear_squared: arm * arm * pose.angle_squared(), twist, bend_squared }
    }

    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let mut h = crate::energy::bond::gauss_newton(&bond.k, pose);
        h += stretch::tension(bond.k.n, bond.l0, pose);
        h
    }

    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let mut h = stretch::hessian(bond.k.n, bond.l0, pose);
        h += shear::hessian(bond.k.s, pose);
        h += bend_twist::hessian(&bond.k, pose);
        h
    }
}
