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
//! time: its particles are bodies of their own then, which its bonds hold together ([`Awake`](awake::Awake)) or not any more, until it is
//! calm again. Where too much is awake the step fails.

mod awake;
mod body;
mod links;
mod near;
mod rest;
mod slow;
mod touch;

use rayon::prelude::*;

use crate::contact::{ContactPair, Neighbours};
use crate::energy::account::{self, Flows};
use crate::fracture::BrokenBond;
use crate::geometry::Vec3;
use crate::model::{ContactLaw, Motion, Pair, State, World};

use super::{BrokenOnTheWay, StepError, StepReport, Trial, lost_slopes};

use body::Body;
use links::Links;
use rest::Rest;

/// Moves the pieces of a world.
#[derive(Debug, Default)]
pub struct RigidPieces {
    rest: Rest,
    /// Those of the pieces that rest, and of the particles of others; and the numbers of those that are neither any more.
    bodies: Vec<Body>,
    spare: Vec<u32>,
    /// The same where they would be if nothing touched them, and their particles' places.
    flown: Vec<Body>,
    ahead: State,
    links: Links,
    /// Where particles were when their bodies were made.
    from: State,
    /// Near pairs, and friction's springs: those of particles of one body as they were when it was made.
    contacts: Option<Neighbours>,
    /// Where the step at hand began, with the velocities of rigid bodies, and where it ends.
    start: State,
    next: State,
    flows: Flows,
    /// Pieces that contacts load more than they bear at rest.
    struck: Vec<usize>,
    /// Bonds that broke in the step at hand; and their indices, ascending.
    broken: Vec<BrokenOnTheWay>,
    gone: Vec<usize>,
    /// Short steps in it, and whether bodies have been made since the last of them.
    steps: u32,
    is_new: bool,
    /// How long particles were awake in it, one by one, s.
    awake_for: f64,
    /// Whether bonds have broken since it was foreseen what may touch: what flies off may meet others.
    breaks: bool,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Short steps after which it is looked at whether pieces that are awake are calm: a wave has crossed fifty particles.
const CALM: u32 = 64;

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
    /// When too much does not rest inside, at first or by its contacts.
    pub fn trial(
        &mut self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.awake_for = 0.0;
        self.begin(world, contacts, state)?;
        let end = state.time + dt;
        while self.next.time < end {
            let until = self.foresee(world, end);
            self.find_links(world);
            self.fly(world, until)?;
        }
        self.finish(world);
        if !self.next.is_finite() {
            return Err(StepError::NotFinite);
        }
        let awake = self.awake_for / (dt * state.len() as f64);
        Ok(StepReport { awake, ..StepReport::default() })
    }

    /// Makes bodies of the pieces, and counts what is lost of how their particles move against each other.
    fn begin(&mut self, world: &World, contacts: &Neighbours, state: &State) -> Result<(), StepError> {
        self.rest.find(world, state);
        self.links.begin(world);
        self.contacts = Some(contacts.clone());
        for copy in [&mut self.start, &mut self.next, &mut self.from] {
            copy.clone_from(state);
        }
        (self.flows, self.steps, self.is_new, self.breaks) = (Flows::default(), 0, true, false);
        self.bodies.clear();
        self.spare.clear();
        self.broken.clear();
        self.gone.clear();
        let mut awake = Vec::new();
        for piece in 0..self.rest.count() {
            let (body, lost) = self.rigid(world, piece);
            match lost {
                Some(lost) => {
                    self.flows.numerical -= lost;
                    for i in self.rest.members(piece).iter().map(|&i| i as usize) {
                        (self.start.v[i], self.start.w[i]) = (body.velocity_at(&state.p[i]), body.spin);
                    }
                }
                None => awake.push(piece),
            }
            self.bodies.push(body);
        }
        self.wake(world, &awake, StepError::Strained)
    }

    /// A piece as a rigid body, and what that loses of its kinetic energy, J: none where its particles move against each other too
    /// fast for it.
    fn rigid(&self, world: &World, piece: usize) -> (Body, Option<f64>) {
        let (particles, State { p, v, w, .. }) = (&world.particles, &self.next);
        let ids = self.rest.members(piece);
        let mut body = Body::new(ids, particles, &self.next);
        if ids.len() == 1 {
            return (body, Some(0.0));
        }
        let of = || ids.iter().map(|&i| i as usize);
        let stresses = of().map(|i| self.rest.limit_at_rest(i).stress);
        body.bearable = body.bending_load(stresses.sum::<f64>() / ids.len() as f64);
        let rests = |i: usize| {
            let off = (v[i] - body.velocity_at(&p[i])).norm() + particles.radius[i] * (w[i] - body.spin).norm();
            off <= self.rest.limit_at_rest(i).speed
        };
        let twice = |i: usize| particles.mass[i] * v[i].norm_squared() + particles.inertia[i] * w[i].norm_squared();
        let lost = of().all(rests).then(|| 0.5 * of().map(twice).sum::<f64>() - body.kinetic_energy());
        (body, lost)
    }

