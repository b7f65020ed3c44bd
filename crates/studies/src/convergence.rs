//! \[IBDEM\] Fig 7: iterations and time of implicit steps, for each unit-length constraint method.

use bdem_core::internals::contact::Contacts;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::constraint_methods::{EulerStep, Iterate, Method, Series, StopReason, Until};
use super::{Cell, Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "convergence", about: "iterations and time of unit-length constraint methods", run };

/// Convergence: the gradient on the manifold over that of the start.
const GOAL: f64 = 1e-6;

/// Failed steps in succession after which a method is left out.
const FAILURES: usize = 3;

/// Steps of a twisted beam, which all methods solve from the same states.
struct Case {
    /// Radius of the particles, m.
    radius: f64,
    /// Step in periods T. A frame if there is none: it turns the beam's end by 3 degrees.
    periods: Option<f64>,
    /// Number of steps.
    steps: usize,
}

/// Series of a method on the steps of a case.
struct Outcome {
    method: Method,
    series: Vec<Series>,
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("method", ""),
        ("particles", ""),
        ("step", "T"),
        ("steps", ""),
        ("steps that failed", ""),
        ("iterations", "a step"),
        ("linear iterations", "a step"),
        ("time of a step", "s"),
        ("quaternions off unit length at the end", ""),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let frame = |radius, steps| Case { radius, periods: None, steps };
    let shorter = |periods| Case { radius: 0.03, periods: Some(periods), steps: 50 };
    // 500, 2000 and 5000 particles; the last take minutes
    let usual = vec![frame(0.03, 50), frame(0.02, 50), frame(0.0147, 10), shorter(1.0), shorter(4.0), shorter(12.0)];
    let quick = vec![frame(0.04, 3), Case { radius: 0.04, periods: Some(1.0), steps: 3 }];
    let mut panels = [Vec::new(), Vec::new()];
    for case in setup.choose(usual, quick) {
        let (particles, periods, found) = case.solve(setup)?;
        report.table.rows.extend(found.iter().map(|outcome| outcome.cells(particles, periods)));
        if report.claims.is_empty() {
            report.claims = claims(&found);
        }
        let title = format!("a step of {periods:.0} T, {particles} particles");
        panels[0].push(panel(&title, &found, |k, _| k as f64));
        panels[1].push(panel(&title, &found, |_, at| at.seconds));
    }
    let [by_iteration, by_time] = panels;
    let chart = |name, x_label, panels| {
        let (y_label, scale) = ("gradient over the start's", AxisScale::Both);
        Chart { name, x_label, y_label, scale, panels }
    };
    report.charts.push(chart("convergence", "iterations", by_iteration));
    report.charts.push(chart("convergence_time", "time, s", by_time));
    Ok(report)
}

impl Case {
    /// Number of particles, step in periods T, and the outcome of each method.
    fn solve(&self, setup: &Setup) -> Result<(usize, f64, Vec<Outcome>), RunError> {
        let scene = load("beam_twist", &[format!("bodies.beam.particle_radius={}", self.radius)])?;
        let (world, mut state) = scene.build()?;
        let dt = self.periods.map_or(1.0 / scene.time.frame_rate, |periods| periods * world.period());
        let (particles, periods) = (state.len(), dt / world.period());
        setup.log.note(&format!("{particles} particles, steps of {periods:.1} T"));
        let mut contacts = Contacts::new(&world, &state);
        let until = Until { gradient: GOAL, iterations: setup.choose(1000, 100), seconds: 15.0 };
        let mut found: Vec<_> = Method::ALL.map(|method| Outcome { method, series: Vec::new() }).into();
        for _ in 0..self.steps {
            let step = EulerStep::new(&world, &state, dt);
            contacts.update(&world, &step.start);
            let problem = step.problem(&contacts);
            for outcome in found.iter_mut().filter(|outcome| !outcome.is_left_out()) {
                outcome.series.push(outcome.method.minimise(&problem, &until));
            }
            let reference = found.iter().find(|outcome| outcome.method == Method::Nullspace).expect("one of all");
            state = step.end(&reference.series.last().expect("it is never left out").end);
        }
        Ok((particles, periods, found))
    }
}

impl Outcome {
    fn converged(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.outcome == StopReason::Converged)
    }

    /// Whether the last steps failed. The reference goes on.
    fn is_left_out(&self) -> bool {
        let last = self.series.iter().rev().take(FAILURES);
        let failed = last.filter(|series| series.outcome != StopReason::Converged).count();
        failed == FAILURES && self.method != Method::Nullspace
    }

    /// Mean of a figure over the steps that converged.
    fn mean(&self, figure: impl Fn(&Series) -> f64) -> Option<f64> {
        let steps = self.converged().count();
        (steps > 0).then(|| self.converged().map(figure).sum::<f64>() / steps as f64)
    }

    /// Mean time of a step that converged, s.
    fn seconds(&self) -> Option<f64> {
        self.mean(|series| series.last().seconds)
    }

    fn cells(&self, particles: usize, periods: f64) -> Vec<Cell> {
        let linear = |series: &Series| series.iterates.iter().map(|at| at.linear_iterations).sum::<usize>();
        vec![
            self.method.name().into(),
            particles.into(),
            periods.into(),
            self.series.len().into(),
            (self.series.len() - self.converged().count()).into(),
            self.mean(|series| series.iterations() as f64).into(),
            self.mean(|series| linear(series) as f64).into(),
            self.seconds().into(),
            Cell::from(self.series.iter().map(|series| series.last().off_length).fold(0.0, f64::max)),
        ]
    }
}

/// Claims of the paper: both orders on the manifold are faster than the other methods.
fn claims(found: &[Outcome]) -> Vec<Claim> {
    let time = |name: &str| found.iter().find(|outcome| outcome.method.name() == name).and_then(Outcome::seconds);
    let claim = |slower: &str, faster: &str| {
        Claim::new(
            format!("time of {slower} to 1e-6 over that of {faster}; infinite without convergence"),
            "[IBDEM] Fig 7",
            "more than 1",
            time(faster).map_or(0.0, |faster| time(slower).unwrap_or(f64::INFINITY) / faster),
        )
    };
    let both = |slower| ["nullspace", "first-order"].map(|faster| claim(slower, faster));
    ["penalty", "lagrange", "augmented"].into_iter().flat_map(both).collect()
}

/// Gradient of each method in the first step.
fn panel(title: &str, found: &[Outcome], x: impl Fn(usize, &Iterate) -> f64) -> Panel {
    let line = |outcome: &Outcome| {
        let iterates = &outcome.series[0].iterates;
        let point = |(k, at): (usize, &Iterate)| (x(k, at), at.gradient / iterates[0].gradient);
        Line { label: outcome.method.name().to_owned(), points: iterates.iter().enumerate().map(point).collect() }
    };
    Panel { title: title.to_owned(), lines: found.iter().map(line).collect() }
}
