//! Adjoint of a step of implicit Euler or BDF2. The step ends where the residual of its objective is zero,
//!
//! ```text
//! r(x) = M (x - x^)/b^2 + dV/dx + d(damping)/dx - f = 0,    v' = v^ + (p - p^)/b,
//! ```
//!
//! so that with mu of Hess Phi mu = dL/dx the derivative of the loss by any number z of r is -mu.dr/dz: the implicit function
//! theorem, \[MSC\] eqs 15-17. Where contacts rub or walls are curved, dr/dx is not symmetric, and mu is that of its transpose.
//! Notation and weights a, b are those of core's `integrate::implicit::rule`.

use bdem_core::energy::bond::{DampedStrain, Stress};
use bdem_core::energy::{Damping, Potential, Strains};
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::integrate::TimeRule;
use bdem_core::internals::contact::{ContactState, FrictionForce, StepLaw, SurfaceMotion};
use bdem_core::internals::optimize::{Objective, Target};
use bdem_core::model::{Displacement, Gradient as Forces, RestPoseTransfer, State, Wrench};

use crate::error::FitError;
use crate::run::Record;

use super::bonds::{self, rate_of_strain};
use super::contacts::{ByStretch, Ends, Touches};
use super::rotation::{imaginary, inverse_left_jacobian, left_jacobian, turned_back};
use super::{By, StateGradient, Sweep, electric};

/// Weights of a step, and its targets without forces.
struct Targets {
    a: f64,
    /// s.
    b: f64,
    p: Vec<Vec3>,
    /// Rotation vector theta_0 of the previous step, and the one from q_n to q^.
    theta_0: Vec<Vec3>,
    theta: Vec<Vec3>,
    /// Rotation vector of the step by constant torques; empty without any.
    by_torque: Vec<Vec3>,
    /// q^ with it.
    q: Vec<Quat>,
}

