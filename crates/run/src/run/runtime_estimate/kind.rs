use bdem_core::simulate::Simulation;

use super::Span;

/// Properties of a scene that determine how much the run time of its frames varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    steps: Steps,
    /// Whether any bond can break.
    breaks: bool,
    /// Whether any particle is held, moved or loaded, which strains bodies without an impact.
    driven: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// All of similar work. Contacts add some.
    Explicit,
    /// Equal length, different work to solve.
    Equal,
    /// Length adapts to events.
    Adapted,
}

impl Kind {
    pub(super) fn of(simulation: &Simulation, is_explicit: bool) -> Self {
        let steps = match simulation.plan.finest {
            _ if is_explicit => Steps::Explicit,
            0 => Steps::Equal,
            _ => Steps::Adapted,
        };
        let world = &simulation.world;
        let breaks = world.bonds().iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
        Self { steps, breaks, driven: !world.constraints.is_empty() }
    }

    /// Ratio of the time of a frame before the first impact to that of the first frames. Free flight does not change. Slow
    /// strain may lead to breakage.
    pub(super) fn spread_at_start(self) -> Span {
        let [low, high] = match (self.driven, self.steps, self.breaks) {
            (false, ..) => [1.0, 1.0],
            (_, Steps::Adapted, true) => [0.8, 4.0],
            (_, Steps::Equal, true) => [0.7, 2.8],
            _ => [0.7, 1.8],
        };
        Span { low, high }
    }

    /// Ratio of the mean time of a frame after the first impact to that of the frames right after it, measured on scenes of all
    /// kinds. The work of explicit steps grows with contacts of debris. Adapted steps are shortest during breakage. Their later
    /// growth and the work to solve for debris are unpredictable.
    pub(super) fn spread_after_impact(self) -> Span {
        let [low, high] = match (self.steps, self.breaks) {
            (Steps::Explicit, _) => [0.8, 2.2],
            (Steps::Equal, false) => [0.6, 1.8],
            (Steps::Equal, true) => [0.6, 2.5],
            (Steps::Adapted, _) => [0.18, 1.5],
        };
        Span { low, high }
    }
}
