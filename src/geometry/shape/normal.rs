//! Normals of shapes.

use super::distance::normal_from_sides;
use super::{Shape, Window, ellipsoid, inward};
use crate::geometry::{Vec3, rotation};

impl Shape {
    /// Normalised gradient of the distance at `p` (m); any unit vector where it is undefined, as at the centre of a
    /// sphere.
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        match self {
            Self::HalfSpace(half_space) => half_space.normal,
            Self::Ellipsoid { radii } => ellipsoid::nearest(&(*radii).into(), p).1,
            Self::Revolve(profile) => profile.search(p, Window::ALL).1.unwrap_or_else(|| self.numerical_normal(p)),
            Self::Mesh(mesh) => mesh.normal(p),
            Self::Sampled(_, grid) => grid.distance_and_normal(p).1,
            Self::Moved { shape, position, rotation } => {
                rotation::rotate(rotation, &shape.normal(&inward(p, position, rotation)))
            }
            Self::Complement(shape) => -shape.normal(p),
            Self::Union(members) => decisive(members, p, |a, b| a < b).normal(p),
            Self::Group(group) => group.nearest(p).normal(p),
            Self::Intersection(members) => decisive(members, p, |a, b| a > b).normal(p),
            single => single.single_normal(p),
        }
    }

    /// [`Self::normal`] of a single solid: by central differences where there is no closed form here.
    fn single_normal(&self, p: &Vec3) -> Vec3 {
        let (from_axis, flat) = (libm::hypot(p.x, p.y), Vec3::new(p.x, p.y, 0.0));
        let radial = flat.try_normalize(0.0).unwrap_or_else(Vec3::x);
        let up = Vec3::z() * p.z.signum();
        // of a corner between a side with this radial normal and an end, from the distances to both
        let round = |[side, end]: [f64; 2], radial: Vec3| {
            let n = normal_from_sides(Vec3::new(side, end, f64::NEG_INFINITY));
            radial * n.x + up * n.y
        };
        let unit = |v: Vec3| v.try_normalize(0.0).unwrap_or_else(Vec3::z);
        match *self {
            Self::Box { size } => {
                let n = normal_from_sides(p.abs() - Vec3::from(size) * 0.5);
                Vec3::from_fn(|axis, _| n[axis] * p[axis].signum())
            }
            Self::Sphere { .. } => unit(*p),
            Self::Cylinder { radius, height } => round([from_axis - radius, p.z.abs() - 0.5 * height], radial),
            Self::Tube { radius, inner_radius, height } => {
                let (middle, half) = (0.5 * (radius + inner_radius), 0.5 * (radius - inner_radius));
                let off = from_axis - middle;
                round([off.abs() - half, p.z.abs() - 0.5 * height], radial * off.signum())
            }
            Self::Capsule { radius, height } => {
                let straight = 0.5 * height - radius;
                unit(flat + Vec3::z() * (p.z - p.z.clamp(-straight, straight)))
            }
            Self::Torus { radius, .. } => unit(radial * (from_axis - radius) + Vec3::z() * p.z),
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

/// Member with the best distance at `p`.
fn decisive<'a>(members: &'a [Shape], p: &Vec3, better: fn(f64, f64) -> bool) -> &'a Shape {
    let with_distance = members.iter().map(|member| (member, member.distance(p)));
    with_distance.reduce(|best, next| if better(next.1, best.1) { next } else { best }).expect("it has members").0
}
