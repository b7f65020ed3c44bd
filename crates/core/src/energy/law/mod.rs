//! Bond laws: a file for each [`BondModel`], and the list of them, `law_of`. Another package brings its own
//! by [`brought`].

mod axial;
mod cosserat;
mod force_2021;
mod object;
mod particle_binder;
mod quaternion;

use crate::model::{Bond, BondModel, Stiffness};
use crate::simd::Lanes;

use super::bond_lanes::half;
use super::{BondHessian, BondPose, GradientLanes, PoseLanes};

use axial::Axial;
use cosserat::Cosserat;
use force_2021::Force2021;
pub use object::brought;
use object::{Law, object};
use particle_binder::{ParticleBinder, PrintedParticleBinder};
pub use quaternion::Quaternion;

/// The law of a model.
pub(super) fn law_of(model: BondModel) -> &'static dyn Law {
    match model {
        BondModel::Quaternion => object::<Quaternion>(),
        BondModel::Cosserat => object::<Cosserat>(),
        BondModel::Force2021 => object::<Force2021>(),
        BondModel::ParticleBinder => object::<ParticleBinder>(),
        BondModel::PrintedParticleBinder => object::<PrintedParticleBinder>(),
        BondModel::Axial => object::<Axial>(),
        BondModel::Brought(brought) => *brought.law().downcast_ref::<&dyn Law>().expect("`brought` made it"),
    }
}

/// Bond law of a model, for several bonds, one a lane.
///
/// All functions must be `#[inline(always)]`: kernels are compiled for several instruction sets.
pub trait BondLaw {
    /// Whether it depends on orientations. Otherwise its kernels get no more than the line between the centres.
    const HAS_ORIENTATION: bool = true;

    /// Whether its forces derive from an energy whose second derivatives it has, as implicit integrators and gradients need.
    const HAS_HESSIAN: bool = true;

    /// Energies of stretch, shear, twist and bend, J, whose sum the energy account has. The default is half the stiffnesses
    /// times the squared strains; a law whose energy is another must say so. For a law without energy these are those of small
    /// strains.
    #[inline(always)]
    fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
        let [k_n, k_s, k_t, k_b] = s.k;
        let LoadStrain { stretch, shear_squared, twist, bend_squared } = Self::strain(pose, s);
        let angle_squared = shear_squared / (s.l0 * s.l0);
        [k_n * stretch * stretch, k_s * angle_squared, k_t * twist * twist, k_b * bend_squared].map(|e| e * half())
    }

    /// V (J) and its derivatives, or the negative forces and torques of a law without energy.
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>);

    /// Strains that the bond's loads are computed from.
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L>;

    /// Ratio of tau to G/l0 for a twist of one radian, m: r0 for a beam, whose k_t is G Jp/l0. See
    /// [`BondLoad`](crate::fracture::BondLoad).
    #[inline(always)]
    fn twist_arm<L: Lanes>(s: &Stiffness<L>) -> L {
        s.r0
    }

    /// Positive semidefinite second derivatives of V: Gauss-Newton's matrix, with or without the geometric term of tension. The
    /// default is that of the quaternion bond, which all others equal at rest.
    ///
    /// Newton calls it where it assembles a matrix: for `hessian = "projected"` at small strains, for the fallback in
    /// double precision, and for the stability limit of explicit steps. Its default matrix is filled from the bonds'
    /// stiffnesses alone, which the laws share ([`PairHessian`](crate::optimize::PairHessian)). So this function decides
    /// how fast a hard solve converges, and never its result.
    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        Quaternion::semidefinite_hessian(bond, pose)
    }

    /// The exact second derivatives of V (\[IBDEM\] eq 29).
    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        Quaternion::hessian(bond, pose)
    }
}

/// Loads of a bond over its stiffnesses: F_n = k_n stretch, F_s = k_s/l0^2 shear, M_t = k_t twist and M_b = k_b bend.
#[derive(Clone, Copy, Debug)]
pub struct LoadStrain<L> {
    /// m, positive in tension.
    pub stretch: L,
    /// m2.
    pub shear_squared: L,
    /// rad.
    pub twist: L,
    /// rad2.
    pub bend_squared: L,
}
