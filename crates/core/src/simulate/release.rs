use crate::model::{State, World};

/// Gives particles the velocities that they have after their release, at the end of the step from the time `from` (s) in which it
/// falls. Steps end within `tolerance` (s) of it. Returns the change of kinetic energy, J.
pub(super) fn release(world: &World, state: &mut State, from: f64, tolerance: f64) -> f64 {
    let is_now = |end: f64| from < end - tolerance && end - tolerance <= state.time;
    let mut work = 0.0;
    for constraint in world.constraints.iter().filter(|constraint| is_now(constraint.times.end)) {
        for (&i, &[v, w]) in constraint.particles.iter().zip(&constraint.released) {
            let i = i as usize;
            let (mass, inertia) = (world.particles.mass[i], world.particles.inertia[i]);
            work += 0.5 * mass * (v.norm_squared() - state.v[i].norm_squared());
            work += 0.5 * inertia * (w.norm_squared() - state.w[i].norm_squared());
            (state.v[i], state.w[i]) = (v, w);
        }
    }
    work
}
