//! What is done to a world from outside in a step.

use crate::contact::Slip;
use crate::geometry::Vec3;
use crate::model::{ClosingSpring, Collider, Motion, Spring, State, World, Wrench};
use crate::parallel::sum_chunks;

use super::numerical::{kinetic_gain, way};

/// Particles that are worth a second thread.
const SERIAL_BELOW: usize = 1024;

/// The work (J) of moving walls from one time to another (s), if they push all the while as they do in `state`, at any time
/// between, after a `slip`: forces times the ways of the walls' points that touch.
pub fn by_walls(world: &World, state: &State, slip: Slip, [from, to]: [f64; 2]) -> f64 {
    let moving = || world.colliders.iter().filter(|wall| wall.motion != Motion::Fixed);
    if moving().next().is_none() {
        return 0.0;
    }
    let carried = |wall: &Collider, at: &Vec3| wall.moved(at, from, state.time) - wall.moved(at, to, state.time);
    let pushed = |i: usize| {
        let (p, radius) = (&state.p[i], world.particles.radius[i]);
        let push = |wall: &Collider| {
            let (gap, n) = wall.touch(p, radius, state.time)?;
            let elastic = world.wall_spring(i);
            let closing = slip.wall_closing(&elastic, wall, state, (i, radius));
            let push = ClosingSpring { spring: &elastic, closing }.push(-gap);
            Some(push * n.dot(&carried(wall, &(p - n * (radius + gap)))))
        };
        moving().filter_map(push).sum::<f64>()
    };
    sum_chunks(state.len(), SERIAL_BELOW, |range| range.map(pushed).sum())
}

/// The work (J) of loads in a step: each force, which stays as it is, times the way of what it pushes; torques likewise. That on
/// particles that are free, and on those that are `held`.
pub fn by_loads(world: &World, held: &[bool], before: &State, after: &State) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (i, load) in world.loads(before.time, after.time) {
        sums[usize::from(held[i])] += load.dot(&way(before, after, i));
    }
    sums
}

fn moves(before: &State, after: &State, i: usize) -> bool {
    after.p[i] != before.p[i] || after.q[i] != before.q[i] || after.v[i] != before.v[i] || after.w[i] != before.w[i]
}

/// The work (J) in a step of what holds the particles that are `held` in it: what they gain in kinetic energy, the jump
/// when a hold begins included, less what all others do to them: `dK + slope.dx`, `slope` being dV/dx of a particle with
/// damping, friction and loads.
pub fn by_holders(
    world: &World,
    held: &[bool],
    before: &State,
    after: &State,
    slope: impl Fn(usize) -> Wrench + Sync,
) -> f64 {
    if !held.contains(&true) {
        return 0.0;
    }
    let of = |i: usize| kinetic_gain(world, before, after, i) + slope(i).dot(&way(before, after, i));
    let moved = |i: &usize| held[*i] && moves(before, after, *i);
    sum_chunks(held.len(), SERIAL_BELOW, |range| range.filter(moved).map(of).sum())
}
