use bdem_core::energy::Curvature;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::internals::optimize::{CgTolerance, Goal, Newton, SolverSettings};
use bdem_core::model::{Constraint, Motion, State, World};
use bdem_studies::constraint_methods::{EulerStep, Problem, Until};

use crate::common::system::{block, chain, floor, material, moved_rigidly, no_contacts, noise, set_spinning};

/// A system that is about to take a step.
pub(super) struct Case {
    pub name: &'static str,
    pub world: World,
    pub state: State,
    pub dt: f64,
}

impl Case {
    /// Shaken by up to `speed` (m/s), and by as much spin, before a step of `periods`.
    fn new(name: &'static str, (world, mut state): (World, State), speed: f64, periods: f64) -> Self {
        for i in 0..state.len() {
            state.v[i] += noise(5, i) * speed;
            state.w[i] += noise(6, i) * (speed / world.particles.radius[i]);
        }
        let dt = periods * world.period();
        Self { name, world, state, dt }
    }

    pub(super) fn with_problem<T>(&self, with: impl FnOnce(&Problem) -> T) -> T {
        let contacts = no_contacts(&self.world, &self.state);
        let step = EulerStep::new(&self.world, &self.state, self.dt);
        with(&step.problem(&contacts))
    }
}

pub(super) fn pair() -> Case {
    Case::new("a pair", chain(material(1e7, 4e6, 1000.0), 2, 0.01), 0.5, 5.0)
}

/// Three in a row, which turn by half a radian in a step of 20 T.
pub(super) fn spinning_chain() -> Case {
    let mut turned = chain(material(1e7, 4e6, 1000.0), 3, 0.01);
    turned.1 = moved_rigidly(&turned.1, &Vec3::new(0.9, -1.7, 1.2), &Vec3::new(0.1, 0.2, -0.1));
    set_spinning(&mut turned.1, &Vec3::new(-150.0, 200.0, 180.0));
    Case::new("a spinning chain", turned, 0.2, 20.0)
}

/// Some hundred particles that fall through a long step, one end held.
pub(super) fn beam() -> Case {
    let (mut world, state) = block(material(1e7, 4e6, 1000.0), [0.3, 0.06, 0.06], 0.01);
    world.gravity = Vec3::z() * -9.81;
    let held = (0..state.len() as u32).filter(|&i| state.p[i as usize].x < -0.13).collect();
    world.constraints.push(Constraint::moved(held, Motion::Fixed));
    Case::new("a beam", (world, state), 0.05, 100.0)
}

/// Two pieces and a floor that are in each other's way.
pub(super) fn colliding() -> Case {
    let (mut world, mut state) = block(material(1e7, 4e6, 1000.0), [0.06, 0.06, 0.06], 0.01);
    let least = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.walls.push(floor(least - 0.0098, 0.0));
    let loose: Vec<usize> = (0..world.bonds().len()).filter(|&b| world.bonds()[b].i == 0).collect();
    world.remove_bonds(&loose);
    let to_next = state.p[1] - state.p[0];
    state.p[0] += to_next * 0.02;
    Case::new("a collision", (world, state), 0.05, 5.0)
}

/// Settings of a solver that goes to the minimum.
pub(super) fn strict() -> SolverSettings {
    SolverSettings {
        newton_tolerance: 1e-11,
        newton_relative_tolerance: 1e-9,
        cg_tolerance: CgTolerance::Fixed(1e-5),
        newton_iterations: 200,
        hessian: Curvature::Exact,
        ..Default::default()
    }
}

/// The minimum that the solver of runs finds.
pub(super) fn minimum(problem: &Problem) -> State {
    let mut x = problem.start.clone();
    Newton::new(strict()).minimise(&problem.objective, &mut x, Goal::MINIMUM).expect("a minimum");
    x
}

pub(super) fn until(gradient: f64, iterations: usize) -> Until {
    Until { gradient, iterations, seconds: 100.0 }
}

/// The greatest distance between two states: over a radius of 0.01 m, and of quaternions.
pub(super) fn apart(a: &State, b: &State) -> f64 {
    let p = a.p.iter().zip(&b.p).map(|(a, b)| (a - b).norm() / 0.01);
    let q = a.q.iter().zip(&b.q).map(|(a, b): (&Quat, &Quat)| (a - b).norm());
    p.chain(q).fold(0.0, f64::max)
}
