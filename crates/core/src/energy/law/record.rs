//! Laws recorded for graphics cards: see [`Traced`].

use crate::energy::{GradientLanes, PoseLanes, strength};
use crate::model::{AxialStress, Bond, BondModel, Criterion, CriterionPack, LimitPack, Stiffness};
use crate::simd::Lanes;
use crate::simd::traced::Traced;

use super::{BondLaw, law_of};

/// Strength of a bond as lengths, for comparison with strains by the criterion of `energy/strength.rs`.
#[derive(Clone, Copy, Debug)]
pub struct Strength<L> {
    /// sigma_c l0/E, m.
    pub sigma: L,
    /// tau_c l0/G, m.
    pub tau: L,
    /// Share of bending and twisting, and the lateral length by which a stretch of 1 weakens the bond. None for 1 and 0.
    pub criterion: Option<[L; 2]>,
    /// Whether tension alone counts.
    pub tension: bool,
}

impl Strength<f64> {
    /// Strength of `bond` in a world with this `axial` rule.
    pub fn new(bond: &Bond, axial: AxialStress) -> Self {
        let one = std::slice::from_ref(bond);
        let (limit, terms) = (LimitPack::new(one), CriterionPack::new(one));
        let criterion = (bond.criterion != Criterion::default()).then_some([terms.moment_share[0], terms.friction[0]]);
        let tension = bond.model.axial(axial) == AxialStress::Tension;
        Self { sigma: limit.sigma[0], tau: limit.tau[0], criterion, tension }
    }
}

impl BondModel {
    /// Records V (J) and its derivatives, or the negative forces and torques of a law without energy.
    pub fn record_elastic(
        &'static self,
        pose: &PoseLanes<Traced>,
        s: &Stiffness<Traced>,
    ) -> (Traced, GradientLanes<Traced>) {
        law_of(self).record_elastic(pose, s)
    }

    /// Records whether a bond may have reached its strength: 1 or 0.
    pub fn record_overload(
        &'static self,
        pose: &PoseLanes<Traced>,
        s: &Stiffness<Traced>,
        strength: &Strength<Traced>,
    ) -> Traced {
        law_of(self).record_overload(pose, s, strength)
    }

    /// Records the load over the strength of a bond.
    pub fn record_utilisation(
        &'static self,
        pose: &PoseLanes<Traced>,
        s: &Stiffness<Traced>,
        strength: &Strength<Traced>,
    ) -> Traced {
        law_of(self).record_utilisation(pose, s, strength)
    }
}

impl Strength<Traced> {
    /// Strengths as kernels load them.
    fn packs(&self) -> (LimitPack, Option<CriterionPack>) {
        let eight = |value: Traced| [value.boxed(); 8];
        let limits = LimitPack { sigma: eight(self.sigma), tau: eight(self.tau) };
        let criterion = self
            .criterion
            .map(|[share, friction]| CriterionPack { moment_share: eight(share), friction: eight(friction) });
        (limits, criterion)
    }
}

pub(super) fn record_overload<B: BondLaw>(
    pose: &PoseLanes<Traced>,
    s: &Stiffness<Traced>,
    strength: &Strength<Traced>,
) -> Traced {
    let (limits, criterion) = strength.packs();
    let overloaded = || {
        let bits = strength::overloaded::<Traced, B>(pose, s, (&limits, criterion.as_ref()), 0, strength.tension);
        vec![Traced::from_bits(bits)]
    };
    Traced::all_paths(overloaded)[0]
}

pub(super) fn record_utilisation<B: BondLaw>(
    pose: &PoseLanes<Traced>,
    s: &Stiffness<Traced>,
    strength: &Strength<Traced>,
) -> Traced {
    let (limits, criterion) = strength.packs();
    let utilisation =
        || vec![strength::utilisation::<Traced, B>(pose, s, (&limits, criterion.as_ref()), 0, strength.tension)];
    Traced::all_paths(utilisation)[0]
}
