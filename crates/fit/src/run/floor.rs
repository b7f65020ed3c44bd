use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::Shape;
use bdem_core::model::Collider;

/// Unit normal and offset (m) of a half-space at `time` (s).
pub(crate) fn plane(floor: &Collider, time: f64) -> Option<(Vec3, f64)> {
    let Shape::HalfSpace(half_space) = floor.shape() else { return None };
    let length = half_space.normal.norm();
    let pose = floor.motion.pose(time);
    let normal = pose.rotate(&(half_space.normal / length));
    Some((normal, half_space.offset / length + normal.dot(&pose.apply(&Vec3::zeros()))))
}
