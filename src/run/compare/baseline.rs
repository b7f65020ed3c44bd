use std::path::Path;

use serde::Deserialize;

use super::report::Comparison;
use crate::output::OutputError;

/// Result of an earlier comparison, as far as a later one is compared with it.
#[derive(Clone, Debug, Deserialize)]
pub struct Baseline {
    scene: String,
    digest: String,
    pairs: Vec<Row>,
}

#[derive(Clone, Debug, Deserialize)]
struct Row {
    run: String,
    against: String,
    speedup: Option<f64>,
}

/// Reason why a file is no baseline.
#[derive(Debug)]
pub enum BaselineError {
    /// The file cannot be read.
    Unreadable(OutputError),
    /// The file has another content; the message names it.
    Unfit(String),
}

impl Baseline {
    /// Reads the file at `path` from `compare --json`. Checks that it is for the scene called `scene` and has a pair of the
    /// runs called `names`.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn read(path: &Path, scene: &str, names: &[String]) -> Result<Self, BaselineError> {
        let text = std::fs::read(path)
            .map_err(OutputError::file("read the baseline", path))
            .map_err(BaselineError::Unreadable)?;
        let unfit = |why: String| BaselineError::Unfit(format!("{} is no baseline for this: {why}", path.display()));
        let baseline: Self = serde_json::from_slice(&text)
            .map_err(|error| unfit(format!("expected a file that `bdem compare --json` wrote ({error})")))?;
        if baseline.scene != scene {
            return Err(unfit(format!("its scene is {:?}, and this one is {scene:?}", baseline.scene)));
        }
        let has = |name: &String| names.contains(name);
        if !baseline.pairs.iter().any(|row| row.speedup.is_some() && has(&row.run) && has(&row.against)) {
            let pairs: Vec<String> = baseline.pairs.iter().map(|r| format!("{} over {}", r.run, r.against)).collect();
            return Err(unfit(format!(
                "it has a speedup of no two of these runs ({}), but of {}; --integrators chooses the runs",
                names.join(", "),
                if pairs.is_empty() { "none".to_owned() } else { pairs.join("; ") }
            )));
        }
        Ok(baseline)
    }

    /// Whether the scene and its overrides are unchanged.
    pub fn is_of(&self, digest: &str) -> bool {
        self.digest == digest
    }

    /// Messages for the rows of `comparison` whose speedup is below the baseline's by more than the share `tolerance`.
    pub fn fallen(&self, comparison: &Comparison, tolerance: f64) -> Vec<String> {
        let fell = |row: &Row| {
            let now = comparison.pairs.iter().find(|now| now.run == row.run && now.against == row.against)?;
            let (before, now) = (row.speedup?, now.speedup?);
            (now < before * (1.0 - tolerance))
                .then(|| format!("{} over {}: speedup {now:.3}, and {before:.3} in the baseline", row.run, row.against))
        };
        self.pairs.iter().filter_map(fell).collect()
    }
}
