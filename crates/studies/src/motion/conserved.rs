//! Quantities that stay, and their errors.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{IntegratorKind, Simulation};

use crate::cases::{Conditions, Setting, Stop, Target};

/// Quantities of a free body at the start and at every frame.
pub(super) struct Conserved {
    /// J.
    energy: Vec<f64>,
    /// Angular momentum about the origin, kg m2/s.
    angular: Vec<Vec3>,
    /// Mean distance of the particles from the first, m.
    size: Vec<f64>,
}

impl Conserved {
    /// Those of a run.
    pub(super) fn of(conditions: &Conditions, setting: &Setting, objects: &str) -> Result<Self, Stop> {
        Ok(conditions.trace(setting, objects, quantities)?.into_iter().collect())
    }

    /// Error of the energy: its greatest change, and of an integrator that dissipates its greatest rise.
    pub(super) fn energy_error(&self, setting: &Setting) -> f64 {
        if dissipates(setting) { self.energy_rise() } else { self.energy_change() }
    }

    /// Greatest change of the energy, relative to the first.
    pub(super) fn energy_change(&self) -> f64 {
        self.energy.iter().map(|energy| (energy / self.energy[0] - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Greatest rise of the energy above the first, relative to it.
    pub(super) fn energy_rise(&self) -> f64 {
        let first = self.energy[0];
        self.energy.iter().map(|energy| (energy - first) / first.abs()).fold(0.0, f64::max)
    }

    /// Greatest change of the size, relative to the first.
    pub(super) fn size_error(&self) -> f64 {
        self.size.iter().map(|size| (size / self.size[0] - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Greatest change of the angular momentum, relative to the first.
    pub(super) fn angular_error(&self) -> f64 {
        let first = self.angular[0];
        self.angular.iter().map(|l| (l - first).norm() / first.norm()).fold(0.0, f64::max)
    }
}

impl FromIterator<(f64, Vec3, f64)> for Conserved {
    fn from_iter<I: IntoIterator<Item = (f64, Vec3, f64)>>(all: I) -> Self {
        let (energy, angular, size) = all.into_iter().collect();
        Self { energy, angular, size }
    }
}

/// Energy, angular momentum and size.
pub(super) fn quantities(at: &Simulation) -> (f64, Vec3, f64) {
    let p = &at.state.p;
    let size = p.iter().map(|x| (x - p[0]).norm()).sum::<f64>() / p.len() as f64;
    (at.energy(), at.state.momentum(&at.world.particles).1, size)
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