    /// Gives a body a number.
    fn put(&mut self, body: Body) -> u32 {
        match self.spare.pop() {
            Some(number) => {
                self.bodies[number as usize] = body;
                number
            }
            None => {
                self.bodies.push(body);
                self.bodies.len() as u32 - 1
            }
        }
    }

    /// A body is none any more.
    fn remove(&mut self, number: u32) {
        self.bodies[number as usize].dissolve();
        self.spare.push(number);
    }

    /// Parts pieces into their particles.
    ///
    /// # Errors
    /// The `cause` where too much would be awake then.
    fn wake(&mut self, world: &World, pieces: &[usize], cause: StepError) -> Result<(), StepError> {
        /// Particles that may be awake at a time: a share of all, or so few in any world.
        const SHARE: usize = 3;
        const FEW: usize = 128;
        let most = FEW.max(world.particles.len() / SHARE);
        let many: usize = pieces.iter().map(|&piece| self.rest.members(piece).len()).sum();
        if many + self.links.awake.particles().len() > most {
            return Err(cause);
        }
        for &piece in pieces {
            let members = self.rest.members(piece).to_vec();
            let former = self.rest.body_of[members[0] as usize];
            let Body { is_half_way, .. } = self.bodies[former as usize];
            let off = self.bodies[former as usize].off();
            self.remove(former);
            let single = |&i: &u32| {
                let mut body = Body::new(&[i], &world.particles, &self.next);
                body.begin_on_the_way(off, is_half_way);
                self.put(body)
            };
            let numbers: Vec<u32> = members.iter().map(single).collect();
            self.rest.wake(piece, &numbers);
        }
        self.links.awake.find(world, &self.rest, &self.gone);
        Ok(())
    }

    /// Lets awake pieces rest that are calm again; says whether any does.
    fn settle(&mut self, world: &World) -> bool {
        let Self { rest, links, bodies, next, .. } = self;
        links.end_block(bodies, &world.gravity, next.time);
        for (i, body) in links.awake.with_bodies() {
            let Body { velocity, spin, .. } = &bodies[body as usize];
            (next.v[i as usize], next.w[i as usize]) = (*velocity, *spin);
        }
        if !self.gone.is_empty() {
            let part_of = links.awake.parts();
            let awake: Vec<_> = rest.awake().collect();
            awake.into_iter().for_each(|piece| rest.part(piece, &part_of));
        }
        rest.weigh_awake(world, links.awake.particles(), links.awake.bonds_of(world), next);
        let mut loads = vec![0.0; rest.count()];
        links.add_loads(rest, &mut loads);
        let awake: Vec<_> = rest.awake().collect();
        let mut any = false;
        for piece in awake {
            let (body, lost) = self.rigid(world, piece);
            if let Some(lost) = lost.filter(|_| loads[piece] <= body.bearable) {
                self.flows.numerical -= lost;
                self.make_one(piece, body);
                any = true;
            }
        }
        if any {
            // friction between particles of one body is what contacts know of it
            self.links.leave(self.contacts.as_mut().expect("a step is tried"));
            self.links.awake.find(world, &self.rest, &self.gone);
            self.is_new = true;
            self.change_bodies(world, &[]);
        }
        any
    }

    /// The particles of an awake piece are one `body` again.
    fn make_one(&mut self, piece: usize, mut body: Body) {
        let mut off = 0.0;
        for i in self.rest.members(piece).to_vec() {
            let former = self.rest.body_of[i as usize];
            off = f64::max(off, self.bodies[former as usize].off());
            self.remove(former);
            self.set_from(i as usize);
        }
        body.begin_on_the_way(off, false);
        let number = self.put(body);
        self.rest.settle(piece, number);
    }

    /// Goes on with other bodies, some of which pieces are that have been `woken` (ascending).
    fn change_bodies(&mut self, world: &World, woken: &[usize]) {
        let Self { links, contacts, bodies, rest, next, ahead, from, .. } = self;
        links.change_bodies(world, bodies, rest, woken, next, contacts.as_ref().expect("a step is tried"));
        links.begin_block(world, bodies, from, next, ahead.time);
    }

    /// A body of this particle begins where it is.
    fn set_from(&mut self, i: usize) {
        (self.from.p[i], self.from.q[i]) = (self.next.p[i], self.next.q[i]);
    }

