use bdem_core::simulate::Simulation;

use super::Span;

/// Variation of the run time of a scene's frames: ratio of the time of a frame before the first impact to that of the first
/// frames; and of the mean time of a frame after it to that of the frames right after it. Measured on scenes of all kinds.
///
/// Free flight does not change. Slow strain, of particles that are held, moved or loaded, may lead to breakage. The work of
/// explicit steps grows with contacts of debris. Implicit steps of equal length have different work to solve. Adapted steps are
/// shortest during breakage. Their later growth and the work to solve for debris are unpredictable.
pub(super) fn spreads(simulation: &Simulation, is_explicit: bool) -> [Span; 2] {
    let world = &simulation.world;
    let breaks = world.bonds().iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
    let is_adapted = !is_explicit && simulation.plan.finest > 0;
    let start = match breaks && !is_explicit {
        _ if world.constraints.is_empty() => [1.0, 1.0],
        true if is_adapted => [0.8, 4.0],
        true => [0.7, 2.8],
        false => [0.7, 1.8],
    };
    let after_impact = match breaks {
        _ if is_explicit => [0.8, 2.2],
        _ if is_adapted => [0.18, 1.5],
        false => [0.6, 1.8],
        true => [0.6, 2.5],
    };
    [start, after_impact].map(|[low, high]| Span { low, high })
}
