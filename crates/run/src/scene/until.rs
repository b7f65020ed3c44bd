use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};

/// `[time.until]`: conditions that end a run at the end of the frame in which one is met.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Until {
    /// Share of its peak below which a load falls, as after a break.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub load_below_peak: Option<f64>,
    /// Name of the collider or constraint of that load, the magnitude of its force. Without it, the specimen's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Lowest peak that counts, N.
    #[schemars(range(min = 0.0))]
    pub peak_above: f64,
    /// Number of broken bonds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub bonds_broken: Option<u32>,
    /// Number of pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pieces: Option<u32>,
}

/// The conditions in words, each on one part of an "or".
impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut conditions = Vec::new();
        if let Some(share) = self.load_below_peak {
            let of =
                self.of.as_ref().map_or_else(|| "the specimen's load".to_owned(), |name| format!("the load of {name}"));
            let peak = if self.peak_above > 0.0 { format!(" above {:?} N", self.peak_above) } else { String::new() };
            conditions.push(format!("{of} falls below {share:?} of its peak{peak}"));
        }
        conditions.extend(self.bonds_broken.map(|bonds| format!("{bonds} bonds are broken")));
        conditions.extend(self.pieces.map(|pieces| format!("there are {pieces} pieces")));
        f.write_str(&conditions.join(", or "))
    }
}

impl Until {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        if self.load_below_peak.is_none() && self.bonds_broken.is_none() && self.pieces.is_none() {
            return Err(at.wrong("missing load_below_peak, bonds_broken or pieces: nothing would end the run"));
        }
        self.load_below_peak.iter().try_for_each(|&share| at.key("load_below_peak").share(share))?;
        at.key("peak_above").not_negative(self.peak_above)?;
        self.bonds_broken.iter().try_for_each(|&bonds| at.key("bonds_broken").at_least_one(bonds))?;
        self.pieces.iter().try_for_each(|&pieces| at.key("pieces").at_least_one(pieces))
    }
}
