//! Oscillations.

use crate::cases::Stop;

/// Oscillation about a known middle.
pub(super) struct Swing {
    /// s.
    pub(super) period: f64,
    /// Greatest distance from the middle.
    pub(super) amplitude: f64,
}

impl Swing {
    /// From values at equal intervals (s): between the first and the last upward crossing of the middle, by straight lines.
    pub(super) fn new(values: &[f64], middle: f64, interval: f64) -> Result<Self, Stop> {
        let crossing = |(k, pair): (usize, &[f64])| {
            let (a, b) = (pair[0] - middle, pair[1] - middle);
            (a < 0.0 && b >= 0.0).then(|| k as f64 + a / (a - b))
        };
        let crossings: Vec<f64> = values.windows(2).enumerate().filter_map(crossing).collect();
        let [first, .., last] = &crossings[..] else { return Err(Stop::Ended("no swing".to_owned())) };
        let period = (last - first) / (crossings.len() - 1) as f64 * interval;
        let amplitude = values.iter().map(|value| (value - middle).abs()).fold(0.0, f64::max);
        Ok(Self { period, amplitude })
    }

    /// Period of a pendulum of this amplitude over that of small ones.
    pub(super) fn stretch(&self) -> f64 {
        let square = self.amplitude * self.amplitude;
        1.0 + square / 16.0 + 11.0 / 3072.0 * square * square
    }
}
