//! Pieces that nothing strains move as rigid bodies: six unknowns each, by explicit steps of Newton's and Euler's equations
//!
//! ```text
//! M dV/dt = F,    dL/dt = T,    w = I^-1 L        about the centre of mass
//! ```
//!
//! a half kick, a drift, a half kick. Only contacts between pieces and on walls act, by the same laws as anywhere; what is inside a
//! piece turns with it as it is, bonds, closed cracks and their friction. What flies alone goes its whole way at once.
//!
//! A piece does not rest inside where its particles move against each other so fast that a wave of that speed would strain it
//! ([`Rest`]), or where it is loaded so that it would not: by a contact that could strain the bonds of the particle that it acts on, or by
//! all its contacts together that could bend it. Loads of rigid bodies are no less than those of what gives way, so that it wakes in
//! time. A small piece that is awake is followed bond by bond ([`awake`]); for a large one the step fails.

mod awake;
mod body;
mod links;
mod rest;
mod slow;
mod touch;

use rayon::prelude::*;

use crate::contact::Neighbours;
use crate::energy::account::Flows;
use crate::geometry::Vec3;
use crate::model::{ContactLaw, Motion, State, World};

use super::{StepError, StepReport, Trial};

use body::Body;
use links::Links;
use rest::Rest;

/// Moves the pieces of a world.
#[derive(Debug, Default)]
pub struct RigidPieces {
    rest: Rest,
    bodies: Vec<Body>,
    /// The same where they would be if nothing touched them, and their particles' places.
    flown: Vec<Body>,
    ahead: State,
    links: Links,
    /// Near pairs at the end of the step at hand, and friction's springs there.
    contacts: Option<Neighbours>,
    /// Where the step at hand began, with the velocities of rigid bodies, and where it ends.
    start: State,
    next: State,
    flows: Flows,
    /// Pieces that contacts load more than they bear at rest.
    struck: Vec<usize>,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

impl RigidPieces {
    /// Of pieces whose bonds bear at most this share of what they can.
    pub fn new(share: f64) -> Self {
        Self { rest: Rest::new(share), ..Self::default() }
    }

    /// Whether a world's pieces may move like that: nothing but contacts by the linear law, walls at rest and
    /// gravity acts on them.
    pub fn suit(world: &World) -> bool {
        world.whole_bond_count() > 0
            && world.contact_law == ContactLaw::Linear
            && world.constraints.is_empty()
            && world.rigid.is_empty()
            && world.colliders.iter().all(|wall| wall.motion == Motion::Fixed)
    }

    /// Tries a step of `dt` (s).
    ///
    /// # Errors
    /// When a piece does not rest inside, at first or by its contacts.
    pub fn trial(
        &mut self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.rest.find(world, state);
        self.begin(world, state)?;
        let end = state.time + dt;
        self.links.begin(world, contacts);
        while self.next.time < end {
            let until = self.foresee(world, state, end);
            self.links.find(world, &mut self.bodies, &self.rest, &self.next, &self.ahead);
            // those that wake at once may touch more than was foreseen
            if self.next.time > state.time || !self.press(world, false)? {
                self.fly(world, state, until)?;
            }
        }
        let mut contacts = contacts.clone();
        contacts.update(world, &self.next);
        self.finish(&mut contacts);
        if !self.next.is_finite() {
            return Err(StepError::NotFinite);
        }
        self.contacts = Some(contacts);
        Ok(StepReport::default())
    }

