//! Solid shapes: which points lie inside, how big they are.

use super::Vec3;

/// All points with `normal . x > offset` are free; the rest is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit vector into the free side.
    pub normal: Vec3,
    /// m.
    pub offset: f64,
}
