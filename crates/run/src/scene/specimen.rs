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
    /// Name of a probe with `between` across the specimen, for Poisson's ratio. For `tension` and `compression`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lateral: Option<String>,
    /// Name of the body that is tested. By default that of the load's constraint, or the scene's only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Kind of the test, and the dimensions of its specimen. Those that are left out are the body's.
    pub test: MaterialTest,
}

/// Material test with the dimensions of its specimen.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MaterialTest {
    /// Strength F/A, modulus (F/A)/strain.
    Tension {
        /// Cross-section A, m2. By default the body's in its middle, across the load.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        area: f64,
        /// Length that is strained, m. Without it, the first distance of the gauge, or else the body's between platens.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        length: Option<f64>,
    },
    /// Strength F/A - p, modulus (F/A)/strain.
    Compression {
        /// Cross-section A, m2. By default the body's in its middle, across the load.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        area: f64,
        /// Length that is strained, m. Without it, the first distance of the gauge, or else the body's between platens.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        length: Option<f64>,
        /// Pressure p on the sides of the specimen, Pa. The strength is then the stress difference F/A - p. It is not applied:
        /// the scene has to.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[schemars(range(min = 0.0))]
        confining_pressure: f64,
    },
    /// Direct shear: strength F/A, with the component of the force along the shearing as F.
    Shear {
        /// Area of the shear plane A, m2. By default the body's in its middle, across the drive of the load.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        area: f64,
        /// Direction of F and of the shearing. By default that of the load's motion, across its drive.
        #[serde(skip_serializing_if = "Option::is_none")]
        direction: Option<[f64; 3]>,
    },
    /// Disc that is pressed across its diameter: tensile strength 2 F/(pi D t).
    Brazilian {
        /// Diameter D, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        diameter: f64,
        /// Thickness t, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        thickness: f64,
    },
    /// Three-point bending: strength 3 F L/(2 b h^2), modulus F L^3/(4 b h^3 d) with the deflection d.
    Bending3 {
        /// Distance of the supports L, m. By default that of the two other colliders.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        span: f64,
        /// Width b, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        width: f64,
        /// Height h, along the load, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
    /// Three-point bending of a notched beam: strength 3 F L/(2 b (h - a)^2), fracture energy W/(b (h - a)) with the work W of
    /// the load up to the last row. Self-weight is left out.
    NotchedBending {
        /// Distance of the supports L, m. By default that of the two other colliders.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        span: f64,
        /// Width b, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        width: f64,
        /// Height h, along the load, m. By default the body's.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
        /// Depth of the notch a, m. By default that of the body in the middle of its length.
        #[serde(default = "unknown", skip_serializing_if = "is_unknown")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        notch: f64,
    },
}

/// A dimension that the scene leaves out.
fn unknown() -> f64 {
    f64::NAN
}

