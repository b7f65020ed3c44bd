//! One 6x6 block.

use std::ops::{AddAssign, Index, IndexMut};

use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

use super::vector::{LANES, Real, Vec6, add_scaled};

/// A 6x6 block, column-major, each column padded with two zeros to eight lanes: 192 bytes in `f32`, three cache lines.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block<T>(pub(in crate::linalg) [[T; LANES]; 6]);

impl<T: Real> Block<T> {
    /// 36 zeros.
    pub(crate) const ZERO: Self = Self([[T::ZERO; LANES]; 6]);

    /// The block whose entries are `entry(row, column)`.
    #[inline(always)]
    pub fn from_fn(entry: impl Fn(usize, usize) -> T) -> Self {
        let mut block = Self::ZERO;
        for column in 0..6 {
            for row in 0..6 {
                block.0[column][row] = entry(row, column);
            }
        }
        block
    }

    /// `value` times the identity.
    pub fn diagonal(value: T) -> Self {
        Self::from_fn(|row, column| if row == column { value } else { T::ZERO })
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        Self::from_fn(|row, column| self.0[row][column])
    }

    /// The same block in another precision.
    pub(crate) fn cast<U: Real>(&self) -> Block<U> {
        self.map(|value| U::from_f64(value.to_f64()))
    }

    /// The block of `change(entry)`, padding included.
    #[inline(always)]
    fn map<U: Real>(&self, change: impl Fn(T) -> U) -> Block<U> {
        let mut block = Block::ZERO;
        for (new, old) in block.0.iter_mut().zip(&self.0) {
            new.iter_mut().zip(old).for_each(|(new, &old)| *new = change(old));
        }
        block
    }

    /// Its six columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = [T; 6]> + '_ {
        self.0.iter().map(|&[a, b, c, d, e, f, ..]| [a, b, c, d, e, f])
    }

    /// The block as a dense matrix.
    pub fn to_matrix(&self) -> Matrix6<f64> {
        Matrix6::from_fn(|row, column| self[(row, column)].to_f64())
    }

    /// The sum of the squares of the entries.
    pub(crate) fn norm_squared(&self) -> f64 {
        let mut sums = [0.0; LANES];
        for column in &self.0 {
            sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += value.to_f64() * value.to_f64());
        }
        sums.iter().sum()
    }

    /// `self x`. Not inlined: in a loop over nodes the compiler would vectorize over four nodes and gather their
    /// entries.
    #[inline(never)]
    pub fn times(&self, x: &Vec6<T>) -> Vec6<T> {
        let mut y = Vec6::ZERO;
        for k in 0..6 {
            add_scaled(&mut y.0, x.0[k], &self.0[k]);
        }
        y
    }

    /// `self += a b`.
    #[inline(always)]
    pub fn add_product(&mut self, a: &Self, b: &Self) {
        for (mine, b) in self.0.iter_mut().zip(&b.0) {
            let mut sum = *mine;
            for (a, &b) in a.0.iter().zip(b) {
                add_scaled(&mut sum, b, a);
            }
            *mine = sum;
        }
    }

    /// Adds `scale` times a column of another block to one of this.
    #[inline(always)]
    pub(super) fn add_column(&mut self, to: usize, scale: T, other: &Self, from: usize) {
        add_scaled(&mut self.0[to], scale, &other.0[from]);
    }

    /// `self += scale other`.
    #[inline(always)]
    pub(crate) fn add_scaled(&mut self, scale: T, other: &Self) {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            add_scaled(mine, scale, other);
        }
    }
}

impl Block<f64> {
    /// The inverse of a symmetric positive definite block, or `None` if it is numerically indefinite.
    ///
    /// Gauss-Jordan without pivoting: the pivots are those of Cholesky, and the loops are over whole padded columns.
    pub(super) fn inverse(&self) -> Option<Self> {
        /// Smallest pivot, relative to its diagonal entry, above rounding.
        const MIN_PIVOT: f64 = 1e-12;
        let mut a = *self;
        for k in 0..6 {
            let pivot_column = a.0[k];
            let pivot = pivot_column[k];
            if !(pivot > MIN_PIVOT * self.0[k][k] && pivot.is_finite()) {
                return None;
            }
            let inverse = 1.0 / pivot;
            for column in &mut a.0 {
                let factor = column[k] * inverse;
                add_scaled(column, -factor, &pivot_column);
                column[k] = factor;
            }
            a.0[k] = pivot_column.map(|value| -value * inverse);
            a.0[k][k] = inverse;
        }
        Some(a)
    }

    /// A positive definite block in another precision, with entries below rounding of its trace set to zero.
    ///
    /// Products of rounding errors may be subnormal in `f32` (below 1e-38), and a hundred times slower to calculate
    /// with.
    pub(super) fn cast_without_rounding<U: Real>(&self) -> Block<U> {
        /// Rounding of the trace.
        const ROUNDING: f64 = 1e-14;
        let limit = ROUNDING * (0..6).map(|k| self.0[k][k]).sum::<f64>();
        self.map(|value| U::from_f64(if value.abs() < limit { 0.0 } else { value }))
    }
}

impl<T: Real> Default for Block<T> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<T: Real> From<&Matrix6<f64>> for Block<T> {
    fn from(matrix: &Matrix6<f64>) -> Self {
        Self::from_fn(|row, column| T::from_f64(matrix[(row, column)]))
    }
}

impl<T: Real> AddAssign<&Block<T>> for Block<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: &Block<T>) {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            for lane in 0..LANES {
                mine[lane] += other[lane];
            }
        }
    }
}

impl<T> Index<(usize, usize)> for Block<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.0[column][..6][row]
    }
}

impl<T> IndexMut<(usize, usize)> for Block<T> {
    #[inline(always)]
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        &mut self.0[column][..6][row]
    }
}
