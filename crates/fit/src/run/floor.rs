use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::Shape;
use bdem_core::model::{Collider, Motion};

/// Unit normal and offset (m) of a half-space at rest.
pub(crate) fn plane(floor: &Collider) -> Option<(Vec3, f64)> {
    match (floor.shape(), &floor.motion) {
        (Shape::HalfSpace(half_space), Motion::Fixed) => {
            let length = half_space.normal.norm();
            Some((half_space.normal / length, half_space.offset / length))
        }
        _ => None,
    }
}
