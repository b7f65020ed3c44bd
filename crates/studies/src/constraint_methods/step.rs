use bdem_core::energy::Potential;
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::internals::contact::Contacts;
use bdem_core::internals::optimize::{Objective, Target};
use bdem_core::model::{HeldParticles, State, World};

use super::Problem;

/// Implicit Euler step of a world, for any method (\[IBDEM\] Algorithm 3, with the geodesic q^).
#[derive(Debug)]
pub struct EulerStep<'a> {
    world: &'a World,
    from: &'a State,
    /// Step, s.
    dt: f64,
    holding: HeldParticles,
    target: Target,
    /// Start of the methods: the old state, with held particles at their prescribed poses.
    pub start: State,
}

impl<'a> EulerStep<'a> {
    /// Step of `dt` seconds.
    pub fn new(world: &'a World, from: &'a State, dt: f64) -> Self {
        let times = [from.time, from.time + dt];
        let mut holding = HeldParticles::new(world);
        holding.set(world, times[0], times[1]);
        let mut step = Self { world, from, dt, holding, target: target(world, from, dt), start: from.clone() };
        step.start.time = times[1];
        for i in 0..from.len() {
            if let Some(transfer) = step.holding.transfer(i) {
                let (p, q, v, w) = transfer.apply(&from.p[i], &from.q[i]);
                let start = &mut step.start;
                (start.p[i], start.q[i], start.v[i], start.w[i]) = (p, q, v, w);
                (step.target.p[i], step.target.q[i]) = (p, q);
            }
        }
        step
    }

    /// Problem to minimise, with the pairs in contact.
    pub fn problem(&'a self, contacts: &'a Contacts) -> Problem<'a> {
        let objective = Objective {
            potential: Potential::new(self.world, contacts),
            target: &self.target,
            dt: self.dt,
            period: self.world.period(),
            held: self.holding.held(),
        };
        Problem::new(objective, self.start.clone())
    }

    /// State of a minimum, normalised and with its velocities.
    pub fn end(&self, minimum: &State) -> State {
        let mut end = minimum.clone();
        for i in 0..end.len() {
            let q = minimum.q[i];
            end.q[i] = q / q.norm();
            if !self.holding.held()[i] {
                end.v[i] = (end.p[i] - self.from.p[i]) / self.dt;
                end.w[i] = rotation::rotation_between(&self.from.q[i], &end.q[i]) / self.dt;
            }
        }
        end
    }
}

/// Targets p^ and q^ of free flight under loads on single particles.
fn target(world: &World, from: &State, dt: f64) -> Target {
    let mut moves: Vec<[Vec3; 2]> = from.v.iter().zip(&from.w).map(|(v, w)| [v * dt, w * dt]).collect();
    for (i, load) in world.loads([from.time, from.time + dt], from, 1.0) {
        moves[i][0] += load.force * (dt * dt / world.particles.mass[i]);
        moves[i][1] += load.torque * (dt * dt / world.particles.inertia[i]);
    }
    let p = from.p.iter().zip(&moves).map(|(p, [move_by, _])| p + move_by).collect();
    let q: Vec<Quat> = from.q.iter().zip(&moves).map(|(q, [_, turn_by])| rotation::turn(q, turn_by)).collect();
    Target { p, q }
}
