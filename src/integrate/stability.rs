//! How long an explicit step may be: the limit of the scene itself, not of a formula for perfect lattices.

use crate::contact::Neighbours;
use crate::energy::{Curvature, Damping, Potential, Strains};
use crate::linalg::{BlockMatrix, Vec6, greatest_eigenvalue};
use crate::model::{State, World};
use crate::optimize::{Assembly, Objective, Target};

/// Relative accuracy of the eigenvalues.
const ACCURACY: f64 = 1e-4;
const MOST_ITERATIONS: usize = 300;

/// The longest step (s) at which velocity Verlet is stable on the bonds of `world` at `state`: 2/omega with
/// omega^2 = lambda_max(M^-1 K), and with damping, whose forces lag half a step, the positive root of
/// dt^2 lambda_max(M^-1 K)/4 + dt lambda_max(M^-1 C)/2 = 1.
///
/// Infinite without bonds.
pub fn limit(world: &World, state: &State) -> f64 {
    let stiffness = matrix(world, state, Damping::None);
    let inverse_mass = inverse_mass(world);
    let k = greatest(&inverse_mass, |x, y| stiffness.multiply(x, y));
    if k <= 0.0 {
        return f64::INFINITY;
    }
    let c = if world.is_damped() {
        let strains = Strains::new(world, state);
        // K + C over a step of one second
        let both = matrix(world, state, Damping::Step { before: &strains, dt: 1.0 });
        let mut elastic = vec![Vec6::ZERO; state.len()];
        greatest(&inverse_mass, |x, y| {
            both.multiply(x, y);
            stiffness.multiply(x, &mut elastic);
            crate::linalg::vector::axpy(-1.0, &elastic, y);
        })
    } else {
        0.0
    };
    2.0 / (0.5 * c + (0.25 * c * c + k).sqrt())
}

/// The potential's Hessian in scaled unknowns; inertia is left out by taking it over a step without end.
fn matrix(world: &World, state: &State, damping: Damping) -> BlockMatrix<f64> {
    let contacts = Neighbours::none(world, state);
    let target = Target { p: state.p.clone(), q: state.q.clone() };
    let held = world.always_held();
    let potential = Potential { damping, ..Potential::new(world, &contacts) };
    let objective = Objective { potential, target: &target, dt: f64::INFINITY, period: 1.0, held: &held };
    let mut assembly = Assembly::new(&objective);
    assembly.fill(&objective, state, Curvature::GaussNewton);
    assembly.matrix
}

/// 1/m and r^2/J, in scaled unknowns.
fn inverse_mass(world: &World) -> Vec<Vec6<f64>> {
    let particles = &world.particles;
    let of = |i: usize| {
        let (m, j) = (1.0 / particles.mass[i], particles.radius[i].powi(2) / particles.inertia[i]);
        Vec6::new([m, m, m, j, j, j])
    };
    (0..particles.len()).map(of).collect()
}

fn greatest(inverse_mass: &[Vec6<f64>], apply: impl FnMut(&[Vec6<f64>], &mut [Vec6<f64>])) -> f64 {
    let divide = |x: &[Vec6<f64>], y: &mut [Vec6<f64>]| {
        for ((y, x), m) in y.iter_mut().zip(x).zip(inverse_mass) {
            let (x, m) = (x.to_array(), m.to_array());
            *y = Vec6::new(std::array::from_fn(|k| x[k] * m[k]));
        }
    };
    greatest_eigenvalue(inverse_mass.len(), apply, divide, ACCURACY, MOST_ITERATIONS).value
}
