use std::collections::BTreeSet;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::pairs_within;
use bdem_core::model::{Constraint, State, World};

use super::body_motion::BodyMotion;
use super::impact::{Impact, ImpactOutcome, Striker};
use super::predicted_contacts;

/// Search for the first contact of each body with each other body and collider, as they move.
pub(super) struct FirstContacts {
    /// Bodies, and what has touched them.
    met: BTreeSet<(usize, Striker)>,
    /// Motions at the last search, and its time, s.
    motions: Vec<BodyMotion>,
    time: f64,
    /// Mean tensile strength (Pa) of each body's bonds at the start, infinite or not a number if they do not break, and the
    /// impedance rho c of its material, Pa s/m.
    solids: Vec<[f64; 2]>,
    /// Impact on each body so far: the first that breaks it, or the fastest.
    impacts: Vec<Option<Impact>>,
}

impl FirstContacts {
    /// Search from the start of a run. What touches then is not struck.
    pub(super) fn new(world: &World, state: &State) -> Self {
        let motions = BodyMotion::of_all(world, state);
        let (solids, impacts) = (solids(world, motions.len()), vec![None; motions.len()]);
        let mut start = Self { met: BTreeSet::new(), motions, time: state.time, solids, impacts };
        start.look(world, state);
        start.impacts.fill(None);
        start
    }

    /// Impacts on the bodies, in their order.
    pub(super) fn impacts(self) -> Vec<Impact> {
        self.impacts.into_iter().flatten().collect()
    }

    /// Notes the pairs that touch for the first time. Speeds of bodies are those of the last search, with gravity since.
    pub(super) fn look(&mut self, world: &World, state: &State) {
        if !(0..self.solids.len()).any(|body| self.is_open(body)) {
            return;
        }
        let fall = world.gravity * (state.time - self.time);
        for (body, striker, speed) in self.on_walls(world, state, &fall).into_iter().chain(self.between(world, state)) {
            if self.met.insert((body, striker)) {
                self.note(body, striker, speed, state.time);
            }
        }
        (self.motions, self.time) = (BodyMotion::of_all(world, state), state.time);
    }

    /// Notes the impacts that follow from prescribed motions and free flight after the last search, until a time (s): contacts, and
    /// the jumps of velocity of grips, which pull afterwards and so count only where they break a body.
    pub(super) fn predict(&mut self, world: &World, state: &State, until: f64) {
        let jolts =
            world.constraints.iter().enumerate().filter_map(|(k, constraint)| jolt(world, state, constraint, until, k));
        for (body, striker, speed, time) in jolts {
            if self.impact(body, striker, speed, time).outcome() != ImpactOutcome::Chips {
                self.note(body, striker, speed, time);
            }
        }
        let mut contacts = predicted_contacts::find(
            world,
            state,
            &self.motions,
            until,
            |body, striker| self.is_open(body) && !self.met.contains(&(body, striker)),
            |body| self.met.range((body, Striker::Collider(0))..=(body, Striker::Body(usize::MAX))).next().is_some(),
        );
        contacts.sort_by(|a, b| a.3.total_cmp(&b.3));
        contacts.into_iter().for_each(|(body, striker, speed, time)| self.note(body, striker, speed, time));
    }

    /// Whether an impact on a body counts: it breaks, and has not yet.
    fn is_open(&self, body: usize) -> bool {
        let breaks = |impact: &Impact| impact.outcome() != ImpactOutcome::Chips;
        self.solids[body][0].is_finite() && !self.impacts[body].as_ref().is_some_and(breaks)
    }

    fn impact(&self, body: usize, striker: Striker, speed: f64, time: f64) -> Impact {
        let [strength, impedance] = self.solids[body];
        Impact { body, striker, time, strength, speed, wave: impedance * speed }
    }

    fn note(&mut self, body: usize, striker: Striker, speed: f64, time: f64) {
        let before = self.impacts[body].map_or(0.0, |impact| impact.speed);
        if self.is_open(body) && speed > before {
            self.impacts[body] = Some(self.impact(body, striker, speed, time));
        }
    }

