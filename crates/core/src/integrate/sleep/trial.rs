//! Trial of a step with sleeping pieces, block by block.

use crate::contact::Contacts;
use crate::energy::account::{Flow, Flows};
use crate::fracture::OverloadedBond;
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{ABSENT, Bond, State, World};

use super::body::{Body, Move};
use super::broad_phase::{BLOCKS, BroadPhase};
use super::criterion::{Sleeper, moves_rigidly};
use super::subsystem::Subsystem;
use super::{ACTIVE, PATH_MARGIN, STEPS_OF_EXTRACTION, SUBSTEPS, Sleep, WORK_OF_FLIGHT, work_of_explicit};
use crate::integrate::breakage::update_bonds;
use crate::integrate::{BreakInStep, SleepReport, Step, StepError, StepReport, Trial};
use crate::parallel;

/// Result of a step that is not committed yet.
#[derive(Debug)]
pub(crate) struct SleepTrial {
    sleep: Sleep,
    contacts: Contacts,
    end: State,
    flows: Flows,
    broken: Vec<BreakInStep>,
    /// In bond evaluations.
    work: f64,
    report: SleepReport,
}

impl Sleep {
    /// Trial of a step from `state` with these `contacts`. Bonds break within it, and pieces wake and fall asleep.
    ///
    /// # Errors
    /// As Verlet's, which a shorter step does not avoid.
    pub(crate) fn trial(
        &self,
        world: &World,
        contacts: &Contacts,
        state: &State,
        Step { dt, explicit_dt, .. }: Step,
    ) -> Result<SleepTrial, StepError> {
        let mut trial = SleepTrial {
            sleep: self.clone(),
            contacts: contacts.clone(),
            end: state.clone(),
            flows: Flows::default(),
            broken: Vec::new(),
            work: 0.0,
            report: SleepReport::default(),
        };
        trial.project_all_velocities(world);
        let end = state.time + dt;
        if dt > SUBSTEPS * explicit_dt {
            trial.fly(world, end);
        }
        // copy of the world, after bonds broke in the step
        let mut own: Option<World> = None;
        while trial.end.time < end {
            let known = trial.broken.len();
            let small = trial.advance_block(own.as_ref().unwrap_or(world), end, explicit_dt)?;
            if trial.broken.len() > known {
                let own = own.get_or_insert_with(|| world.clone());
                let broken = trial.broken[known..].iter().map(|BreakInStep { broken, .. }| broken);
                let indices: Vec<_> = broken.clone().map(|broken| index_of(own, &broken.bond)).collect();
                update_bonds(own, indices.into_iter().zip(broken));
            }
            if let Some(small) = small {
                trial.update_sleepers(own.as_ref().unwrap_or(world), &small);
            }
        }
        trial.report.free = if trial.work == 0.0 { trial.free_flight(world, dt) } else { 0.0 };
        trial.contacts.invalidate(&trial.end);
        for broken in &mut trial.broken {
            broken.index = index_of(world, &broken.broken.bond);
        }
        trial.report.work = Some(trial.work / (work_of_explicit(world) * dt / explicit_dt));
        StepError::of_infinite(&trial.end)?;
        Ok(trial)
    }
}

