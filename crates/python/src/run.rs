use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bdem_core::geometry::Vec3;
use bdem_core::interrupt::Interrupt;
use bdem_core::simulate::Simulation;
use bdem_pictures::pieces::{CrackNoise, CrackSettings, CutError, CutRun, Piece, PieceMotion};
use bdem_run::output::{FrameRanges, frames_of};
use bdem_run::run::{
    ExistingRun, LogLevel, LogOptions, OnFrame, RunOptions, memory, shared_packings, simulate as simulate_run,
};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::rows;
use crate::error::AsException;
use crate::scene::Scene;
use crate::simulation::Moment;
use crate::threads;

/// Options of runs in the folder `output`: `existing` is "keep", "overwrite" or "resume".
pub(crate) fn options(output: PathBuf, existing: &str, interrupt: &Interrupt) -> PyResult<RunOptions> {
    let existing_run = match existing {
        "keep" => ExistingRun::Keep,
        "overwrite" => ExistingRun::Overwrite,
        "resume" => ExistingRun::Resume,
        other => return Err(PyValueError::new_err(format!("existing: {other:?} is none of keep, overwrite, resume"))),
    };
    Ok(RunOptions {
        output,
        existing_run,
        log: LogOptions { level: LogLevel::Quiet, ..LogOptions::default() },
        packing_cache: shared_packings(),
        command_line: vec!["bdem.simulate".to_owned()],
        build: format!("bdem-python {}", env!("CARGO_PKG_VERSION")),
        interrupt: interrupt.clone(),
        on_frame: None,
        device: None,
    })
}

/// Runs a scene to its end, and writes the files of `bdem simulate`. At the end of every frame `on_frame` is called with a `Moment`, and
/// `progress` with the number of the frame.
#[pyfunction]
#[pyo3(signature = (scene, output, existing="keep", threads=None, on_frame=None, progress=None))]
pub(crate) fn simulate(
    py: Python<'_>,
    scene: &Scene,
    output: PathBuf,
    existing: &str,
    threads: Option<i64>,
    on_frame: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (pool, interrupt) = (threads::pool(threads)?, Interrupt::default());
    let mut options = options(output, existing, &interrupt)?;
    let raised = Raised::default();
    if on_frame.is_some() || progress.is_some() {
        options.on_frame = Some(raised.guarded(on_frame, progress, interrupt.clone()));
    }
    memory::check(&[&scene.inner], None).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    let outcome = threads::run(py, &pool, &interrupt, || simulate_run(&scene.inner, &options));
    // what the function has raised is the reason for the end
    raised.take().map_or(Ok(()), Err)?;
    outcome?.map(drop).map_err(AsException::exception)
}

/// Exception that a function of the caller has raised on another thread.
#[derive(Clone, Default)]
struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// The exception, taken out.
    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Both functions of a run, which they end by `interrupt` when they raise.
    fn guarded(&self, on_frame: Option<Py<PyAny>>, progress: Option<Py<PyAny>>, interrupt: Interrupt) -> OnFrame {
        /// SIGINT.
        const BY_EXCEPTION: i32 = 2;
        let raised = self.clone();
        OnFrame::new(move |frame, simulation| {
            let called = Python::attach(|py| {
                progress.iter().try_for_each(|call| call.call1(py, (frame,)).map(drop))?;
                on_frame.as_ref().map_or(Ok(ControlFlow::Continue(())), |call| call_with(py, call, frame, simulation))
            });
            called.unwrap_or_else(|error| {
                *raised.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                interrupt.request(BY_EXCEPTION);
                ControlFlow::Continue(())
            })
        })
    }
}

