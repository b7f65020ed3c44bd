//! The integrator of blocks of explicit steps on a graphics card.

use std::borrow::Cow;

use bdem_core::energy::account::{by_holders, by_walls, shadow_gap};
use bdem_core::energy::{
    Damping, Flow, Flows, Potential, StepForces, StepWalls, WallForce, Workspace, contact, gap_between, gravity,
};
use bdem_core::fracture::OverloadedBond;
use bdem_core::geometry::{Vec3, longest};
use bdem_core::integrate::{
    BlockDecay, BreakInStep, DashpotPowers, History, Integrator, Step, StepError, StepReport, Trial, inverse_inertia,
};
use bdem_core::internals::contact::{ContactState, Contacts, SurfaceMotion};
use bdem_core::model::{Gradient, HeldParticles, Pair, State, World};

use crate::contacts::wall_extent;
use crate::device::Device;
use crate::refuse::{Refusal, refusal};
use crate::steps::{BlockWork, BrokenBond, Outcome, Program, Steps, Sums};

/// Velocity Verlet on a graphics card, many steps in one trial. A block depends on the state at its start, and on dV/dx and the powers of
/// damping there, alone: where blocks end changes nothing.
pub struct Card {
    program: Program,
    /// None where the card does not have the bonds as the world has them.
    steps: Option<Steps>,
    /// Number of whole bonds on the card.
    whole: usize,
    /// Whether bonds may be marked on the card that are whole in the world.
    has_trial: bool,
    holding: HeldParticles,
    end: State,
    /// Bonds that broke in the last trial.
    breaks: Vec<BrokenBond>,
    /// Those and the bonds that softened.
    broken: Vec<BreakInStep>,
    work: BlockWork,
    /// dV/dx at the current state, empty before the first step, and at the end of the last trial.
    gradient: Vec<Gradient>,
    next_gradient: Vec<Gradient>,
    /// Powers of its damping at the current state, after a step.
    powers: Option<DashpotPowers>,
    /// Inverse inertia in the last trial.
    inverse: Vec<[f64; 2]>,
    /// Step that is begun, and not ended by a trial.
    begun: Option<Step>,
    decay: BlockDecay,
    /// Length of a step, s; zero before the first.
    dt: f64,
    /// Whether loads acted in the last block.
    has_loads: bool,
    /// Tangential springs at the end of the last trial, and forces on walls.
    springs: ContactState,
    wall_forces: Vec<WallForce>,
    /// Number of bonds that may break in a block, and least number of near pairs of a particle, that there is room for.
    room: usize,
    pairs: usize,
}

/// Extent of positions over that of the state at the start, and by which it grows where that is too small. The unit of positions has a
/// remainder, so that a wide extent costs no accuracy.
const ROOM: f64 = 4.0;

/// Widest extent over the smallest radius: the unit of positions is up to half of that.
const WIDEST: f64 = (1u64 << 29) as f64;

/// First room for bonds that break in a block.
const BREAKS: usize = 1 << 16;

/// Limit on the number of particles near one. Lists of all particles are as long as the longest. A sphere among others of a seventh of its
/// radius has about 500.
const MAX_PAIRS: usize = 512;

/// Limit on the travel in a step beside the common motion, in radii, as that of the processor's steps.
const MAX_TRAVEL: f64 = 100.0;

impl Card {
    /// Integrator of `world` on a card.
    ///
    /// # Errors
    /// When the world has parts that steps on a card do not have.
    pub fn new(device: &Device, world: &World) -> Result<Self, Refusal> {
        if let Some(refusal) = refusal(device, world) {
            return Err(refusal);
        }
        Ok(Self {
            program: Program::new(device, world)?,
            steps: None,
            whole: 0,
            has_trial: false,
            holding: HeldParticles::new(world),
            end: State::default(),
            breaks: Vec::new(),
            broken: Vec::new(),
            work: BlockWork::default(),
            gradient: Vec::new(),
            next_gradient: Vec::new(),
            powers: None,
            inverse: Vec::new(),
            begun: None,
            decay: BlockDecay::default(),
            dt: 0.0,
            has_loads: false,
            springs: ContactState::default(),
            wall_forces: Vec::new(),
            room: BREAKS,
            pairs: 0,
        })
    }

