//! The assembled Hessian of an implicit step against differences of its gradient.

use bdem_core::energy::{Curvature, Damping, Potential, Strains};
use bdem_core::geometry::Vec3;
use bdem_core::internals::linalg::Vec6;
use bdem_core::internals::optimize::{Assembly, Objective, Target};
use bdem_core::model::{Gradient, State};
use nalgebra::DVector;

use crate::common::busy::{Busy, E, RADIUS, moved};
use crate::common::dense::dense;
use crate::common::differences::slope_at_zero;
use crate::common::system::{noise, shaken};

/// Long enough for inertia not to drown the bonds, and short enough for it to show.
const DT: f64 = 1e-3;

/// Every third particle held.
fn held(particles: usize) -> Vec<bool> {
    (0..particles).map(|i| i % 3 == 1).collect()
}

fn with_objective(busy: &Busy, potential: Potential, held: &[bool], check: impl Fn(&Objective)) {
    let elsewhere = shaken(&busy.state, 30, 0.2 * RADIUS, 0.2);
    let target = Target { p: elsewhere.p, q: elsewhere.q };
    check(&Objective { potential, target: &target, dt: DT, period: busy.world.period(), held });
}

fn multiply(objective: &Objective, x: &State, curvature: Curvature, direction: &[Vec6<f64>]) -> Vec<Vec6<f64>> {
    let mut assembly = Assembly::<f64>::new(objective);
    assembly.fill(objective, x, curvature);
    let mut product = vec![Vec6::ZERO; direction.len()];
    assembly.matrix.multiply(direction, &mut product);
    product
}

/// The direction of [`moved`] in scaled unknowns, zero where particles are held.
fn direction(seed: u64, held: &[bool]) -> Vec<Vec6<f64>> {
    let of = |(i, &held): (usize, &bool)| {
        let (p, theta) = (noise(seed, i) * RADIUS, noise(seed + 1, i) * RADIUS);
        if held { Vec6::ZERO } else { Vec6::new([p.x, p.y, p.z, theta.x, theta.y, theta.z]) }
    };
    held.iter().enumerate().map(of).collect()
}

fn flat(x: &[Vec6<f64>]) -> DVector<f64> {
    DVector::from_iterator(6 * x.len(), x.iter().flat_map(|x| x.to_array()))
}

/// The objective's gradient in scaled unknowns at `x` moved by `s`, but for held particles.
fn gradient_at(objective: &Objective, x: &State, seed: u64, s: f64) -> Vec<Gradient> {
    let mut there = moved(x, seed, s);
    for i in (0..x.len()).filter(|&i| objective.held[i]) {
        (there.p[i], there.q[i]) = (x.p[i], x.q[i]);
    }
    let mut gradient = vec![Gradient::default(); x.len()];
    objective.gradient(&there, &mut gradient);
    gradient
}

fn scaled(gradient: &[Gradient]) -> DVector<f64> {
    let of = |g: &Gradient| [g.p.x, g.p.y, g.p.z, g.theta.x / RADIUS, g.theta.y / RADIUS, g.theta.z / RADIUS];
    DVector::from_iterator(6 * gradient.len(), gradient.iter().flat_map(of))
}

/// Rotations about fixed axes do not commute: along theta the torque tau changes by the Hessian times theta, and by
/// 1/2 theta x tau, which belongs to the axes.
fn turning_axes(at_rest: &[Gradient], seed: u64, held: &[bool]) -> DVector<f64> {
    let of = |(i, g): (usize, &Gradient)| {
        let turn = if held[i] { Vec3::zeros() } else { noise(seed + 1, i) };
        Gradient { p: Vec3::zeros(), theta: turn.cross(&g.theta) * 0.5 }
    };
    scaled(&at_rest.iter().enumerate().map(of).collect::<Vec<_>>())
}

fn assert_is_the_slope(objective: &Objective, x: &State) {
    for seed in (200..210).step_by(2) {
        let product = flat(&multiply(objective, x, Curvature::Exact, &direction(seed, objective.held)));
        let slope = slope_at_zero(|s| scaled(&gradient_at(objective, x, seed, s)), 1e-5);
        let want = slope - turning_axes(&gradient_at(objective, x, seed, 0.0), seed, objective.held);
        let off = (&product - &want).amax();
        assert!(off < 1e-8 * E * RADIUS * RADIUS, "{off:e} of {:e}", want.amax());
    }
}

#[test]
fn exact_hessian_is_the_slope_of_the_gradient() {
    let busy = Busy::new(5.0);
    let potential = Potential { damping: Damping::None, ..busy.potential() };
    for held in [vec![false; busy.state.len()], held(busy.state.len())] {
        with_objective(&busy, potential, &held, |objective| assert_is_the_slope(objective, &busy.state));
    }
}

/// Damping's second derivative is Gauss-Newton's, exact where nothing has moved yet.
#[test]
fn damping_hessian_is_the_slope_where_the_step_begins() {
    let mut busy = Busy::new(4.0);
    busy.before = Strains::new(&busy.world, &busy.state);
    let held = held(busy.state.len());
    with_objective(&busy, busy.potential(), &held, |objective| assert_is_the_slope(objective, &busy.state));
}

#[test]
fn held_particles_are_coupled_to_nothing() {
    let busy = Busy::new(4.0);
    let held = held(busy.state.len());
    with_objective(&busy, busy.potential(), &held, |objective| {
        let all = direction(300, &vec![false; held.len()]);
        let free = direction(300, &held);
        let (with, without) =
            [&all, &free].map(|x| multiply(objective, &busy.state, Curvature::Semidefinite, x)).into();
        for i in 0..held.len() {
            let [m, _] = objective.inertia_hessian(&busy.state, i);
            if held[i] {
                let (got, want) = (with[i].to_array(), all[i].to_array());
                assert!((0..3).all(|k| (got[k] - m * want[k]).abs() <= 1e-12 * m * RADIUS));
            } else {
                assert_eq!(with[i].to_array(), without[i].to_array());
            }
        }
    });
}

#[test]
fn gauss_newton_and_projected_are_positive_semidefinite() {
    let busy = Busy::new(3.0);
    let n = busy.state.len();
    with_objective(&busy, busy.potential(), &vec![false; n], |objective| {
        for curvature in [Curvature::Semidefinite, Curvature::Projected] {
            let mut assembly = Assembly::<f64>::new(objective);
            assembly.fill(objective, &busy.state, curvature);
            let dense = dense(&assembly.matrix);
            let off = (&dense - dense.transpose()).amax();
            assert!(off < 1e-12 * dense.amax(), "not symmetric by {off:e}");
            let eigenvalues = dense.symmetric_eigenvalues();
            assert!(eigenvalues.min() > 0.0, "{curvature:?}: {}", eigenvalues.min());
        }
    });
}
