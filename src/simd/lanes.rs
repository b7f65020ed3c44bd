use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::Singles;

/// Eight numbers of a particle or a bond: one cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row(pub [f64; 8]);

impl Row {
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; 8]);
}

/// Two numbers in the room of one, with 20 binary digits each: see [`Lanes::halves`].
#[inline(always)]
pub fn two_halves(a: f64, b: f64) -> f64 {
    let rounded = |x: f64| x.to_bits().wrapping_add(1 << 31) & HIGH;
    f64::from_bits(rounded(a) | rounded(b) >> 32)
}

/// The bits of a number that its high half has.
pub(super) const HIGH: u64 = !0 << 32;

/// What can be reckoned with: a number, or several at once.
///
/// Lanes of double precision round a product and its sum once, on every machine; all others round each.
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
    /// `self + b c`.
    #[inline(always)]
    fn plus_times(self, b: Self, c: Self) -> Self {
        self + b * c
    }

    /// `self - b c`.
    #[inline(always)]
    fn minus_times(self, b: Self, c: Self) -> Self {
        self - b * c
    }
}

impl Number for f32 {}
impl Number for f64 {}

/// `COUNT` numbers of double precision that are worked on at once, one of each of as many bonds.
///
/// The lanes of x86 instruction sets may be used only where the machine has them: within what [`dispatch`](crate::dispatch)
/// compiles for their [`Level`](super::Level).
pub trait Lanes: Number {
    /// How many: 1, 4 or 8.
    const COUNT: usize;

    /// Eight numbers of single precision of the same instruction set.
    type Singles: Singles;

    /// The same number in all lanes.
    fn splat(value: f64) -> Self;

    /// The first `COUNT` numbers of a slice.
    fn load(from: &[f64]) -> Self;

    /// Writes the lanes to the start of a slice.
    fn store(self, to: &mut [f64]);

    /// Square roots.
    fn sqrt(self) -> Self;

    /// Absolute values.
    fn abs(self) -> Self;

    /// 1 with the sign of each lane.
    fn sign(self) -> Self;

    /// The two numbers that [`two_halves`] put into each lane.
    fn halves(self) -> [Self; 2];

    /// A bit for each lane that is not below `limit`: lane 0 is the lowest. A lane that is not a number counts.
    fn not_below(self, limit: Self) -> u32;

    /// The first `COUNT` of eight rows as columns: entry k of row l becomes lane l of column k.
    fn columns(rows: &[Row], index: &[u32]) -> [Self; 8];

    /// `COUNT` rows in registers.
    type Rows: Copy;

    /// The inverse of [`Self::columns`]: the rows whose columns these are.
    fn rows(columns: [Self; 8]) -> Self::Rows;

    /// Adds row `lane` of `rows` to another.
    fn add_row(rows: &Self::Rows, lane: usize, to: &mut Row);
}
