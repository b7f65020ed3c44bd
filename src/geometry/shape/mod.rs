//! Solid shapes: inside tests for points and spheres, distances and extents.

mod distance;
mod extent;
mod room;

use std::sync::Arc;

use distance::{from_ellipsoid, from_frustum, from_rectangle, from_sides};

use super::mesh::{DistanceGrid, Mesh};
use super::{Quat, Vec3, rotation};

/// A half space: points with `normal . x > offset` are free, the rest is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit vector into the free side.
    pub normal: Vec3,
    /// Offset, m.
    pub offset: f64,
}

/// A solid. Single ones are centred at the origin with the axis z. Lengths are in m, positive, and consistent (a bore
/// is narrower than its tube).
#[derive(Clone, Debug)]
pub enum Shape {
    /// A box with these side lengths.
    Box {
        size: [f64; 3],
    },
    Sphere {
        radius: f64,
    },
    /// An ellipsoid with these half axes.
    Ellipsoid {
        radii: [f64; 3],
    },
    Cylinder {
        radius: f64,
        height: f64,
    },
    /// A cylinder with a bore.
    Tube {
        radius: f64,
        inner_radius: f64,
        height: f64,
    },
    /// A cone on its base, or a frustum.
    Cone {
        radius: f64,
        top_radius: f64,
        height: f64,
    },
    /// A cylinder with hemispherical ends, which its height includes.
    Capsule {
        radius: f64,
        height: f64,
    },
    /// A torus about z: radius of its centre circle, and of its tube.
    Torus {
        radius: f64,
        tube_radius: f64,
    },
    /// The solid side of a half space.
    HalfSpace(HalfSpace),
    /// The interior of a mesh.
    Mesh(Arc<Mesh>),
    /// The interior of a mesh with distances sampled on a grid, in constant time.
    Sampled(Arc<Mesh>, Arc<DistanceGrid>),
    /// A shape rotated by a unit quaternion, then translated.
    Moved {
        shape: Box<Shape>,
        position: Vec3,
        rotation: Quat,
    },
    /// The complement.
    Complement(Box<Shape>),
    /// The union.
    Union(Vec<Shape>),
    /// The intersection.
    Intersection(Vec<Shape>),
}

impl Shape {
    /// The first without the others.
    pub fn difference(first: Self, others: impl IntoIterator<Item = Self>) -> Self {
        let cuts = others.into_iter().map(|other| Self::Complement(Box::new(other)));
        Self::Intersection(std::iter::once(first).chain(cuts).collect())
    }

    /// The shape with its meshes sampled.
    pub fn sampled(self) -> Self {
        let each = |members: Vec<Self>| members.into_iter().map(Self::sampled).collect();
        match self {
            Self::Mesh(mesh) => {
                let grid = mesh.sampled();
                Self::Sampled(mesh, grid)
            }
            Self::Moved { shape, position, rotation } => {
                Self::Moved { shape: Box::new(shape.sampled()), position, rotation }
            }
            Self::Complement(shape) => Self::Complement(Box::new(shape.sampled())),
            Self::Union(members) => Self::Union(each(members)),
            Self::Intersection(members) => Self::Intersection(each(members)),
            single => single,
        }
    }

