//! Forces of particles on walls and on constraints, and stresses of particles, at one time.
//!
//! They are the forces that the last step applied, where an integrator tells them, so that their sums over the steps are the
//! changes of momentum and the works of the account. Otherwise they follow the law of the steps: springs and dashpots of contacts,
//! tangential springs as they are stored, and the bonds with their damping. Dashpots and damping act by the velocities at that time.
//! So do those of stresses.

use std::borrow::Cow;

use crate::contact::{Contacts, SurfaceMotion, WallFriction};
use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::model::{Constraint, Gradient, Pair, State, WallStep, World, Wrench};

use super::{Damping, ElectricState, Potential, bond, wall};

/// Forces in a world at one time.
#[derive(Debug)]
pub struct Reactions<'a> {
    world: &'a World,
    contacts: &'a Contacts,
    state: &'a State,
    /// State a short time earlier, on straight paths, for the rate at which contacts close.
    before: State,
    step: Option<StepForces<'a>>,
}

/// Forces that the last committed step applied.
#[derive(Debug)]
pub struct StepForces<'a> {
    /// dV/dx of each particle with damping and electric forces, N and N m.
    pub gradient: Cow<'a, [Gradient]>,
    /// Contacts with walls.
    pub walls: StepWalls<'a>,
}

/// Forces of walls in a step.
#[derive(Clone, Copy, Debug)]
pub enum StepWalls<'a> {
    /// Of an explicit step, as [`Contacts::evaluate_step`] found them at its end. Half of their impulse acts in this step, and
    /// half in the next one.
    Explicit,
    /// Of an explicit step, as its integrator found them.
    Known(&'a [WallForce]),
    /// Of an implicit step from `start`, at its end, or at another state of it. They act throughout the step.
    Implicit {
        /// State at its start.
        start: &'a State,
        /// State where they are evaluated, if not the end.
        at: Option<&'a State>,
    },
}

/// Index of a wall, force of a particle on it (N), and the place where it acts (m).
pub type WallForce = (usize, Vec3, Vec3);

/// Time over the period T within which velocities count as constant; long enough that overlaps change by more than rounding.
const SHORT: f64 = 0.01;

impl<'a> Reactions<'a> {
    /// Forces at `state`, for which `contacts` are up to date, after this `step`, if it is known.
    pub fn new(world: &'a World, contacts: &'a Contacts, state: &'a State, step: Option<StepForces<'a>>) -> Self {
        let h = SHORT * world.period();
        let p = state.p.iter().zip(&state.v).map(|(p, v)| p - v * h).collect();
        let q = state.q.iter().zip(&state.w).map(|(q, w)| rotation::exp(&(w * (-0.5 * h))) * q).collect();
        let before = State { time: state.time - h, p, q, v: state.v.clone(), w: state.w.clone() };
        // a step that is not made yet has none
        let step = step.filter(|step| step.gradient.len() == state.len());
        Self { world, contacts, state, before, step }
    }

