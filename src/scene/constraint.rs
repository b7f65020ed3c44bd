use serde::{Deserialize, Serialize};

use super::Motion;
use super::check::{At, Fault};
use crate::geometry::Vec3;

/// `[[constraints]]`: particles whose motion is prescribed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Holds the particles whose centres lie in it when the run starts.
    pub region: Region,
    pub motion: Motion,
}

/// A part of space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Region {
    Box {
        /// Smallest coordinates, m.
        min: [f64; 3],
        /// Largest coordinates, m.
        max: [f64; 3],
    },
}

impl Region {
    /// Whether `p` (m) lies in it, its boundary included.
    pub fn contains(&self, p: &Vec3) -> bool {
        let Self::Box { min, max } = self;
        (0..3).all(|axis| min[axis] <= p[axis] && p[axis] <= max[axis])
    }
}

impl Constraint {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let Region::Box { min, max } = &self.region;
        let region = at.key("region").key("box");
        region.key("min").vector(min)?;
        region.key("max").vector(max)?;
        let expected = format!("at least min, {min:?}, in each of its coordinates");
        let ordered = (0..3).all(|axis| min[axis] <= max[axis]);
        region.key("max").expect(ordered, max, &expected)?;
        self.motion.check(&at.key("motion"))
    }
}
