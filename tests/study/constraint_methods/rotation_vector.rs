use bdem_core::geometry::{Vec3, rotation};
use bdem_studies::constraint_methods::{Method, StopReason, exponential, exponential_curvature};
use nalgebra::Vector4;

use crate::common::differences::slope_at_zero;
use crate::common::system::noise;
use crate::study::constraint_methods::cases::{apart, beam, minimum, pair, spinning_chain, until};

#[test]
fn exponential_derivatives_are_slopes() {
    let y = Vector4::new(0.3, -1.1, 0.7, 0.5);
    for size in [0.0, 1e-6, 0.1, 1.0, 3.0, 6.0] {
        let theta = noise(1, 0).normalize() * size;
        let (slope, curvature) = (exponential(&theta), exponential_curvature(&theta, &y));
        for k in 0..3 {
            let at = |s: f64| theta + Vec3::ith(k, s);
            let by_differences = slope_at_zero(|s| rotation::exp(&(at(s) * 0.5)).coords, 1e-3);
            assert!((slope.column(k) - by_differences).amax() < 1e-11, "{size} {k}");
            let by_differences = slope_at_zero(|s| exponential(&at(s)).transpose() * y, 1e-3);
            assert!((curvature.column(k) - by_differences).amax() < 1e-11, "{size} {k}");
        }
    }
}

/// After a whole turn q does not change as theta turns about itself.
#[test]
fn exponential_is_singular_at_a_whole_turn() {
    let least = |turn: f64| exponential(&(noise(1, 0).normalize() * turn)).singular_values().min();
    assert!(least(std::f64::consts::TAU) < 1e-12);
    assert!(least(std::f64::consts::PI) > 0.3);
}

#[test]
fn rotation_vectors_find_the_minimum() {
    for case in [pair(), spinning_chain(), beam()] {
        case.with_problem(|problem| {
            let series = Method::RotationVector.minimise(problem, &until(1e-8, 100));
            assert_eq!(series.outcome, StopReason::Converged, "{}: {:?}", case.name, series.iterates);
            assert!(series.last().off_length < 1e-14, "{}", case.name);
            // q and -q are one orientation
            let mut end = series.end.clone();
            for (q, start) in end.q.iter_mut().zip(&problem.start.q) {
                *q *= q.coords.dot(&start.coords).signum();
            }
            let off = apart(&end, &minimum(problem));
            assert!(off < 1e-6, "{}: {off:e}", case.name);
        });
    }
}
