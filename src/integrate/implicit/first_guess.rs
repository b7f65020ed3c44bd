//! Where Newton starts.

use rayon::prelude::*;

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{State, World};
use crate::optimize::Objective;

use super::rule::{Inertia, Weights};
use super::{CHUNK, Past};

/// States that a step may end near, likeliest first.
#[derive(Debug, Default)]
pub struct Guesses {
    states: [State; MOST],
    count: usize,
}

/// Guesses at most.
const MOST: usize = 3;

impl Guesses {
    /// Guesses for a step of `dt` from `state`. `placed` has the held particles where they must be.
    ///
    /// - Velocities go on changing as they did in the last step, 2v - v_1 at constant steps: all forces stay as they are.
    /// - Without a past, or as a second guess: free flight under gravity.
    /// - Where particles fly further than their radius, free flight may end deep inside something: the old place.
    #[expect(clippy::too_many_arguments, reason = "what a step begins with has no other name")]
    pub fn set(
        &mut self,
        world: &World,
        state: &State,
        placed: &State,
        held: &[bool],
        inertia: &Inertia,
        past: Option<&Past>,
        dt: f64,
    ) {
        self.count = 0;
        let (target, Weights { past: share, dt: b }) = (&inertia.target, inertia.weights);
        if let Some(past) = past {
            // v^ has a share of the last change already
            let more = (dt / past.dt - share) * b;
            let guess = self.add(placed, held, |i, p, q| {
                *p = target.p[i] + past.sped(i) * more;
                *q = rotation::turn(&target.q[i], &(past.spun(i) * more));
            });
            unload(world, held, [state.time - past.dt, state.time], more, guess);
        }
        let fall = world.gravity * (b * b);
        self.add(placed, held, |i, p, q| {
            *p = target.p[i] + fall;
            *q = target.q[i] / target.q[i].norm();
        });
        if (0..state.len()).any(|i| state.v[i].norm() * dt > world.particles.radius[i]) {
            self.add(placed, held, |i, p, q| (*p, *q) = (state.p[i], state.q[i]));
        }
        for State { p, q, .. } in &mut self.states[..self.count] {
            world.free_rigid().for_each(|body| body.stiffen(&world.particles, state, p, q));
        }
    }

    /// One more, in which `of` puts each particle that is not held.
    fn add(&mut self, placed: &State, held: &[bool], of: impl Fn(usize, &mut Vec3, &mut Quat) + Sync) -> &mut State {
        let guess = &mut self.states[self.count];
        self.count += 1;
        guess.clone_from(placed);
        let places = (&mut guess.p, &mut guess.q).into_par_iter().zip(held).enumerate().with_min_len(CHUNK);
        places.filter(|(_, (_, held))| !**held).for_each(|(i, ((p, q), _))| of(i, p, q));
        guess
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
