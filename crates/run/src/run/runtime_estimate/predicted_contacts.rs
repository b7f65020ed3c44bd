//! Contacts that follow from prescribed motions and free flight, without a simulation.

use bdem_core::geometry::grid::pairs_within;
use bdem_core::geometry::{Pose, Vec3};
use bdem_core::model::{State, Twist, Wall, World};
use rayon::prelude::*;

use super::body_motion::{BodyMotion, BodyPath};
use super::impact::Striker;

/// Body, what strikes it, relative speed (m/s) and time (s).
type Contact = (usize, Striker, f64, f64);

/// Number of times at which velocities are sampled for their bound.
const SAMPLES: u32 = 256;

/// Limit on the number of steps of a search.
const MAX_STEPS: usize = 4000;

/// First contacts of pairs that are `wanted`, from `state` until a time (s). A free body that `touches` something rests on it.
pub(super) fn find(
    world: &World,
    state: &State,
    motions: &[BodyMotion],
    until: f64,
    is_wanted: impl Fn(usize, Striker) -> bool,
    touches: impl Fn(usize) -> bool,
) -> Vec<Contact> {
    let times = [state.time, until];
    let moves = |wall: &&Wall| wall.motion.driven().is_none();
    let body = |k: usize| {
        let mut body = Body::new(world, state, k, motions, touches(k));
        let is_flying = matches!(body.path, BodyPath::Flight(..));
        let landings =
            world.walls.iter().filter(|wall| is_flying && moves(wall)).filter_map(|wall| body.meets_wall(wall, times));
        let first = landings.map(|[time, _]| time).fold(f64::INFINITY, f64::min);
        if let BodyPath::Flight(_, _, landing) = &mut body.path {
            *landing = first;
        }
        body
    };
    let bodies: Vec<Body> = (0..motions.len()).map(body).collect();
    let mut contacts = Vec::new();
    for (k, body) in bodies.iter().enumerate() {
        for (w, wall) in world.walls.iter().enumerate().filter(|(_, wall)| moves(wall)) {
            let striker = Striker::Collider(w);
            if let Some([time, speed]) = is_wanted(k, striker).then(|| body.meets_wall(wall, times)).flatten() {
                contacts.push((k, striker, speed, time));
            }
        }
        for (other, next) in bodies.iter().enumerate().skip(k + 1) {
            let pairs = [(k, Striker::Body(other)), (other, Striker::Body(k))].into_iter();
            let wanted: Vec<_> = pairs.filter(|(body, striker)| is_wanted(*body, *striker)).collect();
            let met = (!wanted.is_empty()).then(|| body.meets(next, times)).flatten();
            contacts.extend(met.iter().flat_map(|[time, speed]| wanted.iter().map(|(k, by)| (*k, *by, *speed, *time))));
        }
    }
    contacts
}

/// Body with its expected motion.
struct Body<'a> {
    path: BodyPath<'a>,
    /// Time from which it moves so, s.
    since: f64,
    /// Positions (m) at that time, and radii (m).
    particles: Vec<(Vec3, f64)>,
    /// Ball around all of it then.
    centre: Vec3,
    reach: f64,
    /// Smallest radius, m.
    least: f64,
}

impl<'a> Body<'a> {
    fn new(world: &'a World, state: &State, body: usize, motions: &[BodyMotion], touches: bool) -> Self {
        let of_body = |i: usize| usize::from(world.particles.body[i]) == body;
        let indices = (0..state.len()).filter(|&i| of_body(i) && world.particles.has_contacts(i));
        let particles: Vec<_> = indices.map(|i| (state.p[i], world.particles.contact_radius[i])).collect();
        let first = particles.first().map_or_else(Vec3::zeros, |(p, _)| *p);
        let (low, high) = particles.iter().fold((first, first), |(low, high), (p, _)| (low.inf(p), high.sup(p)));
        let centre = 0.5 * (low + high);
        let reach = particles.iter().map(|(p, radius)| (p - centre).norm() + radius).fold(0.0, f64::max);
        let acting = world.constraints.iter().filter(|c| c.times.contains(&state.time));
        let mut holding = acting.filter(|c| c.particles.iter().any(|&i| of_body(i as usize)));
        let path = match holding.find_map(|constraint| constraint.motion()) {
            Some(motion) => BodyPath::Held(motion),
            None if touches => BodyPath::Rest,
            None => BodyPath::Flight(motions[body], world.gravity, f64::INFINITY),
        };
        let least = particles.iter().map(|(_, radius)| *radius).fold(f64::INFINITY, f64::min);
        Self { path, since: state.time, particles, centre, reach, least }
    }

