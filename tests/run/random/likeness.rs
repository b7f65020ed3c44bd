//! How far runs of a scene are from runs of Verlet at a quarter of its limit.

use super::run::Run;

/// Energy at play that is nothing to speak of: a share of the greatest in any run of the scene.
const ELASTIC_FLOOR: f64 = 0.03;

/// Bonds, and a share of all of them, that counts may differ by.
const BROKEN_FLOOR: [f64; 2] = [3.0, 0.03];

/// Standard errors that means may be apart besides.
const ERRORS: f64 = 3.0;

/// What is compared of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub broken: f64,
    pub bonds: f64,
    /// Mean over the time, as a share of the energy at play.
    pub elastic: f64,
}

impl Sample {
    /// That of a run, where the energy `at_play` is that of a reference run, J.
    pub(super) fn of(run: &Run, at_play: f64) -> Self {
        let bonds = run.case.world.bonds().len() as f64;
        Self { broken: run.progress.broken.len() as f64, bonds, elastic: run.elastic() / at_play }
    }
}

/// The differences of two ensembles: of their means, over the most that these may differ by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likeness {
    pub broken: f64,
    pub elastic: f64,
}

impl Likeness {
    /// Means may be apart by a floor, by three standard errors of their difference, and by as much as a run of Verlet at the
    /// default share of its limit is off the reference: `auto` takes the same explicit steps.
    pub(super) fn new(these: &[Sample], reference: &[Sample], coarse: Option<&Sample>) -> Self {
        let apart = |of: fn(&Sample) -> f64, floor: f64| {
            let [(a, da), (b, db)] = [these, reference].map(|samples| mean_and_error(samples.iter().map(of)));
            let step = coarse.map_or(0.0, |coarse| (of(coarse) - b).abs());
            (a - b) / (floor + ERRORS * da.hypot(db) + step)
        };
        Self {
            broken: apart(|sample| sample.broken, BROKEN_FLOOR[0] + BROKEN_FLOOR[1] * reference[0].bonds),
            elastic: apart(|sample| sample.elastic, ELASTIC_FLOOR),
        }
    }

    pub(super) fn is_good(&self) -> bool {
        self.broken.abs() <= 1.0 && self.elastic.abs() <= 1.0
    }
}

/// Mean, and its standard error; none of a single number.
fn mean_and_error(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    let squares = numbers.map(|number| (number - mean).powi(2)).sum::<f64>();
    (mean, if count > 1.0 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 })
}
