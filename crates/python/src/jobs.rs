use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bdem_core::interrupt::Interrupt;
use bdem_jobs::calibrate::{TargetFile, calibrate as calibrate_to};
use bdem_jobs::check::{CheckOptions, check as check_scene, tune as tune_scene};
use bdem_jobs::error::JobError;
use bdem_jobs::fit::{FitFile, FitOptions, RunResiduals, fit as fit_file, fit_to, slope};
use bdem_jobs::sweep::{CheckedSweep, Sweep, SweepOptions, Varied, run as run_sweep, write_table};
use bdem_jobs::templates::{TEMPLATES, Template};
use bdem_run::run::{LoadCurve, LogLevel, LogOptions, shared_packings};
use bdem_run::scene::Setting;
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::AsException;
use crate::run::options;
use crate::scene::Scene;
use crate::threads;

/// Options of a check, which prints nothing.
fn check_options(interrupt: &Interrupt) -> CheckOptions {
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    CheckOptions { log, packing_cache: shared_packings(), interrupt: interrupt.clone(), ..CheckOptions::default() }
}

/// Report on a scene as `bdem check` prints it, and its figures.
#[pyfunction]
#[pyo3(signature = (scene, threads=None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    scene: &Scene,
    threads: Option<i64>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    let options = check_options(&interrupt);
    let report = threads::run(py, &pool, &interrupt, || check_scene(&scene.inner, &options))?;
    let report = report.map_err(AsException::exception)?;
    let facts = PyDict::new(py);
    facts.set_item("scene", &report.scene)?;
    facts.set_item("particles", report.particles)?;
    facts.set_item("bonds", report.bonds)?;
    facts.set_item("period", report.period)?;
    facts.set_item("explicit_limit", report.explicit_limit)?;
    facts.set_item("memory", report.memory)?;
    let seconds = report.estimate.as_ref().map(|estimate| estimate.whole());
    facts.set_item("seconds", seconds.map(|span| (span.low, span.high)))?;
    let pieces = PyDict::new(py);
    report.pieces.iter().try_for_each(|of| pieces.set_item(&of.body, of.wholeness.pieces))?;
    facts.set_item("pieces", pieces)?;
    facts.set_item("warnings", &report.warnings)?;
    match report.failure {
        Some(failure) => Err(crate::error::SolverError::new_err(failure.error.to_string())),
        None => Ok((report.to_string(), facts)),
    }
}

/// Strengths for a number of pieces, by coarse runs: the text that `bdem check --pieces` prints, and the tensile and shear strength of
/// each material, Pa.
#[pyfunction]
#[pyo3(signature = (scene, pieces, threads=None))]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    scene: &Scene,
    pieces: u32,
    threads: Option<i64>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    if pieces == 0 {
        return Err(PyValueError::new_err("pieces: 0 is not at least 1"));
    }
    let options = check_options(&interrupt);
    let tuning = threads::run(py, &pool, &interrupt, || tune_scene(&scene.inner, pieces, &options))?;
    let tuning = tuning.map_err(AsException::exception)?;
    let strengths = PyDict::new(py);
    for material in &tuning.materials {
        strengths.set_item(&material.name, (material.tensile_strength, material.shear_strength))?;
    }
    Ok((tuning.to_string(), strengths))
}

/// Residuals of runs by a function of Python, which gets the folder of a run.
struct Residuals {
    call: Py<PyAny>,
    count: usize,
    digest: Vec<u8>,
}

impl RunResiduals for Residuals {
    fn count(&self) -> usize {
        self.count
    }

    fn of_run(&self, folder: &Path) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>> {
        Python::attach(|py| Ok(self.call.call1(py, (folder,))?.extract(py)?))
    }

    fn digest(&self) -> Vec<u8> {
        self.digest.clone()
    }
}

/// Finds parameters of a scene, as `bdem fit`. `residuals` are a function of the folder of a run that gives `count` numbers, and a
/// digest of what they depend on.
#[pyfunction]
#[pyo3(signature = (file, output, existing="keep", threads=None, residuals=None, count=0, digest=Vec::new()))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    file: PathBuf,
    output: Option<PathBuf>,
    existing: &str,
    threads: Option<i64>,
    residuals: Option<Py<PyAny>>,
    count: usize,
    digest: Vec<u8>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    let file = FitFile::read(&file).map_err(AsException::exception)?;
    let output = output.unwrap_or_else(|| ["out", "fit", file.name()].iter().collect());
    let options = FitOptions {
        run: options(output, existing, &interrupt)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..FitOptions::default()
    };
    let residuals = residuals.map(|call| Residuals { call, count, digest });
    let work = || match &residuals {
        Some(residuals) => fit_to(&file, residuals, &options),
        None => fit_file(&file, &options),
    };
    let report = threads::run(py, &pool, &interrupt, work)?.map_err(AsException::exception)?;
    let answer = PyDict::new(py);
    let parameters = PyDict::new(py);
    report.parameters.iter().try_for_each(|(key, value)| parameters.set_item(key, value))?;
    answer.set_item("parameters", parameters)?;
    answer.set_item("settings", &report.settings)?;
    answer.set_item("loss", report.minimum.loss)?;
    answer.set_item("evaluations", report.minimum.evaluations)?;
    answer.set_item("why", &report.minimum.why)?;
    Ok((report.to_string(), answer))
}

