//! Motions of particles in a step, in the layout of kernels.

use crate::geometry::{Quat, Vec3};
use crate::model::State;
use crate::parallel::{self, CHUNK};
use crate::simd::Row8;

/// Row of a particle that moves by `moved` (m) and turns by the unit quaternion `turn`, q conj(q_0), in a step: displacement,
/// imaginary and real part of the rotation, which is >= 0, and a zero.
#[inline(always)]
pub(crate) fn pack_motion(moved: &Vec3, turn: &Quat) -> Row8 {
    let turn = turn.coords * 1f64.copysign(turn.w);
    Row8([moved.x, moved.y, moved.z, turn.x, turn.y, turn.z, turn.w, 0.0])
}

/// Packs the motions of all particles between two states.
pub(super) fn pack_motions(before: &State, after: &State, out: &mut Vec<Row8>) {
    out.resize(after.len(), Row8::ZERO);
    parallel::for_each_item(parallel::each_mut(out), CHUNK, |i, row| {
        *row = pack_motion(&(after.p[i] - before.p[i]), &(after.q[i] * before.q[i].conjugate()));
    });
}
