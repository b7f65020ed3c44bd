//! Results of a block's contacts: energy flows, and forces on walls.

use bdem_core::energy::Flow;
use bdem_core::energy::account::Flows;
use bdem_core::geometry::Vec3;

/// Energy flows of contacts in a block, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFlows {
    /// Dissipated by dashpots.
    pub damping: f64,
    /// Dissipated in sliding.
    pub friction: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Errors of the trapezoidal rule.
    pub trapezoid: f64,
    /// Work against the forces that correct them.
    pub corrections: f64,
}

/// Force of particles on a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallForce {
    /// Index of the wall.
    pub wall: usize,
    /// N.
    pub force: Vec3,
    /// Point where it acts, m.
    pub place: Vec3,
}

impl ContactFlows {
    /// Sums over particles: `Energies` of the shader.
    pub(super) fn of(rows: &[[f32; 8]]) -> Self {
        let sum = |k: usize| rows.iter().map(|row| f64::from(row[k])).sum::<f64>();
        Self { damping: sum(0), friction: sum(1), walls: sum(2), trapezoid: sum(3), corrections: sum(4) }
    }
}

impl From<ContactFlows> for Flows {
    fn from(of: ContactFlows) -> Self {
        Self::from([
            (Flow::Walls, of.walls),
            (Flow::Damping, of.damping),
            (Flow::Friction, of.friction),
            (Flow::Numerical, of.trapezoid - of.corrections),
        ])
    }
}
