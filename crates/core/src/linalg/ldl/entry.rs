use std::ops::{AddAssign, Mul, SubAssign};

use crate::geometry::{Mat3, Vec3};

/// Entry of a matrix whose unknowns are 3-vectors: a number stands for that times the identity.
pub trait Entry: Copy + AddAssign + SubAssign + Mul<Output = Self> {
    /// Zero.
    fn zero() -> Self;
    /// Transpose.
    #[must_use]
    fn transposed(&self) -> Self;
    /// Inverse. None where there is none, or it is not finite.
    fn inverse(&self) -> Option<Self>;
    /// Product with a vector.
    fn times(&self, x: &Vec3) -> Vec3;
}

impl Entry for f64 {
    fn zero() -> Self {
        0.0
    }

    fn transposed(&self) -> Self {
        *self
    }

    fn inverse(&self) -> Option<Self> {
        Some(1.0 / self).filter(|inverse| inverse.is_finite() && *self != 0.0)
    }

    fn times(&self, x: &Vec3) -> Vec3 {
        x * *self
    }
}

impl Entry for Mat3 {
    fn zero() -> Self {
        Self::zeros()
    }

    fn transposed(&self) -> Self {
        self.transpose()
    }

    fn inverse(&self) -> Option<Self> {
        self.try_inverse().filter(|inverse| inverse.iter().all(|x| x.is_finite()))
    }

    fn times(&self, x: &Vec3) -> Vec3 {
        self * x
    }
}
