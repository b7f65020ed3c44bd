//! \[IBDEM\] Fig 6: Newton iterations on the manifold of unit quaternions, and with rotation vectors, in three-point
//! bending.

use bdem_core::internals::contact::Contacts;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;
use rayon::prelude::*;

use super::bending::RADII;
use super::constraint_methods::{EulerStep, Method, StopReason, Until};
use super::{Cell, Claim, Report, ReportTable, Setup, Study, load, short};

pub(super) const STUDY: Study = Study {
    name: "rotation",
    about: "Newton iterations over the step, with quaternions and with rotation vectors",
    run,
};

/// Way of the press in a run, m: 0.6 of the beam's height, at one speed.
const WAY: f64 = 0.06;

/// Stopping criteria of both.
const UNTIL: Until = Until { gradient: 1e-6, iterations: 60, seconds: f64::INFINITY };

/// Methods compared.
const METHODS: [Method; 2] = [Method::Nullspace, Method::RotationVector];

/// Runs of one curve of the figure.
struct Curve {
    /// Radius of the beam's particles, m.
    radius: f64,
    /// Young's modulus of its bonds, Pa.
    young_modulus: f64,
    /// Steps, s.
    steps: &'static [f64],
}

/// Result of a run.
struct Counted {
    particles: usize,
    /// Mean over the steps.
    iterations: f64,
    /// Number of steps that did not converge.
    failed: usize,
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("particles", ""),
        ("Young's modulus", "Pa"),
        ("step", "s"),
        ("method", ""),
        ("iterations", "a step"),
        ("steps that failed", ""),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let mut panels: Vec<Panel> = Vec::new();
    let number = setup.choose(50, 6);
    for Curve { radius, young_modulus, steps } in curves(setup) {
        setup.log.note(&format!("{radius} m, {young_modulus:e} Pa"));
        let runs: Vec<(Method, f64)> =
            METHODS.iter().flat_map(|&method| steps.iter().map(move |&dt| (method, dt))).collect();
        let count = |&(method, dt): &(Method, f64)| {
            // the press goes its way in these steps, whatever their length
            let scene = scene(radius, young_modulus, WAY / (number as f64 * dt))?;
            count(&scene, method, dt, number)
        };
        let found: Vec<Counted> = runs.par_iter().map(count).collect::<Result<_, _>>()?;
        let particles = found[0].particles;
        if panels.last().is_none_or(|panel| panel.title != title(particles)) {
            panels.push(Panel { title: title(particles), lines: Vec::new() });
        }
        let mut means = Vec::new();
        for (method, found) in METHODS.iter().zip(found.chunks(steps.len())) {
            for (&dt, counted) in steps.iter().zip(found) {
                let counts = [Cell::from(counted.iterations), Cell::from(counted.failed)];
                let key = vec![particles.into(), young_modulus.into(), dt.into(), method.name().into()];
                report.table.rows.push([key, counts.into()].concat());
            }
            means.push(found.iter().map(|counted| counted.iterations).sum::<f64>() / found.len() as f64);
            let points = steps.iter().zip(found).map(|(&dt, counted)| (dt, counted.iterations)).collect();
            let lines = &mut panels.last_mut().expect("one is there").lines;
            lines.push(Line { label: format!("{}, {young_modulus:.0e} Pa", method.name()), points });
        }
        report.claims.push(claim(particles, young_modulus, means[1] / means[0]));
    }
    let (x_label, y_label) = ("step, s", "Newton iterations a step");
    report.charts.push(Chart { name: "rotation", x_label, y_label, scale: AxisScale::Linear, panels });
    Ok(report)
}

/// Curves by size and stiffness. The larger beams, whose steps take long, have one stiffness and fewer steps.
fn curves(setup: &Setup) -> Vec<Curve> {
    /// Radius of 5000 particles, m.
    const FINE: f64 = 0.00399;
    if setup.quick {
        return vec![Curve { radius: RADII[0], young_modulus: 1e7, steps: &[0.005, 0.02] }];
    }
    let coarse = |young_modulus| Curve { radius: RADII[0], young_modulus, steps: &[0.002, 0.005, 0.01, 0.02, 0.05] };
    let mut curves: Vec<_> = [1e5, 1e6, 1e7, 1e8].map(coarse).into();
    curves.push(Curve { radius: RADII[1], young_modulus: 1e6, steps: &[0.005, 0.02, 0.05] });
    curves.push(Curve { radius: FINE, young_modulus: 1e6, steps: &[0.02] });
    curves
}

fn title(particles: usize) -> String {
    format!("three-point bending of {particles} particles, gradient to 1e-6 of the start's")
}

fn claim(particles: usize, e: f64, ours: f64) -> Claim {
    Claim::new(
        format!(
            "iterations with rotation vectors over those with quaternions, {particles} particles, {} Pa",
            short(Some(e))
        ),
        "[IBDEM] Fig 6",
        "more than 1",
        ours,
    )
}

/// Scene of a beam of particles of this radius (m), with bonds of this modulus (Pa), under a press of this speed (m/s).
fn scene(radius: f64, young_modulus: f64, speed: f64) -> Result<Scene, RunError> {
    let set = [
        format!("bodies.beam.particle_radius={radius}"),
        format!("materials.beam.young_modulus={young_modulus:e}"),
        format!("constraints.0.motion={{ velocity = [0.0, 0.0, -{speed}] }}"),
    ];
    Ok(load("three_point_bending", &set)?)
}

/// Iterations of a number of steps of `dt` (s), without breakage.
fn count(scene: &Scene, method: Method, dt: f64, steps: usize) -> Result<Counted, RunError> {
    let (world, mut state) = scene.build()?;
    let mut contacts = Contacts::new(&world, &state);
    let (mut iterations, mut failed) = (0, 0);
    for _ in 0..steps {
        let step = EulerStep::new(&world, &state, dt);
        contacts.update(&world, &step.start);
        let series = method.minimise(&step.problem(&contacts), &UNTIL);
        iterations += series.iterations();
        failed += usize::from(series.outcome != StopReason::Converged);
        state = step.end(&series.end);
    }
    Ok(Counted { particles: state.len(), iterations: iterations as f64 / steps as f64, failed })
}
