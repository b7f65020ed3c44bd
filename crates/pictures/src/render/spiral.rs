use std::f64::consts::PI;

use super::camera::SAMPLES;

/// Points spread evenly over a disc of radius 1 (H. Vogel's sunflower, 1979), N for each of a pixel's samples. All
/// pixels have the same ones, so that no pattern is seen.
#[derive(Clone, Debug)]
pub(super) struct Spiral<const N: usize>([[[f32; 2]; N]; SAMPLES * SAMPLES]);

impl<const N: usize> Spiral<N> {
    pub(super) fn new() -> Self {
        let golden = PI * (3.0 - 5.0_f64.sqrt());
        let count = N * SAMPLES * SAMPLES;
        let place = |k: usize| {
            let (radius, angle) = (((k as f64 + 0.5) / count as f64).sqrt(), golden * k as f64);
            [radius * libm::cos(angle), radius * libm::sin(angle)].map(|x| x as f32)
        };
        Self(std::array::from_fn(|sample| std::array::from_fn(|i| place(i * SAMPLES * SAMPLES + sample))))
    }

    /// Points around the sample in column `x` and row `y`.
    pub(super) fn around(&self, x: usize, y: usize) -> &[[f32; 2]; N] {
        &self.0[x % SAMPLES + SAMPLES * (y % SAMPLES)]
    }
}
