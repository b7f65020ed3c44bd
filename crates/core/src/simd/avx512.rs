use std::arch::x86_64::*;
use std::ops::Neg;

use nalgebra::{Quaternion, Vector3};

use super::avx::F32x8;
use super::lanes::{HIGH, INVERSE_SQRT};
use super::operators::operators;
use super::{Lanes, Row8};

/// Eight lanes of AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct F64x8(__m512d);

// SAFETY, here and below: lanes exist only on machines with their instructions, as `Lanes` requires.
operators!(F64x8, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd);

impl Neg for F64x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            // AVX-512F has exclusive or for integers only
            _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(self.0), _mm512_set1_epi64(i64::MIN)))
        })
    }
}

impl Lanes for F64x8 {
    const COUNT: usize = 8;

    /// Half a register: AVX-512 has twice as many registers.
    type Singles = F32x8;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        assert!(from.len() >= 8);
        // SAFETY: eight numbers are there.
        Self(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        assert!(to.len() >= 8);
        // SAFETY: there is room for eight numbers.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn inverse_sqrt_estimate(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let half = _mm512_srli_epi64::<1>(_mm512_castpd_si512(self.0));
            _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(INVERSE_SQRT as i64), half))
        })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }

    #[inline(always)]
    fn sign(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let sign = _mm512_and_si512(_mm512_castpd_si512(self.0), _mm512_set1_epi64(i64::MIN));
            _mm512_castsi512_pd(_mm512_or_si512(sign, _mm512_castpd_si512(_mm512_set1_pd(1.0))))
        })
    }

    #[inline(always)]
    fn halves(self) -> [Self; 2] {
        // SAFETY: see above.
        unsafe {
            let bits = _mm512_castpd_si512(self.0);
            let high = _mm512_and_si512(bits, _mm512_set1_epi64(HIGH as i64));
            [Self(_mm512_castsi512_pd(high)), Self(_mm512_castsi512_pd(_mm512_slli_epi64::<32>(bits)))]
        }
    }

    #[inline(always)]
    fn with_halves(high: Self, low: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let rounded = |x: __m512d| {
                let bits = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(1 << 31));
                _mm512_and_si512(bits, _mm512_set1_epi64(HIGH as i64))
            };
            let low = _mm512_srli_epi64::<32>(rounded(low.0));
            Self(_mm512_castsi512_pd(_mm512_or_si512(rounded(high.0), low)))
        }
    }

    #[inline(always)]
    fn not_below(self, limit: Self) -> u32 {
        // SAFETY: see above.
        u32::from(unsafe { _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(self.0, limit.0) })
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_mov_pd(bits as u8, _mm512_set1_pd(1.0)) })
    }

    #[inline(always)]
    fn pick_below(self, limit: Self, below: Self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, limit.0), other.0, below.0) })
    }

    #[inline(always)]
    fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8] {
        let index: &[u32; 8] = index[..8].try_into().expect("eight indices");
        let [a, b, c, d, e, f, g, h] = transpose([
            load(rows, index[0]),
            load(rows, index[1]),
            load(rows, index[2]),
            load(rows, index[3]),
            load(rows, index[4]),
            load(rows, index[5]),
            load(rows, index[6]),
            load(rows, index[7]),
        ]);
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
    }

    #[inline(always)]
    fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3] {
        let index: &[u32; 8] = index[..8].try_into().expect("eight indices");
        let [x, y, z, _] = half_transpose([
            triple(rows, index[0]),
            triple(rows, index[1]),
            triple(rows, index[2]),
            triple(rows, index[3]),
            triple(rows, index[4]),
            triple(rows, index[5]),
            triple(rows, index[6]),
            triple(rows, index[7]),
        ]);
        [Self(x), Self(y), Self(z)]
    }

    #[inline(always)]
    fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4] {
        let index: &[u32; 8] = index[..8].try_into().expect("eight indices");
        let [x, y, z, w] = half_transpose([
            quad(rows, index[0]),
            quad(rows, index[1]),
            quad(rows, index[2]),
            quad(rows, index[3]),
            quad(rows, index[4]),
            quad(rows, index[5]),
            quad(rows, index[6]),
            quad(rows, index[7]),
        ]);
        [Self(x), Self(y), Self(z), Self(w)]
    }

    type Rows = [__m512d; 8];

    #[inline(always)]
    fn rows(c: [Self; 8]) -> [__m512d; 8] {
        transpose([c[0].0, c[1].0, c[2].0, c[3].0, c[4].0, c[5].0, c[6].0, c[7].0])
    }

    #[inline(always)]
    fn add_row(rows: &[__m512d; 8], lane: usize, to: &mut Row8) {
        let to = to.0.as_mut_ptr();
        // SAFETY: a row is 64 aligned bytes.
        unsafe { _mm512_store_pd(to, _mm512_add_pd(_mm512_load_pd(to), rows[lane])) };
    }

    #[inline(always)]
    fn store_row(rows: &[__m512d; 8], lane: usize, to: &mut Row8) {
        // SAFETY: a row is 64 aligned bytes.
        unsafe { _mm512_store_pd(to.0.as_mut_ptr(), rows[lane]) };
    }
}

