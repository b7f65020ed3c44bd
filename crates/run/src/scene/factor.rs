use bdem_core::model::Ramp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};

/// Factor at a time. It is linear from key to key, constant before the first and after the last.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactorKey {
    /// Time, s.
    pub time: f64,
    /// Factor, of either sign.
    pub factor: f64,
}

impl FactorKey {
    /// Check of a list of keys, which may be empty.
    pub(super) fn check_all(keys: &[Self], at: &At) -> Result<(), Fault> {
        /// Limit on factors. What they multiply stays far within the range of numbers.
        const MOST: f64 = 1e9;
        if keys.is_empty() {
            return Ok(());
        }
        at.times(keys.iter().map(|key| key.time))?;
        let is_good = |factor: f64| factor.abs() <= MOST;
        keys.iter().enumerate().try_for_each(|(i, &Self { factor, .. })| {
            at.key(i).key("factor").expect(is_good(factor), factor, &format!("a number from {:?} to {MOST:?}", -MOST))
        })
    }

    /// `value` times the factors of the keys, of which there may be none.
    pub(super) fn ramp(keys: &[Self], value: f64) -> Ramp {
        let keys = keys.iter().map(|key| [key.time, value * key.factor]).collect();
        Ramp::through(keys).unwrap_or(Ramp::constant(value))
    }
}