    /// Takes the steps of a block, from what is begun.
    fn run(&mut self, world: &World, from: (&State, &ContactState), step: Step) -> Result<(), StepError> {
        let mut extent = needed_extent(world, from.0, step.dt * f64::from(step.count));
        if self.begun.take() != Some(step) {
            self.start(world, from, step, extent)?;
        }
        loop {
            let steps = self.steps.as_mut().expect("a block is begun");
            let outcome = steps.finish(|| world.interrupt.is_requested());
            check_device()?;
            match outcome {
                Outcome::Done => return Ok(()),
                Outcome::Interrupted => return Err(StepError::Interrupted),
                Outcome::TooManyBreaks => self.room *= 16,
                Outcome::TooManyPairs(pairs) if pairs > MAX_PAIRS => {
                    return Err(StepError::Device(format!(
                        "{pairs} particles are near one, and its list has {MAX_PAIRS}: radii that differ less have fewer"
                    )));
                }
                Outcome::TooManyPairs(pairs) => self.pairs = pairs + pairs / 4,
                Outcome::MayPass(particle) => return Err(StepError::MayPass { particle }),
                Outcome::Outside if extent * ROOM <= widest(world) => extent *= ROOM,
                Outcome::Outside => return Err(self.runaway(world, from.0, step.dt)),
            }
            self.start(world, from, step, extent)?;
        }
    }

    /// Begins a block of particles that stay within `extent` (m) of the origin.
    fn start(
        &mut self,
        world: &World,
        from: (&State, &ContactState),
        step: Step,
        extent: f64,
    ) -> Result<(), StepError> {
        if extent > widest(world) {
            return Err(StepError::TooFar(widest(world) / ROOM));
        }
        // a block that was dropped marked bonds
        let is_current = !self.has_trial && self.whole == world.whole_bond_count();
        self.has_trial = true;
        self.steps.take_if(|steps| !is_current || steps.extent() != extent);
        let room = self.room.min(world.whole_bond_count());
        let steps = self.steps.take().unwrap_or_else(|| Steps::new(&self.program, world, extent, room, self.pairs));
        check_device()?;
        self.steps.insert(steps).begin(world, from, &self.gradient, &mut self.holding, (step, &self.decay));
        Ok(())
    }

    /// Computes dV/dx at the first state, before a step of `dt` (s), and the powers of damping and of walls there.
    fn find_gradient(&mut self, world: &World, contacts: &Contacts, (state, dt): (&State, f64)) {
        if !self.gradient.is_empty() {
            return;
        }
        let (gradient, power) = damped_gradient(world, contacts, state);
        let (mut kicked, mass) = (state.clone(), &world.particles.mass);
        for (i, of) in gradient.iter().enumerate() {
            kicked.v[i] -= of.p * (0.5 * dt / mass[i]);
            kicked.w[i] -= of.theta * (0.5 * dt / world.particles.inertia[i]);
        }
        // these forces act on the velocities after the kick: nearly the mean of both powers
        let damping = 0.5 * (power + damped_gradient(world, contacts, &kicked).1);
        let times = [state.time, state.time + dt];
        let walls = by_walls(world, contacts.near_walls(), state, SurfaceMotion::None, times) / dt;
        self.powers = Some(DashpotPowers { contacts: damping, walls, corrections: 0.0 });
        self.gradient = gradient;
    }

    /// Error of particles beyond the widest extent.
    fn runaway(&mut self, world: &World, state: &State, dt: f64) -> StepError {
        self.read_end(state);
        self.check(world, dt).err().unwrap_or(StepError::TooFar(widest(world)))
    }

