//! Inside tests for spheres.

use super::{Shape, inward};
use crate::geometry::mesh::Mesh;
use crate::geometry::{Vec3, spread};

/// Permitted protrusion of a sphere over its radius, against rounding.
const TOLERANCE: f64 = 1e-9;

/// Largest protrusion from a mesh over the radius, where its coordinates are large.
const MAX_PROTRUSION: f64 = 1e-4;

/// Number of points, with its centre, that represent a sphere at the boundary between members of a combination. It
/// permits a protrusion of 1% of the radius.
const POINTS: u32 = 200;

impl Shape {
    /// Whether the whole sphere of `radius` (m) about `centre` is inside.
    pub fn holds(&self, centre: &Vec3, radius: f64) -> bool {
        match self {
            Self::Placed { shape, position, rotation } => shape.holds(&inward(centre, position, rotation), radius),
            Self::Complement(shape) => shape.misses(centre, radius),
            Self::Intersection(members) => members.iter().all(|shape| shape.holds(centre, radius)),
            Self::Union(members) => {
                members.iter().any(|shape| shape.holds(centre, radius))
                    || points_of(centre, radius).all(|p| self.distance(&p) <= TOLERANCE * radius)
            }
            Self::Group(group) => {
                group.any(centre, -radius * (1.0 - TOLERANCE), |shape| shape.holds(centre, radius))
                    || points_of(centre, radius)
                        .all(|p| group.any(&p, TOLERANCE * radius, |shape| shape.distance(&p) <= TOLERANCE * radius))
            }
            // a triangle in the interior of overlapping parts does not count
            Self::Mesh(mesh) => {
                mesh.contains(centre)
                    && (mesh.is_clear(centre, radius - protrusion(mesh, radius))
                        || mesh.is_buried_near(centre) && points_of(centre, radius).all(|p| mesh.contains(&p)))
            }
            _ => self.distance(centre) <= -radius * (1.0 - TOLERANCE),
        }
    }

    /// Whether the whole sphere is outside.
    fn misses(&self, centre: &Vec3, radius: f64) -> bool {
        match self {
            Self::Placed { shape, position, rotation } => shape.misses(&inward(centre, position, rotation), radius),
            Self::Complement(shape) => shape.holds(centre, radius),
            Self::Union(members) => members.iter().all(|shape| shape.misses(centre, radius)),
            Self::Group(group) => !group.any(centre, radius, |shape| !shape.misses(centre, radius)),
            Self::Intersection(members) => {
                members.iter().any(|shape| shape.misses(centre, radius))
                    || points_of(centre, radius).all(|p| self.distance(&p) >= -TOLERANCE * radius)
            }
            Self::Mesh(mesh) => !mesh.contains(centre) && mesh.is_clear(centre, radius - protrusion(mesh, radius)),
            _ => self.distance(centre) >= radius * (1.0 - TOLERANCE),
        }
    }
}

/// Permitted protrusion (m) of a sphere of `radius` (m) from a mesh: the rounding of the mesh's coordinates, so that a mesh in
/// single precision holds as many spheres as the same one in text.
fn protrusion(mesh: &Mesh, radius: f64) -> f64 {
    mesh.rounding().clamp(TOLERANCE * radius, MAX_PROTRUSION * radius)
}

/// The centre of a sphere, then points spread over its surface.
fn points_of(centre: &Vec3, radius: f64) -> impl Iterator<Item = Vec3> {
    let centre = *centre;
    let on_sphere = move |n| centre + spread::on_sphere(n, POINTS) * radius;
    std::iter::once(centre).chain((0..POINTS).map(on_sphere))
}
