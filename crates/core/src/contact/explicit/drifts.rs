use crate::geometry::Vec3;
use crate::model::State;

/// Drifts of particles before and after the end of an explicit step, by its states. Forces at the end act half a kick before it and
/// half a kick after it, on either drift.
#[derive(Clone, Copy)]
pub(crate) struct Drifts<'a> {
    pub before: &'a State,
    pub after: &'a State,
}

impl Drifts<'_> {
    /// Velocities (m/s) of particle `i` in both drifts: their mean is that at the step's end.
    pub(super) fn velocities(&self, i: usize) -> [Vec3; 2] {
        let first = (self.after.p[i] - self.before.p[i]) / (self.after.time - self.before.time);
        [first, self.after.v[i] * 2.0 - first]
    }
}

/// The sum of two pairs of powers.
pub(super) fn added([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a + c, b + d]
}
