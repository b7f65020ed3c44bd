//! Accuracy of every integrator on a short beam that flies, spins and vibrates freely (\[RODR\] Figs 1, 5, 6, 7).
//! Measured are the errors over the step, the change of momenta, and the drift of energy.

use std::path::Path;

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::State;
use bdem_core::simulate::{IntegratorKind, Simulation, StepSize};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

use super::{Cell, Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study = Study {
    name: "order",
    about: "errors over the step, momenta and energy of every integrator, on a small free beam",
    run,
};

/// Scene. Bonds start at their rest length, so that the spin makes them vibrate.
const BEAM: &str = r#"
[scene]
name = "free_beam"
gravity = [0.0, 0.0, 0.0]

[time]
frame_rate = 1.0
frames = 1

[solver]
newton_tolerance = 1e-10
newton_relative_tolerance = 1e-6
newton_iterations = 200
cg_tolerance = 1e-5
hessian = "exact"

[materials.rubber]
density = 2600.0
density_of = "grains"
young_modulus = 1e7
poisson_ratio = 0.25

[[bodies]]
name = "beam"
material = "rubber"
particle_radius = 0.01
packing = { hexagonal = { fit = false } }
shape = { box = { size = [0.1, 0.038, 0.038] } }
velocity = [3.0, 2.0, 1.0]
angular_velocity = [300.0, 200.0, 600.0]
"#;

const RADIUS: f64 = 0.01;

/// Length of a frame in periods T, which is also the longest step. Errors are measured at frames.
const FRAME: f64 = 0.25;

/// Step of the long run in periods T.
const LONG: f64 = 0.125;
const LONG_FRAMES: u32 = 100;

/// Frames of a run.
#[derive(Default)]
struct Trace {
    states: Vec<State>,
    /// Energies, J.
    energy: Vec<f64>,
    /// Linear and angular momenta.
    momentum: Vec<[Vec3; 2]>,
}

/// Errors of a step length.
#[derive(Clone, Copy)]
struct Errors {
    /// Step in periods T.
    step: f64,
    /// Error of the energy, \[RODR\] eq 38.
    energy: f64,
    /// Error of the trajectory: norm of the difference over that of the trajectory, in the norm of \[RODR\] eq 35.
    path: f64,
    /// Error of the norm, \[RODR\] eq 37: difference of the norms' squares.
    norm: f64,
}

/// Measurements of an integrator.
struct Found {
    name: String,
    errors: Vec<Errors>,
    /// Relative change of linear and angular momentum at the longest step.
    momentum: [f64; 2],
    /// Greatest relative error of the energy, in the first and in the last tenth of the long run.
    drift: [f64; 2],
    long_steps: u32,
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("integrator", ""),
        ("order of energy", ""),
        ("order of trajectory", ""),
        ("order of eq 37", ""),
        ("change of momentum", ""),
        ("change of angular momentum", ""),
        ("steps of the long run", ""),
        ("energy off in its first tenth", ""),
        ("energy off in its last tenth", ""),
    ];
    let period = beam(1.0, 1, IntegratorKind::ExplicitVerlet, 1.0)?.build()?.0.period();
    let (frames, halvings) = setup.choose((40, 6), (8, 4));
    let finest = libm::exp2(-f64::from(halvings) - 3.0) * FRAME;
    let reference = trace(&beam(FRAME * period, frames, IntegratorKind::ExplicitVerlet, finest)?)?;
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let mut all = Vec::new();
    // auto is left out: its steps of constant length are those of two of the others
    for integrator in IntegratorKind::all().into_iter().filter(|integrator| *integrator != IntegratorKind::Auto) {
        setup.log.note(&integrator.to_string());
        let found = measure(setup, integrator, period, &reference, (frames, halvings))?;
        report.table.rows.push(found.cells());
        report.claims.extend(found.claims());
        all.push(found);
    }
    report.charts.push(chart(&all));
    Ok(report)
}

/// Scene of the beam: `frames` frames of `seconds` each, in steps of `periods`.
fn beam(seconds: f64, frames: u32, integrator: IntegratorKind, periods: f64) -> Result<Scene, RunError> {
    let mut scene = Scene::parse(Path::new("order.toml"), BEAM, &[])?;
    (scene.time.frame_rate, scene.time.frames) = (1.0 / seconds, frames);
    (scene.time.integrator, scene.time.step) = (integrator, Some(StepSize::Periods(periods)));
    Ok(scene)
}

fn trace(scene: &Scene) -> Result<Trace, RunError> {
    let mut trace = Trace::default();
    let look = |at: &Simulation| {
        trace.states.push(at.state.clone());
        trace.energy.push(at.energy());
        trace.momentum.push(at.state.momentum(&at.world.particles).into());
    };
    advance_with(scene, scene.time.frames, true, look)?;
    Ok(trace)
}

/// Errors of an integrator against the trace `reference` of `frames` frames, for steps that are halved `halvings`
/// times.
fn measure(
    setup: &Setup,
    integrator: IntegratorKind,
    period: f64,
    reference: &Trace,
    (frames, halvings): (u32, i32),
) -> Result<Found, RunError> {
    let (mut errors, mut momentum) = (Vec::new(), None);
    for halving in 0..halvings {
        let step = FRAME * libm::exp2(-f64::from(halving));
        let trace = trace(&beam(FRAME * period, frames, integrator, step)?)?;
        momentum = momentum.or(Some([0, 1].map(|k| trace.momentum_change(k))));
        errors.push(trace.errors(reference, step, period));
    }
    let long_steps = setup.choose(100_000, 1000);
    let seconds = LONG * period * f64::from(long_steps / LONG_FRAMES);
    let drift = trace(&beam(seconds, LONG_FRAMES, integrator, LONG)?)?.drift();
    let momentum = momentum.expect("one step at least");
    Ok(Found { name: integrator.to_string(), errors, momentum, drift, long_steps })
}

