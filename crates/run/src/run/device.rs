//! Devices that take the steps of a run instead of this machine's processors.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use bdem_core::integrate::Integrator;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Extensions, IntegratorKind, Simulation};

use crate::scene::Scene;

use super::RunError;

/// Device that takes the steps of runs, such as a graphics card.
#[derive(Clone)]
pub struct StepDevice {
    name: String,
    integrator: Arc<NewIntegrator>,
}

/// Integrator of a world on a device, or the reason why it has none.
type NewIntegrator = dyn Fn(&World, &State) -> Result<Box<dyn Integrator>, String> + Send + Sync;

impl StepDevice {
    /// Device of this `name` with velocity Verlet for a world and its state, or the reason why it cannot take its steps.
    pub fn new(
        name: impl Into<String>,
        integrator: impl Fn(&World, &State) -> Result<Box<dyn Integrator>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), integrator: Arc::new(integrator) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn integrator(&self, scene: &Scene, world: &World, state: &State) -> Result<Box<dyn Integrator>, RunError> {
        let kind = scene.time.integrator;
        let integrator = match kind {
            IntegratorKind::ExplicitVerlet => (self.integrator)(world, state),
            _ => Err(format!(
                "it takes the steps of explicit-verlet, and the scene's integrator is {kind}; --integrator explicit-verlet \
                 takes these steps"
            )),
        };
        integrator.map_err(|why| RunError::Device { name: self.name.clone(), why })
    }
}

impl Debug for StepDevice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StepDevice").field(&self.name).finish()
    }
}

/// Simulation of `scene` from its `world` and `state`, whose steps `device` takes, or else this machine's processors.
///
/// # Errors
/// When the device cannot take them.
pub fn simulation(
    scene: &Scene,
    world: World,
    state: State,
    device: Option<&StepDevice>,
) -> Result<Simulation, RunError> {
    let integrator = device.map(|device| device.integrator(scene, &world, &state)).transpose()?;
    let parts = Extensions { integrator, ..Extensions::default() };
    Ok(Simulation::extended(world, state, &scene.simulation_settings(), parts))
}
