use std::ops::{Add, Mul, Neg, Sub};

use nalgebra::Vector3;

use super::{Lanes, Number};

/// A 3-vector in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Vec3x<L> {
    /// First components.
    pub x: L,
    /// Second components.
    pub y: L,
    /// Third components.
    pub z: L,
}

/// Vectors of these particles, one a lane.
#[inline(always)]
pub(crate) fn vectors<L: Lanes>(of: &[Vector3<f64>], particles: &[u32]) -> Vec3x<L> {
    let [x, y, z] = L::triples(of, particles);
    Vec3x::new(x, y, z)
}

impl<L: Lanes> Vec3x<L> {
    /// The same value in all components and lanes.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        let value = L::splat(value);
        Self::new(value, value, value)
    }
}

impl<L: Number> Vec3x<L> {
    /// Vector of these components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> L {
        self.z.mul_add(b.z, self.y.mul_add(b.y, self.x * b.x))
    }

    /// Vector product.
    #[inline(always)]
    pub(crate) fn cross(self, b: Self) -> Self {
        Self::new(
            self.z.neg_mul_add(b.y, self.y * b.z),
            self.x.neg_mul_add(b.z, self.z * b.x),
            self.y.neg_mul_add(b.x, self.x * b.y),
        )
    }

    /// `self s + c`.
    #[inline(always)]
    pub(crate) fn mul_add(self, s: L, c: Self) -> Self {
        Self::new(self.x.mul_add(s, c.x), self.y.mul_add(s, c.y), self.z.mul_add(s, c.z))
    }

    /// `c - self s`.
    #[inline(always)]
    pub(crate) fn neg_mul_add(self, s: L, c: Self) -> Self {
        Self::new(self.x.neg_mul_add(s, c.x), self.y.neg_mul_add(s, c.y), self.z.neg_mul_add(s, c.z))
    }
}

impl From<&Vector3<f64>> for Vec3x<f64> {
    fn from(v: &Vector3<f64>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<Vec3x<f64>> for Vector3<f64> {
    fn from(v: Vec3x<f64>) -> Self {
        Self::new(v.x, v.y, v.z)
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
