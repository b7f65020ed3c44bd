use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contact::{self, Contacts, correct_velocities};
use crate::energy::account::{Account, Balance, EnergySnapshot, Flow, Flows};
use crate::energy::{Potential, StepForces};
use crate::fracture::{self, OverloadedBond};
use crate::geometry::{Vec3, longest};
use crate::integrate::stability::{self, FieldLimit};
use crate::integrate::{
    self, Auto, BlockDecay, BreakInStep, History, Integrator, Step, StepError, StepKind, StepReport,
};
use crate::model::{BondStatus, Course, HeldParticles, Pair, State, World};

use super::drives::Drives;
use super::extensions::change_velocities;
use super::gave_up::{Cause, GaveUp};
use super::machine::Machine;
use super::release::release;
use super::step_control::{Outcome, Verdict};
use super::vibration_decay::VibrationDecay;
use super::{Extensions, FractureEvent, Progress, SimulationSettings, StepPlan};

/// Most steps of a block. Tables of what moves have a row a step, and sums of single precision have an error of 2e-5.
const MAX_BLOCK: u32 = 1 << 16;

/// Share of 2/omega of electric forces beyond which `integrator = "auto"` takes no implicit step: they extrapolate the forces.
const IMPLICIT_FIELD_SHARE: f64 = 0.25;

/// State of a world and its integrator.
pub struct Simulation {
    /// World, without its moving state. Its bonds break.
    pub world: World,
    /// Positions, orientations and velocities at the current time.
    pub state: State,
    /// Near pairs and tangential springs.
    pub contacts: Contacts,
    /// Division of frames into steps.
    pub plan: StepPlan,
    integrator: Box<dyn Integrator>,
    machine: Machine,
    extensions: Extensions,
    vibration_decay: VibrationDecay,
    drives: Drives,
    account: Account,
    /// Balance of the account at the last audit.
    pub balance: Balance,
    energy_bound: f64,
    field_limit: FieldLimit,
    /// Settings of the integrator, unless another program brought it.
    settings: Option<SimulationSettings>,
    /// See [`World::kinks`].
    kinks: Vec<f64>,
    /// Block of steps that is begun, and its decay of vibrations.
    begun: Option<(Step, BlockDecay)>,
}

/// Data of a simulation besides its scene, for a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    state: Cow<'a, State>,
    bond_statuses: Vec<BondStatus>,
    contacts: contact::ContactHistory,
    integrator: History<'a>,
    machine: Machine,
    field_limit: Cow<'a, FieldLimit>,
    vibration_decay: Cow<'a, VibrationDecay>,
    courses: Vec<Course>,
    account: Account,
}

impl Simulation {
    /// Simulation of `world` from `state`.
    pub fn new(world: World, state: State, settings: &SimulationSettings) -> Self {
        Self::extended(world, state, settings, Extensions::default())
    }

    /// The same with parts of another program.
    pub fn extended(world: World, state: State, settings: &SimulationSettings, parts: Extensions) -> Self {
        let mut settings = settings.clone();
        if parts.after_step.is_some() {
            settings.control.sleep_below = 0.0;
        }
        let plan = StepPlan::new(&settings, &world, &state);
        Self::with_plan(world, state, &settings, plan, parts)
    }

    fn with_plan(
        mut world: World,
        state: State,
        settings: &SimulationSettings,
        plan: StepPlan,
        mut extensions: Extensions,
    ) -> Self {
        let integrator = extensions.integrator.take();
        let own_settings = integrator.is_none().then(|| settings.clone());
        let plan = if integrator.is_some() { StepPlan { explicit_substeps: None, ..plan } } else { plan };
        let integrator = integrator.unwrap_or_else(|| build(&world, settings, &plan));
        let machine = Machine::new(plan, settings.integrator.is_explicit(), &settings.control, world.bonds().len());
        let drives = Drives::new(&mut world, &state, plan.step);
        let contacts = Contacts::new(&world, &state);
        let account = Account::new(&world, energies(&world, &contacts, &state));
        Self {
            contacts,
            account,
            balance: Balance::default(),
            energy_bound: settings.control.energy_bound,
            settings: own_settings,
            field_limit: FieldLimit::default(),
            kinks: world.kinks(),
            begun: None,
            vibration_decay: VibrationDecay::new(&world),
            drives,
            plan,
            integrator,
            machine,
            extensions,
            world,
            state,
        }
    }

