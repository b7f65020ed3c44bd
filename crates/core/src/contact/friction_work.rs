use std::ops::AddAssign;

use crate::energy::account::Flows;

/// Energies of friction in a step, J. Kinetic energy and that of the tangential springs change by `walls + held - lost -
/// damped`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork {
    /// Energy dissipated in sliding: forces times relative displacements of the surfaces.
    pub lost: f64,
    /// Energy dissipated by tangential dashpots.
    pub damped: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Work of held particles whose velocity enters friction.
    pub held: f64,
}

impl FrictionWork {
    /// All that is dissipated, J.
    pub fn dissipated(&self) -> f64 {
        self.lost + self.damped
    }
}

impl AddAssign for FrictionWork {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.damped += other.damped;
        self.walls += other.walls;
        self.held += other.held;
    }
}

impl From<FrictionWork> for Flows {
    fn from(FrictionWork { lost, damped, walls, held }: FrictionWork) -> Self {
        Self { walls, held, friction: lost, damping: damped, ..Self::default() }
    }
}
