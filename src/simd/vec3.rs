use std::ops::{Add, Mul, Neg, Sub};

use super::{Lanes, Number};

/// A 3-vector in each lane.
#[derive(Clone, Copy)]
pub struct Vec3x<L> {
    pub x: L,
    pub y: L,
    pub z: L,
}

impl<L: Lanes> Vec3x<L> {
    /// The same number for all.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        let value = L::splat(value);
        Self::new(value, value, value)
    }
}

impl<L: Number> Vec3x<L> {
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub fn dot(self, b: Self) -> L {
        (self.x * b.x).plus_times(self.y, b.y).plus_times(self.z, b.z)
    }

    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self::new(
            (self.y * b.z).minus_times(self.z, b.y),
            (self.z * b.x).minus_times(self.x, b.z),
            (self.x * b.y).minus_times(self.y, b.x),
        )
    }

    /// `self + b s`.
    #[inline(always)]
    pub fn plus_times(self, b: Self, s: L) -> Self {
        Self::new(self.x.plus_times(b.x, s), self.y.plus_times(b.y, s), self.z.plus_times(b.z, s))
    }

    /// `self - b s`.
    #[inline(always)]
    pub fn minus_times(self, b: Self, s: L) -> Self {
        Self::new(self.x.minus_times(b.x, s), self.y.minus_times(b.y, s), self.z.minus_times(b.z, s))
    }
}

impl<L: Number> Add for Vec3x<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<L: Number> Sub for Vec3x<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<L: Number> Neg for Vec3x<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<L: Number> Mul<L> for Vec3x<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: L) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}
