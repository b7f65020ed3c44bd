//! Positions and rotations of the particles of several pairs, one pair a lane.

use crate::geometry::{Quat, Vec3};
use crate::simd::{Lanes, Row8, Vec3x};

/// Rotations q conj(q_0) of particles in a step, with a real part >= 0.
#[derive(Clone, Copy, Debug)]
pub struct Turn<L> {
    imag: Vec3x<L>,
    real: L,
}

impl<L: Lanes> Turn<L> {
    /// Rotations of these quaternions (x, y, z, w), whose real parts must not be below zero.
    #[inline(always)]
    pub fn new([x, y, z, real]: [L; 4]) -> Self {
        Self { imag: Vec3x::new(x, y, z), real }
    }

    /// No rotation.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { imag: Vec3x::splat(0.0), real: L::splat(1.0) }
    }

    /// Rotations of `particles` between two states.
    #[inline(always)]
    pub(super) fn load([before, after]: [&[Quat]; 2], particles: &[u32]) -> Self {
        let [x, y, z, w] = L::quads(after, particles);
        let [x_0, y_0, z_0, w_0] = L::quads(before, particles);
        let (v, v_0) = (Vec3x::new(x, y, z), Vec3x::new(x_0, y_0, z_0));
        let real = w.mul_add(w_0, v.dot(v_0));
        let sign = real.sign();
        Self { imag: (v_0.neg_mul_add(w, v * w_0) - v.cross(v_0)) * sign, real: real * sign }
    }

    /// Torque on the particle's rotation for a `torque` (N m) on 2 Im(q conj(q_0)): the transpose of the derivative of that by the
    /// rotation, times the torque.
    #[inline(always)]
    pub(super) fn pull_back(&self, torque: Vec3x<L>) -> Vec3x<L> {
        torque * self.real + self.imag.cross(torque)
    }
}

impl Turn<f64> {
    /// No rotation.
    pub const NONE: Self = Self { imag: Vec3x { x: 0.0, y: 0.0, z: 0.0 }, real: 1.0 };
}

/// Row of a particle that moves by `moved` (m) and turns by the unit quaternion `turn`, q conj(q_0), in a step: displacement,
/// imaginary and real part of the rotation, which is >= 0, and a zero.
#[inline(always)]
pub(crate) fn pack_motion(moved: &Vec3, turn: &Quat) -> Row8 {
    let turn = turn.coords * 1f64.copysign(turn.w);
    Row8([moved.x, moved.y, moved.z, turn.x, turn.y, turn.z, turn.w, 0.0])
}

/// Displacements (m) and rotations of particles in a step: see [`pack_motion`].
#[inline(always)]
pub(super) fn motions<L: Lanes>(rows: &[Row8], particles: &[u32]) -> (Vec3x<L>, Turn<L>) {
    let [x, y, z, a, b, c, real, _] = L::columns(rows, particles);
    (Vec3x::new(x, y, z), Turn { imag: Vec3x::new(a, b, c), real })
}

/// Stretches (m) of tangential springs, and 1 for those that slid: see [`TangentialSpring::row`](super::TangentialSpring).
#[inline(always)]
pub(super) fn stretches<L: Lanes>(rows: &[Row8], index: &[u32]) -> (Vec3x<L>, L) {
    let (zero, [x, y, z, .., limit]) = (L::splat(0.0), L::columns(rows, index));
    (Vec3x::new(x, y, z), limit.pick_below(zero, L::splat(1.0), zero))
}

/// Rows of tangential springs of these stretches, depths (m), normals and friction limits (N); zero without a limit. Bits say which
/// of them `slides`.
#[inline(always)]
pub(super) fn spring_rows<L: Lanes>(stretch: Vec3x<L>, depth: L, n: Vec3x<L>, limit: L, slides: u32) -> L::Rows {
    let (zero, none) = (L::splat(0.0), Vec3x::splat(0.0));
    let (stretch, n, depth) = (pick(limit, stretch, none), pick(limit, n, none), zero.pick_below(limit, depth, zero));
    let sign = L::splat(1.0) - L::from_bits(slides) * L::splat(2.0);
    L::rows([stretch.x, stretch.y, stretch.z, depth, n.x, n.y, n.z, limit * sign])
}

/// The numbers of these registers.
#[inline(always)]
pub(super) fn stored<L: Lanes, const N: usize>(registers: [L; N]) -> [[f64; 8]; N] {
    let (mut columns, mut k) = ([[0.0; 8]; N], 0);
    while k < N {
        registers[k].store(&mut columns[k]);
        k += 1;
    }
    columns
}

/// Sum of the rotation vectors 2 Im(q conj(q_0)) of particles times their `arms` (m).
#[inline(always)]
pub(super) fn rolled<L: Lanes, const N: usize>(turns: &[Turn<L>; N], arms: [L; N]) -> Vec3x<L> {
    let two = L::splat(2.0);
    let (mut sum, mut k) = (turns[0].imag * (two * arms[0]), 1);
    while k < N {
        sum = turns[k].imag.mul_add(two * arms[k], sum);
        k += 1;
    }
    sum
}

/// Unit vectors of `branch` (m) of the length `l` (m). Coincident centres are separated along z.
#[inline(always)]
pub(super) fn unit<L: Lanes>(branch: Vec3x<L>, l: L) -> Vec3x<L> {
    let tiny = L::splat(f64::MIN_POSITIVE);
    let mut n = branch * (L::splat(1.0) / l.max(tiny));
    n.z = l.pick_below(tiny, L::splat(1.0), n.z);
    n
}

/// [`unit`] and the length (m) of `branch` (m), without roots and divisions.
#[inline(always)]
pub fn direction<L: Lanes>(branch: Vec3x<L>) -> (Vec3x<L>, L) {
    let tiny = L::splat(f64::MIN_POSITIVE);
    let square = branch.dot(branch);
    let inverse = square.max(tiny).inverse_sqrt();
    let mut n = branch * inverse;
    n.z = square.pick_below(tiny, L::splat(1.0), n.z);
    (n, square * inverse)
}

/// Lanes of `positive` where `sign` is, and of `other` elsewhere.
#[inline(always)]
pub(super) fn pick<L: Lanes>(sign: L, positive: Vec3x<L>, other: Vec3x<L>) -> Vec3x<L> {
    let zero = L::splat(0.0);
    Vec3x::new(
        zero.pick_below(sign, positive.x, other.x),
        zero.pick_below(sign, positive.y, other.y),
        zero.pick_below(sign, positive.z, other.z),
    )
}
