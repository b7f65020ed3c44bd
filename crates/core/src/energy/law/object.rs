//! Bond laws as objects: one call for a chunk of bonds, or for a bond.

use std::marker::PhantomData;

use crate::energy::bond_sum::{ChunkKernel, Task};
use crate::energy::workspace::ChunkSums;
use crate::energy::{BondGradient, BondHessian, BondPose, GradientLanes, PoseLanes};
use crate::model::{Bond, BondModel, Stiffness};
use crate::simd::InstructionSet;
use crate::simd::traced::Traced;

use super::record::{Strength, record_overload, record_utilisation};
use super::{BondLaw, LoadStrain};

/// A [`BondLaw`] as an object.
pub(in crate::energy) trait Law: Send + Sync {
    /// Adds the energies and gradients of a chunk's bonds to `sums`.
    fn add_chunk(&self, instructions: InstructionSet, task: &Task, sums: &mut ChunkSums);

    /// Adds the changes of gradients of a chunk's bonds along a displacement to `sums`.
    fn add_tangents(&self, instructions: InstructionSet, task: &Task, sums: &mut ChunkSums);

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

    /// See [`BondModel::record_elastic`].
    fn record_elastic(&self, pose: &PoseLanes<Traced>, s: &Stiffness<Traced>) -> (Traced, GradientLanes<Traced>);

    /// See [`BondModel::record_overload`].
    fn record_overload(&self, pose: &PoseLanes<Traced>, s: &Stiffness<Traced>, strength: &Strength<Traced>) -> Traced;

    /// See [`BondModel::record_utilisation`].
    fn record_utilisation(
        &self,
        pose: &PoseLanes<Traced>,
        s: &Stiffness<Traced>,
        strength: &Strength<Traced>,
    ) -> Traced;
}

/// Object of the law `B`.
struct Object<B>(PhantomData<fn() -> B>);

impl<B: BondLaw> Law for Object<B> {
    /// An option that is off takes no registers: there is a kernel for each combination of them.
    fn add_chunk(&self, instructions: InstructionSet, task: &Task, sums: &mut ChunkSums) {
        match (task.damped, !task.limits.is_empty()) {
            (false, false) => instructions.run(ChunkKernel::<B, false, false>::new(task, sums)),
            (false, true) => instructions.run(ChunkKernel::<B, false, true>::new(task, sums)),
            (true, false) => instructions.run(ChunkKernel::<B, true, false>::new(task, sums)),
            (true, true) => instructions.run(ChunkKernel::<B, true, true>::new(task, sums)),
        }
    }

    fn add_tangents(&self, instructions: InstructionSet, task: &Task, sums: &mut ChunkSums) {
        assert!(B::WHY_EXPLICIT.is_none(), "the law has no second derivatives, and its callers know");
        instructions.run(ChunkKernel::<B, false, false>::new(task, sums).tangent());
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

    fn record_elastic(&self, pose: &PoseLanes<Traced>, s: &Stiffness<Traced>) -> (Traced, GradientLanes<Traced>) {
        B::elastic(pose, s)
    }

    fn record_overload(&self, pose: &PoseLanes<Traced>, s: &Stiffness<Traced>, strength: &Strength<Traced>) -> Traced {
        record_overload::<B>(pose, s, strength)
    }

    fn record_utilisation(
        &self,
        pose: &PoseLanes<Traced>,
        s: &Stiffness<Traced>,
        strength: &Strength<Traced>,
    ) -> Traced {
        record_utilisation::<B>(pose, s, strength)
    }
}

impl<B: BondLaw + 'static> Object<B> {
    const LAW: &'static dyn Law = &Self(PhantomData);
    const KERNELS: &'static &'static dyn Law = &Self::LAW;
    const MODEL: BondModel = BondModel {
        name: B::NAME,
        has_orientation: B::HAS_ORIENTATION,
        why_explicit: B::WHY_EXPLICIT,
        keeps_contact: B::KEEPS_CONTACT,
        breaks_in_compression: B::BREAKS_IN_COMPRESSION,
        kernels: Self::KERNELS,
    };
}

/// Model of a law, for a static of this package.
pub(super) const fn model<B: BondLaw + 'static>() -> BondModel {
    Object::<B>::MODEL
}

impl BondModel {
    /// Law `B`, of this package or another: the [`bond`](crate::model::Material::bond) of a material. Kernels are compiled in the
    /// package that calls this, and a chunk of bonds is one call through a pointer.
    ///
    /// ```
    /// use bdem_core::energy::law::{BondLaw, LoadStrain};
    /// use bdem_core::energy::{GradientLanes, PoseLanes};
    /// use bdem_core::model::{BondModel, Material, Stiffness};
    /// use bdem_core::simd::Lanes;
    ///
    /// /// Stretch alone, `V = 1/2 k (l - l0)^2`.
    /// struct Spring;
    ///
    /// impl BondLaw for Spring {
    ///     const NAME: &'static str = "spring";
    ///     const HAS_ORIENTATION: bool = false;
    ///     const WHY_EXPLICIT: Option<&'static str> = Some("its second derivatives are not implemented");
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
    /// let rubber = Material { bond: BondModel::of::<Spring>(), ..Material::elastic("rubber", 1100.0, 1e7, 0.25) };
    /// assert_eq!(rubber.bond.name, "spring");
    /// ```
    pub const fn of<B: BondLaw + 'static>() -> &'static Self {
        &Object::<B>::MODEL
    }
}

/// Kernels of a law.
pub(in crate::energy) fn law_of(model: &'static BondModel) -> &'static dyn Law {
    *model.kernels.downcast_ref::<&dyn Law>().expect("`BondModel::of` made it")
}
