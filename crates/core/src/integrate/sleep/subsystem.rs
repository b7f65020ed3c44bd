//! Subsystem of active particles and of those near a contact, for Verlet's steps.

use crate::contact::{Contacts, correct_velocities};
use crate::energy::account::Flows;
use crate::energy::gravity;
use crate::fracture::{self, OverloadedBond};
use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::integrate::{DashpotPowers, Integrator, Step, StepError, Verlet, break_bonds};
use crate::model::{ABSENT, Gradient, Particles, RigidBody, State, World, Wrench};

use super::body::{Body, Move, mass_points};
use super::criterion::contact_force;
use super::{PATH_MARGIN, Sleep};

/// Part of a world: active particles, single sleeping particles near a contact, and sleeping pieces near a contact. Each such
/// piece is a rigid body of its particles near contacts, and of mass points for the rest.
#[derive(Debug)]
pub(super) struct Subsystem {
    /// Indices of the particles in the whole world, [`ABSENT`] for mass points. Active particles come first, ascending.
    pub members: Vec<u32>,
    /// Number of active particles, and number of particles outside rigid bodies. They come first.
    pub active: usize,
    pub free: usize,
    pub world: World,
    pub state: State,
    pub contacts: Contacts,
    verlet: Verlet,
    /// Sleeper of each rigid body, with the centre (m) of the body and the orientation of its first particle at the start.
    bodies: Vec<(u32, Vec3, Quat)>,
    /// State at the start, for the ballistic paths, and the allowed distance of each particle from its path, m.
    start: State,
    margin: Vec<f64>,
    /// Sleepers that contacts woke.
    pub woken: Vec<u32>,
}

/// Limit on the hidden particles of a piece that is simulated in full. Four mass points take the same work.
const FEW: usize = 4;

/// Subsystem under construction.
struct Builder<'a> {
    world: &'a World,
    state: &'a State,
    sleep: &'a Sleep,
    members: Vec<u32>,
    particles: Particles,
    part: State,
    gradient: Vec<Gradient>,
}

impl Builder<'_> {
    fn add(&mut self, i: u32) {
        let (at, from) = (i as usize, self.state);
        self.members.push(i);
        self.particles.push_copy(&self.world.particles, at);
        self.add_state(from.p[at], from.q[at], from.v[at], from.w[at]);
        self.gradient.push(self.sleep.gradient[at]);
    }

    fn add_state(&mut self, p: Vec3, q: Quat, v: Vec3, w: Vec3) {
        let State { p: ps, q: qs, v: vs, w: ws, .. } = &mut self.part;
        ps.push(p);
        qs.push(q);
        vs.push(v);
        ws.push(w);
    }

    /// Adds a sleeper with these particles `near` contacts. The others become mass points with the forces on them.
    fn add_body(&mut self, members: &[u32], near: &[u32]) -> RigidBody {
        let first = self.members.len();
        let is_whole = members.len() <= near.len() + FEW;
        let simulated = if is_whole { members } else { near };
        simulated.iter().for_each(|&i| self.add(i));
        if !is_whole {
            self.add_points(members, near);
        }
        RigidBody::new(first..self.members.len(), &self.particles, true)
    }

    fn add_points(&mut self, members: &[u32], near: &[u32]) {
        let (all, state) = (&self.world.particles, self.state);
        let hidden = || members.iter().filter(|i| near.binary_search(i).is_err()).map(|&i| i as usize);
        let mass: f64 = hidden().map(|i| all.mass[i]).sum();
        let centre = hidden().map(|i| state.p[i] * all.mass[i]).sum::<Vec3>() / mass;
        let mut second = Mat3::zeros();
        for i in hidden() {
            let arm = state.p[i] - centre;
            second += arm * arm.transpose() * all.mass[i] + Mat3::identity() * (0.5 * all.inertia[i]);
        }
        let whole = Body::of(members, all, state);
        let weight = Gradient { p: gravity::gradient(0.25 * mass, &self.world.gravity), theta: Vec3::zeros() };
        let start = self.members.len();
        for p in mass_points(mass, &centre, &second) {
            self.members.push(ABSENT);
            self.particles.push_mass_point(0.25 * mass);
            self.add_state(p, state.q[near[0] as usize], whole.velocity_at(&p), whole.spin);
            self.gradient.push(weight);
        }
        // internal forces of the piece that remained when it fell asleep; they sum to zero, but not over the hidden particles
        // alone
        let at = self.part.p[start];
        for i in hidden() {
            let gradient = &self.sleep.gradient[i];
            let rest = Wrench { force: contact_force(self.world, i, gradient), ..gradient.load() };
            self.gradient[start] += rest.with_arm(&(state.p[i] - at)).gradient();
        }
    }
}

