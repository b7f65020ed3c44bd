//! Which spheres have room in a shape.

use super::{Shape, inward};
use crate::geometry::{Vec3, spread};

/// A sphere may stick out of its shape by this share of its radius, so that rounding does not decide which ones fit.
const SLACK: f64 = 1e-9;

/// Where members of a combination meet, a sphere is taken for its centre and so many points, which lets it stick out by 1% of
/// its radius.
const POINTS: u32 = 200;

impl Shape {
    /// Whether a whole sphere of `radius` (m) about `centre` lies inside.
    pub fn holds(&self, centre: &Vec3, radius: f64) -> bool {
        match self {
            Self::Moved { shape, position, rotation } => shape.holds(&inward(centre, position, rotation), radius),
            Self::Complement(shape) => shape.misses(centre, radius),
            Self::Intersection(members) => members.iter().all(|shape| shape.holds(centre, radius)),
            Self::Union(members) => {
                members.iter().any(|shape| shape.holds(centre, radius))
                    || points_of(centre, radius).all(|p| self.distance(&p) <= SLACK * radius)
            }
            // a triangle in the way is none where parts of the mesh overlap
            Self::Mesh(mesh) => {
                mesh.contains(centre)
                    && (mesh.is_clear(centre, radius * (1.0 - SLACK))
                        || mesh.is_buried_near(centre) && points_of(centre, radius).all(|p| mesh.contains(&p)))
            }
            _ => self.distance(centre) <= -radius * (1.0 - SLACK),
        }
    }

    /// Whether it lies outside.
    fn misses(&self, centre: &Vec3, radius: f64) -> bool {
        match self {
            Self::Moved { shape, position, rotation } => shape.misses(&inward(centre, position, rotation), radius),
            Self::Complement(shape) => shape.holds(centre, radius),
            Self::Union(members) => members.iter().all(|shape| shape.misses(centre, radius)),
            Self::Intersection(members) => {
                members.iter().any(|shape| shape.misses(centre, radius))
                    || points_of(centre, radius).all(|p| self.distance(&p) >= -SLACK * radius)
            }
            Self::Mesh(mesh) => !mesh.contains(centre) && mesh.is_clear(centre, radius * (1.0 - SLACK)),
            _ => self.distance(centre) >= radius * (1.0 - SLACK),
        }
    }
}

/// The centre of a sphere, then points spread over it.
fn points_of(centre: &Vec3, radius: f64) -> impl Iterator<Item = Vec3> {
    let centre = *centre;
    let on_sphere = move |n| centre + spread::on_sphere(n, POINTS) * radius;
    std::iter::once(centre).chain((0..POINTS).map(on_sphere))
}
