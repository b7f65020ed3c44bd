//! Electric forces in steps.

use crate::charge::{FieldError, FieldWorkspace};
use crate::energy::ElectricState;
use crate::geometry::Vec3;
use crate::model::{State, World, Wrench};

use super::{StepError, StepHistory};

/// Electric states at the last states, so that none is computed twice. They depend on nothing else: a resumed run computes the
/// same ones.
#[derive(Debug, Default)]
pub(super) struct ElectricCache {
    /// In the order of their last use.
    states: [ElectricState; 3],
    work: FieldWorkspace,
}

impl ElectricCache {
    /// Electric state of `world` at `state`.
    pub(super) fn at(&mut self, world: &World, state: &State) -> Result<&ElectricState, StepError> {
        let known = self.states.iter().position(|electric| electric.is_at(world, state));
        self.states[..=known.unwrap_or(2)].rotate_right(1);
        let first = &mut self.states[0];
        (self.work.interrupt, self.work.instructions) = (world.interrupt.clone(), world.instructions);
        if known.is_none()
            && let Err(error) = first.set(world, state, &mut self.work)
        {
            *first = ElectricState::default();
            return Err(match error {
                FieldError::Interrupted => StepError::Interrupted,
                error => StepError::Field(error),
            });
        }
        Ok(first)
    }

    /// Electric states at two states of different times.
    pub(super) fn both(&mut self, world: &World, states: [&State; 2]) -> Result<[&ElectricState; 2], StepError> {
        for state in states {
            self.at(world, state)?;
        }
        Ok([&self.states[1], &self.states[0]])
    }

    /// Gain of the charges' energy, and work from outside, in a step whose ends are both computed, J.
    pub(super) fn exchange(&mut self, world: &World, before: &State, after: &State) -> Exchanged {
        if world.electrostatics.is_empty() {
            return Exchanged::default();
        }
        let [before, after] = self.both(world, [before, after]).expect("the trial has computed both ends");
        Exchanged {
            gain: after.energy() - before.energy(),
            work: before.work_to(after),
            trapezoid: before.mean_work_to(after),
        }
    }

    /// Sets `out` to the electric force (N) on each particle of the world; empty without charges.
    pub(super) fn spread(&mut self, world: &World, state: &State, out: &mut Vec<Vec3>) -> Result<(), StepError> {
        if world.electrostatics.is_empty() {
            return Ok(());
        }
        out.resize(state.len(), Vec3::zeros());
        let forces = self.at(world, state)?.forces();
        world.electrostatics.particles().iter().zip(forces).for_each(|(&i, force)| out[i as usize] = *force);
        Ok(())
    }
}

/// Electric energy of a step, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exchanged {
    /// Gain of the charges' energy.
    pub gain: f64,
    /// Work from outside: see [`ElectricState::work_to`].
    pub work: f64,
    /// Work on the particles: see [`ElectricState::mean_work_to`].
    pub trapezoid: f64,
}

impl Exchanged {
    /// Error of the trapezoidal rule: energy that the charges gain beyond the work on them.
    pub(super) fn trapezoid_error(&self) -> f64 {
        self.gain - self.work + self.trapezoid
    }
}

/// Electric forces of an implicit step, constant over it (\[MSC\] eqs 10-12).
///
/// Implicit Euler takes those at the start, f_n. BDF2 is of second order with those of the end, by extrapolation over the
/// previous step of length h_0,
///
/// ```text
/// f = f_n + (h/h_0) (f_n - f_(n-1)).
/// ```
#[derive(Debug, Default)]
pub(super) struct LaggedForces {
    pub cache: ElectricCache,
    /// Charged particles, and the forces on them.
    loads: Vec<(usize, Wrench)>,
    /// The same with the forces that changed the velocities in the previous step; empty without one.
    former: Vec<(usize, Wrench)>,
}

impl LaggedForces {
    /// Sets the forces of a step of `dt` (s) from `state`, after the step `before` if there was one, and whether they are
    /// extrapolated from it.
    pub(super) fn set(
        &mut self,
        world: &World,
        state: &State,
        dt: f64,
        before: Option<(&StepHistory, bool)>,
    ) -> Result<(), StepError> {
        let Self { cache, loads, former } = self;
        loads.clear();
        former.clear();
        if world.electrostatics.is_empty() {
            return Ok(());
        }
        let particles = || world.electrostatics.particles().iter().map(|&i| i as usize);
        let load = |force: Vec3| Wrench { force, torque: Vec3::zeros() };
        let Some((step, extrapolates)) = before else {
            let now = cache.at(world, state)?.forces();
            loads.extend(particles().zip(now).map(|(i, f)| (i, load(*f))));
            return Ok(());
        };
        let [before, now] = cache.both(world, [&step.start, state])?.map(ElectricState::forces);
        let (ratio, share) = if extrapolates { (dt / step.dt, 0.5) } else { (0.0, 0.0) };
        loads.extend(particles().zip(before.iter().zip(now)).map(|(i, (f0, f))| (i, load(f + (f - f0) * ratio))));
        former.extend(particles().zip(before.iter().zip(now)).map(|(i, (f0, f))| (i, load(f0 + (f - f0) * share))));
        Ok(())
    }

    /// Particles and their forces.
    pub(super) fn loads(&self) -> impl Iterator<Item = (usize, Wrench)> {
        self.loads.iter().map(|(i, load)| (*i, *load))
    }

    /// Particles and their forces in the previous step: of implicit Euler those at its start, of a smooth motion their mean.
    pub(super) fn former(&self) -> impl Iterator<Item = (usize, Wrench)> {
        self.former.iter().map(|(i, load)| (*i, *load))
    }

    /// Errors of these forces in a step from `start` to `end`. `b` is the time rule's weight of the step's length, s.
    pub(super) fn errors(
        &mut self,
        world: &World,
        held: &[bool],
        [start, end]: [&State; 2],
        b: f64,
    ) -> Result<ForceErrors, StepError> {
        /// Displacement by the forces in a step (radii) below which their change does not count.
        const SMALL: f64 = 1e-5;
        if self.loads.is_empty() {
            return Ok(ForceErrors::default());
        }
        let (mass, radius) = (&world.particles.mass, &world.particles.radius);
        let [before, after] = self.cache.both(world, [start, end])?.map(ElectricState::forces);
        let free = self.loads.iter().zip(before.iter().zip(after)).filter(|((i, _), _)| !held[*i]);
        let (mut lag, mut change, mut size) = (0.0, 0.0, 0.0);
        for ((i, load), (from, to)) in free {
            let radii = b * b / (mass[*i] * radius[*i]);
            let squared = |force: Vec3| (force * radii).norm_squared();
            (lag, change, size) = (lag + squared(to - load.force), change + squared(to - from), size + squared(*to));
        }
        let mean = |sum: f64| (sum / self.loads.len() as f64).sqrt();
        let change = if mean(size) > SMALL { (change / size).sqrt() } else { 0.0 };
        Ok(ForceErrors { lag: mean(lag), change })
    }
}

/// Errors of electric forces that are constant over a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ForceErrors {
    /// Root-mean-square displacement by their change since they were computed, radii.
    pub lag: f64,
    /// See [`StepReport::force_change`](super::StepReport::force_change).
    pub change: f64,
}

/// External loads on particles, and electric forces, in a step between two times (s): see [`World::loads`].
pub(super) fn loads<'a>(
    (world, start, share): (&'a World, &'a State, f64),
    electric: &'a LaggedForces,
    times: [f64; 2],
) -> impl Iterator<Item = (usize, Wrench)> {
    world.loads(times, start, share).chain(electric.loads())
}
