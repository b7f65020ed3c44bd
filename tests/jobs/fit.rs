use std::error::Error;
use std::fs;
use std::path::Path;

use bdem_jobs::error::JobError;
use bdem_jobs::fit::{FitFile, FitOptions, FitReport, RunResiduals, fit, fit_to};
use bdem_run::output::{Columns, METRICS};
use bdem_run::run::{ExistingRun, LogLevel, LogOptions, RunError, RunOptions};
use tempfile::TempDir;

use super::BALL;

/// Share by which the kinetic energy at the end is above this one, J.
struct Energy(f64);

impl RunResiduals for Energy {
    fn count(&self) -> usize {
        1
    }

    fn of_run(&self, folder: &Path) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>> {
        let columns = Columns::read(&folder.join(METRICS))?;
        let energy = columns.column("kinetic_linear").and_then(Iterator::last).ok_or("no row")?;
        Ok(vec![energy / self.0 - 1.0])
    }

    fn digest(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }
}

/// Residuals of which none is what it should be.
struct Wrong(Result<Vec<f64>, &'static str>);

impl RunResiduals for Wrong {
    fn count(&self) -> usize {
        1
    }

    fn of_run(&self, _: &Path) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>> {
        Ok(self.0.clone()?)
    }

    fn digest(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// A folder with the ball and a fit of its density by `method`, without targets.
fn place(method: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("ball.toml"), BALL).expect("space for a scene");
    let fit = format!(
        "[fit]\nname = \"density\"\nscene = \"ball.toml\"\nmethod = \"{method}\"\nevaluations = 20\nloss = 1e-14\n\n\
         [[parameters]]\nkey = \"materials.rubber.density\"\nstart = 500.0\nbounds = [100.0, 5000.0]\n"
    );
    fs::write(place.path().join("fit.toml"), fit).expect("space for a fit");
    place
}

fn options(place: &TempDir, existing_run: ExistingRun) -> FitOptions {
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let run = RunOptions { output: place.path().join("out"), existing_run, log, ..RunOptions::default() };
    FitOptions { run, version: "1".to_owned(), ..FitOptions::default() }
}

fn fit_of(place: &TempDir, residuals: &dyn RunResiduals, existing_run: ExistingRun) -> Result<FitReport, JobError> {
    let file = FitFile::read(&place.path().join("fit.toml")).expect("a good fit");
    fit_to(&file, residuals, &options(place, existing_run))
}

#[test]
fn residuals_of_the_caller_take_the_place_of_targets() {
    let place = place("gauss-newton");
    // m v^2/2 with v = 2 m/s, of a solid of the ball's volume
    let energy = 2.0 * 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.03_f64.powi(3);
    let report = fit_of(&place, &Energy(energy), ExistingRun::Keep).expect("an answer");
    let (key, density) = &report.parameters[0];
    assert!(key == "materials.rubber.density" && (density / 2000.0 - 1.0).abs() < 1e-3, "{report}");
    assert!(report.scene.exists() && report.to_string().contains("the fitted scene is"));
    assert_eq!(report.doubts.expect("they are looked for"), [""; 0]);

    // the same residuals resume, and others do not
    let again = fit_of(&place, &Energy(energy), ExistingRun::Resume).expect("an answer");
    assert_eq!(again.minimum, report.minimum);
    let other = fit_of(&place, &Energy(2.0 * energy), ExistingRun::Resume).expect_err("other residuals");
    assert!(matches!(&other, JobError::OtherInputs(why) if why.contains("residuals has changed")), "{other}");
    let kept = fit_of(&place, &Energy(energy), ExistingRun::Keep).expect_err("a folder in use");
    assert!(matches!(kept, JobError::Usage(_)), "{kept}");
}

#[test]
fn wrong_residuals_end_a_fit() {
    let place = place("gauss-newton");
    for (residuals, why) in [(Ok(vec![1.0, 2.0]), "a run has 2 residuals of 1"), (Err("the camera is off"), "camera")] {
        let error = fit_of(&place, &Wrong(residuals), ExistingRun::Overwrite).expect_err("no answer");
        assert!(matches!(&error, JobError::Unsolved(text) if text.contains(why)), "{error}");
    }
}

#[test]
fn a_fit_needs_something_to_be_compared_with() {
    let place = place("lbfgs");
    let file = FitFile::read(&place.path().join("fit.toml")).expect("a good fit");
    let errors = [
        (fit(&file, &options(&place, ExistingRun::Keep)).err(), "there is no target"),
        (fit_of(&place, &Energy(1.0), ExistingRun::Keep).err(), "needs gradients"),
    ];
    for (error, why) in errors {
        let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(matches!(error, Some(JobError::Run(RunError::Scene(_)))) && text.contains(why), "{text}");
    }
}
