//! Local expansions: the potential about a cell's centre as `sum L_k y^k/k!` over all multi-indices k.

use super::order::{MAX_ORDER, Order};
use crate::charge::exact::{BLOCK, Sum};
use crate::geometry::Vec3;
use crate::simd::Lanes;
use crate::simd::dispatch;

/// Maximum number of multi-indices.
const MAX_INDICES: usize = (MAX_ORDER + 1) * (MAX_ORDER + 2) * (MAX_ORDER + 3) / 6;

/// Expansion about a centre moved by `shift` from that of `local`: its harmonic coefficients.
pub(super) fn shifted(local: &[f64], shift: Vec3, order: &Order) -> Vec<f64> {
    let mut monomials = Vec::new();
    order.monomials(shift.into(), &mut monomials);
    let mut sum = vec![0.0; order.all.len()];
    for &[n, j, rest] in &order.below {
        sum[j] += local[n] * monomials[rest];
    }
    order.harmonic.iter().map(|&k| sum[k]).collect()
}

/// All coefficients from the harmonic ones.
pub(super) fn unfolded(harmonic: &[f64], order: &Order) -> Vec<f64> {
    let mut local = vec![0.0; order.all.len()];
    for (&k, value) in order.harmonic.iter().zip(harmonic) {
        local[k] = *value;
    }
    for &[to, a, b] in &order.folds {
        local[to] = -(local[a] + local[b]);
    }
    local
}

dispatch! {
    /// Adds to `out` the field and the potential of `local` about `centre` at `points`.
    pub(super) fn evaluate<'a>(order: &Order, local: &[f64], centre: Vec3, points: &[Vec3], out: &'a mut [Sum]) = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(order: &Order, local: &[f64], centre: Vec3, points: &[Vec3], out: &mut [Sum]) {
    for (points, out) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let mut first = 0;
        while first < points.len() {
            let end = points.len().min(first + L::COUNT);
            lanes::<L>(order, local, centre, &points[first..end], &mut out[first..end]);
            first = end;
        }
    }
}

#[inline(always)]
fn lanes<L: Lanes>(order: &Order, local: &[f64], centre: Vec3, points: &[Vec3], out: &mut [Sum]) {
    let mut y = [[0.0; 8]; 3];
    for (lane, point) in points.iter().enumerate() {
        for axis in 0..3 {
            y[axis][lane] = point[axis] - centre[axis];
        }
    }
    let y = [L::load(&y[0]), L::load(&y[1]), L::load(&y[2])];
    let mut monomials = [L::splat(1.0); MAX_INDICES];
    for (k, &(lower, axis, inverse)) in order.parent.iter().enumerate().skip(1) {
        monomials[k] = monomials[lower] * (y[axis] * L::splat(inverse));
    }
    let mut sums = [L::splat(0.0); 4];
    for (k, value) in local.iter().enumerate() {
        sums[3] = monomials[k].mul_add(L::splat(*value), sums[3]);
    }
    for (k, raised) in order.raised.iter().enumerate() {
        for axis in 0..3 {
            sums[axis] = monomials[k].neg_mul_add(L::splat(local[raised[axis]]), sums[axis]);
        }
    }
    let mut stored = [[0.0; 8]; 4];
    for k in 0..4 {
        sums[k].store(&mut stored[k]);
    }
    for (lane, out) in out.iter_mut().enumerate() {
        for k in 0..4 {
            out[k] += stored[k][lane];
        }
    }
}
