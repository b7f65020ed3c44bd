//! First half of an explicit step: a kick, then translation and rotation of all particles. One pass over memory, which also
//! packs the rows of the bonds' kernels.

use std::ops::Range;

use crate::contact::{Contacts, pack_motion};
use crate::energy::{pack_pose, pack_velocity};
use crate::geometry::{Quat, Vec3, longest, rotation};
use crate::model::{Gradient, HeldParticles, State, World, Wrench};
use crate::parallel::{self, CHUNK, chunks_mut, chunks_mut_if_any, each_mut};
use crate::simd::{InstructionSet, Row8};

use super::drift_kernel::{BLOCK, drift_blocks};
use super::{Explicit, Rule, StepError, kick};

/// Input of a drift.
pub(super) struct Drift<'a> {
    pub start: &'a State,
    instructions: InstructionSet,
    /// dV/dx at the start.
    pub gradient: &'a [Gradient],
    pub inverse: &'a [[f64; 2]],
    /// Empty without loads.
    loads: &'a [Wrench],
    holding: &'a HeldParticles,
    /// Common velocity, m/s.
    pub common: Vec3,
    /// Step, and length of the kick, s.
    pub dt: f64,
    pub kick: f64,
    /// Weight of the velocities at the start in the mean of two drifts: see [`Self::pack_velocity`].
    pub share: f64,
}

/// Particles of a chunk at the end of the step, and their rows.
pub(super) struct Ends<'a> {
    pub p: &'a mut [Vec3],
    pub q: &'a mut [Quat],
    pub v: &'a mut [Vec3],
    pub w: &'a mut [Vec3],
    pub poses: &'a mut [Row8],
    /// Empty without damping.
    pub velocities: &'a mut [Row8],
    /// Empty where no particles are near each other.
    pub motions: &'a mut [Row8],
}

impl<R: Rule> Explicit<R> {
    /// First kick, then translation and rotation of all particles of `state` over `dt` (s) into the next state. Sets the
    /// travels, and returns the maximum of them, m.
    pub(super) fn drift(
        &mut self,
        world: &World,
        contacts: &Contacts,
        state: &State,
        dt: f64,
    ) -> Result<f64, StepError> {
        let len = world.packs().chunk_len.max(1);
        let work = &mut self.work;
        work.poses.resize(state.len(), Row8::ZERO);
        work.velocities.resize(if world.is_damped() { state.len() } else { 0 }, Row8::ZERO);
        self.motions.reserve(state.len().saturating_sub(self.motions.len()));
        self.motions.resize(if contacts.pairs().is_empty() { 0 } else { state.len() }, Row8::ZERO);
        self.speeds.resize(state.len().div_ceil(len), None);
        let drift = Drift {
            start: state,
            instructions: world.instructions,
            gradient: &self.gradient,
            inverse: &self.inverse,
            loads: &self.loads,
            holding: &self.holding,
            common: contacts.common_velocity(),
            dt,
            kick: R::KICKS[0] * dt,
            share: 0.5 / R::KICKS[0],
        };
        self.next.time = state.time + dt;
        let State { p, q, v, w, .. } = &mut self.next;
        let count = self.speeds.len();
        let states = (chunks_mut(p, len), chunks_mut(q, len), chunks_mut(v, len), chunks_mut(w, len));
        let rows = (
            chunks_mut(&mut work.poses, len),
            chunks_mut_if_any(&mut work.velocities, len, count),
            chunks_mut_if_any(&mut self.motions, len, count),
        );
        let parts = (states, rows, each_mut(&mut self.speeds));
        parallel::for_each(parts, |chunk, ((p, q, v, w), (poses, velocities, motions), speed)| {
            *speed = drift.run::<R>(chunk * len, &mut Ends { p, q, v, w, poses, velocities, motions });
        });
        self.set_travels(len, state.len(), dt)
            .ok_or_else(|| StepError::SpinsTooFast { particle: longest(&self.next.w).unwrap_or_default() })
    }

