use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use nalgebra::{Quaternion, Vector3};

use super::{Lanes, Number, Row8};

/// Numbers in lanes, and their derivatives along one direction: forward differentiation of a kernel.
///
/// Rows and other tables that a kernel reads hold the values first, and then as many derivatives. Tables of constants, which
/// [`Lanes::load`] reads, have no derivatives. Rows that a kernel adds to get the derivatives.
#[derive(Clone, Copy)]
pub(crate) struct Tangent<L> {
    value: L,
    tangent: L,
}

impl<L: Lanes> Tangent<L> {
    #[inline(always)]
    fn constant(value: L) -> Self {
        Self { value, tangent: L::splat(0.0) }
    }

    /// Function of `self` with this value and slope there.
    #[inline(always)]
    fn function(self, value: L, slope: L) -> Self {
        Self { value, tangent: slope * self.tangent }
    }
}

impl Tangent<f64> {
    /// The derivative.
    pub(crate) fn tangent(self) -> f64 {
        self.tangent
    }
}

impl<L: Lanes> Add for Tangent<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { value: self.value + b.value, tangent: self.tangent + b.tangent }
    }
}

impl<L: Lanes> Sub for Tangent<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { value: self.value - b.value, tangent: self.tangent - b.tangent }
    }
}

impl<L: Lanes> Mul for Tangent<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { value: self.value * b.value, tangent: self.value.mul_add(b.tangent, self.tangent * b.value) }
    }
}

impl<L: Lanes> Div for Tangent<L> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let inverse = L::splat(1.0) / b.value;
        let value = self.value * inverse;
        Self { value, tangent: value.neg_mul_add(b.tangent, self.tangent) * inverse }
    }
}

impl<L: Lanes> Neg for Tangent<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, tangent: -self.tangent }
    }
}

impl<L: Lanes> AddAssign for Tangent<L> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<L: Lanes> SubAssign for Tangent<L> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl<L: Lanes> Number for Tangent<L> {
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self {
            value: self.value.mul_add(b.value, c.value),
            tangent: self.value.mul_add(b.tangent, self.tangent.mul_add(b.value, c.tangent)),
        }
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self {
            value: self.value.neg_mul_add(b.value, c.value),
            tangent: self.value.neg_mul_add(b.tangent, self.tangent.neg_mul_add(b.value, c.tangent)),
        }
    }
}

impl<L: Lanes> Lanes for Tangent<L> {
    const COUNT: usize = L::COUNT;

    type Singles = L::Singles;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::constant(L::splat(value))
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        Self::constant(L::load(from))
    }

    /// Values alone.
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        self.value.store(to);
    }

    /// Those of zero have no slope.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let (value, tiny) = (self.value.sqrt(), L::splat(f64::MIN_POSITIVE));
        let slope = L::splat(0.5) / value.max(tiny);
        self.function(value, self.value.pick_below(tiny, L::splat(0.0), slope))
    }

    #[inline(always)]
    fn inverse_sqrt_estimate(self) -> Self {
        Self::constant(self.value.inverse_sqrt_estimate())
    }

    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        let value = self.value.inverse_sqrt();
        self.function(value, L::splat(-0.5) * value * value * value)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.function(self.value.abs(), self.value.sign())
    }

    #[inline(always)]
    fn sign(self) -> Self {
        Self::constant(self.value.sign())
    }

    #[inline(always)]
    fn halves(self) -> [Self; 2] {
        let [high, low] = self.value.halves();
        [Self::constant(high), Self::constant(low)]
    }

    #[inline(always)]
    fn with_halves(high: Self, low: Self) -> Self {
        Self::constant(L::with_halves(high.value, low.value))
    }

    #[inline(always)]
    fn not_below(self, limit: Self) -> u32 {
        self.value.not_below(limit.value)
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Self::constant(L::from_bits(bits))
    }

    #[inline(always)]
    fn pick_below(self, limit: Self, below: Self, other: Self) -> Self {
        Self {
            value: self.value.pick_below(limit.value, below.value, other.value),
            tangent: self.value.pick_below(limit.value, below.tangent, other.tangent),
        }
    }

    #[inline(always)]
    fn function_of(x: Self, value: Self, slope: Self) -> Self {
        x.function(value.value, slope.value)
    }

    #[inline(always)]
    fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8] {
        let (values, tangents) = rows.split_at(rows.len() / 2);
        let [a, b, c, d, e, f, g, h] = L::columns(values, index);
        let [s, t, u, v, w, x, y, z] = L::columns(tangents, index);
        [
            Self { value: a, tangent: s },
            Self { value: b, tangent: t },
            Self { value: c, tangent: u },
            Self { value: d, tangent: v },
            Self { value: e, tangent: w },
            Self { value: f, tangent: x },
            Self { value: g, tangent: y },
            Self { value: h, tangent: z },
        ]
    }

    #[inline(always)]
    fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3] {
        let (values, tangents) = rows.split_at(rows.len() / 2);
        let [a, b, c] = L::triples(values, index);
        let [s, t, u] = L::triples(tangents, index);
        [Self { value: a, tangent: s }, Self { value: b, tangent: t }, Self { value: c, tangent: u }]
    }

    #[inline(always)]
    fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4] {
        let (values, tangents) = rows.split_at(rows.len() / 2);
        let [a, b, c, d] = L::quads(values, index);
        let [s, t, u, v] = L::quads(tangents, index);
        [
            Self { value: a, tangent: s },
            Self { value: b, tangent: t },
            Self { value: c, tangent: u },
            Self { value: d, tangent: v },
        ]
    }

    type Rows = L::Rows;

    /// Of the derivatives.
    #[inline(always)]
    fn rows([a, b, c, d, e, f, g, h]: [Self; 8]) -> L::Rows {
        L::rows([a.tangent, b.tangent, c.tangent, d.tangent, e.tangent, f.tangent, g.tangent, h.tangent])
    }

    #[inline(always)]
    fn add_row(rows: &L::Rows, lane: usize, to: &mut Row8) {
        L::add_row(rows, lane, to);
    }

    #[inline(always)]
    fn store_row(rows: &L::Rows, lane: usize, to: &mut Row8) {
        L::store_row(rows, lane, to);
    }
}
