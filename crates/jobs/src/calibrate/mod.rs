//! Calibration of a material to the properties of its solid.
//!
//! ```text
//! target   the target's TOML, checked
//! typed    a material as a scene types it, and its corrections
//! test     scenes of the tests with that material
//! rounds   tests on several seeds, side by side
//! report   material block, tables and text of the answer
//! ```

mod report;
mod rounds;
mod target;
mod test;
mod typed;

use bdem_run::output::{check_folder, make_folder};
use bdem_run::run::{RunError, RunOptions};

use crate::error::JobError;
use rounds::Rounds;

pub use report::{Calibration, Round};
pub use rounds::{Measured, Validation};
pub use target::{Property, Target, TargetFile};
pub use typed::Typed;

/// Most corrections: each is a round of all tests.
const MOST_ROUNDS: usize = 4;

/// Finds the keys of a material whose solid has the properties of the target, by material tests on several seeds, which are corrected a few
/// times. The answer is measured on other seeds and at another radius. The material, a report and the runs are written to the output
/// folder.
///
/// # Errors
/// When the folder is in use, a run fails or gives up, or a stop is requested. Runs are kept: a calibration resumes after them.
pub fn calibrate(file: &TargetFile, options: &RunOptions) -> Result<Calibration, JobError> {
    let (log, folder, target) = (options.log, options.output.as_path(), file.target());
    check_folder(folder)?;
    make_folder(folder)?;
    let _guard = options.interrupt.guard().map_err(RunError::Interrupted)?;
    let tests = Rounds { file, options };
    let mut typed = Typed::start(target);
    let mut rounds = Vec::new();
    for number in 0..MOST_ROUNDS {
        let measured = tests.calibration(number, &typed)?;
        log.note(&report::line(number, target, &measured));
        let off = measured.off(target);
        rounds.push(Round { typed, measured });
        if off <= report::MARGIN {
            break;
        }
        typed = report::corrected(&rounds, target);
    }
    // the best of them, which need not be the last
    let best = report::best(&rounds, target);
    let validation = tests.validation(&rounds[best].typed)?;
    let calibration = Calibration::new(file, rounds, best, validation, folder);
    calibration.write(folder, file)?;
    Ok(calibration)
}
