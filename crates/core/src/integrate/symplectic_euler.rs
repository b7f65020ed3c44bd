use crate::geometry::{Quat, Vec3, rotation};

use super::{Explicit, Rule};

/// Symplectic Euler: a whole kick, then the drift. First order; its velocities are those between two steps.
pub type SymplecticEuler = Explicit<KickThenDrift>;

/// The whole kick before the drift. Orientations follow the geodesic, as Verlet's.
#[derive(Debug)]
pub struct KickThenDrift;

impl Rule for KickThenDrift {
    const KICKS: [f64; 2] = [1.0, 0.0];
    const IS_GEODESIC: bool = true;

    #[inline(always)]
    fn turn(theta: &Vec3) -> Quat {
        rotation::exp(&(theta * 0.5))
    }
}
