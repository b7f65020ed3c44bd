//! Bond laws: a file each, and their list, which is all here. A new law is its file, and in this one its module, its constant
//! and, for scenes, its name. Another package brings its own by [`BondModel::of`].

mod axial;
mod cosserat;
mod force_2021;
mod object;
mod particle_binder;
mod quaternion;
mod record;

use serde::{Deserialize, Serialize};

use crate::model::{Bond, BondModel, Stiffness};
use crate::simd::Lanes;

use super::bond_lanes::half;
use super::{BondHessian, BondPose, GradientLanes, PoseLanes};

pub(super) use object::law_of;
pub use quaternion::Quaternion;
pub use record::Strength;

// statics have their kernels compiled here, and not in each package that names a law, as that is optimised
impl BondModel {
    /// [`LawName::Quaternion`].
    pub const QUATERNION: &'static Self = {
        static LAW: BondModel = object::model::<Quaternion>();
        &LAW
    };
    /// [`LawName::Cosserat`].
    pub const COSSERAT: &'static Self = {
        static LAW: BondModel = object::model::<cosserat::Cosserat>();
        &LAW
    };
    /// [`LawName::Force2021`].
    pub const FORCE_2021: &'static Self = {
        static LAW: BondModel = object::model::<force_2021::Force2021>();
        &LAW
    };
    /// [`LawName::ParticleBinder`].
    pub const PARTICLE_BINDER: &'static Self = {
        static LAW: BondModel = object::model::<particle_binder::ParticleBinder>();
        &LAW
    };
    /// [`LawName::PrintedParticleBinder`].
    pub const PRINTED_PARTICLE_BINDER: &'static Self = {
        static LAW: BondModel = object::model::<particle_binder::PrintedParticleBinder>();
        &LAW
    };
    /// \[MSC\]: stretch alone, [`AxialSpring`](crate::model::AxialSpring). No material's bonds are such.
    pub const AXIAL: &'static Self = {
        static LAW: BondModel = object::model::<axial::Axial>();
        &LAW
    };

    /// Laws of this package, in the order of sums over bonds of several laws.
    pub const ALL: &'static [&'static Self] = &[
        Self::QUATERNION,
        Self::COSSERAT,
        Self::FORCE_2021,
        Self::PARTICLE_BINDER,
        Self::PRINTED_PARTICLE_BINDER,
        Self::AXIAL,
    ];
}

/// Bond law. The formulas are in `energy::law`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "BondModel"))]
pub enum LawName {
    /// \[IBDEM\] eqs 7-11.
    #[default]
    Quaternion,
    /// \[ROD\]: that of a Cosserat rod, without a square root or an arc cosine. Stiffer than the quaternion bond at
    /// large rotations.
    Cosserat,
    /// \[BDEM21\] eqs 3-16: a force law without energy, for explicit integrators only.
    #[serde(rename = "force-2021")]
    Force2021,
    /// \[RODR\] eqs 44-55, with a shear invariant under rigid rotation; for explicit integrators only. Its particles
    /// are in contact although they are bonded.
    ParticleBinder,
    /// `particle-binder` with the shear of eq 53 as printed, which is not invariant.
    PrintedParticleBinder,
}

impl LawName {
    /// The law of this name.
    pub fn model(self) -> &'static BondModel {
        match self {
            Self::Quaternion => BondModel::QUATERNION,
            Self::Cosserat => BondModel::COSSERAT,
            Self::Force2021 => BondModel::FORCE_2021,
            Self::ParticleBinder => BondModel::PARTICLE_BINDER,
            Self::PrintedParticleBinder => BondModel::PRINTED_PARTICLE_BINDER,
        }
    }
}

/// Bond law of a model, for several bonds, one a lane.
///
/// All functions must be `#[inline(always)]`: kernels are compiled for several instruction sets.
pub trait BondLaw {
    /// Name in messages, which tells laws apart. That of a scene's key, for a law with a [`LawName`].
    const NAME: &'static str;

    /// Whether it depends on orientations. Otherwise its kernels get no more than the line between the centres.
    const HAS_ORIENTATION: bool = true;

    /// Reason that implicit integrators and gradients cannot use it: its forces derive from no energy whose second derivatives
    /// it has.
    const WHY_EXPLICIT: Option<&'static str> = None;

    /// Whether its bonded particles are in contact where they overlap.
    const KEEPS_CONTACT: bool = false;

    /// Whether its bonds also break in compression, in a world whose [`axial`](crate::model::World::axial) says so.
    const BREAKS_IN_COMPRESSION: bool = true;

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
