//! Solid shapes: which points lie inside, how big they are.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::Vec3;

/// All points with `normal . x > offset` are free; the rest is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit vector into the free side.
    pub normal: Vec3,
    /// m.
    pub offset: f64,
}

/// A solid centred at the origin, with z as its axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    Box {
        /// Whole lengths of the sides, m.
        size: [f64; 3],
    },
    Sphere {
        /// m.
        radius: f64,
    },
    Cylinder {
        /// m.
        radius: f64,
        /// Along z, m.
        height: f64,
    },
}

/// A sphere may stick out of its shape by this share of its radius, so that rounding does not decide which ones fit.
const SLACK: f64 = 1e-9;

impl Shape {
    /// Distance (m) from `p` to the surface, negative inside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let half = self.half_extents();
        match *self {
            Self::Box { .. } => from_sides(p.abs() - half),
            Self::Sphere { radius } => p.norm() - radius,
            Self::Cylinder { radius, .. } => {
                from_sides(Vec3::new(p.x.hypot(p.y) - radius, p.z.abs() - half.z, f64::NEG_INFINITY))
            }
        }
    }

    /// Whether a whole sphere of `radius` (m) about `centre` lies inside.
    pub fn holds(&self, centre: &Vec3, radius: f64) -> bool {
        self.distance(centre) <= -radius * (1.0 - SLACK)
    }

    /// Half the sides of the smallest upright box around the shape, m.
    pub fn half_extents(&self) -> Vec3 {
        match *self {
            Self::Box { size } => Vec3::from(size) * 0.5,
            Self::Sphere { radius } => Vec3::repeat(radius),
            Self::Cylinder { radius, height } => Vec3::new(radius, radius, 0.5 * height),
        }
    }

    /// m3.
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { size: [x, y, z] } => x * y * z,
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Cylinder { radius, height } => PI * radius * radius * height,
        }
    }
}

/// Distance to a convex right-angled corner, from the distances to its sides.
fn from_sides(d: Vec3) -> f64 {
    d.sup(&Vec3::zeros()).norm() + d.max().min(0.0)
}