/// Calls a function with a frame, and does to the run what it has asked for.
fn call_with(py: Python<'_>, call: &Py<PyAny>, frame: u32, simulation: &mut Simulation) -> PyResult<ControlFlow<()>> {
    let moment = Bound::new(py, Moment::new(py, frame, simulation)?)?;
    call.call1(py, (&moment,))?;
    let stops = moment.borrow_mut().apply(simulation);
    Ok(if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
}

/// Pieces of the run in `folder`, cut along its cracks, with their motion: a dict each, for `bdem.Run.pieces`.
#[pyfunction]
#[pyo3(signature = (folder, smooth=None, spacing=None, min_particles=None, noise=None))]
pub(crate) fn cut<'py>(
    py: Python<'py>,
    folder: PathBuf,
    smooth: Option<f64>,
    spacing: Option<f64>,
    min_particles: Option<usize>,
    noise: Option<(f64, f64)>,
) -> PyResult<Bound<'py, PyList>> {
    let usual = CrackSettings::default();
    let settings = CrackSettings {
        smooth: between("crack_smooth", smooth.unwrap_or(usual.smooth), [0.5, 5.0])?,
        spacing: between("crack_mesh", spacing.unwrap_or(usual.spacing), [0.5, 4.0])?,
        min_particles: min_particles.unwrap_or(usual.min_particles).max(1),
        noise: noise.map(positive).transpose()?,
    };
    let (pool, interrupt) = (threads::pool(None)?, Interrupt::default());
    let load = || -> Result<_, CutError> {
        let run = CutRun::load(&folder, &settings, shared_packings())?;
        run.expect_pieces(&folder)?;
        let mut frames = Vec::new();
        for file in frames_of(&folder, &FrameRanges::default())? {
            let frame = run.frame(&file)?;
            let time = frame.time().unwrap_or_default();
            frames.push((file.number, time, run.motion().at(&frame.vertices, time)));
        }
        Ok((run, frames))
    };
    let (run, frames) = threads::run(py, &pool, &interrupt, load)?.map_err(AsException::exception)?;
    let pieces = run.pieces.pieces.iter().enumerate();
    let pieces = pieces.map(|(k, piece)| {
        let dict = geometry(py, piece)?;
        let body = &run.scene.bodies[usize::from(piece.body)].name;
        dict.set_item("name", piece.name(body))?;
        dict.set_item("body", body)?;
        motion(&dict, frames.iter().map(|(number, time, motions)| (*number, *time, &motions[k])))?;
        Ok(dict)
    });
    PyList::new(py, pieces.collect::<PyResult<Vec<_>>>()?)
}

/// Geometry of a piece, by the fields of `bdem.Piece`.
fn geometry<'py>(py: Python<'py>, piece: &Piece) -> PyResult<Bound<'py, PyDict>> {
    let (mesh, triangles) = (&piece.mesh, piece.triangles());
    let corners = || triangles.iter().flat_map(|(corners, _)| corners).map(|&k| &mesh.corners[k as usize]);
    let count = triangles.len();
    let faces: Vec<u32> = corners().map(|corner| corner.point).collect();
    let uv: Vec<f64> = corners().flat_map(|corner| corner.uv).collect();
    let normals: Vec<f64> = corners().flat_map(|corner| [corner.normal.x, corner.normal.y, corner.normal.z]).collect();
    let is_crack: Vec<bool> = triangles.iter().map(|(_, face)| *face >= piece.outside).collect();
    let slots: Vec<u16> = triangles.iter().map(|(_, face)| mesh.slots[*face]).collect();
    let dict = PyDict::new(py);
    dict.set_item("vertices", rows::<3>(py, mesh.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect())?)?;
    dict.set_item("faces", faces.into_pyarray(py).reshape([count, 3])?)?;
    dict.set_item("texture_coordinates", uv.into_pyarray(py).reshape([count, 3, 2])?)?;
    dict.set_item("normals", normals.into_pyarray(py).reshape([count, 3, 3])?)?;
    dict.set_item("is_crack", is_crack.into_pyarray(py))?;
    dict.set_item("slots", slots.into_pyarray(py))?;
    dict.set_item("particles", piece.particles.clone().into_pyarray(py))?;
    dict.set_item("volume", piece.volume)?;
    dict.set_item("is_whole", piece.is_whole())?;
    Ok(dict)
}

/// Motion of a piece in its frames, likewise.
fn motion<'a>(dict: &Bound<'_, PyDict>, frames: impl Iterator<Item = (u32, f64, &'a PieceMotion)>) -> PyResult<()> {
    let (mut numbers, mut times, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    let mut transforms = Vec::new();
    for (number, time, at) in frames {
        numbers.push(number);
        times.push(time);
        shown.push(at.is_shown);
        let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| at.pose.rotate(&axis));
        (0..3).for_each(|row| transforms.extend([x[row], y[row], z[row], at.pose.shift[row]]));
        transforms.extend([0.0, 0.0, 0.0, 1.0]);
    }
    let (py, count) = (dict.py(), numbers.len());
    dict.set_item("frames", numbers.into_pyarray(py))?;
    dict.set_item("times", times.into_pyarray(py))?;
    dict.set_item("shown", shown.into_pyarray(py))?;
    dict.set_item("transforms", transforms.into_pyarray(py).reshape([count, 4, 4])?)
}

/// Noise of cracks with this amplitude and wavelength, m.
fn positive((amplitude, wavelength): (f64, f64)) -> PyResult<CrackNoise> {
    let are_lengths = [amplitude, wavelength].iter().all(|x| *x > 0.0 && x.is_finite());
    let wrong = || {
        PyValueError::new_err(format!("crack_noise: {amplitude}, {wavelength} are not two positive numbers of metres"))
    };
    are_lengths.then_some(CrackNoise { amplitude, wavelength }).ok_or_else(wrong)
}

/// The number, if it is in this range.
fn between(name: &str, number: f64, [low, high]: [f64; 2]) -> PyResult<f64> {
    let is_good = (low..=high).contains(&number);
    is_good
        .then_some(number)
        .ok_or_else(|| PyValueError::new_err(format!("{name}: {number} is not from {low} to {high}")))
}
