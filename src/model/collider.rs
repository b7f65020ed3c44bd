use crate::geometry::{Vec3, shape::HalfSpace};

/// A wall that particles rest on and bounce off.
#[derive(Clone, Debug)]
pub struct Collider {
    pub shape: HalfSpace,
    /// Its own coefficient of sliding friction, mu_d; without one the particle's counts.
    pub friction: Option<f64>,
    /// Its own coefficient of static friction, mu_s: given where `friction` is, and at least as much.
    pub static_friction: Option<f64>,
}

impl Collider {
    /// Signed distance (m) of a point from the wall, positive on the free side, and its gradient, the outward normal.
    #[inline(always)]
    pub fn distance(&self, p: &Vec3) -> (f64, Vec3) {
        (self.shape.normal.dot(p) - self.shape.offset, self.shape.normal)
    }
}
