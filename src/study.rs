use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use bdem_run::run::{LogLevel, LogOptions};
use bdem_studies::{STUDIES, Setup, Study, write};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::output::output_folder;
use super::{CliError, print, start_threads};

/// Repeats one of the papers' comparisons, and shows our figures beside theirs
///
/// NAME.csv and NAME.json have the numbers, NAME.svg and NAME.png the chart, and NAME.md all of it. Most studies take up
/// to about three minutes on two cores, table1 and table2 longer. A study replaces the files of an earlier one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the study, or `all`, one after another; without it all are listed
    #[arg(value_parser = PossibleValuesParser::new(STUDIES.iter().map(|study| study.name).chain([ALL])))]
    name: Option<String>,
    /// Folder of the files, of those of `all` with a folder each [default: out/study/NAME]
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
  bdem study stiffness --quick -o trial
  bdem study all --quick                            each study for a few seconds
";

/// Name for all studies.
const ALL: &str = "all";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let Some(name) = arguments.name.as_deref() else { return list() };
    start_threads(arguments.threads, arguments.log())?;
    let mut wanted = STUDIES.iter().filter(|study| name == ALL || name == study.name);
    wanted.try_for_each(|study| arguments.repeat(study, name == ALL))
}

fn list() -> Result<(), CliError> {
    let width = STUDIES.iter().map(|study| study.name.len()).max().unwrap_or(0);
    print(&STUDIES.iter().map(|study| format!("{:width$}  {}\n", study.name, study.about)).collect::<String>())
}

impl Arguments {
    /// Runs a study into its folder, and prints its figures.
    fn repeat(&self, study: &Study, is_one_of_all: bool) -> Result<(), CliError> {
        let folder = self.output.as_ref().map(|of| if is_one_of_all { of.join(study.name) } else { of.clone() });
        let folder = output_folder(folder.as_ref(), || ["out", "study", study.name].iter().collect())?;
        let setup = Setup { quick: self.quick, log: self.log() };
        let clock = Instant::now();
        let report = (study.run)(&setup)?;
        write(&folder, study, &setup, &report)?;
        let seconds = clock.elapsed().as_secs_f64();
        setup.log.note(&format!("{} is in {}, after {seconds:.1} s", study.name, folder.display()));
        if self.quiet { Ok(()) } else { print(&report.claims_markdown()) }
    }

    pub(super) fn log(&self) -> LogOptions {
        let level = if self.quiet { LogLevel::Quiet } else { LogLevel::Normal };
        LogOptions { level, ..LogOptions::default() }
    }
}
