use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use super::report::{Comparison, PairRow, RunRow};
use crate::files;
use crate::output::OutputError;
use crate::scene::Scene;

/// Part of an earlier comparison that a later one is compared with.
#[derive(Clone, Debug, Deserialize)]
pub struct Baseline {
    scene: String,
    digest: String,
    #[serde(default)]
    from_frame: u32,
    #[serde(default)]
    runs: Vec<RunRow>,
    pairs: Vec<PairRow>,
}

/// Reason why a file is no baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] OutputError),
    /// The file has another content; the message names it.
    #[error("{0}")]
    Unfit(String),
}

impl Baseline {
    /// Reads the file at `path` from `compare --json`. Checks that it is of `scene` from `from_frame`, and has a pair of the
    /// runs called `names`.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn read(path: &Path, scene: &Scene, from_frame: u32, names: &[String]) -> Result<Self, BaselineError> {
        let text = files::read(path, files::MAX_BYTES).map_err(OutputError::file("read the baseline", path))?;
        let unfit = |why: String| BaselineError::Unfit(format!("{} is no baseline for this: {why}", path.display()));
        let baseline: Self = serde_json::from_slice(&text)
            .map_err(|error| unfit(format!("expected a file that `bdem compare --json` wrote ({error})")))?;
        baseline.check(scene, from_frame, names).map_err(unfit)?;
        Ok(baseline)
    }

    fn check(&self, scene: &Scene, from_frame: u32, names: &[String]) -> Result<(), String> {
        if self.scene != scene.name() {
            return Err(format!("its scene is {:?}, and this one is {:?}", self.scene, scene.name()));
        }
        let has = |name: &String| names.contains(name);
        if !self.pairs.iter().any(|row| row.speedup.is_some() && has(&row.run) && has(&row.against)) {
            let pairs: Vec<String> = self.pairs.iter().map(name).collect();
            return Err(format!(
                "it has a speedup of no two of these runs ({}), but of {}; --integrators chooses the runs",
                names.join(", "),
                if pairs.is_empty() { "none".to_owned() } else { pairs.join("; ") }
            ));
        }
        let digest = scene.digest();
        if self.digest != digest {
            return Err(format!(
                "its scene has the digest {:.12}, and this one has {digest:.12}: text, files, --set, --frames or \
                 --integrator have changed; --json writes a new baseline",
                self.digest
            ));
        }
        if self.from_frame != from_frame {
            return Err(format!("it starts from frame {}, and this one from {from_frame}", self.from_frame));
        }
        Ok(())
    }

    /// Outcome of `comparison` for every pair, and for every run where results are compared, that both have: for each figure
    /// whether it is within the tolerance, and a message. `speed` is the share of a speedup that may be lost, `results` the one
    /// by which broken bonds and energy of a run may differ.
    pub fn verdict(&self, comparison: &Comparison, speed: f64, results: Option<f64>) -> Vec<(bool, String)> {
        let mut verdict = Vec::new();
        for row in &self.pairs {
            let now = comparison.pairs.iter().find(|now| now.run == row.run && now.against == row.against);
            if let Some((before, now)) = row.speedup.zip(now.and_then(|now| now.speedup)) {
                let message = format!("{}: speedup {now:.3}, and {before:.3} in the baseline", name(row));
                verdict.push((now >= before * (1.0 - speed), message));
            }
        }
        for before in &self.runs {
            let now = comparison.runs.iter().find(|now| now.name == before.name);
            if let Some((now, share)) = now.zip(results) {
                verdict.extend(compare_results(before, now, share));
            }
        }
        verdict
    }
}

fn name(pair: &PairRow) -> String {
    format!("{} over {}", pair.run, pair.against)
}

/// Broken bonds and energy of a run, where both may differ by a `share`.
fn compare_results(before: &RunRow, now: &RunRow, share: f64) -> Vec<(bool, String)> {
    if before.frames != now.frames {
        let message = format!("{}: {} frames, and {} in the baseline", now.name, now.frames, before.frames);
        return vec![(false, message)];
    }
    let holds = |[before, now]: [f64; 2]| (now - before).abs() <= share * before.abs();
    let [before_broken, broken] = [before, now].map(|run| run.bonds_broken);
    let bonds = format!("{}: {broken} bonds broken, and {before_broken} in the baseline", now.name);
    let [before_energy, energy] = [before, now].map(|run| run.energy.unwrap_or(f64::NAN));
    let joules = format!("{}: energy {energy:?} J, and {before_energy:?} J in the baseline", now.name);
    vec![(holds([before_broken as f64, broken as f64]), bonds), (holds([before_energy, energy]), joules)]
}
