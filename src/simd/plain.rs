use std::array::from_fn;
use std::ops::Neg;

use super::lanes::HIGH;
use super::operators::operators;
use super::{Lanes, Row, Singles};

/// One lane.
impl Lanes for f64 {
    const COUNT: usize = 1;

    type Singles = PlainSingles;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        from[0]
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[0] = self;
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    #[inline(always)]
    fn sign(self) -> Self {
        1f64.copysign(self)
    }

    #[inline(always)]
    fn halves(self) -> [Self; 2] {
        [f64::from_bits(self.to_bits() & HIGH), f64::from_bits(self.to_bits() << 32)]
    }

    #[inline(always)]
    fn not_below(self, limit: Self) -> u32 {
        u32::from(self >= limit || self.is_nan() || limit.is_nan())
    }

    #[inline(always)]
    fn columns(rows: &[Row], index: &[u32]) -> [Self; 8] {
        rows[index[0] as usize].0
    }

    type Rows = [f64; 8];

    #[inline(always)]
    fn rows(columns: [Self; 8]) -> [f64; 8] {
        columns
    }

    #[inline(always)]
    fn add_row(rows: &[f64; 8], _: usize, to: &mut Row) {
        for (to, value) in to.0.iter_mut().zip(rows) {
            *to += value;
        }
    }
}

/// Eight numbers of single precision in plain Rust.
#[derive(Clone, Copy)]
pub struct PlainSingles([f32; 8]);

#[inline(always)]
fn each(operation: impl Fn(f32, f32) -> f32) -> impl Fn([f32; 8], [f32; 8]) -> [f32; 8] {
    move |a, b| from_fn(|lane| operation(a[lane], b[lane]))
}

operators!(PlainSingles, each(|a, b| a + b), each(|a, b| a - b), each(|a, b| a * b), each(|a, b| a / b));

impl Neg for PlainSingles {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(f32::neg))
    }
}

impl Singles for PlainSingles {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 8])
    }

    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn rounded(from: &[f64; 8]) -> Self {
        Self(from.map(|value| value as f32))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn at_least(self, limit: Self) -> Self {
        Self(each(|a, limit| if a > limit { a } else { limit })(self.0, limit.0))
    }

    #[inline(always)]
    fn columns(rows: [&[f32; 8]; 8]) -> [Self; 8] {
        from_fn(|k| Self(rows.map(|row| row[k])))
    }

    #[inline(always)]
    fn rows(columns: [Self; 8]) -> [Self; 8] {
        from_fn(|lane| Self(columns.map(|column| column.0[lane])))
    }
}