impl Subsystem {
    /// Extracts the active particles and those `near` a contact (both ascending).
    pub(super) fn new(
        sleep: &Sleep,
        world: &World,
        contacts: &Contacts,
        state: &State,
        active: &[u32],
        near: &[u32],
        place_of: &mut Vec<u32>,
    ) -> Self {
        let mut new = Builder {
            world,
            state,
            sleep,
            members: Vec::new(),
            particles: Particles::default(),
            part: State { time: state.time, ..State::default() },
            gradient: Vec::new(),
        };
        active.iter().for_each(|&i| new.add(i));
        let sleeper_of = |i: u32| sleep.sleeper_of[i as usize];
        let members = |sleeper: u32| &sleep.sleepers[sleeper as usize].members;
        near.iter().filter(|&&i| members(sleeper_of(i)).len() == 1).for_each(|&i| new.add(i));
        let free = new.members.len();
        let mut by_sleeper: Vec<(u32, u32)> =
            near.iter().map(|&i| (sleeper_of(i), i)).filter(|(sleeper, _)| members(*sleeper).len() > 1).collect();
        by_sleeper.sort_unstable();
        let (mut rigid, mut bodies) = (Vec::new(), Vec::new());
        for of_one in by_sleeper.chunk_by(|a, b| a.0 == b.0) {
            let near: Vec<u32> = of_one.iter().map(|(_, i)| *i).collect();
            let body = new.add_body(members(of_one[0].0), &near);
            bodies.push((of_one[0].0, body.mean(&new.particles, &new.part.p), new.part.q[body.particles.start]));
            rigid.push(body);
        }
        let Builder { members, particles, part: state, gradient, .. } = new;
        place_of.clear();
        place_of.resize(world.particles.len(), ABSENT);
        members.iter().zip(0..).filter(|(i, _)| **i != ABSENT).for_each(|(&i, k)| place_of[i as usize] = k);
        let part = world.part(particles, rigid, place_of, active);
        let contacts = contacts.part(&part, &state, &members, place_of);
        let mut verlet = Verlet::new(&part);
        verlet.set_gradient(gradient, sleep.powers());
        Self {
            margin: Vec::new(),
            active: active.len(),
            free,
            members,
            world: part,
            start: state.clone(),
            state,
            contacts,
            verlet,
            bodies,
            woken: Vec::new(),
        }
    }

    /// Sets the margins of the ballistic paths: `path_margin` radii plus the `sagittas` of the sleepers.
    pub(super) fn set_margin(&mut self, sleep: &Sleep, sagittas: &[f64]) {
        let radius = &self.world.particles.radius;
        let of = |(k, &i): (usize, &u32)| match i {
            ABSENT => f64::INFINITY,
            i => PATH_MARGIN * radius[k] + sleep.sleeper(i as usize).map_or(0.0, |sleeper| sagittas[sleeper]),
        };
        self.margin = self.members.iter().enumerate().map(of).collect();
    }

    /// Makes `steps` steps to `end` (s), or fewer if a piece wakes or a particle leaves its margin. Returns their number.
    ///
    /// # Errors
    /// As Verlet's, and if a stop is requested.
    pub(super) fn run(
        &mut self,
        sleep: &Sleep,
        end: f64,
        steps: u32,
        flows: &mut Flows,
        mut broke: impl FnMut(f64, OverloadedBond),
    ) -> Result<u32, StepError> {
        let start = self.state.time;
        for step in 1..=steps {
            if self.world.interrupt.is_requested() {
                return Err(StepError::Interrupted);
            }
            let until = if step == steps { end } else { start + (end - start) * (f64::from(step) / f64::from(steps)) };
            let dt = until - self.state.time;
            self.step(dt, flows, &mut broke)?;
            self.state.time = until;
            self.find_overloaded(sleep);
            if !self.woken.is_empty() || self.leaves_margin() {
                return Ok(step);
            }
        }
        Ok(steps)
    }

