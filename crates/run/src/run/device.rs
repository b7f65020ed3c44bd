//! Devices that take the steps of a run instead of this machine's processors.

use std::fmt::Debug;

use bdem_core::integrate::Integrator;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Extensions, IntegratorKind, Simulation};

use crate::scene::Scene;

use super::RunError;

/// Device that takes the steps of runs, such as a graphics card.
pub trait StepDevice: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Velocity Verlet for `world` from `state`.
    ///
    /// # Errors
    /// The reason why the device cannot take its steps, and the way out.
    fn integrator(&self, world: &World, state: &State) -> Result<Box<dyn Integrator>, String>;

    /// Memory on the device of what its integrators hold, bytes.
    fn bytes(&self) -> u64;
}

/// Simulation of `scene` from its `world` and `state`, whose steps `device` takes, or else this machine's processors.
///
/// # Errors
/// When the device cannot take them.
pub fn simulation(
    scene: &Scene,
    world: World,
    state: State,
    device: Option<&dyn StepDevice>,
) -> Result<Simulation, RunError> {
    let integrator = device.map(|device| integrator(device, scene, &world, &state)).transpose()?;
    let parts = Extensions { integrator, ..Extensions::default() };
    Ok(Simulation::extended(world, state, &scene.simulation_settings(), parts))
}

fn integrator(
    device: &dyn StepDevice,
    scene: &Scene,
    world: &World,
    state: &State,
) -> Result<Box<dyn Integrator>, RunError> {
    let kind = scene.time.integrator;
    let integrator = match kind {
        IntegratorKind::ExplicitVerlet => device.integrator(world, state),
        _ => Err(format!(
            "it takes the steps of explicit-verlet, and the scene's integrator is {kind}; --integrator explicit-verlet takes \
             them"
        )),
    };
    integrator.map_err(|why| RunError::Device { name: device.name().to_owned(), why })
}
