use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};

/// `[specimen]`: the material test that a scene is. `bdem info` and `bdem plot` then print its strength and modulus.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specimen {
    /// Name of the collider or constraint that loads the specimen. Its force is the load, F.
    pub load: String,
    /// Name of a probe with `between`, the extensometer. Without it the displacement of `load` is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gauge: Option<String>,
    /// Kind of the test, and the dimensions of its specimen.
    pub test: MaterialTest,
}

/// Material test with the dimensions of its specimen.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MaterialTest {
    /// Strength F/A, modulus (F/A)/strain.
    Tension {
        /// Cross-section A, m2.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        area: f64,
        /// Length that is strained, m. Without it, the first distance of the gauge.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        length: Option<f64>,
    },
    /// Strength F/A, modulus (F/A)/strain.
    Compression {
        /// Cross-section A, m2.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        area: f64,
        /// Length that is strained, m. Without it, the first distance of the gauge.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        length: Option<f64>,
    },
    /// Disc that is pressed across its diameter: tensile strength 2 F/(pi D t).
    Brazilian {
        /// Diameter D, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        diameter: f64,
        /// Thickness t, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        thickness: f64,
    },
    /// Three-point bending: strength 3 F L/(2 b h^2), modulus F L^3/(4 b h^3 d) with the deflection d.
    Bending3 {
        /// Distance of the supports L, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        span: f64,
        /// Width b, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        width: f64,
        /// Height h, along the load, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
}

impl Specimen {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let at = at.key("test").key(self.test.name());
        let positive = |(key, length): (&str, f64)| at.key(key).positive(length, "");
        match self.test {
            MaterialTest::Tension { area, length } | MaterialTest::Compression { area, length } => {
                if length.is_none() && self.gauge.is_none() {
                    let missing = at.wrong("missing key `length`: the length that is strained");
                    return Err(missing.help("or name an extensometer as the specimen's gauge"));
                }
                [("area", area)].into_iter().chain(length.map(|length| ("length", length))).try_for_each(positive)
            }
            MaterialTest::Brazilian { diameter, thickness } => {
                [("diameter", diameter), ("thickness", thickness)].into_iter().try_for_each(positive)
            }
            MaterialTest::Bending3 { span, width, height } => {
                [("span", span), ("width", width), ("height", height)].into_iter().try_for_each(positive)
            }
        }
    }

    /// Specimen in the text of a resolved scene; `None` without one.
    pub fn of_resolved(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Part {
            specimen: Option<Specimen>,
        }
        toml::from_str::<Part>(text).ok()?.specimen
    }
}

impl MaterialTest {
    /// Name of the test in a scene.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tension { .. } => "tension",
            Self::Compression { .. } => "compression",
            Self::Brazilian { .. } => "brazilian",
            Self::Bending3 { .. } => "bending3",
        }
    }

    /// Stress (Pa) of a load of 1 N.
    pub fn stress_per_load(&self) -> f64 {
        match *self {
            Self::Tension { area, .. } | Self::Compression { area, .. } => 1.0 / area,
            Self::Brazilian { diameter, thickness } => 2.0 / (std::f64::consts::PI * diameter * thickness),
            Self::Bending3 { span, width, height } => 1.5 * span / (width * height * height),
        }
    }

    /// Modulus (Pa) at a stiffness of 1 N/m, with the first distance (m) of the gauge. `None` if the test has none.
    pub fn modulus_per_stiffness(&self, gauge: Option<f64>) -> Option<f64> {
        match *self {
            Self::Tension { area, length } | Self::Compression { area, length } => Some(length.or(gauge)? / area),
            Self::Brazilian { .. } => None,
            Self::Bending3 { span, width, height } => Some(span.powi(3) / (4.0 * width * height.powi(3))),
        }
    }

    /// Formula of the strength.
    pub fn strength_formula(&self) -> &'static str {
        match self {
            Self::Tension { .. } | Self::Compression { .. } => "F/A",
            Self::Brazilian { .. } => "2F/(πDt)",
            Self::Bending3 { .. } => "3FL/(2bh²)",
        }
    }

    /// Formula of the modulus; `None` if the test has none.
    pub fn modulus_formula(&self) -> Option<&'static str> {
        match self {
            Self::Tension { .. } | Self::Compression { .. } => Some("(F/A)/strain"),
            Self::Brazilian { .. } => None,
            Self::Bending3 { .. } => Some("FL³/(4bh³d)"),
        }
    }
}

impl fmt::Display for MaterialTest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Tension { .. } => "tension",
            Self::Compression { .. } => "compression",
            Self::Brazilian { .. } => "Brazilian test",
            Self::Bending3 { .. } => "three-point bending",
        })
    }
}
