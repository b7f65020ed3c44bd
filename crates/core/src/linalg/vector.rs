//! The six numbers of a node, and loops over slices of them.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use nalgebra::{Matrix3, Vector3};

use crate::parallel::{SERIAL_BELOW, for_each_chunk, sum_chunks, sum_chunks_of_two};

/// A floating-point number, `f32` or `f64`.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Zero.
    const ZERO: Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// The nearest number of this precision.
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Lanes of a padded 6-vector.
pub(super) const LANES: usize = 8;

/// `y += a x`, lane by lane: the inner loop of this module, which the compiler vectorizes.
#[inline(always)]
pub(super) fn add_scaled<T: Real>(y: &mut [T; LANES], a: T, x: &[T; LANES]) {
    for lane in 0..LANES {
        y[lane] += a * x[lane];
    }
}

/// Six numbers of a node: a translation, then a rotation vector times a length.
///
/// Two zeros pad it to one or two vector registers, so that no loop has a remainder.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec6<T>(pub(super) [T; LANES]);

impl<T: Real> Vec6<T> {
    /// Six zeros.
    pub const ZERO: Self = Self([T::ZERO; LANES]);

    /// The six numbers given.
    #[inline(always)]
    pub fn new([a, b, c, d, e, f]: [T; 6]) -> Self {
        Self([a, b, c, d, e, f, T::ZERO, T::ZERO])
    }

    /// The six numbers.
    #[inline(always)]
    pub fn to_array(&self) -> [T; 6] {
        let [a, b, c, d, e, f, ..] = self.0;
        [a, b, c, d, e, f]
    }

    /// The same numbers in another precision.
    #[inline(always)]
    pub fn cast<U: Real>(&self) -> Vec6<U> {
        Vec6(self.0.map(|value| U::from_f64(value.to_f64())))
    }
}

impl Vec6<f32> {
    /// Both halves rotated.
    #[inline(always)]
    pub(super) fn rotated(&self, rotation: &Matrix3<f32>) -> Self {
        let [a, b, c, d, e, f] = self.to_array();
        let (head, tail) = (rotation * Vector3::new(a, b, c), rotation * Vector3::new(d, e, f));
        Self::new([head.x, head.y, head.z, tail.x, tail.y, tail.z])
    }
}

impl<T> Index<usize> for Vec6<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, k: usize) -> &T {
        &self.0[..6][k]
    }
}

impl<T> IndexMut<usize> for Vec6<T> {
    #[inline(always)]
    fn index_mut(&mut self, k: usize) -> &mut T {
        &mut self.0[..6][k]
    }
}

/// `x . y`, summed in double precision.
pub fn dot<T: Real>(x: &[Vec6<T>], y: &[Vec6<T>]) -> f64 {
    assert_eq!(x.len(), y.len());
    sum_chunks(x.len(), SERIAL_BELOW, |nodes| {
        let mut sums = [0.0; LANES];
        for (x, y) in x[nodes.clone()].iter().zip(&y[nodes]) {
            (0..LANES).for_each(|lane| sums[lane] += x.0[lane].to_f64() * y.0[lane].to_f64());
        }
        sums.iter().sum()
    })
}

/// `|x|`, the 2-norm, summed in double precision.
pub fn norm<T: Real>(x: &[Vec6<T>]) -> f64 {
    dot(x, x).sqrt()
}

/// `x = a x`.
pub(crate) fn scale<T: Real>(a: f64, x: &mut [Vec6<T>]) {
    let a = T::from_f64(a);
    for_each_chunk(x, SERIAL_BELOW, |_, x| x.iter_mut().for_each(|x| x.0 = x.0.map(|value| a * value)));
}

/// `y += a x`.
pub fn axpy<T: Real>(a: f64, x: &[Vec6<T>], y: &mut [Vec6<T>]) {
    let a = T::from_f64(a);
    zip_apply(y, x, |y, x| add_scaled(&mut y.0, a, &x.0));
}

/// `x += a p`, `r -= a q`, and the new `|r|`, in one pass: an iteration of conjugate gradients.
pub fn advance<T: Real>(a: f64, [p, q]: [&[Vec6<T>]; 2], x: &mut [Vec6<T>], r: &mut [Vec6<T>]) -> f64 {
    assert_eq!([p.len(), q.len()], [x.len(), r.len()]);
    let a = T::from_f64(a);
    let squared = sum_chunks_of_two(x, r, SERIAL_BELOW, |first, x, r| {
        let mut sums = [0.0; LANES];
        for (((x, r), p), q) in x.iter_mut().zip(r).zip(&p[first..]).zip(&q[first..]) {
            add_scaled(&mut x.0, a, &p.0);
            add_scaled(&mut r.0, -a, &q.0);
            (0..LANES).for_each(|lane| sums[lane] += r.0[lane].to_f64() * r.0[lane].to_f64());
        }
        sums.iter().sum()
    });
    squared.sqrt()
}

/// `y = x + b y`.
pub fn xpay<T: Real>(x: &[Vec6<T>], b: f64, y: &mut [Vec6<T>]) {
    let b = T::from_f64(b);
    zip_apply(y, x, |y, x| (0..LANES).for_each(|lane| y.0[lane] = x.0[lane] + b * y.0[lane]));
}

/// `y = a x` in the precision of `y`. The product is in double precision, so that `a` may scale `x` into its range.
pub fn scale_into<T: Real, U: Real>(a: f64, x: &[Vec6<T>], y: &mut [Vec6<U>]) {
    zip_apply(y, x, |y, x| y.0 = x.0.map(|value| U::from_f64(a * value.to_f64())));
}

/// `work(y_i, x_i)` for every node `i`.
pub(crate) fn zip_apply<A: Send, B: Sync>(y: &mut [A], x: &[B], work: impl Fn(&mut A, &B) + Sync) {
    assert_eq!(x.len(), y.len());
    for_each_chunk(y, SERIAL_BELOW, |first, y| {
        let x = &x[first..first + y.len()];
        y.iter_mut().zip(x).for_each(|(y, x)| work(y, x));
    });
}
