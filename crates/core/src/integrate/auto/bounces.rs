//! Bounces, which an implicit step of `integrator = "auto"` would dissipate.

use crate::contact::Contacts;
use crate::geometry::Vec3;
use crate::model::{Pair, State, World};

/// Whether an unbonded particle bounces in a step: it is in contact at the start or at the end, and its change of velocity, less
/// that by gravity, exceeds the limit
///
/// ```text
/// |dv - g dt| > 0.02 |v|,    between 0.01 and 1 times `visible` (radii/s)
/// ```
///
/// A grain or a rigid body has its contact's restitution alone, and that takes steps which resolve the contact. A bonded body
/// damps the motion of its surface. Particles that are nearly at rest may stop.
pub(super) fn bounces(world: &World, contacts: &Contacts, [before, after]: [&State; 2], visible: f64) -> bool {
    /// Limit over the speed, and lower bound on the limit over the visible change.
    const SHARES: [f64; 2] = [0.02, 0.01];
    let loose = loose(world);
    let fall = world.gravity * (after.time - before.time);
    let jolted = |i: usize| {
        let visible = visible * world.particles.radius[i];
        let limit = (SHARES[0] * before.v[i].norm()).clamp(SHARES[1] * visible, visible);
        loose[i] && (after.v[i] - before.v[i] - fall).norm_squared() > limit * limit
    };
    let states = [before, after];
    let pairs = || {
        let touching =
            |p: &[Vec3]| contacts.pairs().iter().any(|pair| pair.ends().into_iter().any(jolted) && pair.overlaps(p));
        states.iter().any(|state| touching(&state.p))
    };
    let on_walls = || {
        let radius = &world.particles.contact_radius;
        let touching = |state: &State| {
            let walls = world.walls_at(state.time);
            let touches = |i: usize| walls.iter().any(|wall| wall.gap(&state.p[i], radius[i]).is_some());
            (0..state.len()).any(|i| jolted(i) && touches(i))
        };
        states.into_iter().any(touching)
    };
    loose.contains(&true) && (pairs() || on_walls())
}

/// Particles that are not bonded.
pub(crate) fn loose(world: &World) -> Vec<bool> {
    let mut loose = vec![true; world.particles.len()];
    world.whole_bonds().for_each(|bond| bond.ends().iter().for_each(|&i| loose[i] = false));
    loose
}