    /// Finds what may touch until what is foreseen.
    fn find_links(&mut self, world: &World) {
        let Self { links, contacts, bodies, rest, next, ahead, from, .. } = self;
        let contacts = contacts.as_mut().expect("a step is tried");
        contacts.update(world, next);
        if next.time > self.start.time {
            admit(contacts, world, &self.broken);
            links.leave(contacts);
        }
        links.find(world, bodies, rest, [next, ahead], contacts);
        links.begin_block(world, bodies, from, next, ahead.time);
    }

    /// Finds what acts on the bodies, after a step if it `moved`. Says whether pieces wake by that.
    ///
    /// # Errors
    /// When too much does.
    fn press(&mut self, world: &World, moved: bool) -> Result<bool, StepError> {
        let Self { links, bodies, rest, next, struck, .. } = self;
        struck.clear();
        links.push(world, bodies, rest, next, moved, struck);
        if struck.is_empty() {
            return Ok(false);
        }
        let cause = if moved { StepError::Struck(next.time - self.start.time) } else { StepError::Strained };
        links.end_block(bodies, &world.gravity, next.time);
        let mut struck = std::mem::take(&mut self.struck);
        struck.sort_unstable();
        struck.dedup();
        self.turn_rubs(|piece| struck.binary_search(&piece).is_ok());
        for &piece in &struck {
            for i in self.rest.members(piece).to_vec().into_iter().map(|i| i as usize) {
                let body = &self.bodies[self.rest.body_of[i] as usize];
                (self.next.p[i], self.next.q[i]) = (body.place(&self.from.p[i]), body.turned(&self.from.q[i]));
                (self.next.v[i], self.next.w[i]) = (body.velocity_at(&self.next.p[i]), body.spin);
                self.set_from(i);
            }
        }
        self.wake(world, &struck, cause)?;
        self.change_bodies(world, &struck);
        struck.clear();
        self.links.push(world, &mut self.bodies, &self.rest, &self.next, false, &mut struck);
        self.struck = struck;
        Ok(true)
    }

    /// Turns friction inside those pieces that rest along with them.
    fn turn_rubs(&mut self, of: impl Fn(usize) -> bool) {
        let Self { rest, bodies, contacts, .. } = self;
        contacts.as_mut().expect("a step is tried").turn_rubs(|[i, j]| {
            let [a, b] = [i, j].map(|i| rest.body_of[i]);
            (a == b && of(rest.piece_of[i] as usize)).then(|| bodies[a as usize].rotation())
        });
    }

