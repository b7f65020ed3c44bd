use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use crate::geometry::Vec3;
use crate::geometry::keyed::{mix, uniform};

/// Homogeneous, isotropic Gaussian random field: `sqrt(2/N) sum cos(k.x + phase)` over N plane waves of random
/// directions and phases (M. Shinozuka, G. Deodatis 1991, "Simulation of stochastic processes by spectral
/// representation"). Their wavelengths spread about a stated one, so that the field does not repeat.
#[derive(Clone, Debug)]
pub struct RandomField {
    /// Wave vectors, rad/m, and phases, rad.
    waves: Vec<(Vec3, f64)>,
}

impl RandomField {
    /// The field of this `wavelength` (m), a function of `seed`.
    pub fn new(wavelength: f64, seed: u64) -> Self {
        /// Number of waves: the distribution of their sum is within 0.005 of the normal one.
        const WAVES: u64 = 64;
        /// Smallest and largest wave number over that of the wavelength.
        const NUMBERS: [f64; 2] = [0.5, 1.5];
        let wave = |n: u64| {
            let random = |k: u64| uniform(mix(seed), 4 * n + k);
            let number = TAU / wavelength * (NUMBERS[0] + (NUMBERS[1] - NUMBERS[0]) * random(0));
            let z = 2.0 * random(1) - 1.0;
            let (sin, cos) = libm::sincos(TAU * random(2));
            let across = (1.0 - z * z).sqrt();
            (Vec3::new(across * cos, across * sin, z) * number, TAU * random(3))
        };
        Self { waves: (0..WAVES).map(wave).collect() }
    }

    /// Probability of a smaller value than that at `p` (m), in (0, 1): uniform over all seeds.
    pub fn uniform(&self, p: &Vec3) -> f64 {
        let sum: f64 = self.waves.iter().map(|(k, phase)| libm::cos(k.dot(p) + phase)).sum();
        let value = sum * (2.0 / self.waves.len() as f64).sqrt();
        0.5 * libm::erfc(-value * FRAC_1_SQRT_2)
    }
}