    fn step(
        &mut self,
        dt: f64,
        flows: &mut Flows,
        mut broke: impl FnMut(f64, OverloadedBond),
    ) -> Result<(), StepError> {
        let Self { world, state, contacts, verlet, members, .. } = self;
        let trial = verlet.trial(world, contacts, state, Step::new(dt))?;
        let (overloaded, _) = fracture::overloads(world, trial.end, trial.overloaded);
        *flows += verlet.commit(world, contacts, state);
        if !overloaded.is_empty() {
            let all = break_bonds(world, contacts, state, &overloaded, flows);
            verlet.after_breakage(world, contacts, state, &all);
            for mut broken in all {
                let bond = &mut broken.bond;
                [bond.i, bond.j] = [bond.i, bond.j].map(|k| members[k as usize]);
                broke(state.time, broken);
            }
        }
        *flows += correct_velocities(world, contacts, verlet.held(), state, dt).into();
        Ok(())
    }

    /// Finds the sleepers that contacts load beyond their limits.
    fn find_overloaded(&mut self, sleep: &Sleep) {
        let gradient = self.verlet.gradient();
        for (body, &(sleeper, _, first)) in self.world.rigid.iter().zip(&self.bodies) {
            let turn = self.state.q[body.particles.start] * first.conjugate();
            let real = body.particles.clone().filter(|&k| self.members[k] != ABSENT);
            let (mut sum, mut holds) = (0.0, true);
            for k in real {
                let i = self.members[k] as usize;
                let force = contact_force(&self.world, k, &gradient[k]);
                let change = (force - rotation::rotate(&turn, &sleep.balanced[i])).norm();
                sum += change;
                holds &= change <= sleep.limit[i];
            }
            if !holds || sum > sleep.sleepers[sleeper as usize].bending {
                self.woken.push(sleeper);
            }
        }
    }

    /// Whether a particle is outside the margin of its ballistic path.
    fn leaves_margin(&self) -> bool {
        let dt = self.state.time - self.start.time;
        let fall = self.world.gravity * (0.5 * dt * dt);
        let paths = self.state.p.iter().zip(&self.start.p).zip(&self.start.v).zip(&self.margin);
        paths.into_iter().any(|(((p, from), v), margin)| (p - from - v * dt - fall).norm_squared() > margin * margin)
    }

    /// Displacement of each sleeper with a rigid body.
    pub(super) fn moves(&self) -> impl Iterator<Item = (u32, Move)> {
        self.world.rigid.iter().zip(&self.bodies).map(|(body, &(sleeper, from, first))| {
            let (at, particles) = (body.particles.start, &self.world.particles);
            let turn = self.state.q[at] * first.conjugate();
            let to = body.mean(particles, &self.state.p);
            let velocity = body.mean(particles, &self.state.v);
            (sleeper, Move { from, to, turn, velocity, spin: self.state.w[at] })
        })
    }

    /// Powers of dashpots.
    pub(super) fn powers(&self) -> Option<DashpotPowers> {
        self.verlet.powers()
    }

    /// dV/dx of its particles.
    pub(super) fn gradient(&self) -> &[Gradient] {
        self.verlet.gradient()
    }

    /// Pieces of its active particles, by the first particle of each.
    pub(super) fn parts(&self) -> Vec<Vec<u32>> {
        let bonds = self.world.whole_bonds().map(|bond| [bond.i, bond.j]);
        let pieces = fracture::Pieces::new(self.active, bonds);
        let order = pieces.sorted();
        let same_piece = |a: &u32, b: &u32| pieces.of_particle[*a as usize] == pieces.of_particle[*b as usize];
        order.chunk_by(same_piece).map(|part| part.iter().map(|&k| self.members[k as usize]).collect()).collect()
    }

    /// Work of a step, in bond evaluations.
    pub(super) fn work(&self) -> f64 {
        super::work_of(self.world.bonds().len(), self.members.len())
    }
}
