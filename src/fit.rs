use std::num::NonZeroUsize;
use std::path::PathBuf;

use bdem_jobs::fit::{FitFile, FitOptions, fit};
use clap::Args;

use super::{CliError, FolderArguments, RunArguments, print, version};

/// Finds parameters of a scene from what was seen: frames, tracks of points, columns of metrics, or a load curve
///
/// FIT.toml names the scene, its keys that vary with their bounds, the targets, and the method. `bdem new fit` writes one that
/// explains every line. The folder gets evaluations.csv, charts of loss and parameters, and the fitted scene.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// File of the fit (TOML)
    fit: PathBuf,
    #[command(flatten)]
    folder: FolderArguments,
    /// Runs at once, for methods that need several [default: as many as threads and memory allow]
    #[arg(long, value_name = "N")]
    side_by_side: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem new fit                                      writes fit.toml and fit_scene.toml, a fit to start from
  bdem fit fit.toml                                 out/fit/NAME/fitted.toml and more
  bdem fit fit.toml --resume                        goes on with a fit that was stopped
  bdem simulate out/fit/NAME/fitted.toml            runs the fitted scene";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let file = FitFile::read(&arguments.fit)?;
    let options = FitOptions {
        run: arguments.folder.options(&arguments.run, || ["out", "fit", file.name()].iter().collect()),
        max_memory: arguments.run.max_memory(),
        side_by_side: arguments.side_by_side,
        version: version::NUMBER_AND_COMMIT.to_owned(),
    };
    let report = fit(&file, &options)?;
    if !arguments.run.log().is_silent() {
        print(&report.to_string())?;
    }
    let doubts = report.doubts?;
    if doubts.is_empty() {
        return Ok(());
    }
    Err(CliError { code: 8, message: format!("the fit may be wrong: {}", doubts.join("; ")) })
}
