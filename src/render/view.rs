use std::ops::Range;

use super::Ball;

/// How balls look from somewhere, on a grid of samples.
pub(super) trait View: Sync {
    /// Samples across and down.
    fn size(&self) -> [usize; 2];

    /// The ball in the view's own axes: right, down, away.
    fn see(&self, ball: &Ball) -> Ball;

    /// The samples that a ball seen may cover; none where it is out of view.
    fn outline(&self, seen: &Ball) -> Option<Outline>;

    /// How far (m) away the ball seen begins at a sample; none where it is not hit.
    fn depth(&self, seen: &Ball, x: usize, y: usize) -> Option<f64>;
}

/// A rectangle of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

impl Outline {
    /// The samples whose middles lie between these ends, in samples from the upper left corner; none where none do.
    pub fn between(x: [f64; 2], y: [f64; 2], size: [usize; 2]) -> Option<Self> {
        let [x, y] = [(x, size[0]), (y, size[1])].map(|([low, high], count)| {
            let within = |end: f64| (end - 0.5).ceil().clamp(0.0, count as f64) as usize;
            within(low)..within(high)
        });
        (!x.is_empty() && !y.is_empty()).then_some(Self { x, y })
    }
}
