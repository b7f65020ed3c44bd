use bdem_core::forms::{self, Forms};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer, Serialize};

use super::check::{At, Fault};

/// Look of a material: the name of a preset, or a table of colours.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
#[serde(untagged)]
#[schemars(rename = "LookOf")]
pub enum SceneLook {
    /// Preset.
    Preset(LookPreset),
    /// Colours and roughness.
    Table(Look),
}

/// Preset of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LookPreset {
    /// Blue glaze over a light body.
    Ceramic,
    /// Fired clay, dull.
    Clay,
    /// Dark chocolate.
    Chocolate,
    /// Greenish glass.
    Glass,
    /// Brown wood, light inside.
    Wood,
    /// Grey concrete.
    Concrete,
    /// White plaster.
    Plaster,
    /// Red brick, rough.
    Brick,
    /// Buff sandstone.
    Sandstone,
}

/// Colours, roughness and transparency of a material's surfaces.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Look {
    /// Colour of outer surfaces: linear red, green and blue from 0 to 1.
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    pub outside: [f64; 3],
    /// Colour of crack faces: linear red, green and blue from 0 to 1.
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    pub inside: [f64; 3],
    /// Roughness of outer surfaces from 0, a mirror, to 1. Crack faces have 0.9.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub roughness: f64,
    /// Share of light that passes through the material, from 0 to 1, in USD and GLB. Pictures and pages are opaque.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub transmission: f64,
    /// Index of refraction of what light passes through, at least 1.
    #[schemars(range(min = 1.0, max = 4.0))]
    pub ior: f64,
}

impl Default for Look {
    /// Grey, and lighter on cracks.
    fn default() -> Self {
        Self { outside: [0.45, 0.47, 0.5], inside: [0.75, 0.72, 0.68], roughness: 0.5, transmission: 0.0, ior: 1.5 }
    }
}

impl Look {
    /// Roughness of crack faces.
    pub const INSIDE_ROUGHNESS: f64 = 0.9;
}

impl LookPreset {
    /// Colours and roughness.
    pub fn look(self) -> Look {
        let look = |outside, inside, roughness| Look { outside, inside, roughness, ..Look::default() };
        match self {
            Self::Ceramic => look([0.2, 0.35, 0.55], [0.85, 0.82, 0.76], 0.2),
            Self::Clay => look([0.55, 0.25, 0.13], [0.62, 0.3, 0.17], 0.85),
            Self::Chocolate => look([0.12, 0.045, 0.02], [0.17, 0.07, 0.035], 0.35),
            // soda-lime glass
            Self::Glass => Look { transmission: 0.9, ior: 1.52, ..look([0.75, 0.85, 0.83], [0.6, 0.78, 0.74], 0.05) },
            Self::Wood => look([0.4, 0.22, 0.1], [0.65, 0.45, 0.25], 0.6),
            Self::Concrete => look([0.45, 0.44, 0.42], [0.38, 0.37, 0.35], 0.95),
            Self::Plaster => look([0.82, 0.81, 0.78], [0.86, 0.85, 0.83], 0.8),
            Self::Brick => look([0.36, 0.11, 0.06], [0.42, 0.15, 0.08], 0.95),
            Self::Sandstone => look([0.56, 0.41, 0.25], [0.64, 0.49, 0.32], 0.95),
        }
    }

    /// Preset of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }
}

impl SceneLook {
    /// Colours and roughness.
    pub fn look(&self) -> Look {
        match self {
            Self::Preset(preset) => preset.look(),
            Self::Table(look) => *look,
        }
    }

    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let Self::Table(look) = self else { return Ok(()) };
        for (key, colour) in [("outside", look.outside), ("inside", look.inside)] {
            let is_light = colour.iter().all(|part| (0.0..=1.0).contains(part));
            at.key(key).expect(is_light, colour, "red, green and blue from 0 to 1")?;
        }
        for (key, share) in [("roughness", look.roughness), ("transmission", look.transmission)] {
            at.key(key).expect((0.0..=1.0).contains(&share), share, "a number from 0 to 1")?;
        }
        at.key("ior").expect((1.0..=4.0).contains(&look.ior), look.ior, "a number from 1 to 4")
    }
}

impl<'de> Deserialize<'de> for SceneLook {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        forms::deserialize(from)
    }
}

impl Forms for SceneLook {
    const EXPECTED: &'static str = "the name of a look, or a table of outside, inside, roughness, transmission and ior";

    fn of_text<E: Error>(name: &str) -> Result<Self, E> {
        LookPreset::deserialize(StrDeserializer::new(name)).map(Self::Preset)
    }

    fn of_table<'de, M: MapAccess<'de>>(table: M) -> Result<Self, M::Error> {
        Look::deserialize(MapAccessDeserializer::new(table)).map(Self::Table)
    }
}