    /// Makes bodies of the pieces, and counts what is lost of how their particles move against each other.
    fn begin(&mut self, world: &World, state: &State) -> Result<(), StepError> {
        let particles = &world.particles;
        self.rest.begin();
        self.start.clone_from(state);
        self.next.clone_from(state);
        self.flows = Flows::default();
        self.bodies.clear();
        let mut awake = Vec::new();
        for piece in 0..self.rest.count() {
            let ids = self.rest.members(piece);
            let mut body = Body::new(ids, particles, state);
            let stresses = ids.iter().map(|&i| self.rest.limit(i as usize).stress);
            body.bearable = body.bending_load(stresses.sum::<f64>() / ids.len() as f64);
            let rests = |&i: &u32| {
                let i = i as usize;
                let (v, w) = (body.velocity_at(&state.p[i]), body.spin);
                let off = (state.v[i] - v).norm() + particles.radius[i] * (state.w[i] - w).norm();
                off <= self.rest.limit(i).speed
            };
            if ids.len() > 1 && !ids.iter().all(rests) {
                awake.push(piece);
            } else if ids.len() > 1 {
                let mut kinetic = 0.0;
                for i in ids.iter().map(|&i| i as usize) {
                    let (v, w) = (body.velocity_at(&state.p[i]), body.spin);
                    kinetic += particles.mass[i] * state.v[i].norm_squared();
                    kinetic += particles.inertia[i] * state.w[i].norm_squared();
                    (self.start.v[i], self.start.w[i]) = (v, w);
                }
                self.flows.numerical += body.kinetic_energy() - 0.5 * kinetic;
            }
            self.bodies.push(body);
        }
        self.wake_pieces(world, &awake, StepError::Strained)
    }

    /// Parts pieces into their particles, which have the velocities in the next state.
    ///
    /// # Errors
    /// The `cause` where one has too many.
    fn wake_pieces(&mut self, world: &World, pieces: &[usize], cause: StepError) -> Result<(), StepError> {
        /// Particles of a piece that is followed bond by bond at most, and of all: more are left to other steps.
        const MOST: usize = 64;
        let most_of_all = (world.particles.len() / 100).max(2 * MOST);
        for &piece in pieces {
            let (many, awake) = (self.rest.members(piece).len(), self.bodies.len() - self.rest.count());
            if many > MOST || many + awake > most_of_all {
                return Err(cause);
            }
            let State { p, v, w, .. } = &self.next;
            let first = self.bodies.len();
            for i in self.rest.members(piece).iter().map(|&i| i as usize) {
                self.bodies.push(self.bodies[piece].part(i, &world.particles, &p[i], [&v[i], &w[i]]));
            }
            self.rest.part(piece, first);
            self.bodies[piece].dissolve();
        }
        Ok(())
    }

    /// Finds what acts on the bodies, after a step if it `moved`. Says whether pieces wake by that.
    ///
    /// # Errors
    /// When a piece does that had better be left to other steps.
    fn press(&mut self, world: &World, moved: bool) -> Result<bool, StepError> {
        let Self { links, bodies, next, struck, .. } = self;
        struck.clear();
        let cause = if moved { StepError::Struck(next.time - self.start.time) } else { StepError::Strained };
        if !links.push(world, bodies, next, moved, struck) {
            return Err(cause);
        }
        if struck.is_empty() {
            return Ok(false);
        }
        let mut struck = std::mem::take(&mut self.struck);
        struck.sort_unstable();
        struck.dedup();
        for &piece in &struck {
            for i in self.rest.members(piece).iter().map(|&i| i as usize) {
                let body = &self.bodies[piece];
                (self.next.p[i], self.next.q[i]) = (body.place(&self.start.p[i]), body.turned(&self.start.q[i]));
                (self.next.v[i], self.next.w[i]) = (body.velocity_at(&self.next.p[i]), body.spin);
            }
        }
        self.wake_pieces(world, &struck, cause)?;
        struck.clear();
        self.links.part(world, &mut self.bodies, &self.rest, &self.next);
        self.links.push(world, &mut self.bodies, &self.next, false, &mut struck);
        self.struck = struck;
        Ok(true)
    }