    fn pose(&self, time: f64) -> Pose {
        self.path.pose([self.since, time])
    }

    fn twist(&self, time: f64) -> Twist {
        self.path.twist([self.since, time])
    }

    /// First contact with a wall: time (s) and greatest speed (m/s) along the normals there.
    fn meets_wall(&self, wall: &Wall, times: [f64; 2]) -> Option<[f64; 2]> {
        let distance = |time: f64| wall.at(time).distance(&self.pose(time).apply(&self.centre)) - self.reach;
        let touch = |time: f64| {
            let (placed, pose, twist) = (wall.at(time), self.pose(time), self.twist(time));
            let speeds = self.particles.par_iter().filter_map(|(p, radius)| {
                let p = pose.apply(p);
                placed.touch(&p, *radius).map(|(_, normal)| (placed.velocity(&p) - twist.at(&p)).dot(&normal))
            });
            speeds.reduce_with(f64::max)
        };
        first_touch(times, self.fastest(|time| wall.motion.twist(time), times), 0.5 * self.least, distance, touch)
    }

    /// First contact with another body: time (s) and the relative speed of their centres (m/s).
    fn meets(&self, other: &Self, times: [f64; 2]) -> Option<[f64; 2]> {
        let distance = |time: f64| {
            let [a, b] = [self, other].map(|body| body.pose(time).apply(&body.centre));
            (a - b).norm() - self.reach - other.reach
        };
        let touch = |time: f64| {
            let near = |body: &Self, to: &Self| -> Vec<(Vec3, f64)> {
                let (pose, ball) = (body.pose(time), to.pose(time).apply(&to.centre));
                let placed = body.particles.iter().map(|(p, radius)| (pose.apply(p), *radius));
                placed.filter(|(p, radius)| (p - ball).norm() < to.reach + radius).collect()
            };
            let mine = near(self, other);
            let all: Vec<_> = mine.iter().copied().chain(near(other, self)).collect();
            let places: Vec<Vec3> = all.iter().map(|(p, _)| *p).collect();
            let is_mine = |i: usize| i < mine.len();
            let reach = |i: usize, j: usize| if is_mine(i) == is_mine(j) { 0.0 } else { all[i].1 + all[j].1 };
            let most = 2.0 * all.iter().map(|(_, radius)| *radius).fold(0.0, f64::max);
            let meet = !all.is_empty() && !pairs_within(&places, reach, most).is_empty();
            let velocity = |body: &Self| body.twist(time).at(&body.pose(time).apply(&body.centre));
            meet.then(|| (velocity(self) - velocity(other)).norm())
        };
        let spin = self.fastest(|time| other.twist(time), times);
        first_touch(times, spin, 0.5 * self.least.min(other.least), distance, touch)
    }

    /// Bound on the relative speed of its points and those of another rigid motion near it, m/s.
    fn fastest(&self, other: impl Fn(f64) -> Twist, [from, to]: [f64; 2]) -> f64 {
        let at = |k: u32| from + (to - from) * f64::from(k) / f64::from(SAMPLES);
        let speed = |time: f64| {
            let (own, other, centre) = (self.twist(time), other(time), self.pose(time).apply(&self.centre));
            (own.at(&centre) - other.at(&centre)).norm() + (own.spin - other.spin).norm() * self.reach
        };
        (0..=SAMPLES).map(at).map(speed).fold(0.0, f64::max)
    }
}

/// First time (s) between two at which `touch` has a speed (m/s), and this. Steps are as long as a lower bound of the `distance` (m) at
/// this `fastest` relative speed (m/s) allows, or `spacing` (m) where it does not.
fn first_touch(
    [from, to]: [f64; 2],
    fastest: f64,
    spacing: f64,
    distance: impl Fn(f64) -> f64,
    touch: impl Fn(f64) -> Option<f64>,
) -> Option<[f64; 2]> {
    if fastest == 0.0 || !spacing.is_finite() {
        return None;
    }
    let mut time = from;
    for _ in 0..MAX_STEPS {
        let gap = distance(time);
        if gap <= 0.0
            && let Some(speed) = touch(time)
        {
            return Some([time, speed]);
        }
        if time >= to {
            return None;
        }
        time = (time + gap.max(spacing) / fastest).min(to);
    }
    None
}
