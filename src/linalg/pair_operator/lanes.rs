//! Eight numbers that are worked on at once, in plain Rust and in AVX registers.
//!
//! Both round every operation in the same order (no fused multiply-add), so results have the same bits on any machine.

use crate::linalg::Vec6;
use crate::linalg::vector::LANES;

/// Eight `f32`.
pub trait Lanes: Copy {
    fn load(from: &[f32; LANES]) -> Self;
    fn zero() -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Component k of eight nodes, for each of the six.
    fn gather(rows: [&Vec6<f32>; LANES]) -> [Self; 6];
    /// Calls `row(k, six numbers of node k)` for each of eight nodes in turn: the way back from [`Self::gather`].
    fn to_rows(columns: [Self; 6]) -> [Row<Self>; LANES];
    /// `into += row`.
    fn add_row(row: Row<Self>, into: &mut Vec6<f32>);
}

/// A node's six numbers and two zeros.
#[derive(Clone, Copy)]
pub struct Row<L>(L);

/// Plain Rust.
#[derive(Clone, Copy)]
pub struct Plain([f32; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; LANES])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn gather(rows: [&Vec6<f32>; LANES]) -> [Self; 6] {
        std::array::from_fn(|k| Self(rows.map(|row| row.0[k])))
    }
    #[inline(always)]
    fn to_rows(columns: [Self; 6]) -> [Row<Self>; LANES] {
        std::array::from_fn(|lane| Row(Self(std::array::from_fn(|k| if k < 6 { columns[k].0[lane] } else { 0.0 }))))
    }
    #[inline(always)]
    fn add_row(row: Row<Self>, into: &mut Vec6<f32>) {
        (0..LANES).for_each(|lane| into.0[lane] += row.0.0[lane]);
    }
}

#[cfg(target_arch = "x86_64")]
pub use avx::Avx;

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::*;

    use super::{LANES, Lanes, Row, Vec6};

    /// An AVX register. To be used only in functions compiled for AVX, on machines that have it.
    #[derive(Clone, Copy)]
    pub struct Avx(__m256);

    /// Four numbers each of two rows in the two halves of a register.
    #[inline(always)]
    fn halves(low: &Vec6<f32>, high: &Vec6<f32>, first: usize) -> __m256 {
        let [low, high] = [low, high].map(|row| row.0[first..first + 4].as_ptr());
        // SAFETY: AVX is there (see `Avx`), and both pointers are to four numbers.
        unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high)) }
    }

    impl Lanes for Avx {
        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Self {
            // SAFETY: AVX is there (see `Avx`), and eight numbers are.
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }
        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: AVX is there (see `Avx`).
            Self(unsafe { _mm256_setzero_ps() })
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: AVX is there (see `Avx`).
            Self(unsafe { _mm256_add_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: AVX is there (see `Avx`).
            Self(unsafe { _mm256_sub_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: AVX is there (see `Avx`).
            Self(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn gather(rows: [&Vec6<f32>; LANES]) -> [Self; 6] {
            let head: [__m256; 4] = std::array::from_fn(|k| halves(rows[k], rows[k + 4], 0));
            let tail: [__m256; 4] = std::array::from_fn(|k| halves(rows[k], rows[k + 4], 4));
            // SAFETY: AVX is there (see `Avx`).
            unsafe {
                let (low_a, low_b) = (_mm256_unpacklo_ps(head[0], head[1]), _mm256_unpacklo_ps(head[2], head[3]));
                let (high_a, high_b) = (_mm256_unpackhi_ps(head[0], head[1]), _mm256_unpackhi_ps(head[2], head[3]));
                let (tail_a, tail_b) = (_mm256_unpacklo_ps(tail[0], tail[1]), _mm256_unpacklo_ps(tail[2], tail[3]));
                [
                    _mm256_shuffle_ps::<0x44>(low_a, low_b),
                    _mm256_shuffle_ps::<0xEE>(low_a, low_b),
                    _mm256_shuffle_ps::<0x44>(high_a, high_b),
                    _mm256_shuffle_ps::<0xEE>(high_a, high_b),
                    _mm256_shuffle_ps::<0x44>(tail_a, tail_b),
                    _mm256_shuffle_ps::<0xEE>(tail_a, tail_b),
                ]
                .map(Self)
            }
        }

        #[inline(always)]
        fn to_rows(columns: [Self; 6]) -> [Row<Self>; LANES] {
            let [a, b, c, d, e, f] = columns.map(|column| column.0);
            // SAFETY: AVX is there (see `Avx`).
            unsafe {
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                let (ef, ef_high) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
                let none = _mm256_setzero_ps();
                // rows k and k + 4 in the two halves
                let head = [
                    _mm256_shuffle_ps::<0x44>(ab, cd),
                    _mm256_shuffle_ps::<0xEE>(ab, cd),
                    _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
                    _mm256_shuffle_ps::<0xEE>(ab_high, cd_high),
                ];
                let tail = [
                    _mm256_shuffle_ps::<0x44>(ef, none),
                    _mm256_shuffle_ps::<0x4E>(ef, none),
                    _mm256_shuffle_ps::<0x44>(ef_high, none),
                    _mm256_shuffle_ps::<0x4E>(ef_high, none),
                ];
                let low = |k: usize| Row(Self(_mm256_permute2f128_ps::<0x20>(head[k], tail[k])));
                let high = |k: usize| Row(Self(_mm256_permute2f128_ps::<0x31>(head[k], tail[k])));
                [low(0), low(1), low(2), low(3), high(0), high(1), high(2), high(3)]
            }
        }

        #[inline(always)]
        fn add_row(row: Row<Self>, into: &mut Vec6<f32>) {
            // SAFETY: AVX is there (see `Avx`), and eight numbers are.
            unsafe {
                let sum = _mm256_add_ps(_mm256_loadu_ps(into.0.as_ptr()), row.0.0);
                _mm256_storeu_ps(into.0.as_mut_ptr(), sum);
            }
        }
    }
}
