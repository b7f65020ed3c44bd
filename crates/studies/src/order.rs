//! Accuracy of every integrator but those of \[RODR\] on a short beam that flies, spins and vibrates freely.
//! Measured are the errors over the step, the change of momenta, and the drift of energy.

use std::path::Path;

use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::trajectory::{Errors, Trajectory, order};
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

[time.control]
# the drift is measured, of rules that lose energy too
energy_bound = 1e3

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
        ("change of momentum", ""),
        ("change of angular momentum", ""),
        ("steps of the long run", ""),
        ("energy off in its first tenth", ""),
        ("energy off in its last tenth", ""),
    ];
    let period = beam(1.0, 1, IntegratorKind::ExplicitVerlet, 1.0)?.build()?.0.period();
    let (frames, halvings) = setup.choose((40, 6), (8, 4));
    let finest = libm::exp2(-f64::from(halvings) - 3.0) * FRAME;
    let reference = Trajectory::of(&beam(FRAME * period, frames, IntegratorKind::ExplicitVerlet, finest)?)?;
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let mut all = Vec::new();
    for integrator in integrators() {
        setup.log.note(&integrator.to_string());
        let found = measure(setup, integrator, period, &reference, (frames, halvings))?;
        report.table.rows.push(found.cells());
        report.claims.extend(found.claims());
        all.push(found);
    }
    report.charts.push(chart(&all));
    Ok(report)
}

/// Every integrator but `auto`, whose steps of constant length are those of two of the others, and the maps of \[RODR\], which have
/// [a study of their own](super::rodrigues).
fn integrators() -> impl Iterator<Item = IntegratorKind> {
    let is_measured =
        |kind: &IntegratorKind| !matches!(kind, IntegratorKind::Auto | IntegratorKind::ExplicitRodrigues(_));
    IntegratorKind::all().into_iter().filter(is_measured)
}

/// Scene of the beam: `frames` frames of `seconds` each, in steps of `periods`.
fn beam(seconds: f64, frames: u32, integrator: IntegratorKind, periods: f64) -> Result<Scene, RunError> {
    let mut scene = Scene::parse(Path::new("order.toml"), BEAM, &[])?;
    (scene.time.frame_rate, scene.time.frames) = (1.0 / seconds, frames);
    (scene.time.integrator, scene.time.step) = (integrator, Some(StepSize::Periods(periods)));
    Ok(scene)
}

/// Errors of an integrator against the trace `reference` of `frames` frames, for steps that are halved `halvings`
/// times.
fn measure(
    setup: &Setup,
    integrator: IntegratorKind,
    period: f64,
    reference: &Trajectory,
    (frames, halvings): (u32, i32),
) -> Result<Found, RunError> {
    let (mut errors, mut momentum) = (Vec::new(), None);
    for halving in 0..halvings {
        let step = FRAME * libm::exp2(-f64::from(halving));
        let trace = Trajectory::of(&beam(FRAME * period, frames, integrator, step)?)?;
        momentum = momentum.or(Some([0, 1].map(|k| trace.momentum_change(k))));
        errors.push(trace.errors(reference, step, [RADIUS, period]));
    }
    let long_steps = setup.choose(100_000, 1000);
    let seconds = LONG * period * f64::from(long_steps / LONG_FRAMES);
    let drift = Trajectory::of(&beam(seconds, LONG_FRAMES, integrator, LONG)?)?.drift();
    let momentum = momentum.expect("one step at least");
    Ok(Found { name: integrator.to_string(), errors, momentum, drift, long_steps })
}

impl Found {
    fn orders(&self) -> [f64; 2] {
        [order(&self.errors, |e| e.energy), order(&self.errors, |e| e.path)]
    }

    fn cells(&self) -> Vec<Cell> {
        let numbers = [&self.orders()[..], &self.momentum, &[f64::from(self.long_steps)], &self.drift].concat();
        std::iter::once(self.name.as_str().into()).chain(numbers.into_iter().map(Cell::from)).collect()
    }

    /// Claims of theory for an integrator, by its name. Unknown names have none.
    fn claims(&self) -> Option<Claim> {
        let (source, theory) = match self.name.as_str() {
            "implicit-euler" => ("theory", "1"),
            "implicit-bdf2" | "explicit-verlet" => ("theory", "2"),
            "implicit-midpoint" => ("[IBDEM] eqs 2-4, theory", "2"),
            _ => return None,
        };
        Some(Claim::new(format!("{}: order of the trajectory", self.name), source, theory, self.orders()[1]))
    }
}

/// Chart of the errors of energy and of trajectories over the step.
fn chart(all: &[Found]) -> Chart {
    let panel = |title: &str, of: fn(&Errors) -> f64| {
        let points = |found: &Found| found.errors.iter().map(|errors| (errors.step, of(errors))).collect();
        let line = |found: &Found| Line { label: found.name.clone(), points: points(found) };
        Panel { title: title.to_owned(), lines: all.iter().map(line).collect() }
    };
    let panels = vec![panel("energy", |e| e.energy), panel("trajectory", |e| e.path)];
    Chart { name: "order", x_label: "step, T", y_label: "relative error", scale: AxisScale::Both, panels }
}
