use crate::geometry::Vec3;
use crate::model::State;
use crate::simd::{Level, Row8};

/// Drifts of particles before and after the end of an explicit step, by its states. Forces at the end act half a kick before it and
/// half a kick after it, on either drift.
#[derive(Clone, Copy)]
pub(crate) struct Drifts<'a> {
    pub before: &'a State,
    pub after: &'a State,
    /// Instruction set of the kernels.
    pub level: Level,
}

impl Drifts<'_> {
    /// Inverse of the step, 1/s.
    pub(super) fn rate(&self) -> f64 {
        1.0 / (self.after.time - self.before.time)
    }

    /// Velocities (m/s) of particle `i` in both drifts: their mean is that at the step's end.
    pub(super) fn velocities(&self, i: usize) -> [Vec3; 2] {
        let first = (self.after.p[i] - self.before.p[i]) * self.rate();
        [first, self.after.v[i] * 2.0 - first]
    }

    fn spins(&self, i: usize) -> [Vec3; 2] {
        let turn = self.after.q[i] * self.before.q[i].conjugate();
        let first = turn.imag() * (2.0 * self.rate() * 1f64.copysign(turn.w));
        [first, self.after.w[i] * 2.0 - first]
    }

    /// Powers (W) in both drifts of a force (N) and a torque (N m) on particle `i`, the first six numbers of a row.
    pub(super) fn powers(&self, &Row8([x, y, z, a, b, c, ..]): &Row8, i: usize) -> [f64; 2] {
        let (force, torque, v, w) = (Vec3::new(x, y, z), Vec3::new(a, b, c), self.velocities(i), self.spins(i));
        [0, 1].map(|k| force.dot(&v[k]) + torque.dot(&w[k]))
    }
}

/// The sum of two pairs of powers.
pub(super) fn added([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a + c, b + d]
}
