use super::{Energies, SpringState, SpringSystem};
use crate::geometry::Vec3;

/// Energy account of a run.
///
/// A force with a potential works over a step by the mean of its values at both ends times the way. Kinetic energy that
/// is missing from this work, less that of the dashpots, is dissipated by the integrator; it is negative where explicit
/// forces add energy.
#[derive(Clone, Debug)]
pub struct EnergyAccount {
    first: Energies,
    last: Energies,
    /// State at the end, and its forces with a potential, N.
    state: SpringState,
    forces: Vec<Vec3>,
    /// Energy that the dashpots dissipated, J.
    pub damping: f64,
    /// Energy that the integrator dissipated, J.
    pub integrator: f64,
    /// Sum of the absolute changes of kinetic and potential energies over the steps, J.
    pub turnover: f64,
}

impl EnergyAccount {
    /// Account that begins at `state`.
    pub fn new(system: &SpringSystem, state: &SpringState) -> Self {
        let energies = system.energies(state);
        let forces = system.conservative_forces(state);
        let state = state.clone();
        Self { first: energies, last: energies, state, forces, damping: 0.0, integrator: 0.0, turnover: 0.0 }
    }

    /// Adds the step to `state`.
    pub fn add(&mut self, system: &SpringSystem, state: &SpringState) {
        let (energies, forces) = (system.energies(state), system.conservative_forces(state));
        let sums = forces.iter().zip(&self.forces).map(|(after, before)| (after + before) * 0.5);
        let ways = state.x.iter().zip(&self.state.x).map(|(after, before)| after - before);
        let work: f64 = sums.zip(ways).map(|(force, way)| force.dot(&way)).sum();
        let power = [&self.state, state].map(|it| system.springs.dissipation(&it.x, &it.v));
        let damping = 0.5 * (power[0] + power[1]) * (state.time - self.state.time);
        let kinetic = energies.kinetic - self.last.kinetic;
        self.damping += damping;
        self.integrator += work - damping - kinetic;
        self.turnover +=
            kinetic.abs() + (energies.total() - energies.kinetic - self.last.total() + self.last.kinetic).abs();
        (self.last, self.forces) = (energies, forces);
        self.state.clone_from(state);
    }

    /// Energy that is neither there nor accounted for, J: the potentials' change less the work of their forces.
    pub fn imbalance(&self) -> f64 {
        self.last.total() + self.damping + self.integrator - self.first.total()
    }
}
