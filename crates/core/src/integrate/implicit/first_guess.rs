//! First guess of Newton's method.

use crate::energy::Workspace;
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{State, World};
use crate::optimize::Objective;
use crate::parallel;

use super::piece_guess::PieceGuess;
use super::rule::{Inertia, Weights};
use super::{CHUNK, LaggedForces, StepHistory};

/// Data of a step at its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepStart<'a> {
    pub world: &'a World,
    pub state: &'a State,
    /// The same with held particles at their places at the end.
    pub placed: &'a State,
    pub held: &'a [bool],
    pub inertia: &'a Inertia,
    pub electric: &'a LaggedForces,
    pub previous: Option<&'a StepHistory>,
    /// s.
    pub dt: f64,
}

impl StepStart<'_> {
    /// Displacement by gravity in the step, m.
    pub(super) fn fall(&self) -> Vec3 {
        self.world.gravity * self.inertia.weights.dt.powi(2)
    }
}

/// Candidates for the first guess, in order of likelihood.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    /// Without velocities.
    states: [State; MAX_GUESSES],
    count: usize,
    pieces: PieceGuess,
}

/// Limit on the number of candidates.
const MAX_GUESSES: usize = 4;

impl Guesses {
    /// Candidates for a step, or the likeliest only.
    ///
    /// - Constant forces: the change of velocity of the previous step continues, 2v - v_1 at constant steps.
    /// - Free flight under gravity: without a previous step, or as the second candidate.
    /// - Free flight of pieces as rigid bodies: see [`PieceGuess`].
    /// - The start, if particles fly by more than their radius: free flight may end in a large overlap.
    pub(super) fn set(&mut self, start: &StepStart, likeliest_alone: bool) {
        self.count = 0;
        let StepStart { world, state, inertia, previous, dt, .. } = *start;
        let (target, Weights { previous: carried, dt: b }) = (&inertia.target, inertia.weights);
        if let Some(previous) = previous {
            // v^ includes a share of the previous change
            let more = (dt / previous.dt - carried) * b;
            let guess = self.add(start, |i, p, q| {
                *p = target.p[i] + previous.velocity_change(i) * more;
                *q = rotation::turn(&target.q[i], &(previous.spin_change(i) * more));
            });
            unload(start, previous.dt, more, guess);
            // the change of a free body's spin is no torque
            let rigid = world.free_rigid().flat_map(|body| body.particles.clone());
            rigid.for_each(|i| guess.q[i] = target.q[i]);
            self.release(start);
        }
        if self.count == 0 || !likeliest_alone {
            let fall = start.fall();
            self.add(start, |i, p, q| {
                *p = target.p[i] + fall;
                *q = target.q[i] / target.q[i].norm();
            });
        }
        if !likeliest_alone {
            self.add_pieces(start);
            if (0..state.len()).any(|i| state.v[i].norm() * dt > world.particles.radius[i]) {
                self.add(start, |i, p, q| (*p, *q) = (state.p[i], state.q[i]));
            }
        }
        for State { p, q, .. } in &mut self.states[..self.count] {
            world.free_rigid().for_each(|body| body.make_rigid(&world.particles, state, p, q));
        }
    }

    /// Moves charged particles without bonds to their targets in the last candidate. A share of the previous change of velocity
    /// would be as near as Newton's tolerance, and the forces would lag: nothing else would correct it.
    fn release(&mut self, start: &StepStart) {
        let StepStart { world, held, inertia, electric, .. } = *start;
        let (target, fall) = (&inertia.target, start.fall());
        let guess = &mut self.states[self.count - 1];
        for (i, _) in electric.former().filter(|(i, _)| !held[*i]) {
            if self.pieces.is_alone(world, i) {
                (guess.p[i], guess.q[i]) = (target.p[i] + fall, target.q[i] / target.q[i].norm());
            }
        }
    }

    /// Adds a candidate, in which `of` places each particle that is not held.
    fn add(&mut self, start: &StepStart, of: impl Fn(usize, &mut Vec3, &mut Quat) + Sync) -> &mut State {
        let guess = &mut self.states[self.count];
        self.count += 1;
        place(guess, start.placed);
        let places = (parallel::each_mut(&mut guess.p), parallel::each_mut(&mut guess.q));
        parallel::for_each_item(places, CHUNK, |i, (p, q)| {
            if !start.held[i] {
                of(i, p, q);
            }
        });
        guess
    }

    /// Adds a copy of the last candidate with pieces as rigid bodies.
    fn add_pieces(&mut self, start: &StepStart) {
        let (before, after) = self.states.split_at_mut(self.count);
        place(&mut after[0], &before[self.count - 1]);
        self.pieces.put(start, &mut after[0]);
        self.count += 1;
    }

    /// Moves the likeliest candidate from the list into `x`, except its velocities.
    pub(super) fn take_first(&mut self, x: &mut State) {
        std::mem::swap(&mut x.p, &mut self.states[0].p);
        std::mem::swap(&mut x.q, &mut self.states[0].q);
        self.states[..self.count].rotate_left(1);
        self.count -= 1;
    }

    /// Copies the candidate of least objective into `x`, if it is less than at `x`.
    pub(super) fn lower(&self, objective: &Objective, x: &mut State, work: &mut Workspace) {
        if self.count == 0 {
            return;
        }
        let mut lowest = objective.value_with(x, work);
        for guess in &self.states[..self.count] {
            let value = objective.value_with(guess, work);
            // comparisons with NaN are false
            if value < lowest || lowest.is_nan() {
                lowest = value;
                place(x, guess);
            }
        }
    }
}

/// Copies time, positions and orientations.
fn place(to: &mut State, from: &State) {
    to.time = from.time;
    to.p.clone_from(&from.p);
    to.q.clone_from(&from.q);
}

/// Removes the effect of loads in the previous step, of length `dt` (s), from a candidate. p^ and q^ include those of this step.
/// `more` (s) is the factor on the previous change of velocity in the candidate.
fn unload(start: &StepStart, dt: f64, more: f64, guess: &mut State) {
    let StepStart { world, state, held, electric, .. } = *start;
    let (mass, inertia, time) = (&world.particles.mass, &world.particles.inertia, dt * more);
    let loads = world.loads([state.time - dt, state.time], state, 0.0).chain(electric.former());
    for (i, load) in loads.filter(|(i, _)| !held[*i]) {
        guess.p[i] -= load.force * (time / mass[i]);
        guess.q[i] = rotation::turn(&guess.q[i], &(load.torque * (-time / inertia[i])));
    }
}