    /// Bodies that touch walls, each with its relative speed (m/s) along the normal of its first contact: the one that took
    /// longest to get as deep.
    fn on_walls(&self, world: &World, state: &State, fall: &Vec3) -> Vec<(usize, Striker, f64)> {
        let mut touching = Vec::new();
        for (k, wall) in world.walls.iter().enumerate() {
            let (placed, striker) = (wall.at(state.time), Striker::Collider(k));
            let mut first: Vec<Option<(f64, f64)>> = vec![None; self.solids.len()];
            let is_new: Vec<bool> = (0..self.solids.len()).map(|body| !self.met.contains(&(body, striker))).collect();
            for (i, body) in world.particles.body.iter().map(|&body| usize::from(body)).enumerate() {
                let p = &state.p[i];
                if !is_new[body] {
                    continue;
                }
                let Some((gap, normal)) = placed.touch(p, world.particles.contact_radius[i]) else { continue };
                let velocity = self.motions[body].velocity_at(p) + fall - placed.velocity(p);
                let speed = (-velocity.dot(&normal)).max(0.0);
                let since = -gap / speed;
                if first[body].is_none_or(|(before, _)| since > before) {
                    first[body] = Some((since, speed));
                }
            }
            let of_wall = first.into_iter().enumerate();
            touching.extend(of_wall.filter_map(|(body, first)| first.map(|(_, speed)| (body, striker, speed))));
        }
        touching
    }

    /// Bodies that touch others, each with the relative speed (m/s) of their centres.
    fn between(&self, world: &World, state: &State) -> Vec<(usize, Striker, f64)> {
        if self.solids.len() < 2 {
            return Vec::new();
        }
        let (radius, body) = (&world.particles.contact_radius, |i: usize| usize::from(world.particles.body[i]));
        let reach = |i: usize, j: usize| if body(i) == body(j) { 0.0 } else { radius[i] + radius[j] };
        let most = 2.0 * radius.iter().copied().fold(0.0, f64::max);
        let pairs = pairs_within(&state.p, reach, most);
        let met = pairs.iter().flat_map(|pair| {
            let [a, b] = pair.map(|i| body(i as usize));
            let speed = (self.motions[a].velocity - self.motions[b].velocity).norm();
            [(a, Striker::Body(b), speed), (b, Striker::Body(a), speed)]
        });
        met.collect()
    }
}

/// Largest jump of the velocity (m/s) with which the constraint with the index `k` moves a part of a body, until a time (s). Where it
/// starts to act the rest of the body has its mean velocity. None for one that holds whole bodies.
fn jolt(
    world: &World,
    state: &State,
    constraint: &Constraint,
    until: f64,
    k: usize,
) -> Option<(usize, Striker, f64, f64)> {
    let motion = constraint.motion()?;
    let &first = constraint.particles.first()?;
    let body = world.particles.body[first as usize];
    let of_body = |&i: &usize| world.particles.body[i] == body;
    let mut is_held = vec![false; state.len()];
    constraint.particles.iter().for_each(|&i| is_held[i as usize] = true);
    let rest: Vec<usize> = (0..state.len()).filter(of_body).filter(|&i| !is_held[i]).collect();
    if rest.is_empty() {
        return None;
    }
    let mean = |of: &[Vec3], chosen: &[usize]| chosen.iter().map(|&i| of[i]).sum::<Vec3>() / chosen.len() as f64;
    let held: Vec<usize> = constraint.particles.iter().map(|&i| i as usize).filter(of_body).collect();
    let centre = mean(&state.p, &held);
    let velocity = |time: f64| motion.twist(time).at(&motion.pose(time).after(&motion.pose(state.time)).apply(&centre));
    let start = constraint.times.start;
    let jump = (velocity(start) - mean(&state.v, &rest)).norm();
    let just_before = |time: f64| time - 1e-9 * until;
    let end = until.min(constraint.times.end);
    let turns = world.kinks().into_iter().filter(|time| start < *time && *time < end);
    let jumps = turns.map(|time| (time, (velocity(time) - velocity(just_before(time))).norm()));
    let most = jumps.fold((start, jump), |most, next| if next.1 > most.1 { next } else { most });
    (start < until).then_some((usize::from(body), Striker::Constraint(k), most.1, most.0))
}

/// See [`FirstContacts::solids`]. Springs, which have no stress, do not count.
fn solids(world: &World, count: usize) -> Vec<[f64; 2]> {
    let body = |i: u32| usize::from(world.particles.body[i as usize]);
    let (mut sums, mut impedances) = (vec![[0.0; 2]; count], vec![0.0; count]);
    for bond in world.whole_bonds().filter(|bond| body(bond.i) == body(bond.j) && bond.model.has_orientation()) {
        let [sum, number] = &mut sums[body(bond.i)];
        (*sum, *number) = (*sum + bond.strength[0], *number + 1.0);
        let material = world.material_of(bond.i as usize);
        impedances[body(bond.i)] = (material.young_modulus * material.density).sqrt();
    }
    sums.into_iter().zip(impedances).map(|([sum, number], impedance)| [sum / number, impedance]).collect()
}
