use std::ops::AddAssign;

use crate::energy::account::Flows;

/// Energies of friction in a step, J. Kinetic energy and that of the tangential springs change by `walls + held - lost`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork {
    /// Dissipated energy: forces times relative displacements of the surfaces.
    pub lost: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Work of held particles whose velocity enters friction.
    pub held: f64,
}

impl AddAssign for FrictionWork {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.walls += other.walls;
        self.held += other.held;
    }
}

impl From<FrictionWork> for Flows {
    fn from(FrictionWork { lost, walls, held }: FrictionWork) -> Self {
        Self { walls, held, friction: lost, ..Self::default() }
    }
}
