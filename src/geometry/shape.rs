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
    Ellipsoid {
        /// Half axes along x, y and z, m.
        radii: [f64; 3],
    },
    Cylinder {
        /// m.
        radius: f64,
        /// Along z, m.
        height: f64,
    },
    /// A cylinder with a bore.
    Tube {
        /// m.
        radius: f64,
        /// Of the bore, m.
        inner_radius: f64,
        /// Along z, m.
        height: f64,
    },
    /// A cone that stands on its base, or a frustum.
    Cone {
        /// Of the base, m.
        radius: f64,
        /// Of the top, m.
        #[serde(default)]
        top_radius: f64,
        /// Along z, m.
        height: f64,
    },
    /// A cylinder with half spheres for ends.
    Capsule {
        /// m.
        radius: f64,
        /// Along z, ends and all, m.
        height: f64,
    },
    /// A ring about z.
    Torus {
        /// Of the circle in the middle of the tube, m.
        radius: f64,
        /// Of the tube, m.
        tube_radius: f64,
    },
}

/// A sphere may stick out of its shape by this share of its radius, so that rounding does not decide which ones fit.
const SLACK: f64 = 1e-9;

impl Shape {
    /// Distance (m) from `p` to the surface, negative inside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let from_axis = p.x.hypot(p.y);
        match *self {
            Self::Box { size } => from_sides(p.abs() - Vec3::from(size) * 0.5),
            Self::Sphere { radius } => p.norm() - radius,
            Self::Ellipsoid { radii } => from_ellipsoid(&radii.into(), p),
            Self::Cylinder { radius, height } => from_rectangle([from_axis - radius, p.z.abs() - 0.5 * height]),
            Self::Tube { radius, inner_radius, height } => {
                let (middle, half) = (0.5 * (radius + inner_radius), 0.5 * (radius - inner_radius));
                from_rectangle([(from_axis - middle).abs() - half, p.z.abs() - 0.5 * height])
            }
            Self::Cone { radius, top_radius, height } => from_frustum(radius, top_radius, 0.5 * height, from_axis, p.z),
            Self::Capsule { radius, height } => {
                let straight = 0.5 * height - radius;
                from_axis.hypot(p.z - p.z.clamp(-straight, straight)) - radius
            }
            Self::Torus { radius, tube_radius } => (from_axis - radius).hypot(p.z) - tube_radius,
        }
    }

    /// Diameter of the greatest sphere inside, m.
    pub fn thickness(&self) -> f64 {
        match *self {
            Self::Box { size } => Vec3::from(size).min(),
            Self::Ellipsoid { radii } => 2.0 * Vec3::from(radii).min(),
            Self::Sphere { radius } | Self::Capsule { radius, .. } => 2.0 * radius,
            Self::Cylinder { radius, height } => height.min(2.0 * radius),
            Self::Tube { radius, inner_radius, height } => height.min(radius - inner_radius),
            Self::Cone { radius, top_radius, height } => {
                // a sphere on the base that touches the side, if the top lets it
                let slope = (radius - top_radius).abs();
                let wide = radius.max(top_radius);
                let inscribed = 2.0 * wide * height / (slope + slope.hypot(height));
                height.min(inscribed)
            }
            Self::Torus { tube_radius, .. } => 2.0 * tube_radius,
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
            Self::Ellipsoid { radii } => radii.into(),
            Self::Cylinder { radius, height }
            | Self::Tube { radius, height, .. }
            | Self::Capsule { radius, height } => Vec3::new(radius, radius, 0.5 * height),
            Self::Cone { radius, top_radius, height } => {
                let wide = radius.max(top_radius);
                Vec3::new(wide, wide, 0.5 * height)
            }
            Self::Torus { radius, tube_radius } => Vec3::new(radius + tube_radius, radius + tube_radius, tube_radius),
        }
    }

    /// m3.
    pub fn volume(&self) -> f64 {
        const BALL: f64 = 4.0 / 3.0 * PI;
        match *self {
            Self::Box { size: [x, y, z] } => x * y * z,
            Self::Sphere { radius } => BALL * radius.powi(3),
            Self::Ellipsoid { radii: [x, y, z] } => BALL * x * y * z,
            Self::Cylinder { radius, height } => PI * radius * radius * height,
            Self::Tube { radius, inner_radius, height } => PI * (radius.powi(2) - inner_radius.powi(2)) * height,
            Self::Cone { radius: a, top_radius: b, height } => PI / 3.0 * (a * a + a * b + b * b) * height,
            Self::Capsule { radius, height } => BALL * radius.powi(3) + PI * radius * radius * (height - 2.0 * radius),
            Self::Torus { radius, tube_radius } => 2.0 * PI * PI * radius * tube_radius * tube_radius,
        }
    }
}

/// Distance to a convex right-angled corner, from the distances to its sides.
fn from_sides(d: Vec3) -> f64 {
    d.sup(&Vec3::zeros()).norm() + d.max().min(0.0)
}

/// The same in a plane.
fn from_rectangle([a, b]: [f64; 2]) -> f64 {
    from_sides(Vec3::new(a, b, f64::NEG_INFINITY))
}

/// Distance to a frustum about z of these radii at z = -half and z = half, from a point `from_axis` off the axis at height `z`: the
/// nearer of its ends and its side (I. Quilez, "Distance functions", capped cone).
fn from_frustum(radius: f64, top_radius: f64, half: f64, from_axis: f64, z: f64) -> f64 {
    let end = if z < 0.0 { radius } else { top_radius };
    let to_end = [from_axis - from_axis.min(end), z.abs() - half];
    let side = [top_radius - radius, 2.0 * half];
    let along = ((top_radius - from_axis) * side[0] + (half - z) * side[1]) / (side[0] * side[0] + side[1] * side[1]);
    let along = along.clamp(0.0, 1.0);
    let to_side = [from_axis - top_radius + side[0] * along, z - half + side[1] * along];
    let distance = to_end[0].hypot(to_end[1]).min(to_side[0].hypot(to_side[1]));
    if to_side[0] < 0.0 && to_end[1] < 0.0 { -distance } else { distance }
}

/// Distance to an ellipsoid of half axes `e`: its nearest point is x_i = e_i^2 p_i/(t + e_i^2), where t is the root of
/// sum (e_i p_i/(t + e_i^2))^2 = 1 above -min e_i^2 (D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
/// hyperellipsoid", 2013), found by bisection.
fn from_ellipsoid(e: &Vec3, p: &Vec3) -> f64 {
    /// Off the planes of symmetry by this share, where the root would be one of many.
    const OFF: f64 = 1e-12;
    /// Halvings: until there is nothing left to halve.
    const HALVINGS: usize = 100;
    // all in units of the shortest half axis, which the root is never below
    let least = e.min();
    let (e, p) = (e / least, p.abs() / least);
    let p = p.sup(&(e * OFF));
    let squares = e.component_mul(&e);
    // t + 1: near the middle the root is so near -1 that t itself could not tell
    let at = |s: f64| squares.component_mul(&p).component_div(&squares.add_scalar(-1.0).add_scalar(s));
    let outside = |s: f64| at(s).component_div(&e).norm_squared() > 1.0;
    let (mut low, mut high) = (0.0, e.component_mul(&p).norm());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if outside(middle) { low = middle } else { high = middle }
    }
    let distance = (at(high) - p).norm() * least;
    if p.component_div(&e).norm_squared() > 1.0 { distance } else { -distance }
}
