//! Distances to the surfaces of shapes.

use super::{Shape, ellipsoid, inward};
use crate::geometry::{Vec3, rotation};
use crate::simd::Vec3x;

/// Signed distances (m) between which a search for the surface is exact.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Window {
    pub low: f64,
    pub high: f64,
    /// Whether the point is inside of the solid, where that is known.
    pub is_inside: Option<bool>,
}

/// Answer of a search: a distance (m), negative inside, and its normalised gradient, where that is a by-product.
pub(super) type Found = (f64, Option<Vec3>);

impl Window {
    /// All distances.
    pub(crate) const ALL: Self = Self::between(f64::NEG_INFINITY, f64::INFINITY);

    pub(crate) const fn between(low: f64, high: f64) -> Self {
        Self { low, high, is_inside: None }
    }

    /// The window on the complement.
    fn complement(self) -> Self {
        Self { low: -self.high, high: -self.low, is_inside: self.is_inside.map(|is_inside| !is_inside) }
    }

    /// The window on members of a combination, which agree with it where they must all be on one side.
    pub(super) fn for_members(self, side: bool) -> Self {
        Self { is_inside: self.is_inside.filter(|&is_inside| is_inside == side), ..self }
    }
}

impl Shape {
    /// Distance (m) from `p` to the surface, negative inside. For combinations it is a lower bound in absolute value:
    /// exact outside a union and inside an intersection of single solids.
    pub fn distance(&self, p: &Vec3) -> f64 {
        self.search(p, Window::ALL).0
    }

    /// [`Self::distance`] (m) where it is below `high` (m); elsewhere a number of at least `high`.
    pub(crate) fn distance_below(&self, p: &Vec3, high: f64) -> f64 {
        self.search(p, Window::between(f64::NEG_INFINITY, high)).0
    }

    /// Whether the distance of `p` lies between `low` and `high` (m).
    pub fn is_between(&self, p: &Vec3, low: f64, high: f64) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_between(p, low, high),
            Self::Placed { shape, position, rotation } => shape.is_between(&inward(p, position, rotation), low, high),
            _ => {
                let (distance, _) = self.search(p, Window::between(low, high));
                low < distance && distance < high
            }
        }
    }

    /// [`Self::distance`] where it lies in the `window`. Elsewhere a bound on it, which lies on the same side of the
    /// window: members and triangles beyond it are left out.
    pub(in crate::geometry) fn search(&self, p: &Vec3, window: Window) -> Found {
        match *self {
            Self::Ellipsoid { radii } => {
                let radii = radii.into();
                let [low, high] = ellipsoid::bounds(&radii, p);
                if low >= window.high {
                    return (low, None);
                }
                if high <= window.low {
                    return (high, None);
                }
                let (distance, normal) = ellipsoid::nearest(&radii, p);
                (distance, Some(normal))
            }
            Self::Revolve(ref profile) => profile.search(p, window),
            Self::Mesh(ref mesh) => mesh.search(p, window),
            Self::Placed { ref shape, position, rotation } => {
                let (distance, normal) = shape.search(&inward(p, &position, &rotation), window);
                (distance, normal.map(|normal| rotation::rotate(&rotation, &normal)))
            }
            Self::Complement(ref shape) => {
                let (distance, normal) = shape.search(p, window.complement());
                (-distance, normal.map(|normal| -normal))
            }
            Self::Union(ref members) => lowest(members, p, window.for_members(false)),
            Self::Group(ref group) => group.search(p, window.for_members(false)),
            Self::Intersection(ref members) => highest(members, p, window.for_members(true)),
            ref single => (single.closed_distance(Vec3x::<f64>::from(p)), None),
        }
    }
}

/// Lowest distance of the members, searched in the window that is left.
fn lowest(members: &[Shape], p: &Vec3, mut window: Window) -> Found {
    let mut best = (f64::INFINITY, None);
    for member in members {
        let found = member.search(p, window);
        if found.0 < best.0 {
            best = found;
            window.high = window.high.min(found.0);
        }
        if best.0 <= window.low {
            break;
        }
    }
    best
}

/// Highest distance of the members, searched in the window that is left.
fn highest(members: &[Shape], p: &Vec3, mut window: Window) -> Found {
    let mut best = (f64::NEG_INFINITY, None);
    for member in members {
        let found = member.search(p, window);
        if found.0 > best.0 {
            best = found;
            window.low = window.low.max(found.0);
        }
        if best.0 >= window.high {
            break;
        }
    }
    best
}
