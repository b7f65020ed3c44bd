use std::arch::x86_64::*;
use std::ops::Neg;

use nalgebra::{Quaternion, Vector3};

use super::avx::F32x8;
use super::lanes::{HIGH, INVERSE_SQRT};
use super::operators::operators;
use super::{Lanes, Row8};

/// Four lanes of AVX2 with FMA.
#[derive(Clone, Copy)]
pub(super) struct F64x4(__m256d);

// SAFETY, here and below: lanes exist only on machines with their instructions, as `Lanes` requires.
operators!(F64x4, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd);

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }
}

impl Lanes for F64x4 {
    const COUNT: usize = 4;

    type Singles = F32x8;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_pd(value) })
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        assert!(from.len() >= 4);
        // SAFETY: four numbers are there.
        Self(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        assert!(to.len() >= 4);
        // SAFETY: there is room for four numbers.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn inverse_sqrt_estimate(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let half = _mm256_srli_epi64::<1>(_mm256_castpd_si256(self.0));
            _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(INVERSE_SQRT as i64), half))
        })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    fn sign(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_or_pd(_mm256_and_pd(_mm256_set1_pd(-0.0), self.0), _mm256_set1_pd(1.0)) })
    }

    #[inline(always)]
    fn halves(self) -> [Self; 2] {
        // SAFETY: see above.
        unsafe {
            let bits = _mm256_castpd_si256(self.0);
            let high = _mm256_and_si256(bits, _mm256_set1_epi64x(HIGH as i64));
            [Self(_mm256_castsi256_pd(high)), Self(_mm256_castsi256_pd(_mm256_slli_epi64::<32>(bits)))]
        }
    }

    #[inline(always)]
    fn with_halves(high: Self, low: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let rounded = |x: __m256d| {
                let bits = _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(1 << 31));
                _mm256_and_si256(bits, _mm256_set1_epi64x(HIGH as i64))
            };
            let low = _mm256_srli_epi64::<32>(rounded(low.0));
            Self(_mm256_castsi256_pd(_mm256_or_si256(rounded(high.0), low)))
        }
    }

    #[inline(always)]
    fn not_below(self, limit: Self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(self.0, limit.0)) as u32 }
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let places = _mm256_setr_epi64x(1, 2, 4, 8);
            let set = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), places), places);
            _mm256_and_pd(_mm256_castsi256_pd(set), _mm256_set1_pd(1.0))
        })
    }

    #[inline(always)]
    fn pick_below(self, limit: Self, below: Self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_blendv_pd(other.0, below.0, _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, limit.0)) })
    }

    #[inline(always)]
    fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8] {
        let index: &[u32; 4] = index[..4].try_into().expect("four indices");
        let [a, b, c, d] = half_columns::<0>(rows, index);
        let [e, f, g, h] = half_columns::<4>(rows, index);
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3] {
        let index: &[u32; 4] = index[..4].try_into().expect("four indices");
        let [x, y, z, _] =
            transpose([triple(rows, index[0]), triple(rows, index[1]), triple(rows, index[2]), triple(rows, index[3])]);
        [Self(x), Self(y), Self(z)]
    }

    #[inline(always)]
    fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4] {
        let index: &[u32; 4] = index[..4].try_into().expect("four indices");
        let [x, y, z, w] =
            transpose([quad(rows, index[0]), quad(rows, index[1]), quad(rows, index[2]), quad(rows, index[3])]);
        [Self(x), Self(y), Self(z), Self(w)]
    }

    type Rows = [[__m256d; 4]; 2];

    #[inline(always)]
    fn rows(c: [Self; 8]) -> [[__m256d; 4]; 2] {
        [transpose([c[0].0, c[1].0, c[2].0, c[3].0]), transpose([c[4].0, c[5].0, c[6].0, c[7].0])]
    }

    #[inline(always)]
    fn add_row([low, high]: &[[__m256d; 4]; 2], lane: usize, to: &mut Row8) {
        let to = to.0.as_mut_ptr();
        // SAFETY: half a row is 32 aligned bytes.
        unsafe {
            _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), low[lane]));
            _mm256_store_pd(to.add(4), _mm256_add_pd(_mm256_load_pd(to.add(4)), high[lane]));
        }
    }

    #[inline(always)]
    fn store_row([low, high]: &[[__m256d; 4]; 2], lane: usize, to: &mut Row8) {
        let to = to.0.as_mut_ptr();
        // SAFETY: half a row is 32 aligned bytes.
        unsafe {
            _mm256_store_pd(to, low[lane]);
            _mm256_store_pd(to.add(4), high[lane]);
        }
    }
}

#[inline(always)]
fn half_columns<const FIRST: usize>(rows: &[Row8], index: &[u32; 4]) -> [__m256d; 4] {
    transpose([
        load::<FIRST>(rows, index[0]),
        load::<FIRST>(rows, index[1]),
        load::<FIRST>(rows, index[2]),
        load::<FIRST>(rows, index[3]),
    ])
}

#[inline(always)]
fn load<const FIRST: usize>(rows: &[Row8], index: u32) -> __m256d {
    // SAFETY: half a row is 32 aligned bytes.
    unsafe { _mm256_load_pd(rows[index as usize].0[FIRST..].as_ptr()) }
}

/// A vector, with a zero in the last lane.
#[inline(always)]
fn triple(rows: &[Vector3<f64>], index: u32) -> __m256d {
    let from = rows[index as usize].as_slice().as_ptr();
    // SAFETY: three numbers are there, and no more are read.
    unsafe { _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0)) }
}

#[inline(always)]
fn quad(rows: &[Quaternion<f64>], index: u32) -> __m256d {
    // SAFETY: four numbers are there.
    unsafe { _mm256_loadu_pd(rows[index as usize].coords.as_slice().as_ptr()) }
}

/// The 4x4 transpose: pairs, then halves are exchanged.
#[inline(always)]
fn transpose(r: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: see above.
    unsafe {
        let (low, high) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
        let (low2, high2) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
        [
            _mm256_permute2f128_pd::<0x20>(low, low2),
            _mm256_permute2f128_pd::<0x20>(high, high2),
            _mm256_permute2f128_pd::<0x31>(low, low2),
            _mm256_permute2f128_pd::<0x31>(high, high2),
        ]
    }
}
