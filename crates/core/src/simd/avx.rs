use std::arch::x86_64::*;
use std::ops::Neg;

use super::Singles;
use super::operators::operators;

/// Eight lanes of AVX, single precision.
#[derive(Clone, Copy)]
pub(super) struct F32x8(__m256);

// SAFETY, here and below: lanes exist only on machines with their instructions, as `Singles` requires.
operators!(F32x8, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps);

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

impl Singles for F32x8 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        // SAFETY: eight numbers are there.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        // SAFETY: there is room for eight numbers.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn rounded(from: &[f64; 8]) -> Self {
        // SAFETY: twice four numbers are there.
        let half = |first: usize| unsafe { _mm256_cvtpd_ps(_mm256_loadu_pd(from[first..first + 4].as_ptr())) };
        Self(join(half(0), half(4)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn columns(rows: [&[f32; 8]; 8]) -> [Self; 8] {
        // SAFETY: four numbers are there.
        let half = |row: &[f32; 8], first: usize| unsafe { _mm_loadu_ps(row[first..first + 4].as_ptr()) };
        let both = |k: usize, first: usize| join(half(rows[k], first), half(rows[k + 4], first));
        let [a, b, c, d] = quarters([both(0, 0), both(1, 0), both(2, 0), both(3, 0)]);
        let [e, f, g, h] = quarters([both(0, 4), both(1, 4), both(2, 4), both(3, 4)]);
        [a, b, c, d, e, f, g, h].map(Self)
    }

    #[inline(always)]
    fn rows([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // rows k and k + 4 in the halves of register k
        let head = quarters([a.0, b.0, c.0, d.0]);
        let tail = quarters([e.0, f.0, g.0, h.0]);
        // SAFETY: see above.
        let low = |k: usize| Self(unsafe { _mm256_permute2f128_ps::<0x20>(head[k], tail[k]) });
        // SAFETY: see above.
        let high = |k: usize| Self(unsafe { _mm256_permute2f128_ps::<0x31>(head[k], tail[k]) });
        [low(0), low(1), low(2), low(3), high(0), high(1), high(2), high(3)]
    }
}

#[inline(always)]
fn join(low: __m128, high: __m128) -> __m256 {
    // SAFETY: see above.
    unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high) }
}

/// The transpose of 4x4 numbers in each half.
#[inline(always)]
fn quarters([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: see above.
    unsafe {
        let (low, low2) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (high, high2) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(low, low2),
            _mm256_shuffle_ps::<0xEE>(low, low2),
            _mm256_shuffle_ps::<0x44>(high, high2),
            _mm256_shuffle_ps::<0xEE>(high, high2),
        ]
    }
}
