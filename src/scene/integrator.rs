use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ControlSettings;
use super::schema::allow_names;
use crate::integrate::{
    self, Hybrid, Implicit, ImplicitMidpoint, Midpoint, Projection, Rodrigues, RodriguesMap, TimeRule, Verlet,
};
use crate::model::World;
use crate::optimize::SolverSettings;

/// How the state is moved in time. Where every key has a default the name alone will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(transform = |schema: &mut Schema| allow_names(schema, &["implicit-midpoint", "explicit-rodrigues"]))]
pub enum SceneIntegrator {
    /// The default: Verlet at its limit while something breaks or strikes, BDF2 in steps of their own length elsewhere.
    #[default]
    Auto,
    ImplicitEuler,
    /// For the cost of implicit Euler or a third more, a smooth motion is several times as near to Verlet's, and
    /// breakage nearer as steps shorten.
    ImplicitBdf2,
    /// Of second order, and undamped: keeps momenta, and energy nearly (\[IBDEM\] eqs 2-4).
    ImplicitMidpoint(Midpoint),
    ExplicitVerlet,
    /// As Verlet, with turns by Rodrigues parameters (\[RODR\]).
    ExplicitRodrigues(Rodrigues),
}

impl SceneIntegrator {
    /// Every integrator, with all that can be chosen of it.
    pub fn all() -> Vec<Self> {
        let midpoints = Projection::ALL.map(|projected_at| Self::ImplicitMidpoint(Midpoint { projected_at }));
        let rodrigues = RodriguesMap::ALL.map(|map| Self::ExplicitRodrigues(Rodrigues { map }));
        let fixed = [Self::Auto, Self::ImplicitEuler, Self::ImplicitBdf2, Self::ExplicitVerlet];
        fixed.into_iter().chain(midpoints).chain(rodrigues).collect()
    }

    /// Whether all its steps are bound by the limit of stability.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::ExplicitVerlet | Self::ExplicitRodrigues(_))
    }

    /// Whether none of its steps is explicit.
    pub fn is_only_implicit(self) -> bool {
        !self.is_explicit() && self != Self::Auto
    }

    /// Whether it moves rigid bodies as what acts on them makes them.
    pub fn moves_rigid_bodies(self) -> bool {
        !matches!(self, Self::ImplicitMidpoint(_))
    }

    /// The integrator of `world`.
    pub fn build(
        self,
        world: &World,
        settings: &SolverSettings,
        control: &ControlSettings,
    ) -> Box<dyn integrate::Integrator> {
        match self {
            Self::Auto => Box::new(Hybrid::new(world, settings, control.rigid_below)),
            Self::ImplicitEuler => Box::new(Implicit::new(TimeRule::Euler, world, settings)),
            Self::ImplicitBdf2 => Box::new(Implicit::new(TimeRule::Bdf2, world, settings)),
            Self::ImplicitMidpoint(midpoint) => Box::new(ImplicitMidpoint::new(midpoint, world, settings)),
            Self::ExplicitVerlet => Box::new(Verlet::new(world)),
            Self::ExplicitRodrigues(rodrigues) => rodrigues.build(world),
        }
    }
}

impl fmt::Display for SceneIntegrator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::ImplicitEuler => write!(f, "implicit-euler"),
            Self::ImplicitBdf2 => write!(f, "implicit-bdf2"),
            Self::ImplicitMidpoint(midpoint) => write!(f, "implicit-midpoint{midpoint}"),
            Self::ExplicitVerlet => write!(f, "explicit-verlet"),
            Self::ExplicitRodrigues(rodrigues) => write!(f, "explicit-rodrigues{rodrigues}"),
        }
    }
}

impl Serialize for SceneIntegrator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for SceneIntegrator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntegratorVisitor)
    }
}

struct IntegratorVisitor;

impl<'de> Visitor<'de> for IntegratorVisitor {
    type Value = SceneIntegrator;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name or a table with one key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SceneIntegrator, E> {
        match name {
            "implicit-midpoint" => Ok(SceneIntegrator::ImplicitMidpoint(Midpoint::default())),
            "explicit-rodrigues" => Ok(SceneIntegrator::ExplicitRodrigues(Rodrigues::default())),
            _ => SceneIntegrator::deserialize(StrDeserializer::new(name)),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<SceneIntegrator, M::Error> {
        SceneIntegrator::deserialize(MapAccessDeserializer::new(map))
    }
}