    fn read_end(&mut self, state: &State) {
        self.end.clone_from(state);
        if let Some(steps) = &self.steps {
            steps.read_state(&mut self.end);
        }
    }

    /// Refuses an end that only an instability can have.
    fn check(&self, world: &World, dt: f64) -> Result<(), StepError> {
        let State { v, w, .. } = &self.end;
        if let Some(particle) = self.end.first_not_finite() {
            return Err(StepError::NotFinite { particle });
        }
        let common = v.iter().sum::<Vec3>() / v.len().max(1) as f64;
        let apart: Vec<_> = v.iter().map(|v| v - common).collect();
        let [fastest, spinning] = [&apart, w].map(|of| longest(of).unwrap_or_default());
        if apart.get(fastest).is_some_and(|v| v.norm() * dt > MAX_TRAVEL * largest_radius(world)) {
            return Err(StepError::Unstable { particle: fastest });
        }
        if w.get(spinning).is_some_and(|w| w.norm() * dt > std::f64::consts::FRAC_PI_2) {
            return Err(StepError::SpinsTooFast { particle: spinning });
        }
        Ok(())
    }

    /// Energy of contacts in the place of bonds as they broke, J.
    fn contacts_of_broken(&self, contacts: &Contacts) -> f64 {
        let mut scratch = self.end.clone();
        let of = |BrokenBond { at, ends }: &BrokenBond| {
            let pair = contacts.after(&at.broken.bond)?;
            for (i, p) in at.broken.bond.ends().into_iter().zip(ends) {
                scratch.p[i] = *p;
            }
            Some(contact::value(&pair.spring, &gap_between(pair, &scratch)))
        };
        self.breaks.iter().filter_map(of).sum()
    }

    /// Flows of the last block, from `state`, where these powers act in the first half kick.
    fn flows(&self, world: &World, contacts: &Contacts, state: &State, first: DashpotPowers) -> Flows {
        let BlockWork { damping, loads, held, numerical, fracture, friction, walls, .. } = self.work;
        let half = 0.5 * self.dt;
        let gain = by_holders(world, self.holding.held(), state, &self.end, |i| weight(world, i));
        Flows::from([
            (Flow::Loads, loads),
            (Flow::Held, held + gain),
            (Flow::Damping, damping + half * first.contacts),
            (Flow::Walls, walls + half * first.walls),
            (Flow::Friction, friction),
            (Flow::Fracture, fracture - self.contacts_of_broken(contacts)),
            (Flow::Numerical, numerical - half * first.corrections),
        ])
    }
}

fn check_device() -> Result<(), StepError> {
    let failed =
        |why| Err(StepError::Device(format!("the device failed: {why}; larger particles take less of its memory")));
    Device::take_fault().map_or(Ok(()), failed)
}

/// dV/dx with damping of bonds, and its power, W.
fn damped_gradient(world: &World, contacts: &Contacts, state: &State) -> (Vec<Gradient>, f64) {
    let mut gradient = vec![Gradient::default(); state.len()];
    let potential = Potential { damping: Damping::Rate, ..Potential::new(world, contacts) };
    let sums = potential.gradient_with(state, &mut Workspace::default(), &mut gradient);
    (gradient, sums.damping)
}

/// dV/dx of a particle's weight.
fn weight(world: &World, i: usize) -> Gradient {
    Gradient { p: gravity::gradient(world.particles.mass[i], &world.gravity), theta: Vec3::zeros() }
}

/// dV/dx of a particle with these forces of its bonds.
fn gradient(world: &World, i: usize, sums: &Sums) -> Gradient {
    let double = |[x, y, z, _]: [f32; 4]| Vec3::new(x.into(), y.into(), z.into());
    Gradient { p: weight(world, i).p - double(sums.force), theta: -double(sums.torque) }
}

/// m; above zero.
fn largest_radius(world: &World) -> f64 {
    world.particles.radius.iter().copied().fold(1e-9, f64::max)
}

