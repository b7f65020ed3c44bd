//! Implicit runs, `auto` and Verlet at the papers' 0.2 T and at its longest stable step, over one interval.

use bdem_pictures::plot::Line;
use bdem_run::run::RunError;
use bdem_run::run::compare::{CompareOptions, Comparison, Contender, RunRow, compare};
use bdem_run::scene::Scene;

use super::{Cell, ReportTable, Setup};

/// Columns of every run, behind those of the study.
pub(super) const COLUMNS: [(&str, &str); 15] = [
    ("particles", ""),
    ("run", ""),
    ("step", "T"),
    ("interval", "frames"),
    ("time", "s"),
    ("time of a frame", "s"),
    ("over 0.2 T", "times as fast"),
    ("over the longest stable step", "times as fast"),
    ("Newton iterations", "a step"),
    ("broken bonds", ""),
    ("pieces", ""),
    ("largest piece", "particles"),
    ("momentum", "kg m/s"),
    ("energy", "J"),
    ("energy off", "%"),
];

/// Run and the explicit ones that it is compared with.
pub(super) struct Race<'a> {
    pub particles: usize,
    pub run: &'a RunRow,
    papers: Option<&'a RunRow>,
    stable: Option<&'a RunRow>,
}

/// Default runs of a race: the paper's, the program's default, and the explicit ones.
pub(super) fn usual() -> Vec<Contender> {
    Contender::parse_all(&["implicit-euler", "auto", "explicit-verlet"].map(str::to_owned)).expect("contenders")
}

/// Comparison of the contenders on `scene`. A failed run does not end the study.
pub(super) fn run(setup: &Setup, scene: &Scene, options: CompareOptions) -> Result<Comparison, RunError> {
    setup.log.note(&format!("{}: about {} particles", scene.name(), scene.estimated_particles()));
    let quiet = setup.log.is_silent();
    let comparison = compare(scene, &CompareOptions { quiet, ..options })?;
    setup.log.note(&comparison.to_string());
    if let Some((run, why)) = comparison.failure() {
        setup.log.warn(&format!("{}, {run}: {why}", comparison.scene));
    }
    Ok(comparison)
}

impl<'a> Race<'a> {
    /// Race of each run.
    pub(super) fn all(comparison: &'a Comparison) -> impl Iterator<Item = Self> {
        let named = |name: &str| comparison.runs.iter().find(|run| run.name == name);
        let (papers, stable) = (named("explicit-verlet@0.2"), named("explicit-verlet@stable"));
        comparison.runs.iter().map(move |run| Self { particles: comparison.particles, run, papers, stable })
    }

    /// Cells of [`COLUMNS`].
    pub(super) fn cells(&self) -> Vec<Cell> {
        let run = self.run;
        let [x, y, z] = run.momentum;
        vec![
            self.particles.into(),
            self.name().as_str().into(),
            run.step_in_periods.into(),
            run.frames.into(),
            run.seconds_per_frame.map(|seconds| seconds * run.frames).into(),
            run.seconds_per_frame.into(),
            self.over_papers().into(),
            self.over(self.stable).into(),
            (run.newton_iterations as f64 / run.steps as f64).into(),
            run.bonds_broken.into(),
            run.pieces.into(),
            run.largest_piece.into(),
            libm::sqrt(x * x + y * y + z * z).into(),
            run.energy.into(),
            run.energy_off.map(|share| 100.0 * share).into(),
        ]
    }

    /// Name of the run, and whether its solver gave up.
    fn name(&self) -> String {
        self.run.name.clone() + if self.run.error.is_some() { ", gave up" } else { "" }
    }

    /// Whether the run is none of the explicit ones that others are compared with.
    pub(super) fn is_compared(&self) -> bool {
        !self.run.integrator.starts_with("explicit")
    }

    /// Speedup of the run over Verlet at 0.2 T. None if either ended early.
    pub(super) fn over_papers(&self) -> Option<f64> {
        self.over(self.papers)
    }

    fn over(&self, explicit: Option<&RunRow>) -> Option<f64> {
        Some(whole(explicit?)? / whole(self.run)?)
    }
}

/// Seconds a frame of a run that did not end early.
fn whole(run: &RunRow) -> Option<f64> {
    run.seconds_per_frame.filter(|_| run.error.is_none())
}

/// Table of races, with these columns before [`COLUMNS`].
pub(super) fn table(own: &[(&'static str, &'static str)]) -> ReportTable {
    ReportTable::new(&[own, &COLUMNS].concat())
}

/// Lines of a chart, by their labels.
#[derive(Default)]
pub(super) struct Lines(pub Vec<Line>);

impl Lines {
    /// Adds the point (x, y) to the line of this label, if y was measured.
    pub(super) fn add(&mut self, label: &str, x: f64, y: Option<f64>) {
        let found = self.0.iter().position(|line| line.label == label).unwrap_or_else(|| {
            self.0.push(Line { label: label.to_owned(), points: Vec::new() });
            self.0.len() - 1
        });
        self.0[found].points.extend(y.map(|y| (x, y)));
    }
}