impl SleepTrial {
    /// Trial as others see it.
    pub(crate) fn tried(&self) -> Trial<'_> {
        let report = StepReport { sleep: self.report, ..StepReport::default() };
        Trial { end: &self.end, report, overloaded: &[], broken: &self.broken }
    }

    /// Commits the step. Returns its flows, and whether a bond broke.
    pub(crate) fn commit(self, contacts: &mut Contacts, state: &mut State) -> (Sleep, Flows, bool) {
        (*contacts, *state) = (self.contacts, self.end);
        (self.sleep, self.flows, !self.broken.is_empty())
    }

    /// Sets the velocities of all sleepers' particles to those of their bodies.
    fn project_all_velocities(&mut self, world: &World) {
        for number in 0..self.sleep.sleepers.len() {
            let members = self.sleep.sleepers[number].members.clone();
            self.project_velocities(world, &members);
        }
    }

    /// Sets the velocities of a sleeper's particles to those of its body. Their relative motion is dissipated.
    fn project_velocities(&mut self, world: &World, members: &[u32]) {
        if members.len() == 1 {
            return;
        }
        let body = Body::of(members, &world.particles, &self.end);
        let kinetic = |state: &State| -> f64 {
            let twice = |i: usize| {
                let (m, j) = (world.particles.mass[i], world.particles.inertia[i]);
                m * state.v[i].norm_squared() + j * state.w[i].norm_squared()
            };
            members.iter().map(|&i| 0.5 * twice(i as usize)).sum()
        };
        let before = kinetic(&self.end);
        for i in members.iter().map(|&i| i as usize) {
            (self.end.v[i], self.end.w[i]) = (body.velocity_at(&self.end.p[i]), body.spin);
        }
        self.flows[Flow::Numerical] += kinetic(&self.end) - before;
    }

    /// Advances by a block that ends at `end` (s) or before, in steps of `explicit_dt` (s) of the subsystem. Returns the
    /// subsystem, if there was one.
    ///
    /// # Errors
    /// As Verlet's.
    fn advance_block(&mut self, world: &World, end: f64, explicit_dt: f64) -> Result<Option<Subsystem>, StepError> {
        self.wake_spinning(world);
        let active = self.sleep.active();
        let (now, block) = (self.end.time, SUBSTEPS * explicit_dt);
        let until = end.min(now + block);
        if !self.sleep.broad_phase.holds(world, &self.sleep, &self.end, until) {
            self.sleep.broad_phase = BroadPhase::new(world, &self.sleep, &self.end, BLOCKS * block);
        }
        let span = until - now;
        let sagittas = self.sleep.sagittas(&self.end, span);
        let near = self.find_near(world, span, &sagittas);
        if active.is_empty() && near.is_empty() {
            self.move_sleepers(world, until, &[]);
            self.sleep.powers = None;
            return Ok(None);
        }
        let mut place_of = Vec::new();
        let Self { sleep, contacts, end: state, .. } = self;
        let mut small = Subsystem::new(sleep, world, contacts, state, &active, &near, &mut place_of);
        small.set_margin(sleep, &sagittas);
        let steps = (span / explicit_dt * (1.0 - 1e-12)).ceil().max(1.0);
        let mut broken = Vec::new();
        let count =
            small.run(&self.sleep, until, steps as u32, &mut self.flows, |time, bond| broken.push((time, bond)))?;
        self.work += (f64::from(count) + STEPS_OF_EXTRACTION) * small.work() + WORK_OF_FLIGHT * self.end.len() as f64;
        self.merge(world, &small, &place_of, broken);
        Ok(Some(small))
    }

    /// Wakes the sleepers whose rotation exceeds their limit.
    fn wake_spinning(&mut self, world: &World) {
        let Self { sleep, contacts, end, .. } = self;
        for number in (0..sleep.sleepers.len()).rev() {
            if sleep.sleepers[number].spins_too_fast(end) {
                sleep.wake(world, contacts, end, number);
            }
        }
    }

    /// Flies to `end` (s) in one step, where all pieces sleep and none may touch anything.
    fn fly(&mut self, world: &World, end: f64) {
        self.wake_spinning(world);
        if !self.sleep.broad_phase.holds(world, &self.sleep, &self.end, end) {
            self.sleep.broad_phase = BroadPhase::new(world, &self.sleep, &self.end, end - self.end.time);
        }
        if self.sleep.broad_phase.is_empty() && self.sleep.active().is_empty() {
            self.move_sleepers(world, end, &[]);
            self.sleep.powers = None;
        }
    }

    /// Time in which all pieces sleep and none may touch anything, s: twice a last flight of `dt` (s), as much or half, or zero.
    fn free_flight(&mut self, world: &World, dt: f64) -> f64 {
        let spans = [2.0 * dt, dt, 0.5 * dt].into_iter().filter(|_| self.sleep.active().is_empty());
        let mut searches = spans.map(|span| (span, BroadPhase::new(world, &self.sleep, &self.end, span)));
        let Some((span, empty)) = searches.find(|(_, search)| search.is_empty()) else { return 0.0 };
        self.sleep.broad_phase = empty;
        span
    }

    /// Sleeping particles that may touch something within `span` (s), ascending.
    fn find_near(&self, world: &World, span: f64, sagittas: &[f64]) -> Vec<u32> {
        let (state, radius, sleep) = (&self.end, &world.particles.radius, &self.sleep);
        let margin = |i: usize| PATH_MARGIN * radius[i] + sleep.sleeper(i).map_or(0.0, |sleeper| sagittas[sleeper]);
        let mut near = Vec::new();
        for &ids in &sleep.broad_phase.pairs {
            let [i, j] = ids.map(|i| i as usize);
            let asleep = [i, j].map(|i| sleep.sleeper_of[i] != ACTIVE);
            if asleep == [false; 2] || sleep.in_same_sleeper([i, j]) {
                continue;
            }
            let (apart, way) = (state.p[i] - state.p[j], (state.v[i] - state.v[j]) * span);
            let nearest = (-apart.dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            if (apart + way * nearest).norm() <= radius[i] + radius[j] + margin(i) + margin(j) {
                near.extend(ids.into_iter().zip(asleep).filter(|(_, asleep)| *asleep).map(|(i, _)| i));
            }
        }
        let fall = 0.5 * world.gravity.norm() * span * span;
        let walls = world.walls_at(state.time);
        for &i in &sleep.broad_phase.on_walls {
            let at = i as usize;
            let far = radius[at] + state.v[at].norm() * span + margin(at) + fall;
            let is_near = || walls.iter().any(|wall| wall.gap(&state.p[at], far).is_some());
            if sleep.sleeper_of[at] != ACTIVE && is_near() {
                near.push(i);
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Moves all sleepers to the time `until` (s): as in `moved` if contacts moved them, others in free flight.
    fn move_sleepers(&mut self, world: &World, until: f64, moved: &[(u32, Move)]) {
        let Self { sleep, end: state, .. } = self;
        let dt = until - state.time;
        let mut moves: Vec<Option<Move>> = vec![None; sleep.sleepers.len()];
        moved.iter().for_each(|(sleeper, by)| moves[*sleeper as usize] = Some(*by));
        let fly = |sleeper: &Sleeper| Body::of(&sleeper.members, &world.particles, state).fly(&world.gravity, dt);
        let sleepers = (parallel::each(&sleep.sleepers), parallel::each_mut(&mut moves));
        parallel::for_each(sleepers, |_, (sleeper, by)| {
            by.get_or_insert_with(|| fly(sleeper));
        });
        for (sleeper, by) in sleep.sleepers.iter().zip(&moves) {
            let by = by.as_ref().expect("all have moved");
            for i in sleeper.members.iter().map(|&i| i as usize) {
                by.carry(state, i);
                if sleep.balanced[i] != Vec3::zeros() {
                    sleep.balanced[i] = rotation::rotate(&by.turn, &sleep.balanced[i]);
                }
            }
        }
        state.time = until;
        let turn = |ends: [usize; 2]| -> Option<&Quat> {
            let sleeper = sleep.sleeper(ends[0]).filter(|_| sleep.in_same_sleeper(ends))?;
            moves[sleeper].as_ref().map(|by| &by.turn)
        };
        self.contacts.turn_friction(turn);
    }

    /// Takes over the state of a subsystem and the bonds that broke in it. All other particles fly to its time.
    fn merge(&mut self, world: &World, small: &Subsystem, place_of: &[u32], broken: Vec<(f64, OverloadedBond)>) {
        let mut moves: Vec<_> = small.moves().collect();
        for (k, &i) in small.members.iter().enumerate().filter(|(_, i)| **i != ABSENT) {
            let (i, now, there) = (i as usize, &mut self.end, &small.state);
            self.sleep.gradient[i] = small.gradient()[k];
            if k < small.free {
                let motion @ [to, velocity, spin] = [there.p[k], there.v[k], there.w[k]];
                [now.p[i], now.v[i], now.w[i]] = motion;
                now.q[i] = there.q[k];
                if let Some(sleeper) = self.sleep.sleeper(i) {
                    moves.push((sleeper as u32, Move { from: to, to, turn: Quat::identity(), velocity, spin }));
                }
            }
        }
        self.move_sleepers(world, small.state.time, &moves);
        self.sleep.powers = small.powers();
        let known = self.broken.len();
        for (time, broken) in broken {
            self.broken.push(BreakInStep { index: 0, time, broken });
        }
        if self.broken.len() > known {
            let apart = self.broken[known..].iter().filter(|of| of.broken.breaks());
            self.contacts.add_pairs(world, apart.map(|of| of.broken.ends()));
        }
        self.contacts.take_over(world, &small.contacts, &small.state, &small.members, place_of);
    }

    /// Wakes the overloaded sleepers. If there are none, puts lightly loaded pieces to sleep.
    fn update_sleepers(&mut self, world: &World, small: &Subsystem) {
        self.sleep.sleepers.iter_mut().for_each(|sleeper| sleeper.slept = sleeper.slept.saturating_add(1));
        for &i in &small.members[..small.active] {
            let wait = &mut self.sleep.cool_down[i as usize];
            *wait = wait.saturating_sub(1);
        }
        if !small.woken.is_empty() {
            self.report.woken = true;
            let mut woken = small.woken.clone();
            woken.sort_unstable();
            woken.dedup();
            for number in woken.into_iter().rev() {
                self.sleep.wake(world, &self.contacts, &self.end, number as usize);
            }
            return;
        }
        let (parts, share) = (small.parts(), self.sleep.share);
        let is_waiting = |part: &[u32]| part.iter().any(|&i| self.sleep.cool_down[i as usize] > 0);
        let parts = parts.iter().map(|part| &part[..]);
        let parts = parts.filter(|part| !is_waiting(part) && moves_rigidly(world, &self.end, part, share));
        let candidates = self.sleep.find_candidates(world, &self.contacts, &self.end, parts.collect());
        for candidate in candidates {
            let members = candidate.sleeper.members.clone();
            self.sleep.fall_asleep(candidate);
            self.project_velocities(world, &members);
        }
    }
}

/// Index of a `bond` in the world, whole or broken.
fn index_of(world: &World, bond: &Bond) -> usize {
    let first = world.bonds().partition_point(|other| (other.i, other.j) < (bond.i, bond.j));
    let same = world.bonds()[first..].iter().position(|other| other.id == bond.id);
    first + same.expect("a bond of the world broke")
}
