//! Trajectories and their errors, in the norms of \[RODR\] eqs 35 to 38.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Particles, State};
use bdem_core::simulate::Simulation;
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

/// States of a run at equal times.
#[derive(Default)]
pub(crate) struct Trajectory {
    states: Vec<State>,
    /// Energies, J.
    energy: Vec<f64>,
    /// Linear and angular momenta.
    momentum: Vec<[Vec3; 2]>,
}

/// Errors of a step length.
#[derive(Clone, Copy)]
pub(crate) struct Errors {
    /// Step, in the study's unit.
    pub(crate) step: f64,
    /// Error of the energy, \[RODR\] eq 38.
    pub(crate) energy: f64,
    /// Error of the trajectory: norm of the difference over that of the trajectory, in the norm of \[RODR\] eq 35.
    pub(crate) path: f64,
    /// Error of the norm, \[RODR\] eq 37: difference of the norms' squares.
    pub(crate) norm: f64,
}

impl Trajectory {
    /// Trajectory of a scene at its frames.
    pub(crate) fn of(scene: &Scene) -> Result<Self, RunError> {
        let mut trajectory = Self::default();
        let look = |at: &Simulation| trajectory.push(at.state.clone(), at.energy(), &at.world.particles);
        advance_with(scene, scene.time.frames, true, look)?;
        Ok(trajectory)
    }

    /// Adds a state of these particles and its energy, J.
    pub(crate) fn push(&mut self, state: State, energy: f64, particles: &Particles) {
        self.momentum.push(state.momentum(particles).into());
        self.energy.push(energy);
        self.states.push(state);
    }

    /// Energies, J.
    pub(crate) fn energies(&self) -> &[f64] {
        &self.energy
    }

    /// Errors for a `step` against the trajectory `reference`, with these units of length, m, and of time, s.
    pub(crate) fn errors(&self, reference: &Self, step: f64, units: [f64; 2]) -> Errors {
        let start = self.energy[0];
        let off = self.energy.iter().map(|energy| (energy - start) * (energy - start)).sum::<f64>();
        let whole = reference.square(units);
        let frames = self.states.iter().zip(&reference.states);
        let apart = frames.map(|(state, from)| square(state, Some(from), units)).sum::<f64>();
        Errors {
            step,
            energy: (off / self.energy.len() as f64).sqrt() / start.abs(),
            path: (apart / whole).sqrt(),
            norm: ((self.square(units) - whole).abs() / whole).sqrt(),
        }
    }

    fn square(&self, units: [f64; 2]) -> f64 {
        self.states.iter().map(|state| square(state, None, units)).sum()
    }

    /// Greatest relative change of the linear momentum, 0, or of the angular one, 1.
    pub(crate) fn momentum_change(&self, which: usize) -> f64 {
        let start = self.momentum[0][which];
        let change = |at: &[Vec3; 2]| (at[which] - start).norm() / start.norm();
        self.momentum.iter().map(change).fold(0.0, f64::max)
    }

    /// Greatest relative error of the energy, in the first and in the last tenth of the states.
    pub(crate) fn drift(&self) -> [f64; 2] {
        let start = self.energy[0];
        let worst = |energies: &[f64]| energies.iter().map(|e| ((e - start) / start).abs()).fold(0.0, f64::max);
        let tenth = self.energy.len() / 10;
        [worst(&self.energy[..=tenth]), worst(&self.energy[self.energy.len() - tenth..])]
    }
}

/// Square under the integral of \[RODR\] eq 35, of a state or of a difference of states, in these units of length, m, and of
/// time, s.
fn square(state: &State, from: Option<&State>, [length, time]: [f64; 2]) -> f64 {
    let zero = Vec3::zeros();
    let of = |i: usize| {
        let (p, v, w) = from.map_or((&zero, &zero, &zero), |from| (&from.p[i], &from.v[i], &from.w[i]));
        let turned = from.map_or_else(
            || 2.0 * rotation::log(&state.q[i]),
            |from| rotation::rotation_between(&from.q[i], &state.q[i]),
        );
        let places = (state.p[i] - p).norm_squared() / (length * length);
        let speeds = (state.v[i] - v).norm_squared() / (length * length) + (state.w[i] - w).norm_squared();
        places + turned.norm_squared() + speeds * time * time
    };
    (0..state.len()).map(of).sum()
}

/// Slope of an error over the two last halvings of the step.
pub(crate) fn order(errors: &[Errors], of: impl Fn(&Errors) -> f64) -> f64 {
    let [.., coarse, _, fine] = errors else { return f64::NAN };
    libm::log2(of(coarse) / of(fine)) / libm::log2(coarse.step / fine.step)
}