    /// Finds where the pieces would be at `end` (s) if nothing touched them, or before they turn far; returns when that is, s.
    fn foresee(&mut self, world: &World, end: f64) -> f64 {
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
        self.ahead.p.resize(self.from.len(), Vec3::zeros());
        let (rest, flown, from) = (&self.rest, &self.flown, &self.from);
        let places = self.ahead.p.par_iter_mut().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, p)| *p = flown[rest.body_of[i] as usize].place(&from.p[i]));
        until
    }

    /// Flies `until` then (s), or to where a piece comes off its foreseen way, wakes, or rests again.
    fn fly(&mut self, world: &World, until: f64) -> Result<(), StepError> {
        let began = self.next.time;
        loop {
            if std::mem::take(&mut self.is_new) {
                self.press(world, false)?;
            }
            self.cross_block(world)?;
            let Self { bodies, links, next, from, .. } = self;
            links.end_block(bodies, &world.gravity, next.time);
            let is_off = links.bodies.iter().any(|&body| bodies[body as usize].is_off());
            if is_off || std::mem::take(&mut self.breaks) || next.time >= until {
                break;
            }
            links.begin_block(world, bodies, from, next, until);
        }
        let elapsed = self.next.time - began;
        let is_whole = self.next.time == until;
        // those that woke on the way are linked, and come after these
        for (body, flown) in self.bodies.iter_mut().zip(&self.flown).filter(|(body, _)| !body.is_linked) {
            if is_whole { body.clone_from(flown) } else { body.fly(&world.gravity, elapsed) }
        }
        self.place();
        Ok(())
    }

    /// Goes to the end of a block by short steps, or to where another must begin.
    ///
    /// # Errors
    /// As [`Self::press`].
    fn cross_block(&mut self, world: &World) -> Result<(), StepError> {
        let end = self.links.end;
        if self.links.moving.is_empty() {
            self.next.time = end;
        }
        while self.next.time < end {
            let left = end - self.next.time;
            let steps = (left / self.links.longest_step(world, &self.bodies, &self.next)).ceil().max(1.0);
            let time = if steps > 1.0 { self.next.time + left / steps } else { end };
            let wakes = self.step(world, left / steps, time)?;
            self.steps += 1;
            let awake = self.links.awake.particles().len();
            self.awake_for += awake as f64 * left / steps;
            let may_settle = self.steps.is_multiple_of(CALM) && awake > 0;
            let has_swerved = || self.links.moving.iter().any(|&body| self.bodies[body as usize].has_swerved());
            if wakes || self.breaks || has_swerved() || may_settle && self.settle(world) {
                break;
            }
        }
        Ok(())
    }

    /// A step of `dt` (s) of what may touch, which ends at `time` (s).
    ///
    /// # Errors
    /// As [`Self::press`], as which it says whether pieces wake.
    fn step(&mut self, world: &World, dt: f64, time: f64) -> Result<bool, StepError> {
        let Self { bodies, links, next, from, .. } = self;
        links.awake.begin_step(bodies);
        links.each_moving(bodies, |body| body.kick(&world.gravity, 0.5 * dt));
        // just before they move: what friction holds would creep by half a kick each step otherwise
        links.correct_velocities(bodies, next, dt);
        links.each_moving(bodies, |body| {
            body.drift(dt);
            body.is_half_way = true;
        });
        links.follow(bodies, from, next, time);
        let wakes = self.press(world, true)?;
        let Self { bodies, links, next, .. } = self;
        let go_on = |body: &mut Body| {
            if std::mem::take(&mut body.is_half_way) {
                body.kick(&world.gravity, 0.5 * dt);
            }
        };
        if wakes {
            // others may be moving now
            links.bodies.iter().for_each(|&body| go_on(&mut bodies[body as usize]));
        } else {
            links.each_moving(bodies, go_on);
        }
        links.damp(bodies, next, dt);
        self.break_bonds(world);
        Ok(wakes)
    }

    /// Breaks the bonds of awake pieces that bear more than they can.
    fn break_bonds(&mut self, world: &World) {
        let Self { rest, bodies, links, next, flows, broken, gone, .. } = self;
        for index in links.awake.break_bonds(world, next) {
            let bond = &world.bonds()[index];
            let pair = ContactPair::new([bond.i, bond.j], world);
            let becomes = Some(&pair).filter(|_| !bond.model.keeps_contact());
            flows.fracture += account::by_fracture(bond, becomes, next);
            for (i, lost) in bond.ends().into_iter().zip(lost_slopes(bond, becomes, next)) {
                bodies[rest.body_of[i] as usize].take(&next.p[i], &-lost);
            }
            if becomes.is_some() {
                links.admit(world, rest, [bond.i, bond.j], next);
            }
            broken.push(BrokenOnTheWay { index, time: next.time, broken: BrokenBond::new(bond, next, world.axial) });
            gone.insert(gone.partition_point(|&other| other < index), index);
            self.breaks = true;
        }
    }

    /// Puts all particles where their bodies are.
    fn place(&mut self) {
        let Self { bodies, rest, next, from, .. } = self;
        let places = (&mut next.p, &mut next.q).into_par_iter().enumerate().with_min_len(CHUNK);
        places.for_each(|(i, (p, q))| {
            let body = &bodies[rest.body_of[i] as usize];
            (*p, *q) = (body.place(&from.p[i]), body.turned(&from.q[i]));
        });
    }

    /// Gives all particles the velocities of their bodies, and turns the friction inside these along with them.
    fn finish(&mut self, world: &World) {
        let Self { bodies, rest, next, .. } = self;
        let State { p, v, w, .. } = next;
        let velocities = (v, w, &*p).into_par_iter().enumerate().with_min_len(CHUNK);
        velocities.for_each(|(i, (v, w, p))| {
            let body = &bodies[rest.body_of[i] as usize];
            (*v, *w) = (body.velocity_at(p), body.spin);
        });
        self.turn_rubs(|_| true);
        let Self { rest, next, flows, links, contacts, broken, .. } = self;
        let contacts = contacts.as_mut().expect("a step is tried");
        contacts.update(world, next);
        admit(contacts, world, broken);
        contacts.keep_rubs(|[i, j]| rest.body_of[i] == rest.body_of[j]);
        links.leave(contacts);
        (flows.damping, flows.friction) = (links.work.damping, links.work.friction);
    }

    /// The step that was tried last.
    pub fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: Some(&[]), broken: &self.broken }
    }

    /// Where the step that was tried last began, as rigid bodies.
    pub fn began(&self) -> &State {
        &self.start
    }

    /// Whether bonds have broken in it.
    pub fn broke(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Takes the step that was tried last.
    pub fn commit(&mut self, contacts: &mut Neighbours, state: &mut State) -> Flows {
        *contacts = self.contacts.take().expect("a step was tried");
        std::mem::swap(state, &mut self.next);
        self.flows
    }
}

/// Lets in the pairs whose bonds `broken` are.
fn admit(contacts: &mut Neighbours, world: &World, broken: &[BrokenOnTheWay]) {
    if !broken.is_empty() {
        contacts.admit(world, broken.iter().map(|broken| broken.broken.ends()));
    }
}
