//! Solid shapes: inside tests for points and spheres, distances and extents.
//!
//! ```text
//! closed_form            distance and normal in closed form, on lanes
//! surface, normal        the same of any shape, by a search where there is no closed form: ellipsoid, profile, mesh
//! parts, touch           points where a sphere touches: one for each part
//! room                   whether a sphere has room inside or outside
//! extent, thickness      bounding box, volume, and thickness of walls
//! group                  unions of many shapes, in a tree
//! ```

mod closed_form;
mod ellipsoid;
mod extent;
mod group;
mod moments;
mod normal;
mod parts;
mod profile;
mod room;
mod surface;
mod thickness;
mod touch;

use std::sync::Arc;

pub use group::Group;
pub(in crate::geometry) use moments::Moments;
pub use profile::{Profile, ProfileError};
pub(in crate::geometry) use surface::Window;
pub use thickness::Thicknesses;
pub(in crate::geometry) use touch::SEAM;
pub use touch::{Touch, Touches};

use super::mesh::Mesh;
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
    /// A box.
    Box {
        /// Side lengths, m.
        size: [f64; 3],
    },
    /// A sphere.
    Sphere {
        /// m.
        radius: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes, m.
        radii: [f64; 3],
    },
    /// A cylinder.
    Cylinder {
        /// m.
        radius: f64,
        /// m.
        height: f64,
    },
    /// A cylinder with a bore.
    Tube {
        /// m.
        radius: f64,
        /// Inner radius, m.
        inner_radius: f64,
        /// m.
        height: f64,
    },
    /// A cone on its base, or a frustum.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Radius of the top, m; 0 for a cone.
        top_radius: f64,
        /// m.
        height: f64,
    },
    /// A cylinder with hemispherical ends, which its height includes.
    Capsule {
        /// m.
        radius: f64,
        /// m.
        height: f64,
    },
    /// A torus about z.
    Torus {
        /// Radius of the centre circle, m.
        radius: f64,
        /// Radius of the tube, m.
        tube_radius: f64,
    },
    /// A solid of revolution about z.
    Revolve(Profile),
    /// The solid side of a half space.
    HalfSpace(HalfSpace),
    /// The interior of a mesh.
    Mesh(Arc<Mesh>),
    /// A shape rotated by a unit quaternion, then translated.
    Placed {
        /// The shape.
        shape: Box<Shape>,
        /// Translation, m.
        position: Vec3,
        /// Rotation.
        rotation: Quat,
    },
    /// The complement.
    Complement(Box<Shape>),
    /// The union.
    Union(Vec<Shape>),
    /// The union of many shapes.
    Group(Arc<Group>),
    /// The intersection.
    Intersection(Vec<Shape>),
}

impl Shape {
    /// The first without the others.
    pub fn difference(first: Self, others: impl IntoIterator<Item = Self>) -> Self {
        let cuts = others.into_iter().map(|other| Self::Complement(Box::new(other)));
        Self::Intersection(std::iter::once(first).chain(cuts).collect())
    }

    /// The union. From some members on it has a tree of boxes.
    pub fn union(members: Vec<Self>) -> Self {
        /// Minimum number of members of a group: below it the tree saves less than it costs.
        const MIN_GROUPED: usize = 16;
        if members.len() < MIN_GROUPED { Self::Union(members) } else { Self::Group(Arc::new(Group::new(members))) }
    }

    /// Whether a point (m) is inside: a faster test of the sign of the distance.
    pub fn contains(&self, p: &Vec3) -> bool {
        match self {
            Self::Ellipsoid { radii } => p.component_div(&Vec3::from(*radii)).norm_squared() < 1.0,
            Self::Revolve(profile) => profile.contains(libm::hypot(p.x, p.y), p.z),
            Self::Mesh(mesh) => mesh.contains(p),
            Self::Placed { shape, position, rotation } => shape.contains(&inward(p, position, rotation)),
            Self::Complement(shape) => !shape.contains(p),
            Self::Union(members) => members.iter().any(|member| member.contains(p)),
            Self::Group(group) => group.any(p, 0.0, |member| member.contains(p)),
            Self::Intersection(members) => members.iter().all(|member| member.contains(p)),
            single => single.distance(p) < 0.0,
        }
    }
}

/// `p` in the frame of a rotated and translated shape.
fn inward(p: &Vec3, position: &Vec3, rotation: &Quat) -> Vec3 {
    rotation::rotate(&rotation.conjugate(), &(p - position))
}
