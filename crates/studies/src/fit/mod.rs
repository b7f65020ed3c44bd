//! Fits: \[MSC\] Figs 6, 10 and 14, and three of our own.
//!
//! ```text
//! duck         the charge of a mesh, from Verlet's motion at fine steps (Figs 6 and 14)
//! shirt        the stiffness of hanging cloth (Fig 10)
//! cantilever   modulus and damping from a noisy track of a tip
//! block        friction and restitution of a block that slides and bounces
//! plate        strengths of a plate's joints, so that a chosen corner breaks off
//! outcome      a fit's course and result
//! ```

mod block;
mod cantilever;
mod duck;
mod outcome;
mod plate;
mod shirt;

use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use crate::{Cell, Claim, Report, ReportTable, Setup, Study};

use outcome::Outcome;

pub(crate) const STUDY: Study = Study {
    name: "fit",
    about: "fits: the duck's charge, the t-shirt's stiffness, a cantilever, a block, a plate",
    run,
};

fn run(setup: &Setup) -> Result<Report, RunError> {
    let mut outcomes = Vec::new();
    setup.log.note("the duck's charge");
    outcomes.extend(duck::fits(setup)?);
    setup.log.note("the t-shirt's stiffness");
    outcomes.push(shirt::fit(setup)?);
    setup.log.note("a cantilever");
    outcomes.extend(cantilever::fits(setup)?);
    setup.log.note("a block");
    outcomes.push(block::fit(setup)?);
    setup.log.note("a plate");
    outcomes.push(plate::fit(setup)?);
    let mut table = ReportTable::new(&[
        ("fit", ""),
        ("parameter", ""),
        ("start", ""),
        ("found", ""),
        ("true", ""),
        ("loss at the start", ""),
        ("loss", ""),
        ("evaluations", ""),
    ]);
    for outcome in &outcomes {
        table.rows.extend(outcome.rows());
    }
    let claims = outcomes.iter().flat_map(Outcome::claims).collect::<Vec<Claim>>();
    Ok(Report { claims, table, charts: vec![chart(&outcomes)] })
}

/// Least loss so far over its value at the start.
fn chart(outcomes: &[Outcome]) -> Chart {
    let line = |outcome: &Outcome| {
        let first = outcome.losses.first().copied().unwrap_or(1.0);
        let mut least = f64::INFINITY;
        let point = |(k, loss): (usize, &f64)| {
            least = least.min(*loss);
            (k as f64 + 1.0, least / first)
        };
        Line { label: outcome.name.clone(), points: outcome.losses.iter().enumerate().map(point).collect() }
    };
    let panel =
        Panel { title: "least loss over that of the start".to_owned(), lines: outcomes.iter().map(line).collect() };
    Chart { name: "fit", x_label: "evaluation", y_label: "loss", scale: AxisScale::Upright, panels: vec![panel] }
}

/// Cell of a number.
fn number(x: f64) -> Cell {
    Cell::Number(Some(x).filter(|x| x.is_finite()))
}
