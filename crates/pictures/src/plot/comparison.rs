use bdem_run::run::compare::{Comparison, RunRow};

use super::bars::{BarChart, BarPanel};

/// Bar chart of a comparison: cost and result of each run.
pub fn comparison_chart(comparison: &Comparison) -> BarChart {
    let panels = [
        panel(comparison, "wall-clock time of a frame, s", |run| run.seconds_per_frame),
        panel(comparison, "steps, a frame", |run| (run.frames > 0.0).then(|| run.steps as f64 / run.frames)),
        panel(comparison, "bonds broken", |run| Some(run.bonds_broken as f64)),
        panel(comparison, "pieces at the end", |run| Some(run.pieces as f64)),
        panel(comparison, "particles of the largest piece", |run| Some(run.largest_piece as f64)),
        panel(comparison, "energy at the end, J", |run| run.energy),
    ];
    let Comparison { scene, particles, bonds, threads, .. } = comparison;
    let title = format!("{scene}: {particles} particles, {bonds} bonds; threads: {threads}");
    BarChart { title, panels: panels.into() }
}

fn panel(comparison: &Comparison, title: &'static str, of: impl Fn(&RunRow) -> Option<f64>) -> BarPanel {
    let bar = |run: &RunRow| {
        let frames = (100.0 * run.frames).round() / 100.0;
        (format!("{}, {frames} frames", run.name), of(run))
    };
    (title, comparison.runs.iter().map(bar).collect())
}