    fn potential(&self) -> Potential<'_> {
        let motion = SurfaceMotion::Since(&self.before);
        Potential { damping: Damping::Rate, motion, ..Potential::new(self.world, self.contacts) }
    }

    /// dV/dx of all particles with damping and electric forces, N and N m.
    pub fn gradient(&self) -> Vec<Gradient> {
        if let Some(step) = &self.step {
            return step.gradient.to_vec();
        }
        let mut gradient = vec![Gradient::default(); self.state.len()];
        self.potential().gradient(self.state, &mut gradient);
        let particles = self.world.electrostatics.particles();
        if !particles.is_empty()
            && let Ok(electric) = ElectricState::of(self.world, self.state)
        {
            let forces = particles.iter().zip(electric.forces());
            forces.for_each(|(&i, force)| gradient[i as usize].p -= force);
        }
        gradient
    }

    /// Force (N) of all particles on the wall of index `wall`, and torque (N m) about the point `about` (m). Friction
    /// by velocity correction, and rolling friction, are impulses after a step, and not in it.
    pub fn on_wall(&self, wall: usize, about: &Vec3) -> Wrench {
        let mut sum = Wrench::default();
        let mut add = |(of, force, at): WallForce| {
            if of == wall {
                sum += load(force, &(at - about));
            }
        };
        if let Some(StepForces { walls: StepWalls::Explicit, .. }) = self.step {
            self.contacts.wall_forces(self.world, self.state).for_each(add);
            return sum;
        }
        if let Some(StepForces { walls: StepWalls::Known(forces), .. }) = self.step {
            forces.iter().copied().for_each(add);
            return sum;
        }
        let (mut potential, mut x) = (self.potential(), self.state);
        if let Some(StepForces { walls: StepWalls::Implicit { start, at }, .. }) = self.step {
            (potential.motion, x) = (SurfaceMotion::Since(start), at.unwrap_or(x));
        }
        let walls = &*potential.walls(x);
        match self.contacts.near_walls().particles().list() {
            Some(near) => near.iter().for_each(|&i| self.pushes(&potential, walls, i as usize, x).for_each(&mut add)),
            None => (0..x.len()).for_each(|i| self.pushes(&potential, walls, i, x).for_each(&mut add)),
        }
        if self.step.is_some() {
            let springs = self.contacts.last_wall_frictions();
            self.frictions(&potential, walls, (springs, &x.q), x).for_each(|(_, force)| add(force));
        } else {
            let springs = self.contacts.wall_frictions();
            self.frictions(&potential, walls, (springs, &[]), x).for_each(|(_, force)| add(force));
        }
        sum
    }

    /// Forces (N) of particle `i` at `x` on the walls, by their indices, and where they act (m).
    fn pushes<'w>(
        &'w self,
        potential: &'w Potential,
        walls: &'w [WallStep<'w>],
        i: usize,
        x: &'w State,
    ) -> impl Iterator<Item = WallForce> {
        let radius = self.world.particles.radius[i];
        potential.wall_pushes(walls, i, x).map(move |push| {
            let at = x.p[i] - push.n * (radius + push.gap);
            (push.wall, wall::gradient(&push.spring(), push.gap, &push.n), at)
        })
    }

    /// Particles at `x` with these frictions on walls, and the forces (N). They have the slip by rotations up to the
    /// orientations `reference`.
    fn frictions<'w>(
        &'w self,
        potential: &'w Potential,
        walls: &'w [WallStep<'w>],
        (springs, reference): (impl Iterator<Item = WallFriction>, &'w [Quat]),
        x: &'w State,
    ) -> impl Iterator<Item = (usize, WallForce)> {
        springs.filter_map(move |on| {
            let i = on.particle as usize;
            let at = x.p[i] + on.point.n * on.arm(self.world);
            let at_walls = (self.world, walls, self.contacts.near_walls());
            let is_loaded = on.point.limit > 0.0;
            let force = is_loaded.then(|| on.friction(at_walls, x, potential.motion, reference).force())?;
            Some((i, (on.wall as usize, force.into(), at)))
        })
    }

    /// Force (N) and torque (N m) about the point `about` (m) of the particles of `constraint` on it. Zero while it does not act.
    /// `gradient` is that of [`Self::gradient`]. The inertia of held particles that rotate is not included.
    pub fn on_constraint(&self, constraint: &Constraint, gradient: &[Gradient], about: &Vec3) -> Wrench {
        let mut sum = Wrench::default();
        if !constraint.acts(self.before.time.max(0.0), self.state.time) {
            return sum;
        }
        let mut add = |i: usize, on: Wrench| sum += on.with_arm(&(self.state.p[i] - about));
        if constraint.motion().is_some() {
            // a holder takes the particle's load
            constraint.particles.iter().for_each(|&i| add(i as usize, gradient[i as usize].load()));
        } else {
            // a load is exerted on the particle
            constraint.loads(self.state.time, self.state, 0.0).for_each(|(i, load)| add(i, -load));
        }
        sum
    }

    /// Stress of each particle times its volume, N m: the sum over its bonds and contacts of the branch, from the centre to
    /// where the force acts, times the force on it. Positive in tension. The bonds' damping is not in it.
    pub fn virials(&self) -> Vec<Mat3> {
        let Self { world, contacts, state, .. } = self;
        let potential = self.potential();
        let radius = &world.particles.radius;
        let mut sums = vec![Mat3::zeros(); state.len()];
        world.bond_chunks().scatter(world.bonds(), &mut sums, |_, bond| {
            if bond.is_broken() {
                return Default::default();
            }
            let on = bond::gradient(bond, &bond::pose(bond, state)).by_particle();
            (0.0, virial(state, bond.ends(), 0.5, &on[0].p), virial(state, bond.ends(), 0.5, &on[0].p))
        });
        let mut of_contacts = vec![Mat3::zeros(); state.len()];
        contacts.chunks().scatter(contacts.pairs(), &mut of_contacts, |k, pair| {
            let ends @ [i, j] = pair.ends();
            let [on, _] = potential.by_pair(k, state);
            let share = radius[i] / (radius[i] + radius[j]);
            (0.0, virial(state, ends, share, &on.p), virial(state, ends, 1.0 - share, &on.p))
        });
        sums.iter_mut().zip(&of_contacts).for_each(|(sum, part)| *sum += part);
        let walls = &*potential.walls(state);
        for (i, sum) in sums.iter_mut().enumerate().filter(|_| !walls.is_empty()) {
            // the wall's force on the particle is minus that on the wall
            self.pushes(&potential, walls, i, state)
                .for_each(|(_, force, at)| *sum -= (at - state.p[i]) * force.transpose());
        }
        let springs = contacts.wall_frictions();
        for (i, (_, force, at)) in self.frictions(&potential, walls, (springs, &[]), state) {
            sums[i] -= (at - state.p[i]) * force.transpose();
        }
        sums
    }
}

/// Part of a pair's virial for the end with this `share` of the branch; `gradient` is dV/dp of the first end, N.
fn virial(state: &State, [i, j]: [usize; 2], share: f64, gradient: &Vec3) -> Mat3 {
    // the force on i is minus the gradient; on j both the branch and the force change their signs
    (state.p[j] - state.p[i]) * (gradient.transpose() * -share)
}

/// A force (N) that acts at an `arm` (m) from a point, about that point.
fn load(force: Vec3, arm: &Vec3) -> Wrench {
    Wrench { force, torque: Vec3::zeros() }.with_arm(arm)
}