    /// Finds where the pieces would be at `end` (s) if nothing touched them, or before they turn far; returns when that is, s.
    fn foresee(&mut self, world: &World, from: &State, end: f64) -> f64 {
        let (gravity, now) = (&world.gravity, self.next.time);
        let longest = self.bodies.iter().map(Body::longest_flight).fold(f64::INFINITY, f64::min);
        let until = if now + longest < end { now + longest } else { end };
        self.flown.clone_from(&self.bodies);
        self.flown.iter_mut().for_each(|body| {
            body.unload();
            body.fly(gravity, until - now);
        });
        self.bodies.iter_mut().for_each(|body| body.set_off(until - now));
        self.ahead.time = until;
        self.ahead.p.resize(from.len(), Vec3::zeros());
        let (rest, flown) = (&self.rest, &self.flown);
        let places = self.ahead.p.par_iter_mut().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, p)| *p = flown[rest.body_of[i] as usize].place(&from.p[i]));
        until
    }

    /// Flies `until` then (s), or to where a piece comes off its foreseen way.
    fn fly(&mut self, world: &World, from: &State, until: f64) -> Result<(), StepError> {
        let began = self.next.time;
        while self.next.time < until {
            let left = until - self.next.time;
            let steps = (left / self.links.longest_step(world, &self.bodies, &self.next)).ceil().max(1.0);
            let time = if steps > 1.0 { self.next.time + left / steps } else { until };
            let wakes = self.step(world, from, left / steps, time)?;
            if wakes || self.bodies.iter().any(|body| body.is_linked && body.is_off()) {
                break;
            }
        }
        let elapsed = self.next.time - began;
        let is_whole = self.next.time == until;
        // those that woke on the way are linked, and come after these
        for (body, flown) in self.bodies.iter_mut().zip(&self.flown).filter(|(body, _)| !body.is_linked) {
            if is_whole { body.clone_from(flown) } else { body.fly(&world.gravity, elapsed) }
        }
        self.place(from);
        Ok(())
    }

    /// A step of `dt` (s) of what may touch, which ends at `time` (s).
    ///
    /// # Errors
    /// As [`Self::press`], as which it says whether pieces wake.
    fn step(&mut self, world: &World, from: &State, dt: f64, time: f64) -> Result<bool, StepError> {
        let Self { bodies, links, next, .. } = self;
        for body in bodies.iter_mut().filter(|body| body.is_linked) {
            body.kick(&world.gravity, 0.5 * dt);
            body.drift(dt);
        }
        links.follow(bodies, from, next, time);
        let wakes = self.press(world, true)?;
        let Self { bodies, links, next, .. } = self;
        for body in bodies.iter_mut().filter(|body| body.is_linked) {
            body.kick(&world.gravity, 0.5 * dt);
        }
        links.damp(bodies, next, dt);
        links.correct_velocities(bodies, next, dt);
        Ok(wakes)
    }

    /// Puts all particles where their pieces are, which were at `from` when the step began.
    fn place(&mut self, from: &State) {
        let Self { bodies, rest, next, .. } = self;
        let places = (&mut next.p, &mut next.q).into_par_iter().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, (p, q))| {
            let body = &bodies[rest.body_of[i] as usize];
            (*p, *q) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        });
    }

    /// Gives all particles the velocities of their pieces, and turns the friction inside pieces along with them.
    fn finish(&mut self, contacts: &mut Neighbours) {
        let Self { bodies, rest, next, flows, links, .. } = self;
        let State { p, v, w, .. } = next;
        let velocities = (v, w, &*p).into_par_iter().enumerate().with_min_len(CHUNK);
        velocities.for_each(|(i, (v, w, p))| {
            let body = &bodies[rest.body_of[i] as usize];
            (*v, *w) = (body.velocity_at(p), body.spin);
        });
        contacts.turn_rubs(|[i, j]| {
            let [a, b] = [i, j].map(|i| rest.body_of[i]);
            (a == b).then(|| bodies[a as usize].rotation())
        });
        links.leave(contacts);
        (flows.damping, flows.friction) = (links.work.damping, links.work.friction);
    }

    /// The step that was tried last.
    pub fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: Some(&[]) }
    }

    /// Where the step that was tried last began, as rigid bodies.
    pub fn began(&self) -> &State {
        &self.start
    }

    /// Takes the step that was tried last.
    pub fn commit(&mut self, contacts: &mut Neighbours, state: &mut State) -> Flows {
        *contacts = self.contacts.take().expect("a step was tried");
        std::mem::swap(state, &mut self.next);
        self.flows
    }

    /// Something else moves the particles.
    pub fn wake(&mut self) {
        self.rest.forget();
    }
}