/// Loss of a fit's targets at values of its parameters, and its derivatives by them.
#[pyfunction]
#[pyo3(signature = (file, values, threads=None))]
pub(crate) fn loss(py: Python<'_>, file: PathBuf, values: Vec<f64>, threads: Option<i64>) -> PyResult<(f64, Vec<f64>)> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    let file = FitFile::read(&file).map_err(AsException::exception)?;
    let options = FitOptions { run: options(std::env::temp_dir(), "keep", &interrupt)?, ..FitOptions::default() };
    let slope = threads::run(py, &pool, &interrupt, || slope(&file, &values, &options))?;
    slope.map(|slope| (slope.loss, slope.by_parameter)).map_err(AsException::exception)
}

/// Load curve of the run in a folder by column, of a scene with a specimen.
#[pyfunction]
pub(crate) fn load_curve<'py>(py: Python<'py>, folder: PathBuf) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(curve) = LoadCurve::read(&folder).map_err(AsException::exception)? else { return Ok(None) };
    let (deformation, load): (Vec<f64>, Vec<f64>) = curve.points.iter().copied().unzip();
    let columns = PyDict::new(py);
    columns.set_item("time", curve.times.into_pyarray(py))?;
    columns.set_item("deformation", deformation.into_pyarray(py))?;
    columns.set_item("load", load.into_pyarray(py))?;
    Ok(Some(columns))
}

/// Text of a template of `bdem new`, and names and texts of the files that it reads beside it.
#[pyfunction]
pub(crate) fn template(name: &str) -> PyResult<(&'static str, Vec<(&'static str, &'static str)>)> {
    let names = || TEMPLATES.iter().map(|template| template.name).collect::<Vec<_>>().join(", ");
    let template = Template::named(name);
    let template = template.ok_or_else(|| PyValueError::new_err(format!("template: {name} is none of {}", names())))?;
    Ok((template.text, template.beside.to_vec()))
}

/// Finds the keys of a material, as `bdem calibrate`.
#[pyfunction]
#[pyo3(signature = (target, output=None, existing="keep", threads=None))]
pub(crate) fn calibrate<'py>(
    py: Python<'py>,
    target: PathBuf,
    output: Option<PathBuf>,
    existing: &str,
    threads: Option<i64>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    let file = TargetFile::read(&target).map_err(AsException::exception)?;
    let output = output.unwrap_or_else(|| ["out", "calibrate", file.name()].iter().collect());
    let options = options(output, existing, &interrupt)?;
    let answer = threads::run(py, &pool, &interrupt, || calibrate_to(&file, &options))?;
    let answer = answer.map_err(AsException::exception)?;
    let (typed, facts) = (answer.typed(), PyDict::new(py));
    let material = PyDict::new(py);
    material.set_item("young_modulus", typed.young_modulus)?;
    material.set_item("poisson_ratio", typed.poisson_ratio)?;
    material.set_item("tensile_strength", typed.tensile_strength)?;
    material.set_item("shear_strength", typed.shear_strength)?;
    material.set_item("fracture_energy", typed.fracture_energy)?;
    facts.set_item("material", material)?;
    facts.set_item("misses", &answer.misses)?;
    facts.set_item("file", &answer.material)?;
    facts.set_item("rounds", answer.rounds.len())?;
    Ok((answer.to_string(), facts))
}

/// Sweep of a scene file: its runs, and the table of them.
#[pyclass(frozen, module = "bdem._bdem", name = "Sweep")]
pub(crate) struct SweepOfScene {
    inner: CheckedSweep,
}

#[pymethods]
impl SweepOfScene {
    /// Sweep of the scene at `path` with `settings` in all runs, lists of values as TOML by their keys, and seeds. Every scene is checked.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        settings: Vec<String>,
        varied: Vec<(String, Vec<String>)>,
        seeds: Vec<u64>,
    ) -> PyResult<Self> {
        threads::check_process()?;
        let varied = varied.into_iter().map(|(key, values)| Varied { key, values }).collect();
        let sweep = Sweep { scene: path, settings: Setting::all(&settings), varied, seeds };
        let inner = py.detach(|| sweep.check()).map_err(AsException::exception)?;
        Ok(Self { inner })
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Name of the folder of each run, and its settings.
    #[getter]
    fn points(&self) -> Vec<(String, Vec<String>)> {
        let settings = |settings: &[Setting]| settings.iter().map(|setting| setting.set.clone()).collect();
        self.inner.points.iter().map(|point| (point.name.clone(), settings(&point.settings))).collect()
    }

    /// Runs the sweep here. Returns the path of its table, and the runs that failed with the reasons.
    #[pyo3(signature = (output, existing="keep", threads=None, jobs=None))]
    fn run(
        &self,
        py: Python<'_>,
        output: PathBuf,
        existing: &str,
        threads: Option<i64>,
        jobs: Option<i64>,
    ) -> PyResult<(PathBuf, Vec<(String, String)>)> {
        let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
        let wrong = |jobs: i64| PyValueError::new_err(format!("jobs: {jobs} is not at least 1"));
        let number = |jobs: i64| usize::try_from(jobs).ok().and_then(NonZeroUsize::new).ok_or_else(|| wrong(jobs));
        let jobs = jobs.map(number).transpose()?;
        let options = SweepOptions { run: options(output, existing, &interrupt)?, jobs, max_memory: None };
        let report = threads::run(py, &pool, &interrupt, || run_sweep(&self.inner, &options))?;
        report
            .map(|report| {
                let failures = report.failures.iter().map(|of| (of.name.clone(), of.error.to_string()));
                (report.table, failures.collect())
            })
            .map_err(AsException::exception)
    }

    /// Writes the table of the runs in the folder `output` as they are now. Returns its path.
    fn write_table(&self, py: Python<'_>, output: PathBuf) -> PyResult<PathBuf> {
        let table = py.detach(|| write_table(&self.inner, &output));
        table.map(|report| report.table).map_err(|error: JobError| error.exception())
    }
}
