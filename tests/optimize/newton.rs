//! Ends of Newton's method: the minimum, and each failure.

use bdem_core::energy::{Curvature, Potential};
use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::Contacts;
use bdem_core::internals::optimize::{
    CgTolerance, Goal, Newton, NewtonFailure, NewtonReport, Objective, SolverSettings, Target,
};
use bdem_core::model::State;

use crate::common::system::{block, material, noise};

const RADIUS: f64 = 0.01;

/// Minimises the objective of a step of 20 periods by a block whose particles are drawn to places a hundredth of a radius away,
/// or to those that `target` makes of them, after a request to stop if `stop`.
fn minimise(
    settings: SolverSettings,
    stop: bool,
    target: impl FnOnce(&mut Target),
) -> (Result<NewtonReport, NewtonFailure>, State) {
    let (world, rest) = block(material(1e7, 4e6, 1000.0), [0.1, 0.06, 0.06], RADIUS);
    let p = rest.p.iter().enumerate().map(|(i, p)| p + noise(5, i) * (0.01 * RADIUS)).collect();
    let mut wanted = Target { p, q: rest.q.clone() };
    target(&mut wanted);
    if stop {
        world.interrupt.request(15);
    }
    let contacts = Contacts::none(&world, &rest);
    let (potential, held) = (Potential::new(&world, &contacts), vec![false; rest.len()]);
    let (dt, period) = (20.0 * world.period(), world.period());
    let objective = Objective { potential, target: &wanted, dt, period, held: &held };
    let mut x = rest.clone();
    (Newton::new(settings).minimise(&objective, &mut x, Goal::MINIMUM), x)
}

#[test]
fn the_minimum_has_no_gradient() {
    let strict =
        SolverSettings { newton_tolerance: 1e-9, cg_tolerance: CgTolerance::Fixed(1e-6), ..SolverSettings::default() };
    let (report, x) = minimise(strict, false, |_| {});
    let report = report.expect("it converges");
    assert!((1..12).contains(&report.iterations) && report.cg_iterations > 0, "{report:?}");
    assert!(x.q.iter().all(|q| (q.norm() - 1.0).abs() < 1e-12), "quaternions of unit length");
    // the mean of the targets: bonds have no force in sum
    let mean = |p: &[Vec3]| p.iter().sum::<Vec3>() / p.len() as f64;
    let (again, _) = minimise(SolverSettings::default(), false, |wanted| {
        let want = mean(&wanted.p);
        assert!((mean(&x.p) - want).norm() < 1e-8 * RADIUS, "{:?} {want:?}", mean(&x.p));
    });
    assert!(again.is_ok());
}

/// [IBDEM] Algorithm 3: the Hessian projected and filled in every iteration, the forcing term of eq 31.
#[test]
fn the_solver_of_the_paper_finds_the_same_minimum() {
    let tight = SolverSettings { newton_tolerance: 1e-9, ..SolverSettings::default() };
    let paper = SolverSettings {
        hessian: Curvature::Projected,
        reuse_matrix: false,
        cg_tolerance: CgTolerance::Forcing,
        jacobi_below: 0.0,
        ..tight.clone()
    };
    let [(usual, x), (report, y)] = [tight, paper].map(|settings| minimise(settings, false, |_| {}));
    let off = x.p.iter().zip(&y.p).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
    assert!(off < 1e-6 * RADIUS, "{off}");
    assert!(usual.is_ok() && report.is_ok(), "{usual:?} {report:?}");
}

/// [IBDEM] Algorithm 1, whose steps are as many as the stiffness over that of inertia.
#[test]
fn steepest_descent_finds_the_same_minimum() {
    let tight = SolverSettings { newton_tolerance: 1e-9, newton_relative_tolerance: 1e-6, ..SolverSettings::default() };
    let first = SolverSettings { hessian: Curvature::FirstOrder, newton_iterations: 100_000, ..tight.clone() };
    let [(usual, x), (report, y)] = [tight, first].map(|settings| minimise(settings, false, |_| {}));
    let off = x.p.iter().zip(&y.p).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
    assert!(off < 1e-5 * RADIUS, "{off}");
    let [usual, report] = [usual, report].map(|report| report.expect("it converges"));
    assert!(report.iterations > 50 * usual.iterations && report.cg_iterations == 0, "{usual:?} {report:?}");
}

/// min(1/2, |grad f|^(1/2)).
#[test]
fn the_forcing_term_is_a_root_at_most_a_half() {
    assert_eq!(CgTolerance::Forcing.at(|| 0.01), 0.1);
    assert_eq!(CgTolerance::Forcing.at(|| 7.0), 0.5);
    assert_eq!(CgTolerance::Fixed(0.3).at(|| unreachable!("it needs no gradient")), 0.3);
}

#[test]
fn each_failure_is_named() {
    let given = SolverSettings::default();
    let (nan, _) = minimise(given.clone(), false, |wanted| wanted.p[3].x = f64::NAN);
    assert_eq!(nan, Err(NewtonFailure::NotFinite));

    let once = SolverSettings { newton_iterations: 1, newton_tolerance: 1e-14, ..given.clone() };
    let (short, x) = minimise(once, false, |_| {});
    assert!(matches!(short, Err(NewtonFailure::NotConverged { iterations: 1, .. })), "{short:?}");
    let (_, rest) = block(material(1e7, 4e6, 1000.0), [0.1, 0.06, 0.06], RADIUS);
    assert!(x.p != rest.p, "it leaves the last iterate");

    // the decrease of a quadratic along its Newton step is half of the slope
    let greedy = SolverSettings { armijo: 0.9, line_search_halvings: 0, ..given.clone() };
    let (searched, x) = minimise(greedy, false, |_| {});
    assert!(matches!(searched, Err(NewtonFailure::LineSearch { decrement }) if decrement > 0.0), "{searched:?}");
    assert!(x.p == rest.p, "no step was taken");

    let (stopped, _) = minimise(given, true, |_| {});
    assert_eq!(stopped, Err(NewtonFailure::Interrupted));
}