    fn next_step(&self) -> Step {
        let step = self.machine.next();
        // what another program does to velocities is no motion that a step may extrapolate
        Step { drop_history: step.drop_history || self.extensions.after_step.is_some(), ..step }
    }

    /// Advances by one nominal step, in one or more steps.
    ///
    /// # Errors
    /// When a step fails that cannot be cut any more, or a stop is requested. The state is that before this step.
    pub fn advance(&mut self, progress: &mut Progress) -> Result<(), GaveUp> {
        while !self.try_step(progress)? {}
        Ok(())
    }

    /// Advances by a frame, and updates the balance of the energy account.
    ///
    /// # Errors
    /// As [`Self::advance`] and [`Self::audit`].
    pub fn advance_frame(&mut self, progress: &mut Progress) -> Result<(), GaveUp> {
        let mut left = self.plan.per_frame;
        while left > 0 {
            left -= self.try_steps(left, progress)?;
        }
        self.audit()
    }

    /// Tries one step within a nominal one. It may have to be repeated at a shorter length. Returns whether the nominal step is
    /// complete.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn try_step(&mut self, progress: &mut Progress) -> Result<bool, GaveUp> {
        Ok(self.try_steps(1, progress)? > 0)
    }

    /// The same, or up to `most` nominal steps at once of an integrator that [takes blocks](Integrator::takes_blocks). Returns the number
    /// of nominal steps that are complete.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn try_steps(&mut self, most: u32, progress: &mut Progress) -> Result<u32, GaveUp> {
        let count = self.steps_at_once(most);
        let is_complete = self.attempt(count, progress)? && self.machine.is_at_nominal();
        Ok(if is_complete { count } else { 0 })
    }

    /// Starts the steps of the next [`Self::try_steps`] with `most`, which an integrator on a device takes meanwhile. Until then nothing
    /// else of the simulation may change.
    pub fn begin_steps(&mut self, most: u32) {
        if !self.integrator.takes_blocks() {
            return;
        }
        self.shorten_step();
        self.begin(Step { count: self.steps_at_once(most), ..self.next_step() });
    }

    fn begin(&mut self, step: Step) {
        let Self { world, state, contacts, integrator, vibration_decay, .. } = self;
        let ends = std::iter::successors(Some(state.time + step.dt), |end| Some(end + step.dt));
        let ends: Vec<f64> = ends.take(step.count as usize).collect();
        let mut holding = HeldParticles::new(world);
        holding.set(world, state.time, ends[0]);
        let decay = vibration_decay.in_block(world, holding.held(), state, &ends);
        integrator.begin(world, contacts, state, step, &decay);
        self.begun = Some((step, decay));
    }

    /// Number of steps of the next block: `most`, up to the next kink or change of velocities after a step.
    fn steps_at_once(&self, most: u32) -> u32 {
        if !self.integrator.takes_blocks() || self.extensions.after_step.is_some() {
            return 1;
        }
        let (time, dt) = (self.state.time, self.plan.step);
        let kink = self.kinks.iter().find(|kink| **kink > time + 0.5 * dt).map_or(f64::INFINITY, |kink| kink - time);
        // rounding may leave a kink before or after the end of a step
        let count = (kink.min(self.vibration_decay.longest_block()) / dt + 1e-6).floor();
        count.clamp(1.0, f64::from(most.min(MAX_BLOCK))) as u32
    }

    /// Changes velocities between steps by `change`, which gets those (m/s) and the angular velocities (rad/s) of all particles. The
    /// change of kinetic energy is the work of loads. Held particles keep theirs, and free rigid bodies stay rigid. The integrator starts
    /// anew: what sleeps wakes, and no step looks back. One of another program is left as it is.
    pub fn change_velocities(&mut self, change: impl FnOnce(&mut [Vec3], &mut [Vec3])) {
        self.begun = None;
        let held = self.integrator.held().to_vec();
        let work = change_velocities(&self.world, &held, &mut self.state, |state| change(&mut state.v, &mut state.w));
        self.account.flows[Flow::Loads] += work;
        if let Some(settings) = &self.settings {
            self.integrator = build(&self.world, settings, &self.plan);
        }
    }

    /// Longest stable explicit step, s: that of the plan, or of the current state where the run has no explicit steps.
    pub fn stability_limit(&self) -> f64 {
        self.plan.limit.unwrap_or_else(|| stability::limit(&self.world, &self.state))
    }

    /// Ends the next step at a kink, and halves or replaces it if it is too long for the electric forces.
    fn shorten_step(&mut self) {
        let Self { world, state, machine, field_limit, plan, kinks, .. } = self;
        machine.meet_kinks(kinks, state.time, plan);
        if !world.electrostatics.is_empty() {
            machine.shorten(|dt, is_explicit| {
                let share = if is_explicit { plan.field_share } else { IMPLICIT_FIELD_SHARE };
                field_limit.allows(world, state, dt, share)
            });
        }
    }

    /// Tries `count` equal steps at once, and commits them if they are acceptable. Returns whether they were committed.
    fn attempt(&mut self, count: u32, progress: &mut Progress) -> Result<bool, GaveUp> {
        self.shorten_step();
        let (time, next) = (self.state.time, Step { count, ..self.next_step() });
        if self.integrator.takes_blocks() && self.begun.as_ref().is_none_or(|(begun, _)| *begun != next) {
            self.begin(next);
        }
        let decay = self.begun.take().map(|(_, decay)| decay);
        let explicit = next.kind.is_explicit();
        let place = |particle: usize| (particle, self.state.p[particle]);
        let gave_up = |cause: StepError| {
            let particle = cause.particle().map(place);
            GaveUp { time, step: next.dt, cause: Cause::Step(cause), explicit, particle }
        };
        if self.world.interrupt.is_requested() {
            return Err(gave_up(StepError::Interrupted));
        }
        if let Some(limit) = self.plan.exceeded_limit() {
            return Err(gave_up(StepError::BeyondLimit(limit)));
        }
        if !explicit {
            // removes bonds that explicit steps broke
            self.world.compact();
        }
        let start = Instant::now();
        let trial = self.integrator.trial(&self.world, &mut self.contacts, &self.state, next);
        progress.seconds.integrate += start.elapsed().as_secs_f64();
        let trial = match trial {
            Ok(trial) => trial,
            Err(StepError::Interrupted) => return Err(gave_up(StepError::Interrupted)),
            Err(cause) => {
                let verdict = self.machine.update(&Outcome::Failed);
                if verdict == Verdict::GiveUp {
                    return Err(gave_up(cause));
                }
                progress.failures += 1;
                progress.step_cuts += 1;
                return Ok(false);
            }
        };
        progress.count(&trial.report);

        let start = Instant::now();
        let (overloaded, overloads) = fracture::overloads(&self.world, trial.end, trial.overloaded);
        let (report, broken) = (trial.report, trial.broken.to_vec());
        let report = StepReport { overload: self.overload_of_held(&overloaded, &overloads), ..report };
        let outcome = Outcome::Solved { report, broken: self.sudden(&overloaded, &overloads) + broken.len() };
        let is_committed = (0..count).all(|_| self.machine.update(&outcome) == Verdict::Commit);
        progress.seconds.fracture += start.elapsed().as_secs_f64();
        if is_committed {
            decay.iter().for_each(|decay| self.vibration_decay.end_block(decay));
            self.commit_step(&overloaded, &broken, next, progress);
        }
        progress.step_cuts += u64::from(!is_committed);
        Ok(is_committed)
    }

    /// Number of the bonds that the last trial `overloaded`, by these shares, that break or soften too far for one step.
    fn sudden(&self, overloaded: &[usize], overloads: &[f64]) -> usize {
        /// Overload of a bond that softens as it would in shorter steps.
        const SMALL: f64 = 0.1;
        let bonds = self.world.bonds();
        let is_sudden =
            |(k, overload): &(&usize, &f64)| **overload > SMALL || bonds[**k].softened(1.0 + **overload).is_none();
        overloaded.iter().zip(overloads).filter(is_sudden).count()
    }

    /// See [`StepReport::overload`]; `overloads` are the shares of the bonds that the last trial `overloaded`.
    fn overload_of_held(&self, overloaded: &[usize], overloads: &[f64]) -> f64 {
        let (bonds, held) = (self.world.bonds(), self.integrator.held());
        let of = overloaded.iter().zip(overloads).filter(|(k, _)| bonds[**k].ends().iter().all(|&i| held[i]));
        of.map(|(_, overload)| *overload).fold(0.0, f64::max)
    }

    /// Commits the last trial, of `step`. Marks the bonds that are `broken` in it, breaks those it `overloaded`, and corrects
    /// velocities for friction.
    fn commit_step(&mut self, overloaded: &[usize], broken: &[BreakInStep], step: Step, progress: &mut Progress) {
        let (explicit, asleep) = (step.kind.is_explicit(), step.kind == StepKind::Asleep);
        let (start, from) = (Instant::now(), self.state.time);
        let flows = &mut self.account.flows;
        *flows += self.integrator.commit(&self.world, &mut self.contacts, &mut self.state);
        if !self.drives.is_empty() {
            let forces = self.integrator.forces();
            self.drives.advance(&mut self.world, &self.contacts, &self.state, forces, step.dt);
        }
        progress.seconds.integrate += start.elapsed().as_secs_f64();
        if !broken.is_empty() {
            integrate::update_bonds(&mut self.world, broken.iter().map(|of| (of.index, &of.broken)));
            for BreakInStep { time, broken, .. } in broken.iter().filter(|of| of.broken.breaks()) {
                self.vibration_decay.note_break(broken.ends(), *time);
                progress.broken.push(FractureEvent::new(*time, broken));
            }
        }
        if !overloaded.is_empty() {
            self.break_bonds(overloaded, explicit, progress);
        }
        let takes_blocks = self.integrator.takes_blocks();
        if !asleep && !takes_blocks {
            // the others correct velocities themselves
            self.correct_velocities(step.dt, progress);
        }
        let tolerance = 0.5 * self.plan.shortest();
        self.account.flows[Flow::Loads] += release(&self.world, &mut self.state, from, tolerance);
        let held = self.integrator.held();
        self.account.flows[Flow::Loads] += self.extensions.after_step(&self.world, held, &mut self.state, step.dt);
        if !takes_blocks {
            self.account.flows[Flow::Damping] += self.vibration_decay.apply(&self.world, held, &mut self.state);
        }
        let count = u64::from(step.count);
        progress.steps += count;
        progress.explicit_steps += if explicit { count } else { 0 };
        progress.asleep_steps += u64::from(asleep);
    }

    /// Corrects velocities for friction after a step of `dt` (s).
    fn correct_velocities(&mut self, dt: f64, progress: &mut Progress) {
        let start = Instant::now();
        let Self { world, contacts, integrator, state, account, .. } = self;
        let friction = correct_velocities(world, contacts, integrator.held(), state, dt);
        account.flows += friction.into();
        progress.seconds.contact += start.elapsed().as_secs_f64();
    }

    /// Breaks these bonds. Their ends become possible contacts.
    fn break_bonds(&mut self, overloaded: &[usize], explicit: bool, progress: &mut Progress) {
        let start = Instant::now();
        let Self { world, contacts, integrator, state, account, .. } = self;
        let mut broken = integrate::break_bonds(world, contacts, state, overloaded, &mut account.flows);
        integrator.after_breakage(world, contacts, state, &broken);
        broken.retain(OverloadedBond::breaks);
        if !explicit {
            // matrices of implicit integrators include broken bonds that are stored
            world.compact();
        }
        progress.seconds.fracture += start.elapsed().as_secs_f64();
        broken.iter().for_each(|broken| self.vibration_decay.note_break(broken.ends(), state.time));
        progress.broken.extend(broken.iter().map(|broken| FractureEvent::new(state.time, broken)));
    }

    /// Updates the balance of the energy account.
    ///
    /// # Errors
    /// When its imbalance exceeds the scene's bound.
    pub fn audit(&mut self) -> Result<(), GaveUp> {
        self.contacts.catch_up(&self.world, &self.state);
        let above_shadow = self.integrator.above_shadow();
        let energies = energies(&self.world, &self.contacts, &self.state);
        self.balance = self.account.balance(&EnergySnapshot { above_shadow, ..energies });
        if self.balance.imbalance() <= self.energy_bound {
            return Ok(());
        }
        let State { time, p, v, .. } = &self.state;
        Err(GaveUp {
            time: *time,
            step: self.machine.next().dt,
            cause: Cause::Account(self.balance, self.energy_bound),
            explicit: self.machine.next().kind.is_explicit(),
            particle: longest(v).map(|particle| (particle, p[particle])),
        })
    }

    /// Forces that the last step applied. `None` if they are not known: before the first step, and after one with sleeping pieces.
    pub fn forces(&self) -> Option<StepForces<'_>> {
        self.integrator.forces()
    }

    /// Text about a drift of the energy account below the bound that stops a run. `None` if it is small.
    pub fn drift(&self) -> Option<String> {
        /// Share of the bound that is small.
        const SMALL: f64 = 0.2;
        let Balance { unaccounted, scale, .. } = self.balance;
        (self.balance.open() > SMALL * self.energy_bound).then(|| {
            format!(
                "{unaccounted:.3e} J are not accounted for, {:.2} % of the {scale:.3e} J at play; time.control.energy_bound allows \
                 {:.2} %. A shorter time.step should have less",
                100.0 * self.balance.open(),
                100.0 * self.energy_bound
            )
        })
    }

    /// Energy flows since the start, J.
    pub fn flows(&self) -> &Flows {
        &self.account.flows
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        Potential::new(&self.world, &self.contacts).energies(&self.state).total()
    }

    /// Data for [`Self::restore`], to resume bitwise.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            state: Cow::Borrowed(&self.state),
            bond_statuses: self.world.bond_statuses(),
            contacts: self.contacts.history(),
            integrator: self.integrator.history(),
            machine: self.machine,
            field_limit: Cow::Borrowed(&self.field_limit),
            vibration_decay: Cow::Borrowed(&self.vibration_decay),
            courses: self.drives.courses(&self.world),
            account: self.account,
        }
    }

    /// Resumes from another simulation of the same scene. This one must be new. `None` if the snapshot does not fit; this one
    /// is invalid then.
    pub fn restore(&mut self, snapshot: Snapshot) -> Option<()> {
        let state = snapshot.state.into_owned();
        if !state.is_of(self.state.len()) {
            return None;
        }
        self.world.restore(&snapshot.bond_statuses)?;
        self.contacts = Contacts::restore(snapshot.contacts, &self.world, &state)?;
        self.integrator.restore(snapshot.integrator, state.len())?;
        self.machine = Some(snapshot.machine).filter(|machine| machine.is_like(&self.machine))?;
        self.vibration_decay.restore(snapshot.vibration_decay)?;
        self.drives.restore(&mut self.world, &snapshot.courses)?;
        (self.state, self.account) = (state, snapshot.account);
        self.field_limit = snapshot.field_limit.into_owned();
        Some(())
    }
}

/// Integrator of the settings, with steps of several kinds if the `plan` has them.
fn build(world: &World, settings: &SimulationSettings, plan: &StepPlan) -> Box<dyn Integrator> {
    let SimulationSettings { integrator, frame, control, solver, .. } = settings;
    if plan.explicit_substeps.is_none() {
        return integrator.build(world, solver);
    }
    Box::new(Auto::new(world, solver, control.sleep_below, control.deviation / frame))
}

/// Energies of the world at `state`.
fn energies(world: &World, contacts: &Contacts, state: &State) -> EnergySnapshot {
    EnergySnapshot::new(world, state, Potential::new(world, contacts).energies(state))
}
