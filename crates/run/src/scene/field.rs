use bdem_core::charge::{Adjacency, DdefSettings, ExternalField, Method};
use bdem_core::model::ImposedField;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::{FactorKey, SceneMotion};

/// `[field]`: how the electric field of the particles' charges is computed.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Field")]
pub struct FieldSettings {
    /// Way to compute the field of the particles' charges.
    pub method: FieldMethod,
    /// Bound on the relative error of the field of all particles together, with `auto` and `tree`.
    #[schemars(range(min = 1e-12, max = 0.1))]
    pub tolerance: f64,
    /// Number of Halton points, with `ddef`.
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub points: u32,
    /// Tetrahedra of the grid whose charges count as near, with `ddef`.
    pub adjacency: FieldAdjacency,
    /// Softening length of all point charges, m: a distance r counts as the root of r squared and its square. With 0 the
    /// field is infinite where two charges meet.
    #[schemars(range(min = 0.0))]
    pub softening: f64,
}

/// Way to compute the field of charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldMethod {
    /// All pairs for few charges, and a fast multipole method for many.
    #[default]
    Auto,
    /// All pairs.
    Exact,
    /// Fast multipole method with an error below the tolerance.
    Tree,
    /// The domain-discretised field of \[MSC\], without a bound of its error.
    Ddef,
}

/// Tetrahedra of the grid whose charges count as near, with `ddef`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldAdjacency {
    /// Those that share a face: fewer exact pairs, three to four times the median error.
    Face,
    /// Those that share a vertex.
    #[default]
    Vertex,
}

/// Limit on the points of a grid: the paper's figures have ten thousand.
const MOST_POINTS: u32 = 100_000;

/// `[[external_fields]]`: electric fields from outside that act on the charged particles.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExternalField")]
pub struct SceneField {
    /// Field as a function of the position r = [x, y, z] from a centre.
    pub field: SceneFieldKind,
    /// Factor on the field over time: linear from key to key, constant before the first and after the last. Without keys, 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<FactorKey>,
    /// Motion of the field, as of a rigid body.
    #[serde(default)]
    pub motion: SceneMotion,
    /// Time from which the field acts, s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// Time at which the field ends, s. Without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub release: Option<f64>,
}

/// Field as a function of the position r = [x, y, z] from a centre.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "FieldKind")]
pub enum SceneFieldKind {
    /// The same everywhere, V/m.
    Uniform([f64; 3]),
    /// `strength [y, -x, 0]/z`: turns charges clockwise above the centre. It has no value at the height of the centre.
    Vortex {
        /// Strength, V/m.
        strength: f64,
        /// Centre, m.
        #[serde(default)]
        centre: [f64; 3],
    },
    /// `strength [y, x, 0]/z`, as \[MSC\] prints it. It has no value at the height of the centre.
    Saddle {
        /// Strength, V/m.
        strength: f64,
        /// Centre, m.
        #[serde(default)]
        centre: [f64; 3],
    },
}

impl Default for FieldSettings {
    fn default() -> Self {
        let points = DdefSettings::default().points as u32;
        Self {
            method: FieldMethod::default(),
            tolerance: 1e-3,
            points,
            adjacency: FieldAdjacency::default(),
            softening: 0.0,
        }
    }
}

impl FieldSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let (tolerance, points) = (self.tolerance, self.points);
        at.key("tolerance").expect(
            (1e-12..=0.1).contains(&tolerance),
            tolerance,
            "from 1e-12 to 0.1; without an error, method = \"exact\"",
        )?;
        at.key("points").expect((1..=MOST_POINTS).contains(&points), points, &format!("from 1 to {MOST_POINTS}"))?;
        at.key("softening").not_negative(self.softening)?;
        at.key("softening").no_more_than(self.softening, Quantity::LENGTH)
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn method(&self) -> Method {
        let tolerance = self.tolerance;
        match self.method {
            FieldMethod::Auto => Method::Auto { tolerance },
            FieldMethod::Exact => Method::Exact,
            FieldMethod::Tree => Method::Tree { tolerance },
            FieldMethod::Ddef => {
                let adjacency = match self.adjacency {
                    FieldAdjacency::Face => Adjacency::Face,
                    FieldAdjacency::Vertex => Adjacency::Vertex,
                };
                Method::Ddef(DdefSettings { points: self.points as usize, adjacency })
            }
        }
    }
}

impl SceneField {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let field = at.key("field");
        match &self.field {
            SceneFieldKind::Uniform(uniform) => field.key("uniform").vector_of(uniform, Quantity::FIELD)?,
            SceneFieldKind::Vortex { strength, centre } | SceneFieldKind::Saddle { strength, centre } => {
                let at = field.key(self.field.name());
                at.key("strength").quantity(*strength, Quantity::FIELD)?;
                at.key("centre").vector_of(centre, Quantity::LENGTH)?;
            }
        }
        FactorKey::check_all(&self.keyframes, &at.key("keyframes"))?;
        self.motion.check(&at.key("motion"))?;
        at.times_of_action(self.start, self.release)
    }

    pub(super) fn model(&self) -> ImposedField {
        let field = match self.field {
            SceneFieldKind::Uniform(uniform) => ExternalField::Uniform { field: uniform.into() },
            SceneFieldKind::Vortex { strength, centre } => ExternalField::Vortex { strength, centre: centre.into() },
            SceneFieldKind::Saddle { strength, centre } => ExternalField::Saddle { strength, centre: centre.into() },
        };
        let times = self.start..self.release.unwrap_or(f64::INFINITY);
        let factor = FactorKey::ramp(&self.keyframes, 1.0);
        ImposedField { field, factor, motion: self.motion.model(), times }
    }
}

impl SceneFieldKind {
    /// Name in a scene.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Uniform(_) => "uniform",
            Self::Vortex { .. } => "vortex",
            Self::Saddle { .. } => "saddle",
        }
    }
}
