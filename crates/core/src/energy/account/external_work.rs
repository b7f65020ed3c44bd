//! External work on a world in a step.

use crate::contact::{NearWalls, SurfaceMotion};
use crate::model::{DampedNormalSpring, Gradient, NormalPotential, State, Wall, WallStep, World, Wrench};
use crate::parallel::{SERIAL_BELOW, sum_chunks};

use super::numerical::{displacement, kinetic_gain};

/// Work (J) of moving walls between two times (s): contact forces times the displacements of the walls' contact points.
/// The forces are those at `state`, at a time between the two, with the surface motion `motion` since the first. The sum is over
/// the particles `near` walls.
pub fn by_walls(world: &World, near: &NearWalls, state: &State, motion: SurfaceMotion, [from, to]: [f64; 2]) -> f64 {
    if world.walls.iter().all(Wall::is_fixed) {
        return 0.0;
    }
    let [since, until] = [from, to].map(|time| world.walls_during([time, state.time]));
    let pushed = |i: usize| {
        let (p, radius) = (&state.p[i], world.particles.contact_radius[i]);
        let push = |(since, until, k): (&WallStep, &WallStep, u32)| {
            let contacts = motion.wall_contacts(since, state, (i, radius), near.kept_faces(i, k));
            let by_contact = contacts.iter().map(|contact| {
                let (gap, n, elastic) = (contact.gaps[1], contact.n, near.spring(world, i));
                let closing = motion.wall_closing(&elastic, contact, state);
                let push = DampedNormalSpring { spring: &elastic, closing }.push(-gap);
                let at = p - n * (radius + gap);
                // the surface of a rotating wall moves across the mean of a contact's normals
                let along = |step: &WallStep| 0.5 * step.moved(&at).dot(&(n + step.back().rotate(&n)));
                push * (along(since) - along(until))
            });
            by_contact.sum::<f64>()
        };
        let walls = since.iter().zip(&until).zip(0..).map(|((since, until), k)| (since, until, k));
        walls.filter(|(wall, ..)| !wall.is_fixed()).map(push).sum::<f64>()
    };
    match near.particles().list() {
        Some(near) => near.iter().map(|&i| pushed(i as usize)).sum(),
        None => sum_chunks(state.len(), SERIAL_BELOW, |range| range.map(pushed).sum()),
    }
}

/// Work on a world in an implicit step, J.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepWork {
    /// Of moving walls.
    pub walls: f64,
    /// Of loads on free particles, and on held ones.
    pub loads: [f64; 2],
    /// Of electric forces, likewise.
    pub electric: [f64; 2],
    /// Of constraints.
    pub held: f64,
}

impl StepWork {
    pub(crate) fn sum(&self) -> f64 {
        self.walls + self.loads.iter().sum::<f64>() + self.electric.iter().sum::<f64>() + self.held
    }
}

/// Work (J) of `loads` on particles in a step: each constant force times the displacement of its particle; torques
/// likewise. The work on free particles, and that on particles in `held`.
pub(crate) fn by_loads(
    loads: impl Iterator<Item = (usize, Wrench)>,
    held: &[bool],
    before: &State,
    after: &State,
) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (i, load) in loads {
        sums[usize::from(held[i])] += load.dot(&displacement(before, after, i));
    }
    sums
}

/// Work (J) on particle `i` in a step that the forces of `gradient`, dV/dx, do not do: `dK + gradient.dx`.
pub(crate) fn by_force(world: &World, before: &State, after: &State, i: usize, gradient: &Gradient) -> f64 {
    kinetic_gain(world, before, after, i) + gradient.dot(&displacement(before, after, i))
}

fn moves(before: &State, after: &State, i: usize) -> bool {
    after.p[i] != before.p[i] || after.q[i] != before.q[i] || after.v[i] != before.v[i] || after.w[i] != before.w[i]
}

/// Work (J) of constraints on the particles in `held`: `dK + gradient.dx`. dK is their gain in kinetic energy, with the
/// jump at the start of a hold. `gradient` is dV/dx of a particle with damping, friction and loads.
pub fn by_holders(
    world: &World,
    held: &[bool],
    before: &State,
    after: &State,
    gradient: impl Fn(usize) -> Gradient + Sync,
) -> f64 {
    if !held.contains(&true) {
        return 0.0;
    }
    let of = |i: usize| by_force(world, before, after, i, &gradient(i));
    let moved = |i: &usize| held[*i] && moves(before, after, *i);
    sum_chunks(held.len(), SERIAL_BELOW, |range| range.filter(moved).map(of).sum())
}
