//! \[IBDEM\] Fig 6: Newton iterations on the manifold of unit quaternions, and with rotation vectors, in three-point
//! bending.

use bdem_core::internals::contact::Contacts;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::bending::RADII;
use super::constraint_methods::{EulerStep, Method, StopReason, Until};
use super::{Cell, Claim, Report, ReportTable, Setup, Study, load, short};

pub(super) const STUDY: Study = Study {
    name: "rotation",
    about: "Newton iterations over the step, with quaternions and with rotation vectors",
    run,
};

/// Speed of the press, m/s. It bends the beam by its height in half a second.
const SPEED: f64 = 0.2;

/// Steps of a run.
const STEPS: usize = 6;

/// Stopping criteria of both.
const UNTIL: Until = Until { gradient: 1e-6, iterations: 60, seconds: 60.0 };

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns =
        [("Young's modulus", "Pa"), ("step", "s"), ("method", ""), ("iterations", "a step"), ("steps that failed", "")];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let moduli: &[f64] = setup.choose(&[1e5, 1e6, 1e7, 1e8], &[1e7]);
    let steps: &[f64] = setup.choose(&[0.002, 0.005, 0.01, 0.02, 0.05], &[0.005, 0.02]);
    let mut lines = Vec::new();
    for &e in moduli {
        let scene = scene(e)?;
        let mut means = Vec::new();
        for method in [Method::Nullspace, Method::RotationVector] {
            let mut points = Vec::new();
            for &dt in steps {
                setup.log.note(&format!("{e:e} Pa, {dt} s, {}", method.name()));
                let (iterations, failed) = count(&scene, method, dt)?;
                let counts = [Cell::from(iterations), Cell::from(failed)];
                report.table.rows.push([vec![e.into(), dt.into(), method.name().into()], counts.into()].concat());
                points.push((dt, iterations));
            }
            means.push(points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64);
            lines.push(Line { label: format!("{}, {e:.0e} Pa", method.name()), points });
        }
        report.claims.push(claim(e, means[1] / means[0]));
    }
    let panels = vec![Panel { title: "three-point bending, gradient to 1e-6 of the start's".to_owned(), lines }];
    let (x_label, y_label) = ("step, s", "Newton iterations a step");
    report.charts.push(Chart { name: "rotation", x_label, y_label, scale: AxisScale::Linear, panels });
    Ok(report)
}

fn claim(e: f64, ours: f64) -> Claim {
    Claim::new(
        format!("iterations with rotation vectors over those with quaternions, {} Pa", short(Some(e))),
        "[IBDEM] Fig 6",
        "more than 1",
        ours,
    )
}

/// Scene of the coarsest beam, with bonds of this modulus, under a press that bends it far.
fn scene(young_modulus: f64) -> Result<Scene, RunError> {
    let set = [
        format!("bodies.beam.particle_radius={}", RADII[0]),
        format!("materials.beam.young_modulus={young_modulus:e}"),
        format!("constraints.0.motion={{ velocity = [0.0, 0.0, -{SPEED}] }}"),
    ];
    Ok(load("three_point_bending", &set)?)
}

/// Mean iterations of a few steps, without breakage, and number of those that did not converge.
fn count(scene: &Scene, method: Method, dt: f64) -> Result<(f64, usize), RunError> {
    let (world, mut state) = scene.build()?;
    let mut contacts = Contacts::new(&world, &state);
    let (mut iterations, mut failed) = (0, 0);
    for _ in 0..STEPS {
        let step = EulerStep::new(&world, &state, dt);
        contacts.update(&world, &step.start);
        let series = method.minimise(&step.problem(&contacts), &UNTIL);
        iterations += series.iterations();
        failed += usize::from(series.outcome != StopReason::Converged);
        state = step.end(&series.end);
    }
    Ok((iterations as f64 / STEPS as f64, failed))
}
