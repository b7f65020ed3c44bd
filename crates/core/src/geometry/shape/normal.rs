//! Normals of shapes.

use super::{Shape, Window, ellipsoid, inward};
use crate::geometry::{Vec3, rotation};
use crate::simd::Vec3x;

impl Shape {
    /// Normalised gradient of the distance at `p` (m); any unit vector where it is undefined, as at the centre of a
    /// sphere.
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        match self {
            Self::HalfSpace(half_space) => half_space.normal,
            Self::Ellipsoid { radii } => ellipsoid::nearest(&(*radii).into(), p).1,
            Self::Revolve(profile) => profile.search(p, Window::ALL).1.unwrap_or_else(|| self.numerical_normal(p)),
            Self::Mesh(mesh) => mesh.normal(p),
            Self::Placed { shape, position, rotation } => {
                rotation::rotate(rotation, &shape.normal(&inward(p, position, rotation)))
            }
            Self::Complement(shape) => -shape.normal(p),
            Self::Union(members) => decisive(members, p, |a, b| a < b).normal(p),
            Self::Group(group) => group.nearest(p).normal(p),
            Self::Intersection(members) => decisive(members, p, |a, b| a > b).normal(p),
            single => single.closed_normal(Vec3x::<f64>::from(p)).into(),
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

/// Member with the best distance at `p`.
fn decisive<'a>(members: &'a [Shape], p: &Vec3, better: fn(f64, f64) -> bool) -> &'a Shape {
    let with_distance = members.iter().map(|member| (member, member.distance(p)));
    with_distance.reduce(|best, next| if better(next.1, best.1) { next } else { best }).expect("it has members").0
}
