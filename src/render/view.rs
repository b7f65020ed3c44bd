use std::ops::Range;

use crate::geometry::Vec3;

use super::Ball;

/// How things look from somewhere, on a grid of samples.
pub(super) trait View: Sync {
    /// Samples across and down.
    fn size(&self) -> [usize; 2];

    /// A place of the world in the view's own axes: right, down, away.
    fn see(&self, place: &Vec3) -> Vec3;

    /// The samples that a ball seen may cover; none where it is out of view.
    fn outline(&self, seen: &Ball) -> Option<Outline>;

    /// How far (m) away the ball seen begins at a sample; none where it is not hit.
    fn depth(&self, seen: &Ball, x: usize, y: usize) -> Option<f64>;

    /// Where a place seen is, in samples from the upper left corner, and its level: a number that changes evenly over the
    /// picture of a plane. None where it is behind.
    fn project(&self, seen: &Vec3) -> Option<[f64; 3]>;

    /// How far (m) away a level is.
    fn away(&self, level: f64) -> f64;

    /// Where in the world a sample is looked from (m), and the way from there to what is 1 m away.
    fn sight(&self, x: usize, y: usize) -> (Vec3, Vec3);
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