/// Widest extent of positions, m.
fn widest(world: &World) -> f64 {
    WIDEST * world.particles.radius.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Extent (m) for a block of this length (s) from `state`: a power of [`ROOM`], so that blocks mostly have the same.
fn needed_extent(world: &World, state: &State, length: f64) -> f64 {
    let reach = |(p, v): (&Vec3, &Vec3)| p.amax() + length * v.amax();
    let most = state.p.iter().zip(&state.v).map(reach).fold(largest_radius(world), f64::max);
    let most = most.max(wall_extent(world, &[state.time, state.time + length]));
    let digits = libm::log2(most) / libm::log2(ROOM);
    libm::exp2(libm::log2(ROOM) * (digits.ceil() + 1.0))
}

impl Integrator for Card {
    fn takes_blocks(&self) -> bool {
        true
    }

    fn begin(&mut self, world: &World, contacts: &Contacts, state: &State, step: Step, decay: &BlockDecay) {
        self.find_gradient(world, contacts, (state, step.dt));
        self.decay.clone_from(decay);
        let extent = needed_extent(world, state, step.dt * f64::from(step.count));
        let begun = self.start(world, (state, &contacts.contact_state()), step, extent);
        // the trial tells what is wrong
        self.begun = begun.is_ok().then_some(step);
    }

    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        let dt = step.dt;
        self.find_gradient(world, contacts, (state, step.dt));
        self.run(world, (state, &contacts.contact_state()), step)?;
        self.read_end(state);
        self.check(world, dt)?;
        let steps = self.steps.as_ref().expect("a block was taken");
        self.breaks = steps.breaks(world, state);
        self.broken = self.breaks.iter().map(|of| of.at.clone()).collect();
        self.broken.extend(steps.softened(world, &self.end));
        self.work = steps.work(self.holding.held());
        (self.springs, self.wall_forces) = steps.contacts_at(world, &self.end);
        self.next_gradient = steps.sums().iter().enumerate().map(|(i, sums)| gradient(world, i, sums)).collect();
        self.inverse = inverse_inertia(world, self.holding.held());
        self.has_loads = world.loads([state.time, state.time + dt], state, 0.0).next().is_some();
        self.dt = dt;
        Ok(Trial { end: &self.end, report: StepReport::default(), overloaded: &[], broken: &self.broken })
    }

    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows {
        self.has_trial = false;
        std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        self.whole = world.whole_bond_count() - self.breaks.len();
        contacts.update(world, &self.end);
        let ends = self.breaks.iter().map(|of| of.at.broken.bond.ends().map(|i| i as u32));
        contacts.add_pairs(world, ends);
        contacts.set_contact_state(&self.springs);
        let [damping, walls, gained] = self.work.late.map(|energy| energy / (0.5 * self.dt));
        let powers = DashpotPowers { contacts: damping, walls, corrections: -gained };
        let first = self.powers.replace(powers).unwrap_or_default();
        let flows = self.flows(world, contacts, state, first);
        std::mem::swap(state, &mut self.end);
        flows
    }

    fn after_breakage(&mut self, _: &World, _: &Contacts, _: &State, _: &[OverloadedBond]) {}

    fn above_shadow(&self) -> f64 {
        if self.has_loads {
            return 0.0;
        }
        let corrections = self.powers.map_or(0.0, |powers| powers.corrections);
        shadow_gap(&self.gradient, &self.inverse, self.dt) + 0.5 * self.dt * corrections
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        let is_known = self.dt > 0.0;
        is_known
            .then(|| StepForces { gradient: Cow::Borrowed(&self.gradient), walls: StepWalls::Known(&self.wall_forces) })
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        History::Explicit { gradient: Cow::Borrowed(&self.gradient), powers: self.powers }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Explicit { gradient, powers } = history else { return None };
        (self.gradient, self.powers) = (gradient.into_owned(), powers);
        (self.gradient.is_empty() || self.gradient.len() == particles).then_some(())
    }
}
