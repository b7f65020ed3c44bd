//! `bdem calibrate`.
//!
//! ```text
//! target   the target's TOML, checked
//! typed    a material as a scene types it, and its corrections
//! test     scenes of the tests with that material
//! rounds   tests on several seeds, side by side
//! report   material block and tables
//! ```

mod report;
mod rounds;
mod target;
mod test;
mod typed;

use std::path::PathBuf;

use bdem_run::output::{check_folder, make_folder};
use bdem_run::run::RunError;
use clap::Args;

use super::{CliError, FolderArguments, RunArguments, print, signals};
use report::Report;
use rounds::Rounds;
use target::TargetFile;
use typed::Typed;

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

/// Most corrections: each is a round of all tests.
const MOST_ROUNDS: usize = 4;

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let log = arguments.run.log();
    let file = TargetFile::read(&arguments.target)?;
    let folder = arguments.folder.output.clone();
    let folder = folder.unwrap_or_else(|| ["out", "calibrate", &file.tables.calibrate.name].iter().collect());
    check_folder(&folder)?;
    make_folder(&folder)?;
    let _guard = signals::INTERRUPT.guard().map_err(RunError::Interrupted)?;
    let rounds = Rounds { file: &file, folder: &folder, existing_run: arguments.folder.existing_run(), log };
    let mut typed = Typed::start(&file.tables.target);
    let mut report = Report::default();
    for round in 0..MOST_ROUNDS {
        let measured = rounds.calibration(round, &typed)?;
        log.note(&report::line(round, &file.tables.target, &measured));
        let off = measured.off(&file.tables.target);
        report.rounds.push((typed, measured));
        if off <= report::MARGIN {
            break;
        }
        typed = report.corrected(&file.tables.target);
    }
    // the best of them, which need not be the last
    let best = report.best(&file.tables.target);
    report.seen = rounds.validation(&report.rounds[best].0)?;
    report.write(&folder, &file, best)?;
    if !log.is_silent() {
        print(&report.summary(&folder, &file, best))?;
    }
    match report.misses(&file.tables.target) {
        misses if misses.is_empty() => Ok(()),
        misses => {
            let message = format!("outside its tolerance where the calibration did not see: {}", misses.join("; "));
            Err(CliError { code: 8, message })
        }
    }
}
