use serde::{Deserialize, Serialize};

use crate::output::RunRecord;
use crate::scene::Scene;

/// Peak of a load, and its lowest value since, N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadPeak {
    peak: f64,
    lowest: f64,
}

impl LoadPeak {
    /// Adds a `load` (N).
    pub fn update(&mut self, load: f64) {
        if load >= self.peak {
            (self.peak, self.lowest) = (load, load);
        }
        self.lowest = self.lowest.min(load);
    }

    /// Condition of the scene's `time.until` that is met, in words, with this peak of its load.
    pub fn ends(&self, scene: &Scene, record: &RunRecord) -> Option<String> {
        let until = scene.time.until.as_ref()?;
        let Self { peak, lowest } = self;
        if let (Some(share), Some(name)) = (until.load_below_peak, scene.load_until())
            && *peak > until.peak_above
            && *lowest < share * peak
        {
            return Some(format!("the load of {name} fell to {lowest:.4e} N, below {share} of its peak of {peak:.4e} N"));
        }
        let (bonds, pieces) = (record.bonds_broken, record.pieces);
        if let Some(limit) = until.bonds_broken.filter(|&limit| bonds >= limit as usize) {
            return Some(format!("{bonds} bonds are broken, and the limit is {limit}"));
        }
        let limit = until.pieces.filter(|&limit| pieces >= limit as usize)?;
        Some(format!("there are {pieces} pieces, and the limit is {limit}"))
    }
}
