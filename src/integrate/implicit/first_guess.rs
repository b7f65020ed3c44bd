//! Where Newton starts.

use rayon::prelude::*;

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{State, World};
use crate::optimize::Objective;

use super::piece_guess::PieceGuess;
use super::rule::{Inertia, Weights};
use super::{CHUNK, StepHistory};

/// What a step begins with.
#[derive(Clone, Copy, Debug)]
pub struct StepStart<'a> {
    pub world: &'a World,
    pub state: &'a State,
    /// Has the held particles where they must be at its end.
    pub placed: &'a State,
    pub held: &'a [bool],
    pub inertia: &'a Inertia,
    pub previous: Option<&'a StepHistory>,
    /// s.
    pub dt: f64,
}

impl StepStart<'_> {
    /// What all particles fall by, m.
    pub fn fall(&self) -> Vec3 {
        self.world.gravity * self.inertia.weights.dt.powi(2)
    }
}

/// States that a step may end near, likeliest first.
#[derive(Debug, Default)]
pub struct Guesses {
    states: [State; MAX_GUESSES],
    count: usize,
    pieces: PieceGuess,
}

/// Guesses at most.
const MAX_GUESSES: usize = 4;

impl Guesses {
    /// Guesses for a step, or the likeliest alone.
    ///
    /// - Velocities go on changing as they did in the last step, 2v - v_1 at constant steps: all forces stay as they are.
    /// - Without a past, or as a second guess: free flight under gravity.
    /// - The same, of pieces that keep their form: see [`PieceGuess`].
    /// - Where particles fly further than their radius, free flight may end deep inside something: the old place.
    pub fn set(&mut self, start: &StepStart, likeliest_alone: bool) {
        self.count = 0;
        let StepStart { world, state, inertia, previous, dt, .. } = *start;
        let (target, Weights { previous: carried, dt: b }) = (&inertia.target, inertia.weights);
        if let Some(previous) = previous {
            // v^ has a share of the last change already
            let more = (dt / previous.dt - carried) * b;
            let guess = self.add(start, |i, p, q| {
                *p = target.p[i] + previous.velocity_change(i) * more;
                *q = rotation::turn(&target.q[i], &(previous.spin_change(i) * more));
            });
            unload(world, start.held, [state.time - previous.dt, state.time], more, guess);
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

    /// One more, in which `of` puts each particle that is not held.
    fn add(&mut self, start: &StepStart, of: impl Fn(usize, &mut Vec3, &mut Quat) + Sync) -> &mut State {
        let guess = &mut self.states[self.count];
        self.count += 1;
        guess.clone_from(start.placed);
        let places = (&mut guess.p, &mut guess.q).into_par_iter().zip(start.held).enumerate().with_min_len(CHUNK);
        places.filter(|(_, (_, held))| !**held).for_each(|(i, ((p, q), _))| of(i, p, q));
        guess
    }

    /// One more, which is the last but for the pieces.
    fn add_pieces(&mut self, start: &StepStart) {
        let (before, after) = self.states.split_at_mut(self.count);
        after[0].clone_from(&before[self.count - 1]);
        self.pieces.put(start, &mut after[0]);
        self.count += 1;
    }

    /// Puts the likeliest into `x`, and out of the list.
    pub fn take_first(&mut self, x: &mut State) {
        std::mem::swap(x, &mut self.states[0]);
        self.states[..self.count].rotate_left(1);
        self.count -= 1;
    }

    /// Puts the one whose objective is lowest into `x`, if any is lower than there.
    pub fn lower(&self, objective: &Objective, x: &mut State) {
        if self.count == 0 {
            return;
        }
        let mut lowest = objective.value(x);
        for guess in &self.states[..self.count] {
            let value = objective.value(guess);
            // no number is lower than one that is none
            if value < lowest || lowest.is_nan() {
                lowest = value;
                x.clone_from(guess);
            }
        }
    }
}

/// Takes out of a guess what loads in the last step, from one time (s) to another, had to do with it: p^ and q^ have
/// those of this step already. `more` (s) is what the guess has of the last changes of velocity.
fn unload(world: &World, held: &[bool], [from, to]: [f64; 2], more: f64, guess: &mut State) {
    let (mass, inertia) = (&world.particles.mass, &world.particles.inertia);
    for (i, load) in world.loads(from, to).filter(|(i, _)| !held[*i]) {
        let time = (to - from) * more;
        guess.p[i] -= load.force * (time / mass[i]);
        guess.q[i] = rotation::turn(&guess.q[i], &(load.torque * (-time / inertia[i])));
    }
}
