//! Bounds on the gradient of the field.

use bdem_core::charge::{COULOMB_CONSTANT, Charges, ExternalField, gradient_bounds};
use bdem_core::geometry::{Mat3, Vec3};

use super::{cloud, on_threads};

/// Sums over all pairs, V/m2, and the least softened distance, m.
fn by_pairs(x: &[Vec3], q: &[f64], softening: f64) -> (Vec<f64>, f64) {
    let distance = |i: usize, j: usize| ((x[i] - x[j]).norm_squared() + softening * softening).sqrt();
    let others = |i: usize| (0..x.len()).filter(move |j| *j != i);
    let sum = |i: usize| others(i).map(|j| q[j].abs() / distance(i, j).powi(3)).sum::<f64>();
    let least = (0..x.len()).flat_map(|i| others(i).map(move |j| distance(i, j))).fold(f64::INFINITY, f64::min);
    ((0..x.len()).map(|i| 2.0 * COULOMB_CONSTANT * sum(i)).collect(), least)
}

/// Upper bounds everywhere, at most eightfold; the greatest, by which steps are limited, is close.
#[test]
fn bounds_are_above_the_sums_over_pairs() {
    for (n, seed, softening, most) in [(1, 1, 0.0, 1.0), (8, 2, 0.0, 1.0), (3000, 3, 0.0, 1.1), (3000, 4, 0.2, 2.5)] {
        let (x, q) = cloud(n, seed, true);
        let bounds = gradient_bounds(&Charges::new(&x, &q, softening).expect("charges"));
        let (sums, least) = by_pairs(&x, &q, softening);
        let mut worst: f64 = 1.0;
        for (bound, sum) in bounds.gradient.iter().zip(&sums) {
            assert!(*bound >= sum * (1.0 - 1e-12), "{n}: {bound} {sum}");
            worst = worst.max(bound / sum);
        }
        println!("{n} charges, softening {softening} m: at most {worst:.2} times the sum, {} {least}", bounds.distance);
        let greatest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        let (bound, sum) = (greatest(&bounds.gradient), greatest(&sums));
        println!("  greatest {:.3} times", bound / sum);
        assert!(worst <= 8.0 && bound <= most * sum * (1.0 + 1e-12), "{n}: {worst} {bound} {sum}");
        assert!(
            bounds.distance <= least && (n == 1 || bounds.distance > 0.3 * least),
            "{n}: {} {least}",
            bounds.distance
        );
        assert!(bounds == on_threads(3, || gradient_bounds(&Charges { x: &x, q: &q, softening })));
    }
}

/// The spectral norm of the differences of the field is below the bound.
#[test]
fn external_fields_have_bounds() {
    let centre = Vec3::new(0.1, -0.2, 0.3);
    let fields = [
        ExternalField::Uniform { field: centre },
        ExternalField::Vortex { strength: 3.0, centre },
        ExternalField::Saddle { strength: -3.0, centre },
    ];
    for field in fields {
        for x in [Vec3::new(1.0, 2.0, 0.7), Vec3::new(-0.3, 0.1, -2.0)] {
            let along = |axis: Vec3| (field.at(&(x + axis * 1e-5)) - field.at(&(x - axis * 1e-5))) / 2e-5;
            let gradient = Mat3::from_columns(&[along(Vec3::x()), along(Vec3::y()), along(Vec3::z())]);
            let (norm, bound) = (gradient.singular_values().max(), field.gradient_bound(&x));
            assert!(norm <= bound * (1.0 + 1e-6) + 1e-9 && bound <= 2.0 * norm + 1e-9, "{field:?}: {norm} {bound}");
        }
    }
}
