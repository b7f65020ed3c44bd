//! Solids as unions of parts: a sphere touches each part in one point.

use super::{HalfSpace, Shape};
use crate::geometry::{Quat, Vec3, rotation};

/// Maximum number of intersections that a combination is expanded to. Others remain one part.
const MAX_INTERSECTIONS: usize = 64;

impl Shape {
    /// The solid as a union of parts. `None` if it is single, and a sphere touches it in one point.
    pub(crate) fn decomposed(&self) -> Option<Self> {
        let mut parts = self.parts();
        match parts.len() {
            1 => parts.pop().filter(|part| part.is_searched()),
            _ => Some(Self::union(parts)),
        }
    }

    /// Whether the contacts of a part need a search.
    fn is_searched(&self) -> bool {
        match self {
            Self::Mesh(_) | Self::Intersection(_) => true,
            Self::Placed { shape, .. } | Self::Complement(shape) => shape.is_searched(),
            _ => false,
        }
    }

    fn parts(&self) -> Vec<Self> {
        match self {
            Self::Placed { shape, position, rotation } => moved(shape.parts(), position, rotation),
            Self::Complement(shape) => shape.outer_parts(),
            Self::Union(members) => members.iter().flat_map(Self::parts).collect(),
            Self::Group(group) => group.members().iter().flat_map(Self::parts).collect(),
            Self::Intersection(members) => self.expanded(members.iter().map(Self::parts)),
            single => vec![single.clone()],
        }
    }

    /// Parts of the complement.
    fn outer_parts(&self) -> Vec<Self> {
        let outer = |shape: Self| Self::Complement(Box::new(shape));
        match *self {
            Self::Placed { ref shape, position, rotation } => moved(shape.outer_parts(), &position, &rotation),
            Self::Complement(ref shape) => shape.parts(),
            Self::Union(ref members) => outer(self.clone()).expanded(members.iter().map(Self::outer_parts)),
            Self::Intersection(ref members) => members.iter().flat_map(Self::outer_parts).collect(),
            Self::Box { size } => (0..3).flat_map(|axis| beyond(axis, size[axis])).collect(),
            Self::Cylinder { radius, height } => with_ends(vec![outer(endless(radius))], height),
            Self::Tube { radius, inner_radius, height } => {
                with_ends(vec![outer(endless(radius)), endless(inner_radius)], height)
            }
            Self::Cone { radius, top_radius, height } => {
                with_ends(vec![outer(side(radius, top_radius, height))], height)
            }
            // convex from outside, or touched in one point: one part
            Self::Sphere { .. }
            | Self::Ellipsoid { .. }
            | Self::Capsule { .. }
            | Self::Torus { .. }
            | Self::HalfSpace(_)
            | Self::Revolve(_)
            | Self::Mesh(_)
            | Self::Group(_) => vec![outer(self.clone())],
        }
    }

    /// Intersections of a part of each member; this shape alone where they are too many.
    fn expanded(&self, members: impl Iterator<Item = Vec<Self>>) -> Vec<Self> {
        let mut all = vec![Vec::new()];
        for parts in members {
            if all.len() * parts.len() > MAX_INTERSECTIONS {
                return vec![self.clone()];
            }
            let with = |chosen: &Vec<Self>| {
                parts.iter().map(|part| [&chosen[..], std::slice::from_ref(part)].concat()).collect()
            };
            all = all.iter().flat_map(|chosen| -> Vec<Vec<Self>> { with(chosen) }).collect();
        }
        all.into_iter().map(Self::Intersection).collect()
    }
}

/// The parts rotated, then translated.
fn moved(parts: Vec<Shape>, position: &Vec3, rotation: &Quat) -> Vec<Shape> {
    let each = |part| match part {
        Shape::HalfSpace(HalfSpace { normal, offset }) => {
            let normal = rotation::rotate(rotation, &normal);
            Shape::HalfSpace(HalfSpace { normal, offset: offset + normal.dot(position) })
        }
        part => Shape::Placed { shape: Box::new(part), position: *position, rotation: *rotation },
    };
    parts.into_iter().map(each).collect()
}

/// The half spaces beyond both ends of a length (m) along an axis.
fn beyond(axis: usize, length: f64) -> [Shape; 2] {
    [-1.0, 1.0].map(|side| Shape::HalfSpace(HalfSpace { normal: Vec3::ith(axis, side), offset: -0.5 * length }))
}

fn with_ends(mut parts: Vec<Shape>, height: f64) -> Vec<Shape> {
    parts.extend(beyond(2, height));
    parts
}

/// A cylinder without ends.
fn endless(radius: f64) -> Shape {
    Shape::Cylinder { radius, height: f64::MAX }
}

/// Cone with the same side as a frustum, from its apex to far beyond it.
fn side(radius: f64, top_radius: f64, height: f64) -> Shape {
    /// Length beyond the wide end, over the height.
    const BEYOND: f64 = 100.0;
    let slope = (top_radius - radius) / height;
    if slope == 0.0 {
        return endless(radius);
    }
    let wide = radius.max(top_radius) + slope.abs() * BEYOND * height;
    let [low, high] = if slope < 0.0 { [wide, 0.0] } else { [0.0, wide] };
    let height_of = |end: f64| (end - radius) / slope - 0.5 * height;
    let shape = Shape::Cone { radius: low, top_radius: high, height: wide / slope.abs() };
    let position = Vec3::z() * (0.5 * (height_of(low) + height_of(high)));
    Shape::Placed { shape: Box::new(shape), position, rotation: Quat::identity() }
}
