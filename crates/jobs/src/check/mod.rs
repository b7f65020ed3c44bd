//! Check of a scene without its run.
//!
//! ```text
//! device   a run on a graphics card
//! report   the facts about a scene
//! text     their lines
//! tune     strengths that break its bodies into a number of pieces
//! ```

mod device;
mod report;
mod text;
mod tune;

use std::path::PathBuf;
use std::sync::Arc;

use bdem_core::interrupt::Interrupt;
use bdem_core::model::{BondModel, State, World};
use bdem_core::simulate::Simulation;
use bdem_run::run::runtime_estimate::{RuntimeEstimate, processor_time};
use bdem_run::run::{KeptPackings, LogOptions, RunError, StepDevice, memory};
use bdem_run::scene::Scene;

use crate::error::JobError;

pub use device::{DeviceEstimate, is_faster};
pub use report::{BodyPieces, BodySize, Charges, Failure, PresetKey, Report, StepsPerFrame, Strike};
pub use tune::{CoarseRun, TunedMaterial, Tuning, tune};

/// Options of a check besides its scene.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Format and level of the log, which shows the progress of packings.
    pub log: LogOptions,
    /// Folder of packings that runs share, if any.
    pub packing_cache: Option<PathBuf>,
    /// Limit on the memory of the run, bytes. None for the free memory.
    pub max_memory: Option<u64>,
    /// Request to stop the check.
    pub interrupt: Interrupt,
    /// Device to estimate a run on, too.
    pub device: Option<Arc<dyn StepDevice>>,
}

impl CheckOptions {
    /// World of `scene`, which stops when it is asked to.
    fn build(&self, scene: &Scene, packings: &mut KeptPackings) -> Result<(World, State), JobError> {
        let (mut world, state) = scene.build_with(packings)?;
        world.interrupt = self.interrupt.clone();
        Ok((world, state))
    }

    /// Error of a request to stop, if there is one.
    fn check_interrupt(&self) -> Result<(), JobError> {
        self.interrupt.signal().map_or(Ok(()), |signal| Err(RunError::Interrupted(signal).into()))
    }
}

/// Facts about `scene`: it is built, and a second and a half of its run is tried. Nothing is written.
///
/// A solver that gives up in that trial is a fact too: see [`Report::failure`].
///
/// # Errors
/// When the scene does not fit into memory, cannot be built or is not whole, or when a stop is requested.
pub fn check(scene: &Scene, options: &CheckOptions) -> Result<Report, JobError> {
    // on a thread of the pool, as a run: its memory is compared
    rayon::scope(|_| check_here(scene, options))
}

fn check_here(scene: &Scene, options: &CheckOptions) -> Result<Report, JobError> {
    memory::check(&[scene], options.max_memory)?;
    let start = processor_time();
    let mut packings = KeptPackings::new(Vec::new(), options.packing_cache.clone(), options.log);
    let (world, state) = options.build(scene, &mut packings)?;
    let bodies = scene.wholeness(&world, &state);
    let for_device = options.device.as_deref().map(|device| (device, world.clone(), state.clone()));
    let warnings = scene.check_whole(&bodies)?.iter().map(ToString::to_string).collect();
    let simulation = Simulation::new(world, state, &scene.simulation_settings());
    let setup = processor_time() - start;
    let facts = Report { warnings, pieces: report::pieces(scene, bodies), ..facts(scene, &simulation) };
    let mut moduli = scene.body_moduli(&simulation.world);
    let body = simulation.world.particles.body.clone();
    let output = memory::of_output(&simulation.world);
    let estimate = RuntimeEstimate::new(scene, simulation, setup);
    options.check_interrupt()?;
    // the trial has all that the steps of a run hold
    let memory = memory::peak().map_or_else(|| memory::estimate(scene), |peak| peak + output);
    let on_device = for_device.map(|(device, world, state)| DeviceEstimate::new(scene, world, state, device));
    // bars of packings take memory that a run does not
    scene.measure_solids(&mut moduli, &mut packings);
    let impacts = estimate.iter().flat_map(|estimate| &estimate.trial.impacts);
    Ok(Report {
        impacts: impacts.map(|impact| Strike::new(scene, impact)).collect(),
        moduli,
        memory,
        failure: estimate.as_ref().err().map(|why| Failure { why: why.clone(), error: scene.gives_up(why, &body) }),
        estimate: estimate.ok(),
        on_device: on_device.transpose()?,
        ..facts
    })
}

/// Facts that the start of a scene shows.
fn facts(scene: &Scene, simulation: &Simulation) -> Report {
    let Simulation { world, state, plan, .. } = simulation;
    let springs = world.bonds().iter().filter(|bond| bond.model == BondModel::AXIAL).count();
    Report {
        scene: scene.name().to_owned(),
        frames: scene.time.frames,
        frame_rate: scene.time.frame_rate,
        integrator: scene.time.integrator,
        presets: scene.preset_row().into_iter().map(PresetKey::new).collect(),
        until: scene.time.until.clone(),
        particles: world.particles.len(),
        bonds: world.bonds().len() - springs,
        springs,
        meshes: scene.mesh_reports().to_vec(),
        bodies: scene.measures(world, state).into_iter().map(|measures| BodySize::new(scene, measures)).collect(),
        packings: scene.fillings(world),
        grains: scene.grains(world, state),
        charges: Charges::largest(scene, simulation),
        period: world.period(),
        explicit_limit: simulation.stability_limit(),
        steps: StepsPerFrame::new(plan),
        ..Report::default()
    }
}
