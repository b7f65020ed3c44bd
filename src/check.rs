use bdem_jobs::check::{CheckOptions, check, tune};
use bdem_run::run::{StillRunning, shared_packings};
use clap::Args;

use super::device::DeviceArguments;
use super::{CliError, RunArguments, SceneArguments, print};

/// Checks a scene, and estimates its run time and memory
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Number of pieces of four particles or more into which the scene's bodies shall break: prints the strengths found by coarse runs of
    /// about a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pieces: Option<u32>,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem check scenes/plate.toml
  bdem check scenes/slab.toml --set bodies.slab.particle_radius=0.0008      at full size
  bdem check scenes/plate.toml --pieces 40                                  finds the strength for some 40 pieces";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let log = arguments.run.log();
    let _waiting = (!log.is_silent()).then(|| StillRunning::start("checking the scene"));
    let scene = arguments.scene.load(log)?;
    // a signal ends a check at once: nothing is written
    let options = CheckOptions {
        log,
        packing_cache: shared_packings(),
        max_memory: arguments.run.max_memory(),
        ..CheckOptions::default()
    };
    let options = CheckOptions { device: arguments.device.of(&scene, &options)?, ..options };
    let report = check(&scene, &options)?;
    report.warnings.iter().for_each(|warning| log.warn(warning));
    print(&report.to_string())?;
    if let Some(failure) = report.failure {
        return Err(failure.error.into());
    }
    arguments.pieces.map_or(Ok(()), |wanted| print(&tune(&scene, wanted, &options)?.to_string()))
}
