use std::sync::{Mutex, MutexGuard, PoisonError};

use bdem_core::energy::{Energy, Flow, Potential, bond};
use bdem_core::fracture::{BondLoad, Pieces};
use bdem_core::geometry::Vec3;
use bdem_core::interrupt::Interrupt;
use bdem_core::model::State;
use bdem_core::simulate::{Progress, Simulation as Inner};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions, shared_packings};
use bdem_run::scene::{Scene as RunScene, SceneError};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;

use crate::arrays::{of_quaternions, of_vectors, refresh, rows, to_vectors};
use crate::error::{AsException, SolverError};
use crate::scene::Scene;
use crate::threads;

/// State of a run, as arrays of the particles in their order.
struct Arrays {
    positions: Py<PyArray2<f64>>,
    orientations: Py<PyArray2<f64>>,
    velocities: Py<PyArray2<f64>>,
    spins: Py<PyArray2<f64>>,
}

impl Arrays {
    fn new(py: Python<'_>, state: &State) -> PyResult<Self> {
        Ok(Self {
            positions: of_vectors(py, &state.p)?,
            orientations: of_quaternions(py, &state.q)?,
            velocities: of_vectors(py, &state.v)?,
            spins: of_vectors(py, &state.w)?,
        })
    }

    fn refresh(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        for (array, vectors) in [(&self.positions, &state.p), (&self.velocities, &state.v), (&self.spins, &state.w)] {
            refresh(py, array, vectors.iter().flat_map(|v| [v.x, v.y, v.z]))?;
        }
        refresh(py, &self.orientations, state.q.iter().flat_map(|q| [q.i, q.j, q.k, q.w]))
    }
}

/// Energies and flows by their names in metrics.csv, J.
fn energy<'py>(py: Python<'py>, simulation: &Inner) -> PyResult<Bound<'py, PyDict>> {
    let energies = Potential::new(&simulation.world, &simulation.contacts).energies(&simulation.state);
    let all = PyDict::new(py);
    Energy::ALL.iter().try_for_each(|column| all.set_item(column.name(), energies[*column]))?;
    all.set_item("total", energies.total())?;
    Flow::ALL.iter().try_for_each(|column| all.set_item(column.name(), simulation.flows()[*column]))?;
    all.set_item("unaccounted", simulation.balance.unaccounted)?;
    Ok(all)
}

/// Number of each particle's piece: the smallest index of a particle in it.
fn pieces<'py>(py: Python<'py>, simulation: &Inner) -> Bound<'py, PyArray1<u32>> {
    Pieces::of(&simulation.world).of_particle.into_pyarray(py)
}

/// Changes of velocities that a caller has asked for.
#[derive(Default)]
struct Changes {
    velocities: Option<Vec<Vec3>>,
    spins: Option<Vec<Vec3>>,
}

impl Changes {
    fn apply(self, simulation: &mut Inner) {
        if self.velocities.is_none() && self.spins.is_none() {
            return;
        }
        simulation.change_velocities(|v, w| {
            self.velocities.iter().for_each(|new| v.copy_from_slice(new));
            self.spins.iter().for_each(|new| w.copy_from_slice(new));
        });
    }
}

/// Frame of a run, as `on_frame` gets it.
#[pyclass(module = "bdem._bdem")]
pub(crate) struct Moment {
    /// Number of the frame.
    #[pyo3(get)]
    frame: u32,
    /// Time, s.
    #[pyo3(get)]
    time: f64,
    arrays: Arrays,
    pieces: Py<PyArray1<u32>>,
    energy: Py<PyDict>,
    changes: Changes,
    is_last: bool,
}

impl Moment {
    pub(crate) fn new(py: Python<'_>, frame: u32, simulation: &Inner) -> PyResult<Self> {
        Ok(Self {
            frame,
            time: simulation.state.time,
            arrays: Arrays::new(py, &simulation.state)?,
            pieces: pieces(py, simulation).unbind(),
            energy: energy(py, simulation)?.unbind(),
            changes: Changes::default(),
            is_last: false,
        })
    }

