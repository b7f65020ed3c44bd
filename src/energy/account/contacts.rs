//! Energy flows of contacts in an explicit step.

use std::ops::AddAssign;

use rayon::prelude::*;

use crate::contact::{ContactPair, Neighbours, Slip};
use crate::energy::{Potential, gap_between};
use crate::geometry::Vec3;
use crate::model::{ContactSpring, Pair, PlacedWall, Spring, State, World};
use crate::parallel::sum_parts;

/// Pairs or particles per task.
const CHUNK: usize = 1024;

/// Energy flows of contacts in an explicit step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByContacts {
    /// Dissipation of dashpots by the forces at the end of the step. Half of them act in this step and half in the
    /// next, with the mean of both velocities.
    pub damping: f64,
    /// Stored energy of springs beyond the trapezoidal rule: see `trapezoid_error`.
    pub trapezoid_error: f64,
}

impl AddAssign for ByContacts {
    fn add_assign(&mut self, other: Self) {
        self.damping += other.damping;
        self.trapezoid_error += other.trapezoid_error;
    }
}

/// Sum of `of` over `these`.
fn sum<T>(these: impl Iterator<Item = T>, of: impl Fn(T) -> ByContacts) -> ByContacts {
    let mut sum = ByContacts::default();
    these.for_each(|this| sum += of(this));
    sum
}

/// Energy flows of contacts in the step between two states.
pub fn by_contacts(world: &World, contacts: &Neighbours, before: &State, after: &State) -> ByContacts {
    let potential = Potential { slip: Slip::Since(before), ..Potential::new(world, contacts) };
    let overlap = |pair: &ContactPair, x: &State| -gap_between(pair, x).gap;
    let touching = |pair: &ContactPair| {
        if !pair.overlaps(&after.p) {
            return ByContacts::default();
        }
        let gap = gap_between(pair, after);
        let spring = potential.slip.pair_spring(pair, after);
        let [i, j] = pair.ends();
        let damping = spring.resistance(-gap.gap) * (after.v[i] - after.v[j]).dot(&gap.n);
        // the dashpot has this overlap already
        let start = if spring.closing.before > 0.0 { spring.closing.before } else { overlap(pair, before) };
        ByContacts { damping, trapezoid_error: trapezoid_error(&pair.spring, [start, -gap.gap]) }
    };
    let parted = |pair: &ContactPair| {
        let has = pair.overlaps(&before.p) && !pair.overlaps(&after.p);
        let trapezoid_error =
            if has { trapezoid_error(&pair.spring, [before, after].map(|x| overlap(pair, x))) } else { 0.0 };
        ByContacts { damping: 0.0, trapezoid_error }
    };
    let walls = &*potential.walls(after);
    let of_walls = |i: usize| {
        let (spring, radius) = (world.wall_spring(i), world.particles.radius[i]);
        let pushes = potential.wall_pushes(walls, i, after);
        let damping = pushes.map(|push| push.spring().resistance(-push.gap) * push.closing_speed(after, i)).sum();
        let trapezoid_error = potential.walls_near(walls, i).iter().map(|wall| {
            let ends = [(wall.start, &before.p[i]), (wall.end, &after.p[i])];
            let gaps = ends.map(|(wall, p)| wall.gap(p, radius));
            if gaps == [None; 2] {
                return 0.0;
            }
            let far = |(wall, p): (PlacedWall, &Vec3)| wall.distance(p) - radius;
            trapezoid_error(&spring, [0, 1].map(|end| -gaps[end].unwrap_or_else(|| far(ends[end]))))
        });
        ByContacts { damping, trapezoid_error: trapezoid_error.sum() }
    };
    let all = contacts.pairs();
    let mut total = match contacts.touching() {
        Some(these) => sum_parts(these.parts(), |part| sum(part.iter(), |&k| touching(&all[k as usize]))),
        None => sum_parts(all.par_chunks(CHUNK), |pairs| sum(pairs.iter(), touching)),
    };
    total += match contacts.touched() {
        Some(these) => sum_parts(these.parts(), |part| sum(part.iter(), |&k| parted(&all[k as usize]))),
        None => sum_parts(all.par_chunks(CHUNK), |pairs| sum(pairs.iter(), parted)),
    };
    total += match contacts.near_walls().list() {
        Some(near) => sum(near.iter(), |&i| of_walls(i as usize)),
        None if world.colliders.is_empty() => ByContacts::default(),
        None => {
            let chunks = after.p.par_chunks(CHUNK).enumerate();
            sum_parts(chunks, |(chunk, p)| sum((chunk * CHUNK..).take(p.len()), of_walls))
        }
    };
    ByContacts { damping: total.damping * (after.time - before.time), ..total }
}

/// Error of the trapezoidal rule for a spring between two overlaps (m, negative for gaps): `V(o_1) - V(o_0) - (P(o_0) +
/// P(o_1))/2 (o_1 - o_0)`, J. Zero for a quadratic V. It is dissipation in a step that closes a contact, and energy
/// gain in one that opens it. The gain is smaller, since contacts with restitution open slower.
fn trapezoid_error(spring: &ContactSpring, overlaps: [f64; 2]) -> f64 {
    let [o0, o1] = overlaps;
    let at = |o: f64| if o > 0.0 { [spring.energy(o), spring.push(o)] } else { [0.0; 2] };
    let ([v0, p0], [v1, p1]) = (at(o0), at(o1));
    v1 - v0 - 0.5 * (p0 + p1) * (o1 - o0)
}
