use crate::run::Simulation;

use super::Span;

/// What decides how much alike a scene's frames are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    steps: Steps,
    /// Whether anything can break.
    breaks: bool,
    /// Whether anything is held, moved or pushed, so that it is strained without an impact.
    driven: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// All alike: only contacts make some dearer.
    Explicit,
    /// Equally long, and harder or easier to solve.
    Equal,
    /// As long as what happens lets them be.
    Adapted,
}

impl Kind {
    pub fn of(simulation: &Simulation, is_explicit: bool) -> Self {
        let steps = match simulation.plan.finest {
            _ if is_explicit => Steps::Explicit,
            0 => Steps::Equal,
            _ => Steps::Adapted,
        };
        let world = &simulation.world;
        let breaks = world.bonds().iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
        Self { steps, breaks, driven: !world.constraints.is_empty() }
    }

    /// What a frame before the first impact takes, over what the first ones take. Free flight stays as it is; what is
    /// strained slowly may break in the end.
    pub fn spread_at_start(self) -> Span {
        let [low, high] = match (self.driven, self.steps, self.breaks) {
            (false, ..) => [1.0, 1.0],
            (_, Steps::Adapted, true) => [0.8, 4.0],
            (_, Steps::Equal, true) => [0.7, 2.8],
            _ => [0.7, 1.8],
        };
        Span { low, high }
    }

    /// What a frame after the first impact takes on average, over what those right after it take: measured on scenes of all
    /// kinds. Explicit steps look at more contacts as more breaks or heaps up. Adapted steps are shortest while things
    /// break; how soon they grow, and how hard it is to solve for debris, nobody knows before.
    pub fn spread_after_impact(self) -> Span {
        let [low, high] = match (self.steps, self.breaks) {
            (Steps::Explicit, _) => [0.8, 2.2],
            (Steps::Equal, false) => [0.6, 1.8],
            (Steps::Equal, true) => [0.6, 2.5],
            (Steps::Adapted, _) => [0.18, 1.5],
        };
        Span { low, high }
    }
}
