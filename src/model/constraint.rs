use crate::geometry::{Quat, Vec3, rotation};

/// How a held particle moves, whatever pushes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    Fixed,
    /// Constant velocity, m/s.
    Velocity(Vec3),
    /// Turning about the line through `point` (m) along the unit vector `axis`, at `rate` rad/s.
    Rotation {
        point: Vec3,
        axis: Vec3,
        rate: f64,
    },
}

impl Motion {
    /// Position, orientation, velocity and spin after `dt` seconds, of a particle now at `p`, `q`.
    pub fn after(&self, p: &Vec3, q: &Quat, dt: f64) -> (Vec3, Quat, Vec3, Vec3) {
        match *self {
            Self::Fixed => (*p, *q, Vec3::zeros(), Vec3::zeros()),
            Self::Velocity(v) => (p + v * dt, *q, v, Vec3::zeros()),
            Self::Rotation { point, axis, rate } => {
                let turn = rotation::exp(&(axis * (0.5 * rate * dt)));
                let arm = rotation::rotate(&turn, &(p - point));
                let w = axis * rate;
                (point + arm, rotation::turn(q, &(w * dt)), w.cross(&arm), w)
            }
        }
    }
}

/// Particles whose motion is prescribed.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub particles: Vec<u32>,
    pub motion: Motion,
}
