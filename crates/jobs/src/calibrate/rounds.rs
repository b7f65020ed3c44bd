use std::num::NonZeroUsize;

use bdem_run::output::TestResults;
use bdem_run::run::{LoadCurve, LogLevel, LogOptions, RunError, RunOptions, simulate};
use bdem_run::scene::Scene;

use super::target::{Property, Target, TargetFile};
use super::test::Test;
use super::typed::Typed;
use crate::side_by_side;

/// Runs of a calibration.
pub(super) struct Rounds<'a> {
    pub file: &'a TargetFile,
    /// Options of the calibration. Its output folder has the folder `runs`.
    pub options: &'a RunOptions,
}

/// Values of each property by its name, in SI units, one for each run that has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured(pub Vec<(&'static str, f64)>);

/// Measurements on seeds and a radius that the calibration does not see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
    /// At the calibration's radius.
    pub seeds: Measured,
    /// At a smaller one.
    pub finer: Measured,
}

/// Seeds of the answer's own measurement, beyond those of calibrations.
const OTHER_SEEDS: [u64; 2] = [1001, 1002];

/// Seeds at the other radius, and the factor on fineness.
const FINER: ([u64; 2], f64) = ([1003, 1004], 1.25);

/// A run to make: test, seed, and factor on the fineness.
type Run = (Test, u64, f64);

impl Rounds<'_> {
    /// Measurements of a material in all tests on the calibration's seeds.
    pub(super) fn calibration(&self, round: usize, typed: &Typed) -> Result<Measured, RunError> {
        let seeds = &self.file.tables.calibrate.seeds;
        let runs = self.tests().flat_map(|test| seeds.iter().map(move |&seed| (test, seed, 1.0)));
        self.measure(&format!("round{round}"), typed, &runs.collect::<Vec<_>>())
    }

    /// Measurements of the answer.
    pub(super) fn validation(&self, typed: &Typed) -> Result<Validation, RunError> {
        let of_seeds: Vec<Run> = self.tests().flat_map(|test| OTHER_SEEDS.map(|seed| (test, seed, 1.0))).collect();
        let finer: Vec<Run> = self.tests().flat_map(|test| FINER.0.map(|seed| (test, seed, FINER.1))).collect();
        Ok(Validation {
            seeds: self.measure("answer", typed, &of_seeds)?,
            finer: self.measure("answer", typed, &finer)?,
        })
    }

    fn tests(&self) -> impl Iterator<Item = Test> {
        Test::of(&self.file.tables.target).into_iter()
    }

    fn measure(&self, name: &str, typed: &Typed, runs: &[Run]) -> Result<Measured, RunError> {
        let threads = rayon::current_num_threads();
        let workers = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let results = side_by_side::map(runs, workers, threads, |run| self.run(name, typed, run));
        let mut measured = Measured::default();
        for (result, &(test, ..)) in results.into_iter().zip(runs) {
            measured.0.extend(test.values(&result?, &self.file.tables.calibrate));
        }
        Ok(measured)
    }

    fn run(&self, name: &str, typed: &Typed, &(test, seed, finer): &Run) -> Result<TestResults, RunError> {
        let tables = &self.file.tables;
        let scene: Scene = test.scene((&tables.calibrate, &tables.target), typed, seed, finer)?;
        let RunOptions { output, existing_run, log, packing_cache, interrupt, .. } = self.options;
        let options = RunOptions {
            existing_run: *existing_run,
            log: LogOptions { level: LogLevel::Quiet, ..*log },
            packing_cache: packing_cache.clone(),
            interrupt: interrupt.clone(),
            output: output.join("runs").join(format!("{name}_{}_{seed}", test.name())),
            ..RunOptions::default()
        };
        simulate(&scene, &options)?;
        log.note(&format!("{} on seed {seed}: done", test.name()));
        Ok(LoadCurve::read(&options.output)?.map(|curve| curve.results()).unwrap_or_default())
    }
}

impl Measured {
    /// Values of a property.
    fn of(&self, property: &str) -> impl Iterator<Item = f64> {
        self.0.iter().filter(move |(name, _)| *name == property).map(|(_, value)| *value)
    }

    /// Mean of a property; none if no run has it.
    pub fn mean(&self, property: &str) -> Option<f64> {
        let count = self.of(property).count();
        (count > 0).then(|| self.of(property).sum::<f64>() / count as f64)
    }

    /// Half of the distance between the least and the greatest value.
    pub fn scatter(&self, property: &str) -> Option<f64> {
        let (low, high) =
            self.of(property).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        (low <= high).then_some(0.5 * (high - low))
    }

    /// Greatest distance of a mean from the target, in tolerances; infinite where a property was not measured.
    pub fn off(&self, target: &Target) -> f64 {
        let of = |(name, property): (&'static str, Property)| {
            self.mean(name).map_or(f64::INFINITY, |mean| property.off(name, mean))
        };
        target.named().map(of).fold(0.0, f64::max)
    }
}
