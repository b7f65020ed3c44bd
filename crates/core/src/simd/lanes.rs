use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use nalgebra::{Quaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::Singles;

/// Eight numbers of a particle or a bond: a row of one cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row8(pub [f64; 8]);

impl Row8 {
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; 8]);
}

/// Eight indices from `first` on.
#[inline(always)]
pub(crate) fn consecutive(first: u32) -> [u32; 8] {
    let (mut index, mut lane) = ([first; 8], 0);
    while lane < 8 {
        index[lane] += lane as u32;
        lane += 1;
    }
    index
}

/// Two numbers packed into one, with 20 binary digits each: see [`Lanes::halves`].
#[inline(always)]
pub(crate) fn two_halves(a: f64, b: f64) -> f64 {
    let rounded = |x: f64| x.to_bits().wrapping_add(1 << 31) & HIGH;
    f64::from_bits(rounded(a) | rounded(b) >> 32)
}

/// Estimate of 1/sqrt(x) in bits, less half of those of x: the constant of least relative error.
pub(super) const INVERSE_SQRT: u64 = 0x5FE6_EB50_C7B5_37A9;

/// Mask of the high half's bits.
pub(super) const HIGH: u64 = !0 << 32;

/// Arithmetic on a number, or on the lanes of a vector register.
///
/// Lanes of double precision round [`Self::mul_add`] once, on every machine. All other types round twice.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// `self b + c`. Not [`f64::mul_add`], which rounds once.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        c + self * b
    }

    /// `c - self b`.
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
    }
}

impl Number for f32 {}
impl Number for f64 {}

/// Vector register of `COUNT` numbers of double precision, one a bond.
///
/// The lanes of x86 instruction sets exist only where the machine has them: within the [`Kernel`](super::Kernel) that
/// [`InstructionSet::run`](super::InstructionSet::run) calls.
pub trait Lanes: Number {
    /// Number of lanes: 1, 4 or 8.
    const COUNT: usize;

    /// The register of eight numbers of single precision with the same instruction set.
    type Singles: Singles;

    /// The same number in all lanes.
    fn splat(value: f64) -> Self;

    /// The first `COUNT` numbers of a slice.
    fn load(from: &[f64]) -> Self;

    /// Writes the lanes to the start of a slice.
    fn store(self, to: &mut [f64]);

    /// Square roots.
    fn sqrt(self) -> Self;

    /// Estimates of the inverse square roots of positive normal numbers, within 3.5 %: the bits halved and subtracted from
    /// a constant.
    fn inverse_sqrt_estimate(self) -> Self;

    /// Inverse square roots of positive normal numbers, to two units in the last place. Faster than a root and a
    /// division, and with the same bits on every machine, which the processor's own estimates do not have.
    ///
    /// Both steps expand `y (1 - h)^(-1/2)` in h = 1 - x y^2: the first by the Chebyshev interpolant on |h| < 0.07, to
    /// 8e-7, the second by Taylor's, to rounding.
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        let (y, one) = (self.inverse_sqrt_estimate(), Self::splat(1.0));
        let h = (self * y).neg_mul_add(y, one);
        let series = Self::splat(0.3127979637332959).mul_add(h, Self::splat(0.3762781317606781));
        let series = series.mul_add(h, Self::splat(0.5000013188412373));
        let y = y * series.mul_add(h, Self::splat(0.9999992549709511));
        let h = (self * y).neg_mul_add(y, one);
        let series = Self::splat(0.375).mul_add(h, Self::splat(0.5));
        (y * h).mul_add(series, y)
    }

    /// Absolute values.
    fn abs(self) -> Self;

    /// 1 with the sign of each lane.
    fn sign(self) -> Self;

    /// The two numbers of `two_halves` in each lane.
    fn halves(self) -> [Self; 2];

    /// The inverse of [`Self::halves`]: `two_halves` of each lane.
    fn with_halves(high: Self, low: Self) -> Self;

    /// Bit mask of the lanes that are not below `limit`, lane 0 the lowest. NaN counts as not below.
    fn not_below(self, limit: Self) -> u32;

    /// 1 in the lanes whose bit is set, lane 0 the lowest, and 0 elsewhere.
    fn from_bits(bits: u32) -> Self;

    /// Lanes of `below` where `self` is below `limit`, and of `other` elsewhere. NaN counts as not below.
    fn pick_below(self, limit: Self, below: Self, other: Self) -> Self;

    /// Function of `x` that was computed lane by lane: its values, and its slopes for lanes with derivatives.
    #[inline(always)]
    fn function_of(_x: Self, value: Self, _slope: Self) -> Self {
        value
    }

    /// Function of 1 - cos(angle) that is computed lane by lane from `limit` on, and below is its `series`. `of` is its value and
    /// slope. It has a pole of order 1/2 at 2.
    #[cold]
    #[inline(never)]
    fn lane_by_lane(self, limit: f64, series: Self, of: impl Fn(f64) -> [f64; 2]) -> Self {
        let (mut at, mut value, mut slope) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        self.store(&mut at);
        series.store(&mut value);
        for lane in 0..Self::COUNT {
            if at[lane] >= limit {
                [value[lane], slope[lane]] = of(at[lane]);
            }
        }
        let exact = Self::function_of(self, Self::load(&value), Self::load(&slope));
        self.pick_below(Self::splat(limit), series, exact)
    }

    /// Sum of a base and a small change of it. [`Traced`](super::traced::Traced) numbers keep them apart.
    #[inline(always)]
    fn near(base: Self, change: Self) -> Self {
        base + change
    }

    /// The greater of two lanes; NaN where `self` is.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.pick_below(other, other, self)
    }

    /// The lesser of two lanes; NaN where `self` is.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        other.pick_below(self, other, self)
    }

    /// The first `COUNT` of eight rows as columns: entry k of row l becomes lane l of column k.
    fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8];

    /// The first `COUNT` of eight 3-vectors as columns.
    fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3];

    /// The first `COUNT` of eight quaternions as columns x, y, z, w.
    fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4];

    /// `COUNT` rows in registers.
    type Rows: Copy;

    /// The inverse of [`Self::columns`]: the rows whose columns these are.
    fn rows(columns: [Self; 8]) -> Self::Rows;

    /// Adds row `lane` of `rows` to another.
    fn add_row(rows: &Self::Rows, lane: usize, to: &mut Row8);

    /// Writes row `lane` of `rows`.
    fn store_row(rows: &Self::Rows, lane: usize, to: &mut Row8);
}
