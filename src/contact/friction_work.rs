use std::ops::AddAssign;

use crate::energy::account::Flows;

/// Energies of friction in a step, J: kinetic energy and that of friction's springs change by `walls + held - lost`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork {
    /// What friction took: forces times the ways of one surface over the other.
    pub lost: f64,
    /// What moving walls did, and held particles that move where their velocity is what friction goes by.
    pub walls: f64,
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