impl Sweep<'_> {
    /// Derivatives at the start of an implicit step, and at the start of the one before, from those at its end.
    pub(super) fn implicit_step(
        &mut self,
        older: Option<&Record>,
        [before, after]: [&Record; 2],
        by: By,
    ) -> Result<By, FitError> {
        let By { state: mut by_end, stretch: by_end_stretch, carried, .. } = by;
        let run = self.run;
        let particles = run.start.len();
        let older = older.filter(|_| after.continues).map(|record| &record.state);
        self.hold(before.state.time);
        let loads = self.loads(before.state.time);
        let targets = self.targets(older, &before.state, &loads);
        let (mut by, mut by_older) = (StateGradient::zeros(particles), StateGradient::zeros(particles));
        let mut stretch = ByStretch::zeros(&before.contacts);
        let touches = self.touches(StepLaw::Implicit, [before, after])?;
        let motion = SurfaceMotion::Since(&before.state);
        self.contacts.update_friction_limits(&run.world, &after.state, motion, FrictionForce::Mean);
        let ends = &mut Ends { before: &mut by, after: &mut by_end, stretch: &mut stretch };
        self.pull_contacts(&touches, &vec![Displacement::default(); particles], &by_end_stretch, ends);
        let mut by_target = vec![Displacement::default(); particles];
        let rhs = self.by_pose(&targets, [&before.state, &after.state], &by_end, (&mut by, &mut by_target));
        let strains = self.strains(older, &before.state, targets.a);
        let mu = self.solve(&targets, &strains, &touches, [before, after], &rhs)?;
        self.add_numbers(&targets, &strains, &after.state, &mu);
        self.add_electric(older, &before.state, &mu, [&mut by, &mut by_older])?;
        // dL = -mu.dr
        let y: Vec<Displacement> = mu.iter().map(minus).collect();
        if run.world.is_damped() {
            let mut former = vec![(&before.state, 1.0 + targets.a)];
            former.extend(older.map(|state| (state, -targets.a)));
            bonds::add_damping_by_step(&run.world, &after.state, &former, targets.b, &y, &mut [&mut by, &mut by_older]);
        }
        let mut solved = StateGradient::zeros(particles);
        let ends = &mut Ends { before: &mut by, after: &mut solved, stretch: &mut stretch };
        self.pull_contacts(&touches, &y, &ByStretch::zeros(&after.contacts), ends);
        self.add_inertia(&targets, &after.state, &loads, &mu, &mut by_target);
        self.by_target(&targets, (older, &before.state), &loads, (&by_end, &by_target), [&mut by, &mut by_older]);
        self.add_held(&after.state, &by_end, &mut by);
        Ok(By { state: by, older: by_older, carried, stretch })
    }

    fn targets(&self, older: Option<&State>, state: &State, loads: &[Wrench]) -> Targets {
        let (h, particles) = (self.run.dt, state.len());
        let (a, b) = if older.is_some() { (1.0 / 3.0, h * (2.0 / 3.0)) } else { (0.0, h) };
        let mut targets = Targets {
            a,
            b,
            p: Vec::new(),
            theta_0: Vec::new(),
            theta: Vec::new(),
            by_torque: Vec::new(),
            q: Vec::new(),
        };
        for i in 0..particles {
            let former =
                older.map_or((state.v[i], state.w[i], state.p[i]), |older| (older.v[i], older.w[i], older.p[i]));
            let (v, w) = (state.v[i] + (state.v[i] - former.0) * a, state.w[i] + (state.w[i] - former.1) * a);
            targets.p.push(state.p[i] + (state.p[i] - former.2) * a + v * b);
            let theta_0 = older.map_or_else(Vec3::zeros, |older| {
                let expected = (older.w[i] + state.w[i]) * (0.5 * h);
                rotation::with_whole_turns(rotation::rotation_between(&older.q[i], &state.q[i]), &expected)
            });
            let theta = theta_0 * a + w * b;
            targets.theta_0.push(theta_0);
            targets.theta.push(theta);
            targets.q.push(rotation::turn(&state.q[i], &theta));
        }
        let inertia = &self.run.world.particles.inertia;
        targets.by_torque = loads.iter().zip(inertia).map(|(load, j)| load.torque * (b * b / j)).collect();
        targets.q.iter_mut().zip(&targets.by_torque).for_each(|(q, phi)| *q = rotation::exp(&(phi * 0.5)) * *q);
        targets
    }

    /// Right side of the linear system: derivatives by the pose at the end, with those of the velocities there.
    fn by_pose(
        &self,
        targets: &Targets,
        [before, after]: [&State; 2],
        by_end: &StateGradient,
        (by, by_target): (&mut StateGradient, &mut [Displacement]),
    ) -> Vec<Forces> {
        let (h, b) = (self.run.dt, targets.b);
        let of = |i: usize| {
            if self.holding.held()[i] {
                return Forces::default();
            }
            let (v, w) = (&by_end.v[i], &by_end.w[i]);
            by_target[i].translation -= v / b;
            let mut theta = by_end.theta[i];
            if self.run.rule == Some(TimeRule::Euler) {
                let expected = before.w[i] * h;
                let turned =
                    rotation::with_whole_turns(rotation::rotation_between(&before.q[i], &after.q[i]), &expected);
                let inverse = inverse_left_jacobian(&turned);
                theta += inverse.tr_mul(w) / h;
                by.theta[i] -= inverse * w / h;
            } else {
                let e = after.q[i] * targets.q[i].conjugate();
                let sign = if e.w < 0.0 { -2.0 / b } else { 2.0 / b };
                let [of_end, of_target] = imaginary(&after.q[i], &targets.q[i], &(w * sign));
                theta += of_end;
                by_target[i].rotation += of_target;
            }
            Forces { p: by_end.p[i] + v / b, theta }
        };
        (0..before.len()).map(of).collect()
    }

    /// Strains that damping starts from.
    fn strains(&mut self, older: Option<&State>, state: &State, a: f64) -> Strains {
        let (world, mut strains) = (&self.run.world, Strains::default());
        if world.is_damped() {
            strains.set(world, state, &mut self.work);
            if let Some(older) = older {
                let mut former = Strains::default();
                former.set(world, older, &mut self.work);
                strains.extrapolate(&former, a);
            }
        }
        strains
    }

    /// mu.
    fn solve(
        &mut self,
        targets: &Targets,
        strains: &Strains,
        touches: &Touches,
        [before, after]: [&Record; 2],
        rhs: &[Forces],
    ) -> Result<Vec<Displacement>, FitError> {
        let Self { run, contacts, holding, linear, .. } = self;
        let (world, x) = (&run.world, &after.state);
        let damping = if world.is_damped() { Damping::Step { before: strains, dt: targets.b } } else { Damping::None };
        let motion = SurfaceMotion::Since(&before.state);
        let potential = Potential { damping, motion, ..Potential::new(world, contacts) };
        let target = Target { p: targets.p.clone(), q: targets.q.clone() };
        let objective =
            Objective { potential, target: &target, dt: targets.b, period: world.period(), held: holding.held() };
        let is_damped = world.is_damped();
        linear.fill(&objective, x, |k, bond, pose| {
            is_damped.then(|| {
                let rate = rate_of_strain(bond, pose, &strains.of(world, k), targets.b);
                DampedStrain::Step.curvature(&Stress::of_rate(bond, &rate), pose)
            })
        });
        let mu = linear.solve(&objective, x, &run.solver, rhs)?;
        if touches.is_empty() {
            return Ok(mu);
        }
        let states = [&before.contacts, &after.contacts];
        linear.correct(&objective, x, &run.solver, rhs, mu, |part| unsymmetric(&objective, x, touches, states, part))
    }

    /// Derivatives by numbers of the forces at the end: gravity, springs, and the changes of bonds.
    fn add_numbers(&mut self, targets: &Targets, strains: &Strains, after: &State, mu: &[Displacement]) {
        let Self { run, gradient, change_contacts, changes, .. } = self;
        let world = &run.world;
        let y: Vec<Displacement> = mu.iter().map(minus).collect();
        for (i, y) in y.iter().enumerate() {
            gradient.gravity -= y.translation * world.particles.mass[i];
            gradient.mass[i] -= y.translation.dot(&world.gravity);
        }
        let is_damped = world.is_damped();
        let rate = |k: usize, bond: &bdem_core::model::Bond, _: &Vec3| {
            let (_, l) = bonds::branch(bond, after);
            let before = if is_damped { strains.of(world, k).stretch } else { l - bond.l0 };
            (l - bond.l0 - before) / targets.b
        };
        bonds::add_springs(world, after, &y, rate, gradient);
        let damping = Damping::Step { before: strains, dt: targets.b };
        bonds::add_changes(change_contacts, changes, after, damping, &y, &mut gradient.along);
    }

    /// Derivatives of the electric forces at the start, or extrapolated from the step before. By forces they are mu.
    fn add_electric(
        &mut self,
        older: Option<&State>,
        before: &State,
        mu: &[Displacement],
        [by, by_older]: [&mut StateGradient; 2],
    ) -> Result<(), FitError> {
        let (world, gradient) = (&self.run.world, &mut self.gradient);
        let weight = if older.is_some() { 2.0 } else { 1.0 };
        electric::add(world, before, mu, weight, by, gradient)?;
        older.map_or(Ok(()), |older| electric::add(world, older, mu, -1.0, by_older, gradient))
    }

    /// Derivatives by masses, moments of inertia and loads, and by the targets, of the residual's inertia.
    fn add_inertia(
        &mut self,
        targets: &Targets,
        after: &State,
        loads: &[Wrench],
        mu: &[Displacement],
        by_target: &mut [Displacement],
    ) {
        let particles = &self.run.world.particles;
        let b2 = targets.b * targets.b;
        for (i, (mu, by_target)) in mu.iter().zip(by_target).enumerate() {
            if self.holding.held()[i] {
                continue;
            }
            let (m, j) = (particles.mass[i] / b2, particles.inertia[i] / b2);
            by_target.translation += mu.translation * m;
            // r_theta = -2 j Im(q^ conj(q))
            let [of_target, _] = imaginary(&targets.q[i], &after.q[i], &(mu.rotation * (2.0 * j)));
            by_target.rotation += of_target;
            self.gradient.mass[i] -= mu.translation.dot(&(after.p[i] - targets.p[i])) / b2;
            let turned = (targets.q[i] * after.q[i].conjugate()).imag();
            self.gradient.inertia[i] += 2.0 / b2 * mu.rotation.dot(&turned);
            let force = Displacement { translation: mu.translation, rotation: Vec3::zeros() };
            if !loads.is_empty() {
                self.add_load(i, &force, 1.0);
            }
        }
    }

    /// Derivatives at the start of the step and of the one before, from those by the targets.
    fn by_target(
        &mut self,
        targets: &Targets,
        (older, before): (Option<&State>, &State),
        loads: &[Wrench],
        (by_end, by_target): (&StateGradient, &[Displacement]),
        [by, by_older]: [&mut StateGradient; 2],
    ) {
        let (a, b) = (targets.a, targets.b);
        let inertia = &self.run.world.particles.inertia;
        for i in 0..before.len() {
            if self.holding.held()[i] {
                continue;
            }
            let Displacement { translation: by_p, rotation: mut by_q } = by_target[i];
            let is_bdf2 = self.run.rule == Some(TimeRule::Bdf2);
            // of w' = w^ + ..., by BDF2 alone
            let mut by_w = if is_bdf2 { by_end.w[i] } else { Vec3::zeros() };
            if let Some(load) = loads.get(i) {
                let (phi, j) = (&targets.by_torque[i], inertia[i]);
                let by_phi = left_jacobian(phi).tr_mul(&by_q);
                let by_torque = by_phi * (b * b / j) + by_w * (b / j);
                self.gradient.inertia[i] -= by_torque.dot(&load.torque) / j;
                self.add_load(i, &Displacement { translation: Vec3::zeros(), rotation: by_torque }, 1.0);
                by_q = turned_back(phi, &by_q);
            }
            let by_turn = left_jacobian(&targets.theta[i]).tr_mul(&by_q);
            by.theta[i] += turned_back(&targets.theta[i], &by_q);
            by_w += by_turn * b;
            let by_v = by_end.v[i] + by_p * b;
            by.v[i] += by_v * (1.0 + a);
            by.w[i] += by_w * (1.0 + a);
            by.p[i] += by_p * (1.0 + a);
            if older.is_some() {
                by_older.v[i] -= by_v * a;
                by_older.w[i] -= by_w * a;
                by_older.p[i] -= by_p * a;
                let inverse = inverse_left_jacobian(&targets.theta_0[i]);
                by.theta[i] += inverse.tr_mul(&by_turn) * a;
                by_older.theta[i] -= inverse * by_turn * a;
            }
        }
    }

    /// Derivatives by held particles' poses at the start.
    fn add_held(&self, after: &State, by_end: &StateGradient, by: &mut StateGradient) {
        for i in 0..after.len() {
            if let Some(transfer) = self.holding.transfer(i) {
                let mut of = StateGradient {
                    p: vec![by_end.p[i]],
                    theta: vec![by_end.theta[i]],
                    v: vec![by_end.v[i]],
                    w: vec![by_end.w[i]],
                };
                carry_held(transfer, &after.p[i], &mut of, 0);
                by.p[i] += of.p[0];
                by.theta[i] += of.theta[0];
            }
        }
    }
}

