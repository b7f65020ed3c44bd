use std::array::from_fn;
use std::ops::Neg;

use nalgebra::{Quaternion, Vector3};

use super::lanes::{HIGH, INVERSE_SQRT, two_halves};
use super::operators::operators;
use super::{Lanes, Row8, Singles};

/// One lane in plain Rust.
#[derive(Clone, Copy)]
pub(crate) struct F64x1(f64);

operators!(
    F64x1,
    |a: f64, b: f64| a + b,
    |a: f64, b: f64| a - b,
    |a: f64, b: f64| a * b,
    |a: f64, b: f64| a / b,
    fused,
    |a: f64, b: f64, c: f64| fused(-a, b, c)
);

/// `a b + c`, rounded once.
#[inline(always)]
fn fused(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        // slow but exact; the system's libraries are not on every machine
        libm::fma(a, b, c)
    }
}

impl Neg for F64x1 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// Implements [`Lanes`] for a type of one lane: `wrap` constructs it, `number` reads it.
macro_rules! one_lane {
    ($type:ty, $wrap:expr, $number:expr) => {
        impl Lanes for $type {
            const COUNT: usize = 1;

            type Singles = PlainSingles;

            #[inline(always)]
            fn splat(value: f64) -> Self {
                $wrap(value)
            }

            #[inline(always)]
            fn load(from: &[f64]) -> Self {
                $wrap(from[0])
            }

            #[inline(always)]
            fn store(self, to: &mut [f64]) {
                to[0] = $number(self);
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                $wrap(f64::sqrt($number(self)))
            }

            #[inline(always)]
            fn inverse_sqrt_estimate(self) -> Self {
                $wrap(f64::from_bits(INVERSE_SQRT.wrapping_sub($number(self).to_bits() >> 1)))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                $wrap(f64::abs($number(self)))
            }

            #[inline(always)]
            fn sign(self) -> Self {
                $wrap(1f64.copysign($number(self)))
            }

            #[inline(always)]
            fn halves(self) -> [Self; 2] {
                let bits = $number(self).to_bits();
                [bits & HIGH, bits << 32].map(|half| $wrap(f64::from_bits(half)))
            }

            #[inline(always)]
            fn with_halves(high: Self, low: Self) -> Self {
                $wrap(two_halves($number(high), $number(low)))
            }

            #[inline(always)]
            fn not_below(self, limit: Self) -> u32 {
                let (value, limit) = ($number(self), $number(limit));
                u32::from(value >= limit || value.is_nan() || limit.is_nan())
            }

            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                $wrap(f64::from(bits & 1))
            }

            #[inline(always)]
            fn pick_below(self, limit: Self, below: Self, other: Self) -> Self {
                if $number(self) < $number(limit) { below } else { other }
            }

            #[inline(always)]
            fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8] {
                rows[index[0] as usize].0.map($wrap)
            }

            #[inline(always)]
            fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3] {
                let row = &rows[index[0] as usize];
                [row.x, row.y, row.z].map($wrap)
            }

            #[inline(always)]
            fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4] {
                let row = &rows[index[0] as usize].coords;
                [row.x, row.y, row.z, row.w].map($wrap)
            }

            type Rows = [Self; 8];

            #[inline(always)]
            fn rows(columns: [Self; 8]) -> [Self; 8] {
                columns
            }

            #[inline(always)]
            fn add_row(rows: &[Self; 8], _: usize, to: &mut Row8) {
                for (to, value) in to.0.iter_mut().zip(rows) {
                    *to += $number(*value);
                }
            }

            #[inline(always)]
            fn store_row(rows: &[Self; 8], _: usize, to: &mut Row8) {
                to.0 = rows.map($number);
            }
        }
    };
}

one_lane!(F64x1, Self, |lane: Self| lane.0);
// one bond at a time
one_lane!(f64, |value: f64| value, |value: f64| value);

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
    fn max(self, other: Self) -> Self {
        Self(each(|a, limit| if a > limit { a } else { limit })(self.0, other.0))
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
