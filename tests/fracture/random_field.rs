//! Fields of strengths: uniform over seeds, alike within a part of the wavelength, and independent far beyond it.

use bdem_core::fracture::RandomField;
use bdem_core::geometry::Vec3;

const WAVELENGTH: f64 = 0.01;
const SEEDS: u64 = 4000;

/// Numbers at a place under many seeds.
fn numbers(p: Vec3) -> Vec<f64> {
    (0..SEEDS).map(|seed| RandomField::new(WAVELENGTH, seed).uniform(&p)).collect()
}

/// Correlation of two samples of uniform numbers.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    12.0 * a.iter().zip(b).map(|(a, b)| (a - 0.5) * (b - 0.5)).sum::<f64>() / SEEDS as f64
}

#[test]
fn numbers_are_uniform() {
    let mut sample = numbers(Vec3::new(0.03, -0.02, 0.005));
    sample.sort_by(f64::total_cmp);
    let off = |(k, x): (usize, &f64)| (x - (k as f64 + 0.5) / SEEDS as f64).abs();
    let greatest = sample.iter().enumerate().map(off).fold(0.0, f64::max);
    // Kolmogorov and Smirnov at 1 %
    assert!(greatest < 1.63 / (SEEDS as f64).sqrt(), "{greatest}");
}

#[test]
fn neighbours_are_alike_and_far_places_are_not() {
    let here = numbers(Vec3::zeros());
    for direction in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.6, 0.0, -0.8)] {
        let at = |share: f64| correlation(&here, &numbers(direction * (share * WAVELENGTH)));
        let [near, far] = [at(0.05), at(20.0)];
        assert!(near > 0.93, "{near}");
        assert!(far.abs() < 0.08, "{far}");
    }
}
