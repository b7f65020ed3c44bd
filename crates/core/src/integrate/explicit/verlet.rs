use crate::geometry::{Quat, Vec3, rotation};

use super::{Explicit, Rule};

/// Velocity Verlet (\[BDEM21\] Algorithm 1).
pub type Verlet = Explicit<Geodesic>;

/// Half a kick before and after the drift. Orientations follow the geodesic, `q <- exp(dt w/2) q`.
#[derive(Debug)]
pub struct Geodesic;

impl Rule for Geodesic {
    const KICKS: [f64; 2] = [0.5, 0.5];
    const IS_GEODESIC: bool = true;

    #[inline(always)]
    fn turn(theta: &Vec3) -> Quat {
        rotation::exp(&(theta * 0.5))
    }
}
