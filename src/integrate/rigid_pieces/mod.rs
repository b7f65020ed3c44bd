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
mod flight;
mod links;
mod rest;
mod slow;
mod touch;
mod waking;

use rayon::prelude::*;

use crate::contact::Neighbours;
use crate::energy::account::Flows;
use crate::model::{ContactLaw, Motion, State, World};

use super::{BrokenOnTheWay, Step, StepError, StepReport, Trial};

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

    /// Tries a step.
    ///
    /// # Errors
    /// When too much does not rest inside, at first or by its contacts.
    pub fn trial(
        &mut self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        Step { dt, explicit, .. }: Step,
    ) -> Result<StepReport, StepError> {
        self.awake_for = 0.0;
        self.begin(world, contacts, state, explicit)?;
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
    fn begin(&mut self, world: &World, contacts: &Neighbours, state: &State, explicit: f64) -> Result<(), StepError> {
        self.rest.find(world, state);
        self.links.begin(world, explicit);
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
        if next.time == self.start.time {
            links.brace(world, rest, next, contacts);
        }
        links.begin_block(world, bodies, from, next, ahead.time);
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
        let all: Vec<u32> = (0..self.rest.body_of.len() as u32).collect();
        self.turn_rubs(&all);
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
