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
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self::new(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
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