impl Trace {
    fn errors(&self, reference: &Self, step: f64, period: f64) -> Errors {
        let start = self.energy[0];
        let off = self.energy.iter().map(|energy| (energy - start) * (energy - start)).sum::<f64>();
        let whole = reference.square(period);
        let frames = self.states.iter().zip(&reference.states);
        let apart = frames.map(|(state, from)| square(state, Some(from), period)).sum::<f64>();
        Errors {
            step,
            energy: (off / self.energy.len() as f64).sqrt() / start.abs(),
            path: (apart / whole).sqrt(),
            norm: ((self.square(period) - whole).abs() / whole).sqrt(),
        }
    }

    fn square(&self, period: f64) -> f64 {
        self.states.iter().map(|state| square(state, None, period)).sum()
    }

    fn momentum_change(&self, which: usize) -> f64 {
        let start = self.momentum[0][which];
        let change = |at: &[Vec3; 2]| (at[which] - start).norm() / start.norm();
        self.momentum.iter().map(change).fold(0.0, f64::max)
    }

    fn drift(&self) -> [f64; 2] {
        let start = self.energy[0];
        let worst = |energies: &[f64]| energies.iter().map(|e| (e - start).abs() / start).fold(0.0, f64::max);
        let tenth = self.energy.len() / 10;
        [worst(&self.energy[..=tenth]), worst(&self.energy[self.energy.len() - tenth..])]
    }
}

/// Square under the integral of \[RODR\] eq 35, of a state or of a difference of states. Lengths are in radii, times
/// in periods T.
fn square(state: &State, from: Option<&State>, period: f64) -> f64 {
    let zero = Vec3::zeros();
    let of = |i: usize| {
        let (p, v, w) = from.map_or((&zero, &zero, &zero), |from| (&from.p[i], &from.v[i], &from.w[i]));
        let turned = from.map_or_else(
            || 2.0 * rotation::log(&state.q[i]),
            |from| rotation::rotation_between(&from.q[i], &state.q[i]),
        );
        let places = (state.p[i] - p).norm_squared() / (RADIUS * RADIUS);
        let speeds = (state.v[i] - v).norm_squared() / (RADIUS * RADIUS) + (state.w[i] - w).norm_squared();
        places + turned.norm_squared() + speeds * period * period
    };
    (0..state.len()).map(of).sum()
}

impl Found {
    /// Slope of an error over the two last halvings.
    fn order(&self, of: impl Fn(&Errors) -> f64) -> f64 {
        let [.., coarse, _, fine] = &self.errors[..] else { return f64::NAN };
        libm::log2(of(coarse) / of(fine)) / libm::log2(coarse.step / fine.step)
    }

    fn orders(&self) -> [f64; 3] {
        [self.order(|e| e.energy), self.order(|e| e.path), self.order(|e| e.norm)]
    }

    fn cells(&self) -> Vec<Cell> {
        let numbers = [&self.orders()[..], &self.momentum, &[f64::from(self.long_steps)], &self.drift].concat();
        std::iter::once(self.name.as_str().into()).chain(numbers.into_iter().map(Cell::from)).collect()
    }

    /// Claims of theory and of the paper for an integrator, by its name. Unknown names have none.
    fn claims(&self) -> Vec<Claim> {
        let claim = |what: &str, source: &'static str, paper: &str, ours: f64| {
            Claim::new(format!("{}: {what}", self.name), source, paper, ours)
        };
        let [energy, path, norm] = self.orders();
        let order = |source, paper| vec![claim("order of the trajectory", source, paper, path)];
        let rodrigues = |of_energy| {
            vec![
                claim("order of the energy", "[RODR] Fig 7", of_energy, energy),
                claim("order of the trajectory by eq 37", "[RODR] Fig 7", "1", norm),
                claim("change of momentum", "[RODR] Fig 6", "rounding", self.momentum[0]),
                claim("change of angular momentum", "[RODR] Fig 6", "rounding", self.momentum[1]),
                claim("energy off in the last tenth of a long run", "[RODR] Fig 5", "bounded", self.drift[1]),
            ]
        };
        match self.name.as_str() {
            "implicit-euler" => order("theory", "1"),
            "implicit-bdf2" | "explicit-verlet" => order("theory", "2"),
            "implicit-midpoint" => order("[IBDEM] eqs 2-4, theory", "2"),
            "explicit-rodrigues with map 23" | "explicit-rodrigues" => rodrigues("2"),
            "explicit-rodrigues with map 27" => rodrigues("1"),
            _ => Vec::new(),
        }
    }
}

/// Chart of the errors of energy and of trajectories over the step.
fn chart(all: &[Found]) -> Chart {
    let panel = |title: &str, of: fn(&Errors) -> f64| {
        let points = |found: &Found| found.errors.iter().map(|errors| (errors.step, of(errors))).collect();
        let line = |found: &Found| Line { label: found.name.clone(), points: points(found) };
        Panel { title: title.to_owned(), lines: all.iter().map(line).collect() }
    };
    let panels = vec![panel("energy, [RODR] eq 38", |e| e.energy), panel("trajectory", |e| e.path)];
    Chart { name: "order", x_label: "step, T", y_label: "relative error", scale: AxisScale::Both, panels }
}
