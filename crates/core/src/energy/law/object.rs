//! Bond laws as objects: one call for a chunk of bonds, or for a bond.

use std::marker::PhantomData;

use crate::energy::bond_sum::{ChunkKernel, Task};
use crate::energy::workspace::ChunkSums;
use crate::energy::{BondGradient, BondHessian, BondPose};
use crate::model::{Bond, BondModel, BroughtLaw};
use crate::simd::Level;

use super::{BondLaw, LoadStrain};

/// A [`BondLaw`] as an object.
pub(in crate::energy) trait Law: Send + Sync {
    /// Adds the energies and gradients of a chunk's bonds to `sums`.
    fn add_chunk(&self, level: Level, task: &Task, sums: &mut ChunkSums);

    /// Adds the changes of gradients of a chunk's bonds along a displacement to `sums`.
    fn add_tangents(&self, level: Level, task: &Task, sums: &mut ChunkSums);

    /// See [`BondLaw::elastic`].
    fn elastic(&self, bond: &Bond, pose: &BondPose) -> (f64, BondGradient);

    /// See [`BondLaw::energies`].
    fn energies(&self, bond: &Bond, pose: &BondPose) -> [f64; 4];

    /// See [`BondLaw::strain`].
    fn strain(&self, bond: &Bond, pose: &BondPose) -> LoadStrain<f64>;

    /// See [`BondLaw::semidefinite_hessian`].
    fn semidefinite_hessian(&self, bond: &Bond, pose: &BondPose) -> BondHessian;

    /// See [`BondLaw::hessian`].
    fn hessian(&self, bond: &Bond, pose: &BondPose) -> BondHessian;
}

/// Object of the law `B`.
struct Object<B>(PhantomData<fn() -> B>);

impl<B: BondLaw> Law for Object<B> {
    /// An option that is off takes no registers: there is a kernel for each combination of them.
    fn add_chunk(&self, level: Level, task: &Task, sums: &mut ChunkSums) {
        match (task.damped, !task.limits.is_empty()) {
            (false, false) => level.run(ChunkKernel::<B, false, false>::new(task, sums)),
            (false, true) => level.run(ChunkKernel::<B, false, true>::new(task, sums)),
            (true, false) => level.run(ChunkKernel::<B, true, false>::new(task, sums)),
            (true, true) => level.run(ChunkKernel::<B, true, true>::new(task, sums)),
        }
    }

    fn add_tangents(&self, level: Level, task: &Task, sums: &mut ChunkSums) {
        assert!(B::HAS_HESSIAN, "the law has no energy, and its callers know");
        level.run(ChunkKernel::<B, false, false>::new(task, sums).tangent());
    }

    fn elastic(&self, bond: &Bond, pose: &BondPose) -> (f64, BondGradient) {
        let (energy, gradient) = B::elastic(&pose.into(), &bond.into());
        (energy, gradient.into())
    }

    fn energies(&self, bond: &Bond, pose: &BondPose) -> [f64; 4] {
        B::energies(&pose.into(), &bond.into())
    }

    fn strain(&self, bond: &Bond, pose: &BondPose) -> LoadStrain<f64> {
        B::strain(&pose.into(), &bond.into())
    }

    fn semidefinite_hessian(&self, bond: &Bond, pose: &BondPose) -> BondHessian {
        B::semidefinite_hessian(bond, pose)
    }

    fn hessian(&self, bond: &Bond, pose: &BondPose) -> BondHessian {
        B::hessian(bond, pose)
    }
}

/// Object of a law.
pub(super) fn object<B: BondLaw + 'static>() -> &'static dyn Law {
    &Object::<B>(PhantomData)
}

/// Model of bonds by a law `B` of another package: the [`bond`](crate::model::Material::bond) of a material. `name` stands in
/// messages, and tells laws apart. Kernels are compiled in that package, and a chunk of bonds is one call through a pointer.
///
/// ```
/// use bdem_core::energy::law::{BondLaw, LoadStrain, brought};
/// use bdem_core::energy::{GradientLanes, PoseLanes};
/// use bdem_core::model::{Material, Stiffness};
/// use bdem_core::simd::Lanes;
///
/// /// Stretch alone, `V = 1/2 k (l - l0)^2`.
/// struct Spring;
///
/// impl BondLaw for Spring {
///     const HAS_ORIENTATION: bool = false;
///     const HAS_HESSIAN: bool = false;
///
///     #[inline(always)]
///     fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
///         let stretch = pose.l - s.l0;
///         let pull = s.k[0] * stretch;
///         (L::splat(0.5) * pull * stretch, GradientLanes { p_j: pose.n * pull, ..GradientLanes::zero() })
///     }
///
///     #[inline(always)]
///     fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
///         let zero = L::splat(0.0);
///         LoadStrain { stretch: pose.l - s.l0, shear_squared: zero, twist: zero, bend_squared: zero }
///     }
/// }
///
/// let rubber = Material { bond: brought::<Spring>("spring"), ..Material::elastic("rubber", 1100.0, 1e7, 0.25) };
/// assert_eq!(format!("{:?}", rubber.bond), "Brought(spring)");
/// ```
pub fn brought<B: BondLaw + 'static>(name: &'static str) -> BondModel {
    struct Holder<B>(PhantomData<B>);
    impl<B: BondLaw + 'static> Holder<B> {
        const LAW: &'static dyn Law = &Object::<B>(PhantomData);
        const HELD: &'static &'static dyn Law = &Self::LAW;
    }
    BondModel::Brought(BroughtLaw::new(name, [B::HAS_ORIENTATION, B::HAS_HESSIAN], Holder::<B>::HELD))
}