#[inline(always)]
fn load(rows: &[Row8], index: u32) -> __m512d {
    // SAFETY: a row is 64 aligned bytes.
    unsafe { _mm512_load_pd(rows[index as usize].0.as_ptr()) }
}

/// A vector, with a zero in the last lane.
#[inline(always)]
fn triple(rows: &[Vector3<f64>], index: u32) -> __m256d {
    let from = rows[index as usize].as_slice().as_ptr();
    // SAFETY: three numbers are there, and no more are read.
    unsafe { _mm256_maskz_loadu_pd(0b111, from) }
}

#[inline(always)]
fn quad(rows: &[Quaternion<f64>], index: u32) -> __m256d {
    // SAFETY: four numbers are there.
    unsafe { _mm256_loadu_pd(rows[index as usize].coords.as_slice().as_ptr()) }
}

/// The 8x4 transpose: pairs, then quarters are exchanged.
#[inline(always)]
fn half_transpose(r: [__m256d; 8]) -> [__m512d; 4] {
    // SAFETY: see above.
    unsafe {
        let a = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(r[0]), r[2]);
        let b = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(r[1]), r[3]);
        let c = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(r[4]), r[6]);
        let d = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(r[5]), r[7]);
        let (x, y) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let (x2, y2) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
        [
            _mm512_shuffle_f64x2::<EVEN>(x, x2),
            _mm512_shuffle_f64x2::<EVEN>(y, y2),
            _mm512_shuffle_f64x2::<ODD>(x, x2),
            _mm512_shuffle_f64x2::<ODD>(y, y2),
        ]
    }
}

/// Every second quarter of two registers.
const EVEN: i32 = 0b10_00_10_00;
const ODD: i32 = 0b11_01_11_01;

/// The 8x8 transpose: pairs, then quarters, then halves are exchanged.
#[inline(always)]
fn transpose(r: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: see above.
    unsafe {
        let [a, c, e, g] = quarters([
            _mm512_unpacklo_pd(r[0], r[1]),
            _mm512_unpacklo_pd(r[2], r[3]),
            _mm512_unpacklo_pd(r[4], r[5]),
            _mm512_unpacklo_pd(r[6], r[7]),
        ]);
        let [b, d, f, h] = quarters([
            _mm512_unpackhi_pd(r[0], r[1]),
            _mm512_unpackhi_pd(r[2], r[3]),
            _mm512_unpackhi_pd(r[4], r[5]),
            _mm512_unpackhi_pd(r[6], r[7]),
        ]);
        [a, b, c, d, e, f, g, h]
    }
}

/// The 4x4 transpose of quarters.
#[inline(always)]
fn quarters(t: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: see above.
    unsafe {
        let (a, b) = (_mm512_shuffle_f64x2::<EVEN>(t[0], t[1]), _mm512_shuffle_f64x2::<ODD>(t[0], t[1]));
        let (c, d) = (_mm512_shuffle_f64x2::<EVEN>(t[2], t[3]), _mm512_shuffle_f64x2::<ODD>(t[2], t[3]));
        [
            _mm512_shuffle_f64x2::<EVEN>(a, c),
            _mm512_shuffle_f64x2::<EVEN>(b, d),
            _mm512_shuffle_f64x2::<ODD>(a, c),
            _mm512_shuffle_f64x2::<ODD>(b, d),
        ]
    }
}