    /// Does what the caller has asked for. Returns whether the run stops.
    pub(crate) fn apply(&mut self, simulation: &mut Inner) -> bool {
        std::mem::take(&mut self.changes).apply(simulation);
        self.is_last
    }

    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.arrays.positions.bind(py).len()
    }
}

#[pymethods]
impl Moment {
    /// Positions of the particles, m: shape (n, 3).
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.positions.clone_ref(py)
    }

    /// Orientations: unit quaternions x, y, z, w, body to world; shape (n, 4).
    #[getter]
    fn orientations(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.orientations.clone_ref(py)
    }

    /// Velocities, m/s: shape (n, 3). An array that is assigned replaces them in the run; its work is that of loads in the energy account.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.velocities.clone_ref(py)
    }

    #[setter]
    fn set_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.changes.velocities = Some(to_vectors("velocities", value, self.count(value.py())?)?);
        Ok(())
    }

    /// Angular velocities in the world frame, rad/s: shape (n, 3). They may be assigned like the velocities.
    #[getter]
    fn angular_velocities(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.spins.clone_ref(py)
    }

    #[setter]
    fn set_angular_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.changes.spins = Some(to_vectors("angular_velocities", value, self.count(value.py())?)?);
        Ok(())
    }

    /// Number of each particle's piece: the smallest index of a particle in it; shape (n,).
    #[getter]
    fn pieces(&self, py: Python<'_>) -> Py<PyArray1<u32>> {
        self.pieces.clone_ref(py)
    }

    /// Energies and their flows by their names in metrics.csv, J.
    #[getter]
    fn energy(&self, py: Python<'_>) -> Py<PyDict> {
        self.energy.clone_ref(py)
    }

    /// Ends the run with this frame.
    fn stop(&mut self) {
        self.is_last = true;
    }
}

/// Run without files, frame by frame.
#[pyclass(module = "bdem._bdem")]
pub(crate) struct Simulation {
    inner: Mutex<Inner>,
    /// Number of the frame.
    #[pyo3(get)]
    frame: u32,
    frame_rate: f64,
    arrays: Arrays,
    order: Py<PyArray1<u32>>,
    pool: ThreadPool,
    interrupt: Interrupt,
}

