//! Bounces that an implicit step of `integrator = "auto"` would damp away.

use crate::contact::Neighbours;
use crate::geometry::Vec3;
use crate::model::{Pair, State, World};

/// Whether a particle that no bond holds touches something at the start or at the end of a step, and the step changes its velocity,
/// besides gravity's share, by more than `visible` (radii/s), or by more than a share of it: what has come nearly to rest may stop.
///
/// A grain or a rigid body has its contact's restitution alone, and that takes steps which resolve the contact. The surface of a
/// bonded body is damped by the body.
pub(super) fn bounces(world: &World, contacts: &Neighbours, [before, after]: [&State; 2], visible: f64) -> bool {
    /// Change over the speed, and the least change over the visible one.
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