    /// Sets the travels (m) in `dt` (s) by the speeds of chunks of `len` of all `particles`. Returns the maximum; none where
    /// a rotation is undefined.
    fn set_travels(&mut self, len: usize, particles: usize, dt: f64) -> Option<f64> {
        self.travels.clear();
        self.travels.resize(particles.div_ceil(CHUNK), 0.0);
        for (k, speed) in self.speeds.iter().enumerate() {
            let travel = dt * (*speed)?;
            let last = ((k + 1) * len).min(particles) - 1;
            let chunks = &mut self.travels[k * len / CHUNK..=last / CHUNK];
            chunks.iter_mut().for_each(|most| *most = f64::max(*most, travel));
        }
        Some(self.travels.iter().copied().fold(0.0, f64::max))
    }
}

impl Drift<'_> {
    /// Drift of the chunk that begins with particle `first`. Returns the maximum speed (m/s) relative to the common motion;
    /// none where a rotation is undefined.
    fn run<R: Rule>(&self, first: usize, ends: &mut Ends) -> Option<f64> {
        let instructions = self.instructions;
        let (mut at, mut fastest, mut all_turn) = (0, 0.0, true);
        while at < ends.p.len() {
            if R::IS_GEODESIC && self.loads.is_empty() {
                at = drift_blocks(instructions, self, first, at, ends, &mut fastest);
            }
            // the block that the kernel has left, or all particles of other rules
            let end = if R::IS_GEODESIC { (at + BLOCK).min(ends.p.len()) } else { ends.p.len() };
            all_turn &= self.each::<R>(first, at..end, ends, &mut fastest);
            at = end;
        }
        all_turn.then(|| fastest.sqrt())
    }

    /// Drift of particles one by one. Updates the square of the maximum speed, m2/s2. Returns whether all rotations are
    /// defined.
    fn each<R: Rule>(&self, first: usize, particles: Range<usize>, ends: &mut Ends, fastest: &mut f64) -> bool {
        let Ends { p, q, v, w, poses, velocities, motions } = ends;
        let (state, mut all_turn) = (self.start, true);
        for k in particles {
            let i = first + k;
            let is_pushed = self.inverse[i][0] != 0.0;
            let held = self.holding.transfer(i).filter(|_| !is_pushed);
            let motion = if let Some(transfer) = held {
                (p[k], q[k], v[k], w[k]) = transfer.apply(&state.p[i], &state.q[i]);
                (p[k] - state.p[i], q[k] * state.q[i].conjugate())
            } else {
                if is_pushed {
                    (v[k], w[k]) = (state.v[i], state.w[i]);
                    if let Some(load) = self.loads.get(i) {
                        kick(&mut v[k], &mut w[k], load, &self.inverse[i], self.kick);
                    }
                    kick(&mut v[k], &mut w[k], &self.gradient[i].load(), &self.inverse[i], self.kick);
                }
                let theta = w[k] * self.dt;
                // a rigid body's rotation vector is given, whatever the rule for spheres
                let turn = if is_pushed { R::turn(&theta) } else { rotation::exp(&(theta * 0.5)) };
                let motion = (v[k] * self.dt, turn);
                p[k] = state.p[i] + motion.0;
                q[k] = rotation::turn_by(&state.q[i], &motion.1);
                all_turn &= !is_pushed || R::is_within_reach(&theta);
                motion
            };
            if let Some(row) = motions.get_mut(k) {
                *row = pack_motion(&motion.0, &motion.1);
            }
            poses[k] = pack_pose(&p[k], &q[k]);
            if let Some(row) = velocities.get_mut(k) {
                *row = self.pack_velocity(i, [&v[k], &w[k]], &mut poses[k]);
            }
            *fastest = fastest.max((v[k] - self.common).norm_squared());
        }
        all_turn
    }

    /// Row of velocities of particle `i`.
    ///
    /// Half of the step's damping acts on the velocities of the previous drift. A kick is the same before and after a
    /// drift, so the mean of both drifts lies between the velocities at the start and those of this drift. Held particles
    /// start a step with the velocities of their previous drift.
    fn pack_velocity(&self, i: usize, [v, w]: [&Vec3; 2], pose: &mut Row8) -> Row8 {
        let share = if self.holding.transfer(i).is_some() { 0.5 } else { self.share };
        let mean = [v.lerp(&self.start.v[i], share), w.lerp(&self.start.w[i], share)];
        pack_velocity([v, w], mean.each_ref(), pose)
    }
}
