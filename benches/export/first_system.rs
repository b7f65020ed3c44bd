//! Linear systems of steps, for other solvers.

use bdem_core::energy::{Curvature, Damping, Potential, Strains};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::internals::optimize::{Assembly, Objective, Target, right_hand_side};
use bdem_core::model::{Gradient, HeldParticles, State, World};
use bdem_core::simulate::Simulation;
use sprs::{CsMat, TriMat};

/// Linear system of the first Newton iteration of a step of implicit Euler, for external solvers.
///
/// The unknowns of a particle are its displacement (m) and its radius times its world rotation vector (m). Held particles have
/// none.
pub(crate) struct FirstSystem {
    /// Semidefinite Hessian of the objective, N/m.
    pub(crate) hessian: CsMat<f64>,
    /// Negative gradient, N.
    pub(crate) rhs: Vec<f64>,
    /// Translations along x, y, z (m), and rotations about x, y, z through the mean of the particles' centres (m per rad).
    pub(crate) rigid_modes: [Vec<f64>; 6],
}

impl FirstSystem {
    /// System of a step of `dt` (s) from the state of `simulation`, at free flight under gravity as the first guess. An
    /// infinite `dt` omits inertia and damping: the static problem at the current state.
    pub(crate) fn new(mut simulation: Simulation, dt: f64) -> Self {
        let (target, guess, holding) = flight(&simulation.world, &simulation.state, dt);
        simulation.contacts.update(&simulation.world, &guess);
        let Simulation { world, state, contacts, .. } = &simulation;
        let held = holding.held();
        let strains = Strains::new(world, state);
        let potential = Potential { damping: damping(world, &strains, dt), ..Potential::new(world, contacts) };
        let objective = Objective { potential, target: &target, dt, period: world.period(), held };
        let mut assembly = Assembly::<f64>::new(&objective);
        assembly.fill(&objective, &guess, Curvature::Semidefinite);
        let mut gradient = vec![Gradient::default(); guess.len()];
        objective.gradient(&guess, &mut gradient);
        world.loads([state.time, guess.time], state, 1.0).for_each(|(i, load)| gradient[i] += load.gradient());

        let particles: Vec<usize> = (0..guess.len()).filter(|&i| !held[i]).collect();
        let radius = &world.particles.radius;
        Self {
            hessian: rows_of(&assembly.matrix.to_csmat(), &particles),
            rhs: particles.iter().flat_map(|&i| right_hand_side(&gradient[i], radius[i]).to_array()).collect(),
            rigid_modes: rigid_modes(&guess, radius, &particles),
        }
    }
}

/// Targets of inertia after `dt` (s), the first guess, which includes gravity, and the held particles.
fn flight(world: &World, state: &State, dt: f64) -> (Target, State, HeldParticles) {
    let (mut target, mut guess) = (Target { p: state.p.clone(), q: state.q.clone() }, state.clone());
    let mut holding = HeldParticles::new(world);
    guess.time += if dt.is_finite() { dt } else { 0.0 };
    holding.set(world, state.time, guess.time);
    if dt.is_finite() {
        for i in 0..state.len() {
            let (p, q) = (state.p[i], state.q[i]);
            if let Some(transfer) = holding.transfer(i) {
                (guess.p[i], guess.q[i], ..) = transfer.apply(&p, &q);
                (target.p[i], target.q[i]) = (guess.p[i], guess.q[i]);
            } else {
                target.p[i] = p + state.v[i] * dt;
                target.q[i] = rotation::turn(&q, &(state.w[i] * dt));
                (guess.p[i], guess.q[i]) = (target.p[i] + world.gravity * (dt * dt), target.q[i]);
            }
        }
    }
    (target, guess, holding)
}

fn damping<'a>(world: &World, strains: &'a Strains, dt: f64) -> Damping<'a> {
    if world.is_damped() && dt.is_finite() { Damping::Step { before: strains, dt } } else { Damping::None }
}

/// Rows and columns of these particles (ascending), six each.
fn rows_of(matrix: &CsMat<f64>, particles: &[usize]) -> CsMat<f64> {
    let mut place = vec![None; matrix.rows() / 6];
    particles.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new));
    let index = |i: usize| place[i / 6].map(|node: usize| 6 * node + i % 6);
    let mut kept = TriMat::new((6 * particles.len(), 6 * particles.len()));
    for (&value, (row, column)) in matrix {
        if let (Some(row), Some(column)) = (index(row), index(column)) {
            kept.add_triplet(row, column, value);
        }
    }
    kept.to_csr()
}

fn rigid_modes(x: &State, radius: &[f64], particles: &[usize]) -> [Vec<f64>; 6] {
    let mean = particles.iter().map(|&i| x.p[i]).sum::<Vec3>() / particles.len().max(1) as f64;
    let unit = |axis: usize| Vec3::ith(axis, 1.0);
    std::array::from_fn(|mode| {
        let of = |&i: &usize| {
            let (move_, turn) = match mode {
                0..3 => (unit(mode), Vec3::zeros()),
                _ => (unit(mode - 3).cross(&(x.p[i] - mean)), unit(mode - 3) * radius[i]),
            };
            [move_.x, move_.y, move_.z, turn.x, turn.y, turn.z]
        };
        particles.iter().flat_map(of).collect()
    })
}