    /// Distance (m) from `p` to the surface, negative inside. For combinations it is a lower bound in absolute value:
    /// exact outside a union and inside an intersection of single solids.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let from_axis = || libm::hypot(p.x, p.y);
        match *self {
            Self::Box { size } => from_sides(p.abs() - Vec3::from(size) * 0.5),
            Self::Sphere { radius } => p.norm() - radius,
            Self::Ellipsoid { radii } => from_ellipsoid(&radii.into(), p),
            Self::Cylinder { radius, height } => from_rectangle([from_axis() - radius, p.z.abs() - 0.5 * height]),
            Self::Tube { radius, inner_radius, height } => {
                let (middle, half) = (0.5 * (radius + inner_radius), 0.5 * (radius - inner_radius));
                from_rectangle([(from_axis() - middle).abs() - half, p.z.abs() - 0.5 * height])
            }
            Self::Cone { radius, top_radius, height } => {
                from_frustum(radius, top_radius, 0.5 * height, from_axis(), p.z)
            }
            Self::Capsule { radius, height } => {
                let straight = 0.5 * height - radius;
                libm::hypot(from_axis(), p.z - p.z.clamp(-straight, straight)) - radius
            }
            Self::Torus { radius, tube_radius } => libm::hypot(from_axis() - radius, p.z) - tube_radius,
            Self::HalfSpace(HalfSpace { normal, offset }) => normal.dot(p) - offset,
            Self::Mesh(ref mesh) => mesh.distance(p),
            Self::Sampled(_, ref grid) => grid.distance_and_normal(p).0,
            Self::Moved { ref shape, position, rotation } => shape.distance(&inward(p, &position, &rotation)),
            Self::Complement(ref shape) => -shape.distance(p),
            Self::Union(ref members) => distances(members, p).fold(f64::INFINITY, f64::min),
            Self::Intersection(ref members) => distances(members, p).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Whether a point (m) is inside: a faster test of the sign of the distance.
    pub fn contains(&self, p: &Vec3) -> bool {
        match self {
            Self::Ellipsoid { radii } => p.component_div(&Vec3::from(*radii)).norm_squared() < 1.0,
            Self::Mesh(mesh) => mesh.contains(p),
            Self::Moved { shape, position, rotation } => shape.contains(&inward(p, position, rotation)),
            Self::Complement(shape) => !shape.contains(p),
            Self::Union(members) => members.iter().any(|member| member.contains(p)),
            Self::Intersection(members) => members.iter().all(|member| member.contains(p)),
            single => single.distance(p) < 0.0,
        }
    }

    /// Normalised gradient of the distance at `p` (m); any unit vector where it is undefined, as at the centre of a
    /// sphere.
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        let nearest = |members: &[Self], better: fn(f64, f64) -> bool| {
            let first = members.first().expect("a combination has members");
            let start = (first, first.distance(p));
            let keep = |best: (_, f64), (shape, d)| if better(d, best.1) { (shape, d) } else { best };
            members.iter().zip(distances(members, p)).skip(1).fold(start, keep).0.normal(p)
        };
        match self {
            Self::HalfSpace(half_space) => half_space.normal,
            Self::Mesh(mesh) => mesh.normal(p),
            Self::Sampled(_, grid) => grid.distance_and_normal(p).1,
            Self::Moved { shape, position, rotation } => {
                rotation::rotate(rotation, &shape.normal(&inward(p, position, rotation)))
            }
            Self::Complement(shape) => -shape.normal(p),
            Self::Union(members) => nearest(members, |a, b| a < b),
            Self::Intersection(members) => nearest(members, |a, b| a > b),
            _ => self.numerical_normal(p),
        }
    }

    /// [`Self::normal`] of a single solid, by central differences.
    fn numerical_normal(&self, p: &Vec3) -> Vec3 {
        /// Step of the differences: a compromise between rounding and curvature.
        const STEP: f64 = 1e-6;
        let step = STEP * self.distance(p).abs().max(p.norm());
        let along = |axis| Vec3::ith(axis, step);
        let rise = |axis| self.distance(&(p + along(axis))) - self.distance(&(p - along(axis)));
        // at a maximum the differences are zero, or rounding
        let rises = Vec3::from_fn(|axis, _| rise(axis));
        rises.try_normalize(1e-3 * step).unwrap_or_else(Vec3::z)
    }
}

/// `p` in the frame of a rotated and translated shape.
fn inward(p: &Vec3, position: &Vec3, rotation: &Quat) -> Vec3 {
    rotation::rotate(&rotation.conjugate(), &(p - position))
}

fn distances(members: &[Shape], p: &Vec3) -> impl Iterator<Item = f64> {
    members.iter().map(|shape| shape.distance(p))
}
