//! The sweep backward over the steps of a run.
//!
//! ```text
//! gradient, change   derivatives of the loss by the numbers of a world; of these numbers by a parameter
//! explicit, implicit adjoints of a step
//! bonds, contacts, electric   derivatives of forces
//! linear             linear systems of implicit steps
//! rotation           derivatives of rotations
//! ```

mod bonds;
mod change;
mod contacts;
mod electric;
mod explicit;
mod gradient;
mod implicit;
mod linear;
mod rotation;

use bdem_core::energy::{BondSum, Damping, Potential, Workspace};
use bdem_core::integrate::TimeRule;
use bdem_core::internals::contact::{Contacts, StepLaw};
use bdem_core::model::{Displacement, Gradient as Forces, HeldParticles, State, Wrench};

use crate::error::FitError;
use crate::run::{self, Loss, Record, Records, Run, Stepper, Storage};

pub use crate::run::StateGradient;
pub use change::Change;
pub use gradient::{ExternalChargeGradient, FieldGradient, Gradient, Report, SpringGradient};

use contacts::{ByStretch, Ends, Touches};
use linear::Linear;

/// Loss of a run and its derivatives: by every number of the world that moves it, and along `changes` of a world by parameters.
///
/// The run is made forward, then its steps are gone through backward. States are stored by `storage`. A change costs two
/// evaluations of forces a step where it is one of bonds, and nothing otherwise.
///
/// # Errors
/// When a step fails, a bond breaks, a linear system is not solved, states cannot be stored, or a stop is requested.
pub fn gradient(run: &Run, loss: &dyn Loss, storage: &Storage, changes: &[Change]) -> Result<Gradient, FitError> {
    let mut sweep = Sweep::new(run, changes);
    let segment = run::segment(run, storage)?;
    let mut stored = Records::new(run, storage)?;
    let starts = sweep.forward(loss, segment, &mut stored)?;
    sweep.backward(loss, starts, &mut stored)?;
    let Sweep { mut gradient, linear, .. } = sweep;
    gradient.report.cg_iterations = linear.iterations;
    for (change, k) in changes.iter().zip(0..) {
        gradient.along[k] += change.dot(&gradient);
    }
    Ok(gradient)
}

/// A sweep in progress.
struct Sweep<'a> {
    run: &'a Run,
    changes: &'a [Change],
    /// No contacts, for the worlds of changes of bonds.
    change_contacts: Vec<Option<Contacts>>,
    contacts: Contacts,
    /// No contacts, for the forces of bonds alone.
    no_contacts: Contacts,
    holding: HeldParticles,
    gradient: Gradient,
    work: Workspace,
    forces: Vec<Forces>,
    /// Constraints whose loads act on each particle in the step, and the factors on them; empty without any.
    loads_of: Vec<Vec<(u32, f64)>>,
    /// Whether any bond depends on orientations.
    bends: bool,
    linear: Linear,
}

/// Start of a segment of steps.
struct Start {
    /// Number of steps before it.
    step: u32,
    /// Record one step before it, for BDF2.
    before: Option<Record>,
    /// None for the last segment, whose records are stored.
    record: Option<Record>,
}

impl<'a> Sweep<'a> {
    fn new(run: &'a Run, changes: &'a [Change]) -> Self {
        let none = |change: &Change| change.bonds.as_ref().map(|world| Contacts::none(world, &run.start));
        let mut gradient = Gradient::zeros(&run.world);
        gradient.along = vec![0.0; changes.len()];
        Self {
            run,
            changes,
            change_contacts: changes.iter().map(none).collect(),
            contacts: Contacts::new(&run.world, &run.start),
            no_contacts: Contacts::none(&run.world, &run.start),
            holding: HeldParticles::new(&run.world),
            gradient,
            work: Workspace::default(),
            forces: vec![Forces::default(); run.start.len()],
            loads_of: Vec::new(),
            bends: run.world.bonds().iter().any(|bond| bond.model.has_orientation()),
            linear: Linear::default(),
        }
    }

    /// Makes the run and adds up its loss. Stores the records of the last segment, and returns the starts of all.
    fn forward(&mut self, loss: &dyn Loss, segment: u32, stored: &mut Records) -> Result<Vec<Start>, FitError> {
        let run = self.run;
        let last = run.steps().saturating_sub(1) / segment * segment;
        let mut stepper = Stepper::new(run, Record::first(run));
        let (mut starts, mut before) = (Vec::new(), None);
        self.gradient.loss = loss.at(0, &run.world, &run.start, None);
        for step in 0..run.steps() {
            let is_start = step.is_multiple_of(segment);
            if is_start || step >= last {
                let mut record = stepper.record();
                self.complete(&mut record)?;
                if is_start {
                    let kept = (step < last).then(|| record.clone());
                    starts.push(Start { step, before: before.take(), record: kept });
                }
                if step >= last {
                    stored.push(record)?;
                }
            }
            let ends = run.rule == Some(TimeRule::Bdf2) && (step + 1).is_multiple_of(segment);
            before = ends.then(|| stepper.record());
            stepper.step()?;
            if let Some(frame) = run.frame_at(step + 1) {
                self.gradient.loss += loss.at(frame, &run.world, stepper.state(), None);
            }
        }
        stored.push(stepper.record())?;
        Ok(starts)
    }

