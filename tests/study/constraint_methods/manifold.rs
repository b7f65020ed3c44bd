//! The ways that stay on the sphere.

use bdem_studies::constraint_methods::{Method, Series, StopReason};

use crate::study::constraint_methods::cases::{Case, apart, beam, minimum, pair, spinning_chain, until};

fn check(case: &Case, method: Method, goal: f64, iterations: usize, near: f64) -> Series {
    case.with_problem(|problem| {
        let series = method.minimise(problem, &until(goal, iterations));
        let what = format!("{} by {}", case.name, method.name());
        assert_eq!(series.outcome, StopReason::Converged, "{what}: {:?}", series.iterates);
        assert!(series.iterates.iter().all(|at| at.off_length < 1e-14), "{what} leaves the sphere");
        let off = apart(&series.end, &minimum(problem));
        assert!(off < near, "{what} is {off:e} off the minimum");
        series
    })
}

#[test]
fn first_order_finds_the_minimum_slowly() {
    for case in [pair(), spinning_chain()] {
        let series = check(&case, Method::Descent, 1e-5, 20_000, 1e-3);
        assert!(series.iterations() > 20, "{} in {}", case.name, series.iterations());
        let falls = series.iterates.windows(2).all(|two| two[1].objective <= two[0].objective * (1.0 + 1e-12));
        assert!(falls, "{}", case.name);
    }
}

#[test]
fn second_order_finds_the_minimum_fast() {
    for case in [pair(), spinning_chain(), beam()] {
        for method in [Method::Nullspace, Method::Projection] {
            let series = check(&case, method, 1e-9, 30, 1e-6);
            let gradients: Vec<f64> =
                series.iterates.iter().map(|at| at.gradient / series.iterates[0].gradient).collect();
            let [before, last] = [2, 1].map(|back| gradients[gradients.len() - back]);
            assert!(last < before.powf(1.2), "{} ends linearly: {gradients:?}", case.name);
        }
    }
}

/// One direction more a particle, in which nothing happens.
#[test]
fn projection_goes_the_nullspaces_way() {
    for case in [pair(), spinning_chain(), beam()] {
        case.with_problem(|problem| {
            let [a, b] = [Method::Nullspace, Method::Projection].map(|way| way.minimise(problem, &until(1e-4, 50)));
            assert_eq!(a.iterations(), b.iterations(), "{}", case.name);
            for (a, b) in a.iterates.iter().zip(&b.iterates) {
                assert!((a.gradient / b.gradient).ln().abs() < 0.01, "{}: {a:?} {b:?}", case.name);
                assert!(a.linear_iterations.abs_diff(b.linear_iterations) <= 2, "{}: {a:?} {b:?}", case.name);
            }
        });
    }
}

#[test]
fn comparison_runs_every_way_from_one_start() {
    let series = pair().with_problem(|problem| Method::ALL.map(|method| method.minimise(problem, &until(1e-6, 40))));
    let mut names: Vec<_> = series.iter().map(|series| series.method).collect();
    assert_eq!(names.len(), 7);
    let start = series[0].iterates[0].gradient;
    for series in &series {
        let first = &series.iterates[0];
        assert_eq!((first.gradient, first.linear_iterations), (start, 0), "{}", series.method);
        assert!(series.iterates.windows(2).all(|two| two[0].seconds < two[1].seconds), "{}", series.method);
        assert!(series.iterations() <= 40 && series.last().gradient < first.gradient, "{}", series.method);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 7);
}
