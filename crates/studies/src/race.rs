//! Implicit runs beside Verlet at the papers' 0.2 T and at its longest stable step.

use bdem_run::run::RunError;
use bdem_run::run::compare::{CompareOptions, Comparison, Contender, RunRow, compare};
use bdem_run::scene::Scene;

use super::{Cell, ReportTable, Setup};

/// Steps of each run before its clock starts.
pub(super) const WARM_UP: u32 = 2;

/// Columns of every race, behind those of the study.
pub(super) const COLUMNS: [(&str, &str); 10] = [
    ("particles", ""),
    ("implicit run", ""),
    ("step", "T"),
    ("explicit at 0.2 T", "s/frame"),
    ("explicit at the longest stable step", "s/frame"),
    ("implicit", "s/frame"),
    ("over 0.2 T", "times as fast"),
    ("over the longest stable step", "times as fast"),
    ("explicit", "ns/bond/step"),
    ("Newton iterations", "a step"),
];

/// Implicit run and the explicit ones that it is compared with.
pub(super) struct Race<'a> {
    pub particles: usize,
    pub implicit: &'a RunRow,
    papers: Option<&'a RunRow>,
    stable: Option<&'a RunRow>,
}

/// Default runs of a race.
pub(super) fn usual() -> Vec<Contender> {
    Contender::parse_all(&["implicit-euler", "explicit-verlet"].map(str::to_owned)).expect("two contenders")
}

/// Comparison of the contenders on `scene`. A failed run does not end the study.
pub(super) fn run(setup: &Setup, scene: &Scene, options: CompareOptions) -> Result<Comparison, RunError> {
    setup.log.note(&format!("{}: about {} particles", scene.name(), scene.estimated_particles()));
    let quiet = setup.log.is_silent();
    let comparison = compare(scene, &CompareOptions { quiet, ..options })?;
    if let Some((run, why)) = comparison.failure() {
        setup.log.warn(&format!("{}, {run}: {why}", comparison.scene));
    }
    Ok(comparison)
}

impl<'a> Race<'a> {
    /// Race of each implicit run.
    pub(super) fn all(comparison: &'a Comparison) -> impl Iterator<Item = Self> {
        let named = |name: &str| comparison.runs.iter().find(|run| run.name == name);
        let (papers, stable) = (named("explicit-verlet@0.2"), named("explicit-verlet@stable"));
        let implicit = comparison.runs.iter().filter(|run| run.integrator.starts_with("implicit"));
        implicit.map(move |implicit| Self { particles: comparison.particles, implicit, papers, stable })
    }

    /// Cells of [`COLUMNS`].
    pub(super) fn cells(&self) -> Vec<Cell> {
        vec![
            self.particles.into(),
            self.implicit.name.as_str().into(),
            self.implicit.step_in_periods.into(),
            seconds(self.papers).into(),
            seconds(self.stable).into(),
            self.implicit.seconds_per_frame.into(),
            self.over_papers().into(),
            self.over(self.stable).into(),
            self.papers.and_then(|run| run.nanoseconds_per_bond_step).into(),
            (self.implicit.newton_iterations as f64 / self.implicit.steps as f64).into(),
        ]
    }

    /// Speedup of the implicit run over Verlet at 0.2 T.
    pub(super) fn over_papers(&self) -> Option<f64> {
        self.over(self.papers)
    }

    fn over(&self, explicit: Option<&RunRow>) -> Option<f64> {
        Some(seconds(explicit)? / self.implicit.seconds_per_frame?)
    }

    /// Seconds a frame of the three runs, with the names of their lines in a chart.
    pub(super) fn lines(&self) -> [(&'static str, Option<f64>); 3] {
        [
            ("explicit, 0.2 T", seconds(self.papers)),
            ("explicit, longest stable step", seconds(self.stable)),
            ("implicit Euler", self.implicit.seconds_per_frame),
        ]
    }
}

fn seconds(run: Option<&RunRow>) -> Option<f64> {
    run.and_then(|run| run.seconds_per_frame)
}

/// Table of races, with these columns before [`COLUMNS`].
pub(super) fn table(own: &[(&'static str, &'static str)]) -> ReportTable {
    ReportTable::new(&[own, &COLUMNS].concat())
}
