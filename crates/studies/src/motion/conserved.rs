//! Quantities that stay, and their errors.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{IntegratorKind, Simulation};

use crate::cases::{Conditions, Setting, Stop, Target};

/// Energy (J) and angular momentum (kg m2/s) about the origin at the start and at every frame.
pub(super) struct Conserved {
    pub(super) energy: Vec<f64>,
    pub(super) angular: Vec<Vec3>,
}

impl Conserved {
    /// Those of a run.
    pub(super) fn of(conditions: &Conditions, setting: &Setting, objects: &str) -> Result<Self, Stop> {
        Ok(conditions.trace(setting, objects, quantities)?.into_iter().collect())
    }

    /// Error of the energy, relative to the first: the greatest change. Of an integrator that dissipates, the greatest rise.
    pub(super) fn energy_error(&self, setting: &Setting) -> f64 {
        let first = self.energy[0];
        let change = |energy: &f64| (energy - first) / first.abs();
        let size = |energy: &f64| if dissipates(setting) { change(energy) } else { change(energy).abs() };
        self.energy.iter().map(size).fold(0.0, f64::max)
    }

    /// Greatest change of the angular momentum, relative to the first.
    pub(super) fn angular_error(&self) -> f64 {
        let first = self.angular[0];
        self.angular.iter().map(|l| (l - first).norm() / first.norm()).fold(0.0, f64::max)
    }
}

impl FromIterator<(f64, Vec3)> for Conserved {
    fn from_iter<I: IntoIterator<Item = (f64, Vec3)>>(all: I) -> Self {
        let (energy, angular) = all.into_iter().unzip();
        Self { energy, angular }
    }
}

fn quantities(at: &Simulation) -> (f64, Vec3) {
    (at.energy(), at.state.momentum(&at.world.particles).1)
}

/// Whether an integrator dissipates by design: its energy only falls.
pub(super) fn dissipates(setting: &Setting) -> bool {
    setting.integrator == IntegratorKind::ImplicitEuler
}

/// Target of [`Conserved::energy_error`].
pub(super) fn energy_target(setting: &Setting, when: &str, tolerance: f64) -> Target {
    let quantity = if dissipates(setting) { "rise of energy" } else { "change of energy" };
    Target::ratio(format!("{quantity}{when}"), 0.0, tolerance)
}

/// Target of [`Conserved::angular_error`].
pub(super) fn angular_target(when: &str, tolerance: f64) -> Target {
    Target::ratio(format!("change of angular momentum{when}"), 0.0, tolerance)
}