    /// Makes the steps of a segment again, up to the step `end`, and stores their records.
    fn replay(&mut self, start: &mut Start, end: u32, stored: &mut Records) -> Result<(), FitError> {
        let Some(record) = start.record.take() else { return Ok(()) };
        self.gradient.report.replayed_steps += end - start.step;
        let mut stepper = Stepper::after(self.run, start.before.as_ref(), record);
        for step in start.step..end {
            stored.push(stepper.record())?;
            if step + 1 < end {
                stepper.step()?;
            }
        }
        Ok(())
    }

    /// Computes the forces of the first record of explicit steps, as its integrator does.
    fn complete(&mut self, record: &mut Record) -> Result<(), FitError> {
        if self.run.rule.is_some() || !record.gradient.is_empty() {
            return Ok(());
        }
        let (world, state) = (&self.run.world, &record.state);
        record.gradient = vec![Forces::default(); state.len()];
        self.contacts.update(world, state);
        let potential = Potential { damping: Damping::Rate, ..Potential::new(world, &self.contacts) };
        potential.gradient_with(state, &mut self.work, &mut record.gradient);
        if !world.electrostatics.is_empty() {
            let failed = |why| FitError::Failed { time: state.time, why: bdem_core::integrate::StepError::Field(why) };
            let electric = bdem_core::energy::ElectricState::of(world, state).map_err(failed)?;
            let particles = world.electrostatics.particles().iter().zip(electric.forces());
            particles.for_each(|(&i, force)| record.gradient[i as usize].p -= force);
        }
        Ok(())
    }

    /// Goes through the steps backward, segment by segment.
    fn backward(&mut self, loss: &dyn Loss, mut starts: Vec<Start>, stored: &mut Records) -> Result<(), FitError> {
        let particles = self.run.start.len();
        let mut after = stored.pop()?.expect("the last record is stored");
        let mut by = By {
            state: StateGradient::zeros(particles),
            older: StateGradient::zeros(particles),
            carried: vec![Displacement::default(); particles],
            stretch: ByStretch::zeros(&after.contacts),
        };
        self.add_loss(loss, &after, &mut by.state);
        while let Some(mut start) = starts.pop() {
            self.replay(&mut start, after.step, stored)?;
            let mut record = stored.pop()?.expect("the records of a segment are stored");
            loop {
                let is_first = record.step == start.step;
                let older = if is_first { start.before.take() } else { stored.pop()? };
                by = self.step_back(older.as_ref(), [&record, &after], by)?;
                self.add_loss(loss, &record, &mut by.state);
                after = record;
                match older {
                    Some(older) if !is_first => record = older,
                    _ => break,
                }
            }
        }
        if self.run.rule.is_none() && self.run.steps() > 0 {
            self.explicit_start(&after, &by.carried, &mut by.state)?;
        }
        self.gradient.start = by.state;
        Ok(())
    }

    /// Derivatives one step before those `by`.
    fn step_back(&mut self, older: Option<&Record>, ends: [&Record; 2], by: By) -> Result<By, FitError> {
        if self.run.rule.is_none() {
            return self.explicit_step(ends, by);
        }
        let by_older = by.older.clone();
        let mut by = self.implicit_step(older, ends, by)?;
        by.state += &by_older;
        Ok(by)
    }

    /// Adds derivatives of the loss at a record, if a frame is there.
    fn add_loss(&self, loss: &dyn Loss, record: &Record, by: &mut StateGradient) {
        if let Some(frame) = self.run.frame_at(record.step) {
            loss.at(frame, &self.run.world, &record.state, Some(by));
        }
    }

    /// Sets the held particles of the step from `time` (s).
    fn hold(&mut self, time: f64) {
        self.holding.set(&self.run.world, time, time + self.run.dt);
    }