impl Simulation {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&mut self, py: Python<'_>, changes: Changes) -> PyResult<()> {
        let mut inner = self.inner();
        changes.apply(&mut inner);
        self.arrays.refresh(py, &inner.state)
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, threads=None))]
    fn new(py: Python<'_>, scene: &Scene, threads: Option<i64>) -> PyResult<Self> {
        let (pool, interrupt, scene) = (threads::pool(threads)?, Interrupt::default(), &scene.inner);
        let build = || {
            let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
            let mut packings = KeptPackings::new(Vec::new(), shared_packings(), log);
            let (mut world, state) = scene.build_with(&mut packings)?;
            world.interrupt = interrupt.clone();
            Ok::<_, SceneError>(Inner::new(world, state, &scene.simulation_settings()))
        };
        let inner = threads::run(py, &pool, &interrupt, build)?.map_err(AsException::exception)?;
        let order = rows_of_files(scene, &inner).into_pyarray(py).unbind();
        let arrays = Arrays::new(py, &inner.state)?;
        let frame_rate = scene.time.frame_rate;
        Ok(Self { inner: Mutex::new(inner), frame: 0, frame_rate, arrays, order, pool, interrupt })
    }

    /// Advances by this number of frames. Arrays that were read before show the new state.
    #[pyo3(signature = (frames=1))]
    fn advance(&mut self, py: Python<'_>, frames: u32) -> PyResult<()> {
        let Self { inner, frame, frame_rate, arrays, pool, interrupt, .. } = self;
        let inner = inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        interrupt.clear();
        for _ in 0..frames {
            let outcome = threads::run(py, pool, interrupt, || inner.advance_frame(&mut Progress::default()))?;
            if let Err(why) = outcome {
                arrays.refresh(py, &inner.state)?;
                return Err(match interrupt.is_requested() {
                    true => PyKeyboardInterrupt::new_err(()),
                    false => SolverError::new_err(why.to_string()),
                });
            }
            *frame += 1;
            // rounding must not accumulate over frames
            inner.state.time = f64::from(*frame) / *frame_rate;
        }
        arrays.refresh(py, &inner.state)
    }

    /// Time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.inner().state.time
    }

    /// Positions of the particles, m: shape (n, 3).
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.positions.clone_ref(py)
    }

    /// Orientations: unit quaternions x, y, z, w, body to world; shape (n, 4).
    #[getter]
    fn orientations(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.orientations.clone_ref(py)
    }

    /// Velocities, m/s: shape (n, 3). An array that is assigned replaces them; its work is that of loads in the energy account.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.velocities.clone_ref(py)
    }

    #[setter]
    fn set_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let velocities = to_vectors("velocities", value, self.inner().state.len())?;
        self.change(value.py(), Changes { velocities: Some(velocities), spins: None })
    }

    /// Angular velocities in the world frame, rad/s: shape (n, 3). They may be assigned like the velocities.
    #[getter]
    fn angular_velocities(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.arrays.spins.clone_ref(py)
    }

    #[setter]
    fn set_angular_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let spins = to_vectors("angular_velocities", value, self.inner().state.len())?;
        self.change(value.py(), Changes { velocities: None, spins: Some(spins) })
    }

    /// Number of each particle's piece: the smallest index of a particle in it; shape (n,).
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        pieces(py, &self.inner())
    }

    /// Energies and their flows by their names in metrics.csv, J.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        energy(py, &self.inner())
    }

    /// Radii of the particles, m: shape (n,).
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner().world.particles.radius.clone().into_pyarray(py)
    }

    /// Masses of the particles, kg: shape (n,).
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner().world.particles.mass.clone().into_pyarray(py)
    }

    /// Index of each particle's body: shape (n,).
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        self.inner().world.particles.body.clone().into_pyarray(py)
    }

    /// Row of each particle in its body's file or arrays: shape (n,). In other bodies they count from 0.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<PyArray1<u32>> {
        self.order.clone_ref(py)
    }

    /// Whole bonds by column: `ids` (m,), `indices` of their particles (m, 2), `forces` (N) on the first particle and `moments` (N m) on it in
    /// the world frame (m, 3), and the stresses `sigma` and `tau` (Pa) that break them (m,).
    #[getter]
    fn bonds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.inner();
        let (world, state) = (&inner.world, &inner.state);
        let (mut ids, mut ends, mut forces, mut moments) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut sigma, mut tau) = (Vec::new(), Vec::new());
        for bond in world.whole_bonds() {
            let (on, load) = (bond::wrench(bond, state), BondLoad::of(bond, state));
            ids.push(bond.id);
            ends.extend([bond.i, bond.j]);
            forces.extend([on.force.x, on.force.y, on.force.z]);
            moments.extend([on.torque.x, on.torque.y, on.torque.z]);
            sigma.push(load.sigma(bond, world.axial));
            tau.push(load.tau(bond));
        }
        let columns = PyDict::new(py);
        let count = ids.len();
        columns.set_item("ids", ids.into_pyarray(py))?;
        columns.set_item("indices", ends.into_pyarray(py).call_method1("reshape", (count, 2))?)?;
        columns.set_item("forces", rows::<3>(py, forces)?)?;
        columns.set_item("moments", rows::<3>(py, moments)?)?;
        columns.set_item("sigma", sigma.into_pyarray(py))?;
        columns.set_item("tau", tau.into_pyarray(py))?;
        Ok(columns)
    }

    /// Number of bonds that have broken.
    #[getter]
    fn bonds_broken(&self) -> usize {
        let inner = self.inner();
        (inner.world.first_bonds.iter().sum::<u32>() / 2) as usize - inner.world.whole_bond_count()
    }
}

/// Row of each particle in its file.
fn rows_of_files(scene: &RunScene, simulation: &Inner) -> Vec<u32> {
    let (body, mut next) = (&simulation.world.particles.body, vec![0; scene.bodies.len()]);
    let row = |&body: &u16| {
        let place = &mut next[usize::from(body)];
        *place += 1;
        scene.file_rows(usize::from(body)).get(*place - 1).copied().unwrap_or(*place as u32 - 1)
    };
    body.iter().map(row).collect()
}
