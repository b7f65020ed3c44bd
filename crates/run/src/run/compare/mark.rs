use bdem_core::geometry::Vec3;
use bdem_core::simulate::Simulation;

use super::report::Differences;

/// Summary of a run at a frame, for comparison with other runs.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Frames since the common start.
    pub frame: u32,
    p: Vec<Vec3>,
    bonds_broken: usize,
    energy: f64,
}

impl Mark {
    pub(super) fn new(frame: u32, simulation: &Simulation, bonds_broken: usize) -> Self {
        Self { frame, p: simulation.state.p.clone(), bonds_broken, energy: simulation.energy() }
    }

    /// `self` less `other` at the same frame. `radius` (m) is that of each particle.
    pub(super) fn less(&self, other: &Self, radius: &[f64], from_frame: u32) -> Differences {
        let apart = |i: usize| (self.p[i] - other.p[i]).norm() / radius[i];
        let particles = self.p.len();
        Differences {
            frame: from_frame + self.frame,
            displacement_mean: (0..particles).map(apart).sum::<f64>() / particles.max(1) as f64,
            displacement_greatest: (0..particles).map(apart).fold(0.0, f64::max),
            bonds_broken: self.bonds_broken as i64 - other.bonds_broken as i64,
            energy: self.energy - other.energy,
        }
    }
}
