//! Solid shapes: which points and which spheres lie inside, how big they are.

mod distance;
mod extent;
mod room;

use std::sync::Arc;

use distance::{from_ellipsoid, from_frustum, from_rectangle, from_sides};

use super::mesh::{DistanceGrid, Mesh};
use super::{Quat, Vec3, rotation};

/// All points with `normal . x > offset` are free; the rest is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit vector into the free side.
    pub normal: Vec3,
    /// m.
    pub offset: f64,
}

/// A solid. Single ones are centred at the origin, with z as their axis; lengths are in m, positive, and such that the shape
/// exists (a bore is narrower than its tube).
#[derive(Clone, Debug)]
pub enum Shape {
    /// Of these whole lengths.
    Box {
        size: [f64; 3],
    },
    Sphere {
        radius: f64,
    },
    /// Of these half axes.
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
    /// A cone that stands on its base, or a frustum.
    Cone {
        radius: f64,
        top_radius: f64,
        height: f64,
    },
    /// A cylinder with half spheres for ends, which its height counts.
    Capsule {
        radius: f64,
        height: f64,
    },
    /// A ring about z: the radius of the circle in the middle of the tube, and the tube's own.
    Torus {
        radius: f64,
        tube_radius: f64,
    },
    /// What is not free.
    HalfSpace(HalfSpace),
    /// What its triangles bound.
    Mesh(Arc<Mesh>),
    /// The same, its distances sampled on a grid: as quick everywhere.
    Sampled(Arc<Mesh>, Arc<DistanceGrid>),
    /// Turned by a unit quaternion, then moved.
    Moved {
        shape: Box<Shape>,
        position: Vec3,
        rotation: Quat,
    },
    /// All but the shape.
    Complement(Box<Shape>),
    /// What is in any.
    Union(Vec<Shape>),
    /// What is in each.
    Intersection(Vec<Shape>),
}

impl Shape {
    /// The first without the others.
    pub fn difference(first: Self, others: impl IntoIterator<Item = Self>) -> Self {
        let cuts = others.into_iter().map(|other| Self::Complement(Box::new(other)));
        Self::Intersection(std::iter::once(first).chain(cuts).collect())
    }

    /// The same shape with its meshes sampled.
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

    /// Distance (m) from `p` to the surface, negative inside. That of unions and intersections is the nearest to 0 that it
    /// may be: exact outside of a union and inside of an intersection of single solids, else no more than the true one.
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

    /// Whether a point (m) is inside: where the distance is negative, and quicker to tell.
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

    /// The unit vector along which the distance at `p` (m) grows fastest; where none does, as in the middle of a sphere, any.
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
            _ => self.slope(p),
        }
    }

    /// The same for a single solid, by central differences.
    fn slope(&self, p: &Vec3) -> Vec3 {
        /// Between what rounding and what curvature spoils.
        const STEP: f64 = 1e-6;
        let step = STEP * self.distance(p).abs().max(p.norm());
        let along = |axis| Vec3::ith(axis, step);
        let rise = |axis| self.distance(&(p + along(axis))) - self.distance(&(p - along(axis)));
        // at a maximum the differences are 0, or rounding
        let rises = Vec3::from_fn(|axis, _| rise(axis));
        rises.try_normalize(1e-3 * step).unwrap_or_else(Vec3::z)
    }
}

/// `p` as a shape sees it that was turned and moved.
fn inward(p: &Vec3, position: &Vec3, rotation: &Quat) -> Vec3 {
    rotation::rotate(&rotation.conjugate(), &(p - position))
}

fn distances(members: &[Shape], p: &Vec3) -> impl Iterator<Item = f64> {
    members.iter().map(|shape| shape.distance(p))
}
