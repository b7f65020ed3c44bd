use std::ops::Range;

use bdem_core::geometry::Vec3;

use super::Ball;

/// Projection of things onto a grid of samples.
pub(super) trait View: Sync {
    /// Number of samples in both directions.
    fn size(&self) -> [usize; 2];

    /// Point of the world in the view's own axes: right, down, away.
    fn see(&self, place: &Vec3) -> Vec3;

    /// Samples that a ball may cover. None where it is out of view.
    fn outline(&self, seen: &Ball) -> Option<Outline>;

    /// Depth (m) of a ball at a sample. None where it is not hit, or beyond the `limit` (m).
    fn depth(&self, seen: &Ball, sample: [usize; 2], limit: f64) -> Option<f64>;

    /// Position of a point in samples from the upper left corner, and its level. The level is linear over the picture
    /// of a plane. None where the point is behind.
    fn project(&self, seen: &Vec3) -> Option<[f64; 3]>;

    /// Depth (m) of a level.
    fn away(&self, level: f64) -> f64;
}

/// Rectangle of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

impl Outline {
    /// Samples with their middles between these ends, which are in samples from the upper left corner. None where
    /// there are none.
    pub(super) fn between(x: [f64; 2], y: [f64; 2], size: [usize; 2]) -> Option<Self> {
        let [x, y] = [(x, size[0]), (y, size[1])].map(|([low, high], count)| {
            let within = |end: f64| (end - 0.5).ceil().clamp(0.0, count as f64) as usize;
            within(low)..within(high)
        });
        (!x.is_empty() && !y.is_empty()).then_some(Self { x, y })
    }
}
