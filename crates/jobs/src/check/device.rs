//! Estimate of a run on a device, such as a graphics card, and beside this machine's processors.

use std::time::Instant;

use bdem_core::model::{State, World};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::runtime_estimate::Span;
use bdem_run::run::{KeptPackings, RunError, StepDevice, simulation};
use bdem_run::scene::Scene;

use crate::error::JobError;

use super::CheckOptions;

/// Estimate of a run on a device.
#[derive(Clone, Debug)]
pub struct DeviceEstimate {
    /// Name of the device.
    pub name: String,
    /// Wall-clock time of the steps, s.
    pub seconds: Span,
    /// Memory on the device, bytes.
    pub bytes: u64,
}

/// Range of the mean time of a step over that of the first ones: contacts of debris.
const SPREAD: [f64; 2] = [0.8, 2.2];

impl DeviceEstimate {
    /// Estimate for a run of `scene`, whose `world` and `state` are its start.
    ///
    /// # Errors
    /// When the device cannot take the steps, or they fail.
    pub(super) fn new(scene: &Scene, world: World, state: State, device: &dyn StepDevice) -> Result<Self, JobError> {
        let mut simulation = simulation(scene, world, state, Some(device))?;
        let [low, high] = SPREAD.map(|spread| spread * f64::from(scene.time.frames) / scene.time.frame_rate);
        let seconds = Span { low, high } * pace(&mut simulation)?;
        Ok(Self { name: device.name().to_owned(), seconds, bytes: device.bytes() })
    }
}

/// Whether `device` takes the first steps of `scene` faster than this machine's processors.
///
/// # Errors
/// When the scene cannot be built, the device cannot take its steps, or they fail.
pub fn is_faster(scene: &Scene, device: &dyn StepDevice, options: &CheckOptions) -> Result<bool, JobError> {
    let mut packings = KeptPackings::new(Vec::new(), options.packing_cache.clone(), options.log);
    let (world, state) = options.build(scene, &mut packings)?;
    let mut there = simulation(scene, world.clone(), state.clone(), Some(device))?;
    let there = pace(&mut there)?;
    let mut here = simulation(scene, world, state, None)?;
    Ok(there < rayon::scope(|_| pace(&mut here))?)
}

/// Wall-clock time of a simulated second, by steps of about half a second.
fn pace(simulation: &mut Simulation) -> Result<f64, RunError> {
    const ENOUGH: f64 = 0.25;
    let (mut progress, mut count) = (Progress::default(), 16);
    // the first steps set up what all need
    simulation.try_steps(count, &mut progress)?;
    loop {
        let (start, from) = (Instant::now(), simulation.state.time);
        let mut left = count;
        while left > 0 {
            left -= simulation.try_steps(left, &mut progress)?;
        }
        let spent = start.elapsed().as_secs_f64();
        if spent > ENOUGH {
            return Ok(spent / (simulation.state.time - from));
        }
        count *= 2;
    }
}
