//! Devices that take the steps of a run instead of this machine's processors.

use std::fmt::Debug;

use bdem_core::integrate::Integrator;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Extensions, IntegratorKind, Simulation};

use crate::scene::Scene;

use super::RunError;

/// Reason that a device does not take the steps of a world, and the way out.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Kind and index of the part that it is about, such as `("collider", 0)`.
    pub part: Option<(&'static str, usize)>,
    /// The reason and the way out.
    pub why: String,
}

/// Device that takes the steps of runs, such as a graphics card.
pub trait StepDevice: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Velocity Verlet for `world` from `state`.
    ///
    /// # Errors
    /// The reason why the device cannot take its steps, and the way out.
    fn integrator(&self, world: &World, state: &State) -> Result<Box<dyn Integrator>, Refusal>;

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
    check_integrator(device, scene)?;
    let refused = |Refusal { part, why }| {
        let part = part.map(|(kind, index)| format!("{}: ", scene.part_name(kind, index)));
        RunError::Device { name: device.name().to_owned(), why: part.unwrap_or_default() + &why }
    };
    device.integrator(world, state).map_err(refused)
}

/// Check that `device` takes the steps of the scene's integrator.
///
/// # Errors
/// When it does not.
pub fn check_integrator(device: &dyn StepDevice, scene: &Scene) -> Result<(), RunError> {
    let kind = scene.time.integrator;
    if kind == IntegratorKind::ExplicitVerlet {
        return Ok(());
    }
    let why = format!(
        "it takes the steps of explicit-verlet, and the scene's integrator is {kind}; --integrator explicit-verlet takes them"
    );
    Err(RunError::Device { name: device.name().to_owned(), why })
}
