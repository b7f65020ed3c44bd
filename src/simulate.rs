use std::path::Path;

use bdem_core::simulate::Seconds;
use bdem_run::console;
use bdem_run::output::RunRecord;
use bdem_run::run::simulate;
use clap::Args;

use super::device::DeviceArguments;
use super::{CliError, FolderArguments, RunArguments, SceneArguments};

/// Runs a scene and writes a file for each frame
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    folder: FolderArguments,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem simulate scenes/plate.toml                   frames go to out/plate/ply
  bdem simulate scenes/plate.toml --resume          resumes, or starts; use it always on farms
  bdem simulate scenes/plate.toml --frames 5 --overwrite
  bdem simulate scenes/plate.toml --set materials.ceramic.tensile_strength=8e6 -o out/strong
  bdem simulate scenes/slab.toml --set bodies.slab.particle_radius=0.004 --integrator explicit-verlet -o out/coarse";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let scene = arguments.scene.load(arguments.run.log())?;
    arguments.run.check_memory(&[&scene])?;
    let folder = arguments.folder.options(&arguments.run, || Path::new("out").join(scene.name()));
    let options = arguments.device.of_runs(&scene, folder)?;
    let record = simulate(&scene, &options)?;
    if !arguments.run.log().is_silent() {
        console::message(summary(&record, &options.output).trim_end());
    }
    Ok(())
}

fn summary(record: &RunRecord, output: &Path) -> String {
    let RunRecord { frames, steps, explicit_steps, asleep_steps, step_cuts, seconds, .. } = record;
    let RunRecord { newton_iterations, cg_iterations, .. } = record;
    let first = record.bonds + record.bonds_broken;
    let ended = record.ended.as_ref().map_or(String::new(), |condition| format!("ended: {condition}\n"));
    format!(
        "{frames} frames of {} particles in {:.1} s ({} threads): {}\n\
         steps {steps}, explicit {explicit_steps}, asleep {asleep_steps}, cut {step_cuts}; Newton {newton_iterations}, conjugate gradients {cg_iterations}\n\
         {} of {first} bonds broken; {} pieces, the largest of {} particles\n\
         {ended}{}",
        record.particles,
        seconds.total,
        record.threads,
        output.display(),
        record.bonds_broken,
        record.pieces,
        record.largest_piece,
        timings(seconds),
    )
}

/// Wall-clock time of each phase, a line each.
fn timings(&Seconds { total, setup, integrate, fracture, contact, output }: &Seconds) -> String {
    let rest = total - (setup + integrate + fracture + contact + output);
    let phases = [
        ("setup", setup),
        ("integrate", integrate),
        ("fracture", fracture),
        ("contact", contact),
        ("output", output),
        ("rest", rest),
    ];
    let line = |(name, seconds)| format!("  {name:9} {seconds:8.1} {:5.1}%\n", 100.0 * seconds / total);
    format!("seconds     {total:8.1}\n") + &phases.map(line).concat()
}