fn is_unknown(x: &f64) -> bool {
    x.is_nan()
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Specimen {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        if let (Some(lateral), None) = (&self.lateral, self.test.axial_sign()) {
            let wrong =
                at.key("lateral").wrong(format!("lateral is {lateral:?}, but {} has no Poisson's ratio", self.test));
            return Err(wrong.help("leave it out, or take the test tension or compression"));
        }
        Ok(())
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
    /// Formula of the fracture energy.
    pub const FRACTURE_ENERGY_FORMULA: &str = "W/(b(h-a))";

    /// Check of complete dimensions.
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("confining_pressure").not_negative(self.confining_pressure())?;
        match *self {
            Self::Shear { direction: Some(direction), .. } => at.key("direction").direction(&direction),
            Self::NotchedBending { height, notch, .. } => {
                at.key("notch").expect(notch < height, notch, &format!("less than the height, {height:?}"))
            }
            _ => Ok(()),
        }
    }

    /// Dimensions by their keys, NaN where the scene leaves them out. A gauge may be in place of a length.
    pub(super) fn dimensions(&mut self, has_gauge: bool) -> Vec<(&'static str, &mut f64)> {
        match self {
            Self::Tension { area, length } | Self::Compression { area, length, .. } => {
                let length = if has_gauge { length.as_mut() } else { Some(length.get_or_insert(f64::NAN)) };
                [("area", area)].into_iter().chain(length.map(|length| ("length", length))).collect()
            }
            Self::Shear { area, .. } => vec![("area", area)],
            Self::Brazilian { diameter, thickness } => vec![("diameter", diameter), ("thickness", thickness)],
            Self::Bending3 { span, width, height } => vec![("span", span), ("width", width), ("height", height)],
            Self::NotchedBending { span, width, height, notch } => {
                vec![("span", span), ("width", width), ("height", height), ("notch", notch)]
            }
        }
    }

    /// Name of the test in a scene.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tension { .. } => "tension",
            Self::Compression { .. } => "compression",
            Self::Brazilian { .. } => "brazilian",
            Self::Shear { .. } => "shear",
            Self::Bending3 { .. } => "bending3",
            Self::NotchedBending { .. } => "notched-bending",
        }
    }

    /// Stress (Pa) of a load of 1 N.
    pub fn stress_per_load(&self) -> f64 {
        match *self {
            Self::Tension { area, .. } | Self::Compression { area, .. } | Self::Shear { area, .. } => 1.0 / area,
            Self::Brazilian { diameter, thickness } => 2.0 / (std::f64::consts::PI * diameter * thickness),
            Self::Bending3 { span, width, height } => 1.5 * span / (width * height * height),
            Self::NotchedBending { span, width, height, notch } => 1.5 * span / (width * (height - notch).powi(2)),
        }
    }

    /// Pressure on the sides of the specimen, Pa.
    pub fn confining_pressure(&self) -> f64 {
        if let Self::Compression { confining_pressure, .. } = *self { confining_pressure } else { 0.0 }
    }

    /// Load (N) of the confining pressure, beyond which the stress difference begins.
    pub fn confining_load(&self) -> f64 {
        self.confining_pressure() / self.stress_per_load()
    }

    /// Length that is strained, m, with the first distance (m) of the gauge. `None` if the test has none.
    pub fn strained_length(&self, gauge: Option<f64>) -> Option<f64> {
        match *self {
            Self::Tension { length, .. } | Self::Compression { length, .. } => length.or(gauge),
            _ => None,
        }
    }

    /// Sign of the axial strain. `None` if the test has no uniform strain.
    pub fn axial_sign(&self) -> Option<f64> {
        match self {
            Self::Tension { .. } => Some(1.0),
            Self::Compression { .. } => Some(-1.0),
            _ => None,
        }
    }

    /// Area of the crack, m2, of a test that measures the fracture energy.
    pub fn crack_area(&self) -> Option<f64> {
        match *self {
            Self::NotchedBending { width, height, notch, .. } => Some(width * (height - notch)),
            _ => None,
        }
    }

    /// Modulus (Pa) at a stiffness of 1 N/m, with the first distance (m) of the gauge. `None` if the test has none.
    pub fn modulus_per_stiffness(&self, gauge: Option<f64>) -> Option<f64> {
        match *self {
            Self::Tension { area, .. } | Self::Compression { area, .. } => Some(self.strained_length(gauge)? / area),
            Self::Brazilian { .. } | Self::Shear { .. } | Self::NotchedBending { .. } => None,
            Self::Bending3 { span, width, height } => Some(span.powi(3) / (4.0 * width * height.powi(3))),
        }
    }

    /// Formula of the strength.
    pub fn strength_formula(&self) -> &'static str {
        match self {
            Self::Compression { confining_pressure, .. } if *confining_pressure > 0.0 => "F/A - p",
            Self::Tension { .. } | Self::Compression { .. } | Self::Shear { .. } => "F/A",
            Self::Brazilian { .. } => "2F/(πDt)",
            Self::Bending3 { .. } => "3FL/(2bh²)",
            Self::NotchedBending { .. } => "3FL/(2b(h-a)²)",
        }
    }

    /// Formula of the modulus; `None` if the test has none.
    pub fn modulus_formula(&self) -> Option<&'static str> {
        match self {
            Self::Tension { .. } | Self::Compression { .. } => Some("(F/A)/strain"),
            Self::Brazilian { .. } | Self::Shear { .. } | Self::NotchedBending { .. } => None,
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
            Self::Shear { .. } => "direct shear",
            Self::Bending3 { .. } => "three-point bending",
            Self::NotchedBending { .. } => "notched three-point bending",
        })
    }
}
