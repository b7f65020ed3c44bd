use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::output::OutputError;
use crate::run::{LogLevel, LogOptions};
use crate::study::{STUDIES, Setup, Study, write};

use super::{CliError, print, start_threads};

/// Makes one of the papers' comparisons again, and lays our figures beside theirs
///
/// NAME.csv and NAME.json have the numbers, NAME.svg and NAME.png the picture, and NAME.md all of it. A study ends within
/// three minutes or so on two cores; those of an earlier one are replaced.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Which; all are listed if it is not given
    #[arg(value_parser = PossibleValuesParser::new(STUDIES.map(|study| study.name)))]
    name: Option<String>,
    /// Where its files go [default: out/study/NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// At small sizes: a trial of some seconds, whose figures mean little
    #[arg(long)]
    quick: bool,
    /// Threads; all of the machine's if not given
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Nothing on the terminal but errors
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  bdem study                                        what studies there are
  bdem study agreement                              out/study/agreement/agreement.md and more
  bdem study stiffness --quick -o trial";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let named = |study: &&Study| Some(study.name) == arguments.name.as_deref();
    let Some(study) = STUDIES.iter().find(named) else { return list() };
    start_threads(arguments.threads, arguments.log())?;
    let folder = arguments.output.clone().unwrap_or_else(|| ["out", "study", study.name].iter().collect());
    fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))?;
    let setup = Setup { quick: arguments.quick, log: arguments.log() };
    let report = (study.run)(&setup)?;
    write(&folder, study, &setup, &report)?;
    setup.log.note(&format!("{} is in {}", study.name, folder.display()));
    if arguments.quiet { Ok(()) } else { print(&report.claims_markdown()) }
}

fn list() -> Result<(), CliError> {
    let width = STUDIES.iter().map(|study| study.name.len()).max().unwrap_or(0);
    print(&STUDIES.iter().map(|study| format!("{:width$}  {}\n", study.name, study.about)).collect::<String>())
}

impl Arguments {
    pub(super) fn log(&self) -> LogOptions {
        let level = if self.quiet { LogLevel::Quiet } else { LogLevel::Normal };
        LogOptions { level, ..LogOptions::default() }
    }
}
