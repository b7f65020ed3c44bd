//! Properties of frames that a scene asks for.

use bdem_core::forms::{self, Forms};
use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, SeqAccess};
use serde::{Deserialize, Deserializer, Serialize};

/// Properties of particles that frames have on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParticleColumn {
    /// Displacement since the start of the run, m: `dx`, `dy`, `dz`.
    Displacement,
    /// Stress tensor, Pa, positive in tension: `stress_xx`, `stress_yy`, `stress_zz`, `stress_yz`, `stress_xz`, `stress_xy`.
    Stress,
}

/// Properties of bonds that frames have on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BondColumn {
    /// Force of the bond on its first particle, N: `force_x`, `force_y`, `force_z`.
    Force,
    /// Moment of the bond on its first particle, about the middle of both, N m: `moment_x`, `moment_y`, `moment_z`.
    Moment,
    /// Stresses of the criterion of breakage, Pa: `sigma` and `tau`.
    Stress,
}

/// Whole bonds in frames, as edges.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum BondOutput {
    /// Whether frames have them.
    Ends(bool),
    /// Frames have them, with an `id` that stays while others break, and with these properties.
    Columns(Vec<BondColumn>),
}

impl BondOutput {
    /// Whether frames have bonds.
    pub fn is_on(&self) -> bool {
        *self != Self::Ends(false)
    }

    /// Whether bonds have an id, and with it the properties that the scene names.
    pub fn has_id(&self) -> bool {
        matches!(self, Self::Columns(_))
    }

    /// Whether bonds have these properties.
    pub fn has(&self, column: BondColumn) -> bool {
        matches!(self, Self::Columns(columns) if columns.contains(&column))
    }
}

impl Default for BondOutput {
    fn default() -> Self {
        Self::Ends(false)
    }
}

impl<'de> Deserialize<'de> for BondOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for BondOutput {
    const EXPECTED: &'static str = "true, false, or a list such as [\"force\", \"moment\", \"stress\"]";

    fn of_bool<E: Error>(value: bool) -> Result<Self, E> {
        Ok(Self::Ends(value))
    }

    fn of_list<'de, L: SeqAccess<'de>>(list: L) -> Result<Self, L::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(Self::Columns)
    }
}
