//! Derivatives of normal forces in contacts, of the pairs and floors that touch: the active set as it is.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::Neighbours;
use bdem_core::model::{Closing, ClosingSpring, Collider, ContactSpring, Displacement, Spring, State, World};

use crate::error::FitError;
use crate::run::plane;

use super::StateGradient;

/// Forces of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// Of the springs at a state.
    Static,
    /// Of an explicit step, with its dashpots and corrections.
    Explicit,
    /// Of an implicit step, with its dashpots.
    Implicit,
}

/// Step of a world between two states.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub law: Law,
    pub before: &'a State,
    pub after: &'a State,
}

impl Step<'_> {
    /// dV/dp of i along the normal (N) for overlaps (m) at the start and at the end, negative for gaps.
    fn force(&self, spring: &ContactSpring, zeta: f64, [from, to]: [f64; 2]) -> f64 {
        let [before, overlap] = [from.max(0.0), to.max(0.0)];
        if self.law == Law::Static || zeta == 0.0 {
            return spring.push(overlap);
        }
        let rate = 1.0 / (self.after.time - self.before.time);
        let closing = Closing { before, rate };
        if self.law == Law::Implicit {
            return ClosingSpring { spring, closing }.push(overlap);
        }
        let [_, correction] = spring.trapezoid_error([from, to]);
        let spring = &spring.in_explicit_step(zeta, rate, overlap.max(before));
        ClosingSpring { spring, closing }.push(overlap) + correction
    }
}

/// Contact of two particles, or of one with a floor.
pub(super) struct Touch {
    i: usize,
    j: Option<usize>,
    /// Unit normals from i to the other, and distances of centres (m, infinite for a floor), at the start and at the end.
    n: [Vec3; 2],
    distance: [f64; 2],
    /// m, negative for gaps.
    overlaps: [f64; 2],
}

impl Touch {
    /// Whether it opens or closes in the step.
    pub(super) fn changes(&self) -> bool {
        (self.overlaps[0] > 0.0) != (self.overlaps[1] > 0.0)
    }

    fn spring(&self, world: &World) -> ContactSpring {
        match self.j {
            Some(j) => world.pair_spring([self.i as u32, j as u32]),
            None => world.wall_spring(self.i),
        }
    }

    /// Difference of a vector's values at i and at the other.
    fn apart(&self, of: &[Displacement]) -> Vec3 {
        of[self.i].translation - self.j.map_or_else(Vec3::zeros, |j| of[j].translation)
    }

    fn add(&self, by_i: Vec3, to: &mut [Vec3]) {
        to[self.i] += by_i;
        if let Some(j) = self.j {
            to[j] -= by_i;
        }
    }
}

/// Contacts that touch at the start or at the end of a step.
pub(super) fn touches(world: &World, contacts: &Neighbours, step: &Step) -> Result<Vec<Touch>, FitError> {
    let states = [step.before, step.after];
    let mut found = Vec::new();
    for pair in contacts.pairs() {
        let [i, j] = [pair.i as usize, pair.j as usize];
        let branch = states.map(|state| state.p[j] - state.p[i]);
        let distance = branch.map(|r| r.norm());
        let overlaps = distance.map(|l| pair.reach - l);
        if overlaps.iter().all(|overlap| *overlap <= 0.0) {
            continue;
        }
        if pair.mu.sticking > 0.0 || pair.mu.sliding > 0.0 {
            return Err(rubs());
        }
        let n = [branch[0] / distance[0], branch[1] / distance[1]];
        found.push(Touch { i, j: Some(j), n, distance, overlaps });
    }
    for floor in &world.colliders {
        add_floor(world, floor, states, &mut found)?;
    }
    Ok(found)
}

fn rubs() -> FitError {
    let remedy = "set friction to 0 where parts touch, or choose a method without gradients";
    FitError::Unfollowed { what: "friction of contacts", remedy }
}

fn add_floor(world: &World, floor: &Collider, states: [&State; 2], found: &mut Vec<Touch>) -> Result<(), FitError> {
    let [Some(start), Some(end)] = states.map(|state| plane(floor, state.time)) else { return Ok(()) };
    for (i, radius) in world.particles.contact_radius.iter().enumerate() {
        let overlap = |state: &State, (normal, offset): (Vec3, f64)| radius + offset - normal.dot(&state.p[i]);
        let overlaps = [overlap(states[0], start), overlap(states[1], end)];
        if overlaps.iter().all(|overlap| *overlap <= 0.0) {
            continue;
        }
        if floor.friction.unwrap_or(world.material_of(i).friction) > 0.0 {
            return Err(rubs());
        }
        found.push(Touch { i, j: None, n: [-start.0, -end.0], distance: [f64::INFINITY; 2], overlaps });
    }
    Ok(())
}

/// Adds derivatives of `y` times the contacts' forces dV/dx: by positions at the start and at the end of the step.
pub(super) fn add(
    world: &World,
    touches: &[Touch],
    step: &Step,
    y: &[Displacement],
    mut by_before: Option<&mut StateGradient>,
    mut by_after: Option<&mut StateGradient>,
) {
    /// Difference of an overlap over the spring's size, for the force's slopes. The laws are smooth on both sides of contact.
    const DIFFERENCE: f64 = 1e-7;
    let zeta = world.contact_damping;
    for touch in touches {
        let (spring, [from, to]) = (touch.spring(world), touch.overlaps);
        let h = DIFFERENCE * spring.size;
        let slope = |at: [f64; 2], by: [f64; 2]| {
            let moved = |sign: f64| step.force(&spring, zeta, [at[0] + sign * by[0], at[1] + sign * by[1]]);
            (moved(1.0) - moved(-1.0)) / (2.0 * h)
        };
        let apart = touch.apart(y);
        let along = apart.dot(&touch.n[1]);
        if let Some(by) = &mut by_after {
            let force = step.force(&spring, zeta, [from, to]);
            let across = (apart - touch.n[1] * along) * (force / touch.distance[1]);
            // the overlap grows with n.dp_i, and n turns with -dp_i
            touch.add(touch.n[1] * (slope([from, to], [0.0, h]) * along) - across, &mut by.p);
        }
        if let Some(by) = &mut by_before
            && zeta > 0.0
        {
            touch.add(touch.n[0] * (slope([from, to], [h, 0.0]) * along), &mut by.p);
        }
    }
}

/// Change of `y` times the contacts' forces between two worlds, whose particles and floors are the same.
pub(super) fn change([from, to]: [&World; 2], touches: &[Touch], step: &Step, y: &[Displacement]) -> f64 {
    let difference = |touch: &Touch| {
        let force = |world: &World| step.force(&touch.spring(world), world.contact_damping, touch.overlaps);
        (force(to) - force(from)) * touch.apart(y).dot(&touch.n[1])
    };
    touches.iter().map(difference).sum()
}
