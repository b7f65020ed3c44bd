use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::contact::FrictionWork;

/// Energy flows of a step, or since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flows {
    /// Work done on the world by moving walls.
    pub walls: f64,
    /// Work of loads.
    pub loads: f64,
    /// Work of constraints on held particles.
    pub held: f64,
    /// Work of changing charges, and of charges and fields from outside: see [`ElectricState::work_to`].
    ///
    /// [`ElectricState::work_to`]: crate::energy::ElectricState::work_to
    pub electric: f64,
    /// Dissipation by damping, positive.
    pub damping: f64,
    /// Dissipation by friction, positive.
    pub friction: f64,
    /// Energy of broken bonds, positive.
    pub fracture: f64,
    /// Energy gain of the time rule; negative for dissipation.
    pub numerical: f64,
    /// Work of the solver's residual forces.
    pub solver: f64,
}

impl Flows {
    /// Change of the world's energy by all flows.
    pub(crate) fn sum(&self) -> f64 {
        self.walls + self.loads + self.held + self.electric + self.numerical + self.solver
            - self.damping
            - self.friction
            - self.fracture
    }

    pub(super) fn each(&self) -> [f64; 9] {
        let Self { walls, loads, held, electric, damping, friction, fracture, numerical, solver } = *self;
        [walls, loads, held, electric, damping, friction, fracture, numerical, solver]
    }
}

impl From<FrictionWork> for Flows {
    fn from(FrictionWork { lost, damped, walls, held }: FrictionWork) -> Self {
        Self { walls, held, friction: lost, damping: damped, ..Self::default() }
    }
}

impl AddAssign for Flows {
    fn add_assign(&mut self, other: Self) {
        self.walls += other.walls;
        self.loads += other.loads;
        self.held += other.held;
        self.electric += other.electric;
        self.damping += other.damping;
        self.friction += other.friction;
        self.fracture += other.fracture;
        self.numerical += other.numerical;
        self.solver += other.solver;
    }
}