    /// Loads on the particles in the step from `time` (s); empty without any. They are those of [`Self::add_load`] until the next
    /// call.
    fn loads(&mut self, time: f64) -> Vec<Wrench> {
        let middle = time + 0.5 * self.run.dt;
        let constraints = self.run.world.constraints.iter().enumerate();
        let mut loads = Vec::new();
        self.loads_of.clear();
        for (k, constraint) in constraints.filter(|(_, c)| c.motion().is_none() && c.times.contains(&middle)) {
            loads.resize(self.run.start.len(), Wrench::default());
            self.loads_of.resize(self.run.start.len(), Vec::new());
            let factor = constraint.factor.at(middle);
            for (i, load) in constraint.loads(middle, &self.run.start, 0.0) {
                loads[i] += load;
                self.loads_of[i].push((k as u32, factor));
            }
        }
        loads
    }

    /// Adds `factor` times the derivative `y` by the load on particle `i` to those by its constraints.
    fn add_load(&mut self, i: usize, y: &Displacement, factor: f64) {
        let Self { loads_of, gradient, .. } = self;
        for &(k, over_time) in loads_of.get(i).into_iter().flatten() {
            let to = &mut gradient.loads[k as usize];
            to.force += y.translation * (factor * over_time);
            to.torque += y.rotation * (factor * over_time);
        }
    }

    /// Adds derivatives of `y` times dV/dx of all but contacts at a record, with dashpots at the velocities `rate`: by the state to
    /// `by`, by numbers to the gradient.
    fn pull_forces(
        &mut self,
        record: &Record,
        rate: &[Displacement],
        y: &[Displacement],
        by: &mut StateGradient,
    ) -> Result<(), FitError> {
        let (world, state) = (&self.run.world, &record.state);
        BondSum::gradient_along(world, state, y, &mut self.work, &mut self.forces);
        by.p.iter_mut().zip(&self.forces).for_each(|(by, along)| *by += along.p);
        if self.bends {
            by.theta.iter_mut().zip(&self.forces).for_each(|(by, along)| *by += along.theta);
            // the derivative of a torque is not symmetric: rotations do not commute
            let torques = if world.is_damped() || record.contacts.has_springs() {
                Potential::new(world, &self.no_contacts).gradient_with(state, &mut self.work, &mut self.forces);
                &self.forces
            } else {
                &record.gradient
            };
            let torques = torques.iter().zip(y).map(|(torque, y)| torque.theta.cross(&y.rotation));
            by.theta.iter_mut().zip(torques).for_each(|(by, torque)| *by += torque);
        }
        bonds::add_damping_by_rate(world, state, rate, y, by);
        let mass = &world.particles.mass;
        for (i, y) in y.iter().enumerate() {
            self.gradient.gravity -= y.translation * mass[i];
            self.gradient.mass[i] -= y.translation.dot(&world.gravity);
        }
        electric::add(world, state, y, -1.0, by, &mut self.gradient)?;
        bonds::add_springs_at_rate(world, state, rate, y, by, &mut self.gradient);
        if self.changes.iter().any(|change| change.bonds.is_some()) {
            let [v, w] = [|d: &Displacement| d.translation, |d: &Displacement| d.rotation]
                .map(|of| rate.iter().map(of).collect::<Vec<_>>());
            let moving = State { time: state.time, p: state.p.clone(), q: state.q.clone(), v, w };
            let along = &mut self.gradient.along;
            bonds::add_changes(&self.change_contacts, self.changes, &moving, Damping::Rate, y, along);
        }
        Ok(())
    }
}

impl Sweep<'_> {
    /// Contacts of the step between two records. Reports where their set changes.
    fn touches<'b>(&mut self, law: StepLaw, ends: [&'b Record; 2]) -> Result<Touches<'b>, FitError> {
        let world = &self.run.world;
        contacts::prepare(&mut self.contacts, world, ends[0], &ends[1].state);
        let touches = Touches::new(world, &self.contacts, law, ends)?;
        if law != StepLaw::Rest && touches.change() {
            self.gradient.report.contact_changes.push(ends[0].step);
        }
        Ok(touches)
    }

    /// Adds derivatives of `y` times the contacts' forces dV/dx in a step, and of `by_end` times their springs at its end: by its
    /// ends, and along changes.
    fn pull_contacts(&mut self, touches: &Touches, y: &[Displacement], by_end: &ByStretch, to: &mut Ends) {
        touches.pull(y, by_end, to);
        for (change, along) in self.changes.iter().zip(&mut self.gradient.along) {
            if let Some((worlds, per)) = &change.contacts {
                *along += per * touches.difference(worlds, y, by_end);
            }
        }
    }
}

/// Derivatives of the loss at a step.
struct By {
    /// By the state there.
    state: StateGradient,
    /// By the state one step before, so far.
    older: StateGradient,
    /// By the forces that Verlet's next step begins with.
    carried: Vec<Displacement>,
    /// By tangential springs.
    stretch: ByStretch,
}
