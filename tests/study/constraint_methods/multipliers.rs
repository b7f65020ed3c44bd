//! The ways with multipliers: Lagrange's and the augmented.

use bdem_studies::constraint_methods::{Method, StopReason};

use crate::study::constraint_methods::cases::{apart, beam, minimum, pair, spinning_chain, until};

/// They leave the sphere on their way, and come back to it.
#[test]
fn multipliers_find_the_minimum_on_the_sphere() {
    for case in [pair(), spinning_chain(), beam()] {
        case.with_problem(|problem| {
            let minimum = minimum(problem);
            for method in [Method::Lagrange, Method::Augmented(10.0)] {
                let series = method.minimise(problem, &until(1e-8, 200));
                let what = format!("{} by {}", case.name, method.name());
                assert_eq!(series.outcome, StopReason::Converged, "{what}: {:?}", series.iterates);
                assert!(apart(&series.end, &minimum) < 1e-6, "{what}: {:e}", apart(&series.end, &minimum));
                let farthest = series.iterates.iter().map(|at| at.off_length).fold(0.0, f64::max);
                let last = series.last().off_length;
                assert!(farthest > 1e-7 && last < 1e-3 * farthest, "{what}: {farthest:e}, then {last:e}");
            }
        });
    }
}

#[test]
fn multipliers_take_more_linear_iterations_than_the_nullspace() {
    beam().with_problem(|problem| {
        let of = |method: Method| {
            let series = method.minimise(problem, &until(1e-6, 200));
            series.iterates.iter().map(|at| at.linear_iterations).sum::<usize>()
        };
        let [nullspace, lagrange, augmented] = [Method::Nullspace, Method::Lagrange, Method::Augmented(10.0)].map(of);
        assert!(lagrange > nullspace && augmented > nullspace, "{nullspace} {lagrange} {augmented}");
    });
}
