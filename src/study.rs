use std::num::NonZeroUsize;
use std::path::PathBuf;

use bdem_run::run::{LogLevel, LogOptions};
use bdem_studies::{STUDIES, Setup, Study, write};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::output::output_folder;
use super::{CliError, print, start_threads};

/// Repeats one of the papers' comparisons, and shows our figures beside theirs
///
/// NAME.csv and NAME.json have the numbers, NAME.svg and NAME.png the chart, and NAME.md all of it. A study takes up
/// to about three minutes on two cores. It replaces the files of an earlier one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the study; without it all are listed
    #[arg(value_parser = PossibleValuesParser::new(STUDIES.map(|study| study.name)))]
    name: Option<String>,
    /// Folder of the files [default: out/study/NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Small sizes of a few seconds, to try a study. The figures are not those of the study
    #[arg(long)]
    quick: bool,
    /// Number of threads [default: all of the machine's]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  bdem study                                        lists the studies
  bdem study agreement                              out/study/agreement/agreement.md and more
  bdem study contacts                               single contacts against closed forms, case by case
  bdem study motion                                 free bodies, beams, waves and breaks, likewise
  bdem study stiffness --quick -o trial";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let named = |study: &&Study| Some(study.name) == arguments.name.as_deref();
    let Some(study) = STUDIES.iter().find(named) else { return list() };
    start_threads(arguments.threads, arguments.log())?;
    let folder = output_folder(arguments.output.as_ref(), || ["out", "study", study.name].iter().collect())?;
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
