use std::path::PathBuf;

use bdem_jobs::calibrate::{TargetFile, calibrate};
use clap::Args;

use super::{CliError, FolderArguments, RunArguments, print};

/// Finds the keys of a material whose solid has a given stiffness, strength and toughness, by material tests
///
/// TARGET.toml names Young's modulus, Poisson's ratio, strengths and fracture energy, each with a tolerance. The templates' tests
/// measure them, and the material's keys are corrected, a few times. The answer is measured on other seeds and another radius.
/// `bdem new calibrate` writes a target to start from.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// File of the target (TOML)
    target: PathBuf,
    #[command(flatten)]
    folder: FolderArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem new calibrate                                writes calibrate.toml, a concrete to start from
  bdem calibrate calibrate.toml                     out/calibrate/concrete/material.toml, report.md, report.csv and the runs
  bdem calibrate calibrate.toml --resume            goes on with one that was stopped";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let file = TargetFile::read(&arguments.target)?;
    let default = || ["out", "calibrate", file.name()].iter().collect();
    let calibration = calibrate(&file, &arguments.folder.options(&arguments.run, default))?;
    if !arguments.run.log().is_silent() {
        print(&calibration.to_string())?;
    }
    if calibration.misses.is_empty() {
        return Ok(());
    }
    let message = format!("outside its tolerance where the calibration did not see: {}", calibration.misses.join("; "));
    Err(CliError { code: 8, message })
}
