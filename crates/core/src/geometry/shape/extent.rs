//! Extents and volumes of shapes.

use std::f64::consts::PI;

use super::{HalfSpace, Shape, inward};
use crate::geometry::{Vec3, spread};
use crate::parallel;

impl Shape {
    /// Low and high corners (m) of an axis-aligned bounding box: the smallest except for intersections, and infinite
    /// for unbounded shapes.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let axis = |axis, sign: f64| Vec3::ith(axis, sign);
        (Vec3::from_fn(|i, _| -self.support(&axis(i, -1.0))), Vec3::from_fn(|i, _| self.support(&axis(i, 1.0))))
    }

    /// Longest side of the box of [`Self::bounds`], m.
    pub fn width(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).amax()
    }

    /// Support function, m: the maximum of `direction . x`, or an upper bound for intersections.
    fn support(&self, d: &Vec3) -> f64 {
        let across = libm::hypot(d.x, d.y);
        match *self {
            Self::Box { size } => 0.5 * Vec3::from(size).dot(&d.abs()),
            Self::Sphere { radius } => radius,
            Self::Ellipsoid { radii } => Vec3::from(radii).component_mul(d).norm(),
            Self::Cylinder { radius, height } | Self::Tube { radius, height, .. } => {
                radius * across + 0.5 * height * d.z.abs()
            }
            Self::Cone { radius, top_radius, height } => {
                let rise = 0.5 * height * d.z;
                (radius * across - rise).max(top_radius * across + rise)
            }
            Self::Capsule { radius, height } => radius + (0.5 * height - radius) * d.z.abs(),
            Self::Torus { radius, tube_radius } => radius * across + tube_radius,
            Self::Revolve(ref profile) => profile.support(across, d.z),
            Self::HalfSpace(HalfSpace { normal, offset }) => {
                if normal == *d {
                    offset
                } else {
                    f64::INFINITY
                }
            }
            Self::Mesh(ref mesh) => mesh.support(d),
            Self::Placed { ref shape, position, rotation } => {
                d.dot(&position) + shape.support(&inward(d, &Vec3::zeros(), &rotation))
            }
            Self::Complement(_) => f64::INFINITY,
            Self::Union(ref members) => supports(members, d).fold(f64::NEG_INFINITY, f64::max),
            Self::Group(ref group) => supports(group.members(), d).fold(f64::NEG_INFINITY, f64::max),
            Self::Intersection(ref members) => supports(members, d).fold(f64::INFINITY, f64::min),
        }
    }

    /// Diameter of the largest inscribed sphere, m; an upper bound for meshes, solids of revolution, unions and
    /// intersections, of which [`Self::thicknesses`] tell more.
    pub fn thickness(&self) -> f64 {
        match *self {
            Self::Box { size } => Vec3::from(size).min(),
            Self::Ellipsoid { radii } => 2.0 * Vec3::from(radii).min(),
            Self::Sphere { radius } | Self::Capsule { radius, .. } => 2.0 * radius,
            Self::Cylinder { radius, height } => height.min(2.0 * radius),
            Self::Tube { radius, inner_radius, height } => height.min(radius - inner_radius),
            Self::Cone { radius, top_radius, height } => {
                // a sphere on the base that touches the side, if it fits below the top
                let slope = (radius - top_radius).abs();
                let wide = radius.max(top_radius);
                let inscribed = 2.0 * wide * height / (slope + libm::hypot(slope, height));
                height.min(inscribed)
            }
            Self::Torus { tube_radius, .. } => 2.0 * tube_radius,
            Self::Placed { ref shape, .. } => shape.thickness(),
            Self::HalfSpace(_) | Self::Complement(_) => f64::INFINITY,
            Self::Mesh(_) | Self::Revolve(_) | Self::Union(_) | Self::Group(_) => self.narrowest_side(),
            Self::Intersection(ref members) => {
                members.iter().map(Self::thickness).fold(self.narrowest_side(), f64::min)
            }
        }
    }

    /// Shortest side of the bounding box, m; zero without such a box.
    fn narrowest_side(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).min().max(0.0)
    }

    /// Volume, m3; of unions and intersections to about 1%, by sampling.
    pub fn volume(&self) -> f64 {
        /// Volume of the unit ball.
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
            Self::Revolve(ref profile) => profile.volume(),
            Self::Mesh(ref mesh) => mesh.volume(),
            Self::Placed { ref shape, .. } => shape.volume(),
            Self::HalfSpace(_) | Self::Complement(_) => f64::INFINITY,
            Self::Union(_) | Self::Group(_) | Self::Intersection(_) => self.counted_volume(),
        }
    }

    /// Volume fraction of the bounding box, by evenly spread points.
    fn counted_volume(&self) -> f64 {
        /// Sample points: an error of about 1%.
        const POINTS: usize = 1 << 16;
        let (low, high) = self.bounds();
        let sides = high - low;
        if sides.min() <= 0.0 {
            return 0.0;
        }
        if !sides.sum().is_finite() {
            return f64::INFINITY;
        }
        let inside = |n: usize| self.contains(&(low + spread::in_cube(n as u32).component_mul(&sides)));
        parallel::count(POINTS, 256, inside) as f64 / POINTS as f64 * sides.product()
    }
}

/// Extents of the members along `d`.
fn supports(members: &[Shape], d: &Vec3) -> impl Iterator<Item = f64> {
    members.iter().map(|shape| shape.support(d))
}
