use bdem_studies::constraint_methods::{Method, StopReason};

use crate::study::constraint_methods::cases::{apart, beam, minimum, pair, spinning_chain, until};

/// It settles off the sphere and off the minimum, by less the stiffer it is.
#[test]
fn error_shrinks_as_stiffness_grows() {
    for case in [pair(), spinning_chain(), beam()] {
        case.with_problem(|problem| {
            let minimum = minimum(problem);
            let errors = [1.0, 10.0].map(|stiffness| {
                let series = Method::Penalty(stiffness).minimise(problem, &until(1e-10, 100));
                assert_eq!(series.outcome, StopReason::Settled, "{} {stiffness}: {:?}", case.name, series.iterates);
                let mut end = series.end.clone();
                end.q.iter_mut().for_each(|q| *q /= q.norm());
                [series.last().off_length, apart(&end, &minimum), series.last().gradient]
            });
            for (soft, stiff) in errors[0].iter().zip(&errors[1]) {
                assert!((8.0..12.0).contains(&(soft / stiff)), "{}: {errors:?}", case.name);
            }
        });
    }
}

#[test]
fn stiffness_costs_iterations() {
    spinning_chain().with_problem(|problem| {
        let of = |stiffness: f64| Method::Penalty(stiffness).minimise(problem, &until(1e-8, 500)).iterations();
        let [soft, stiff] = [of(10.0), of(1e5)];
        assert!(stiff > 3 * soft, "{soft}, {stiff}");
    });
}