/// Product of `y` and the difference of the contacts' derivatives, transposed, and their part of the symmetric matrix: friction
/// limits, contact points and normals follow the end of the step, and walls are curved.
fn unsymmetric(
    objective: &Objective,
    x: &State,
    touches: &Touches,
    [from, to]: [&ContactState; 2],
    y: &[Displacement],
) -> Vec<Forces> {
    let (mut before, mut after) = (StateGradient::zeros(y.len()), StateGradient::zeros(y.len()));
    let ends = &mut Ends { before: &mut before, after: &mut after, stretch: &mut ByStretch::zeros(from) };
    touches.pull(y, &ByStretch::zeros(to), ends);
    touches.subtract_commutator(y, &mut after.theta);
    let mut out: Vec<Forces> =
        after.p.iter().zip(&after.theta).map(|(p, theta)| Forces { p: *p, theta: *theta }).collect();
    objective.subtract_contacts(x, y, &mut out);
    let held = out.iter_mut().zip(objective.held).filter(|(_, held)| **held);
    held.for_each(|(out, _)| *out = Forces::default());
    out
}

/// Replaces derivatives by a held particle's state after a step by those by its state before.
pub(super) fn carry_held(transfer: &RestPoseTransfer, p: &Vec3, by: &mut StateGradient, i: usize) {
    let (_, turn, _, spin) = transfer.apply(p, &Quat::identity());
    let back = |v: &Vec3| rotation::rotate(&turn.conjugate(), v);
    // its velocity is that of its place
    by.p[i] = back(&(by.p[i] + by.v[i].cross(&spin)));
    by.theta[i] = back(&by.theta[i]);
    (by.v[i], by.w[i]) = (Vec3::zeros(), Vec3::zeros());
}

fn minus(mu: &Displacement) -> Displacement {
    Displacement { translation: -mu.translation, rotation: -mu.rotation }
}
