use serde::{Deserialize, Serialize};

use crate::output::RunRecord;
use crate::scene::{Scene, Until};

/// Peak of a load, and its fall, N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadPeak {
    peak: f64,
    /// First load that was low enough to end the run, and the peak before it.
    fall: Option<[f64; 2]>,
}

impl LoadPeak {
    /// Adds a `load` (N), which ends the run by `until`.
    pub fn update(&mut self, load: f64, until: &Until) {
        self.peak = self.peak.max(load);
        let fall = [load, self.peak];
        if !self.fall.is_some_and(|fall| ends(fall, until)) && ends(fall, until) {
            self.fall = Some(fall);
        }
    }

    /// Condition of the scene's `time.until` that is met, in words, with this peak of its load.
    pub fn ends(&self, scene: &Scene, record: &RunRecord) -> Option<String> {
        let until = scene.time.until.as_ref()?;
        if let (Some(fall @ [load, peak]), Some(share), Some(name)) =
            (self.fall, until.load_below_peak, scene.load_until())
            && ends(fall, until)
        {
            return Some(format!("the load of {name} fell to {load:.4e} N, below {share} of its peak of {peak:.4e} N"));
        }
        let (bonds, pieces) = (record.bonds_broken, record.pieces);
        if let Some(limit) = until.bonds_broken.filter(|&limit| bonds >= limit as usize) {
            return Some(format!("{bonds} bonds are broken, and the limit is {limit}"));
        }
        let limit = until.pieces.filter(|&limit| pieces >= limit as usize)?;
        Some(format!("there are {pieces} pieces, and the limit is {limit}"))
    }
}

/// Whether a load after a peak (N) ends the run.
fn ends([load, peak]: [f64; 2], until: &Until) -> bool {
    peak > until.peak_above && until.load_below_peak.is_some_and(|share| load < share * peak)
}
