//! Time integrators behind one trait. Input: a state and a step. Output: a trial, which is committed or dropped.
//!
//! A new integrator is a file here with a type that implements [`Integrator`], and in this file its module and its lines in
//! [`IntegratorKind`]. State beyond that of other integrators is a variant of [`History`]. An explicit integrator may be a
//! [`Rule`] only.

mod auto;
mod breakage;
mod contact_rounds;
mod deviation;
mod electric;
mod explicit;
mod implicit;
mod integrator;
mod midpoint;
mod residual_work;
pub(crate) mod sleep;
mod spurious_energy;
pub mod stability;
mod step_error;
mod step_limits;

use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::forms::{self, Forms};
use crate::model::World;
use crate::optimize::SolverSettings;

pub use auto::Auto;
pub(crate) use auto::{NEWTON_ITERATIONS, loose};
pub use breakage::break_bonds;
use breakage::removed_gradients;
pub(crate) use breakage::update_bonds;
pub(crate) use deviation::deviation;
pub use explicit::{DashpotPowers, Explicit, Geodesic, Map, Rodrigues, RodriguesMap, Rule, Verlet, inverse_inertia};
pub use implicit::{Implicit, StepHistory, TimeRule};
pub use integrator::{
    BlockDecay, BreakInStep, DecayingPiece, History, Integrator, SleepReport, Step, StepKind, StepReport, Trial,
};
pub use midpoint::{ImplicitMidpoint, Midpoint, Projection};
pub(crate) use residual_work::ResidualWork;
pub use sleep::Body;
pub(crate) use spurious_energy::touches;
pub use step_error::StepError;

/// Time integrator. Where every key has a default the name alone will do.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[cfg_attr(feature = "schema", schemars(rename = "Integrator", transform = allow_plain))]
pub enum IntegratorKind {
    /// Verlet at its stability limit while something breaks or collides, BDF2 with longer steps otherwise. The
    /// default.
    #[default]
    Auto,
    /// Implicit Euler: first order, dissipates.
    ImplicitEuler,
    /// Backward differentiation of second order. Costs up to a third more than implicit Euler, with several times
    /// smaller errors of smooth motion.
    ImplicitBdf2,
    /// Midpoint rule: second order and undamped. Keeps momenta, and energy nearly (\[IBDEM\] eqs 2-4).
    ImplicitMidpoint(Midpoint),
    /// Velocity Verlet: second order.
    ExplicitVerlet,
    /// Verlet with rotations by Rodrigues parameters (\[RODR\]).
    ExplicitRodrigues(Rodrigues),
}

impl IntegratorKind {
    /// Every integrator, with every value of its options.
    pub fn all() -> Vec<Self> {
        let midpoints = Projection::ALL.map(|projected_at| Self::ImplicitMidpoint(Midpoint { projected_at }));
        let rodrigues = RodriguesMap::ALL.map(|map| Self::ExplicitRodrigues(Rodrigues { map }));
        let fixed = [Self::Auto, Self::ImplicitEuler, Self::ImplicitBdf2, Self::ExplicitVerlet];
        fixed.into_iter().chain(midpoints).chain(rodrigues).collect()
    }

    /// Whether all its steps are bound by the stability limit.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::ExplicitVerlet | Self::ExplicitRodrigues(_))
    }

    /// Whether none of its steps is explicit.
    pub fn is_only_implicit(self) -> bool {
        !self.is_explicit() && self != Self::Auto
    }

    /// Whether it moves free rigid bodies.
    pub fn moves_rigid_bodies(self) -> bool {
        !matches!(self, Self::ImplicitMidpoint(_))
    }

    /// Integrator of `world`. That of `auto` takes its implicit steps only; a simulation alternates.
    pub fn build(self, world: &World, settings: &SolverSettings) -> Box<dyn Integrator> {
        match self {
            Self::ImplicitEuler => Box::new(Implicit::new(TimeRule::Euler, world, settings)),
            Self::Auto | Self::ImplicitBdf2 => Box::new(Implicit::new(TimeRule::Bdf2, world, settings)),
            Self::ImplicitMidpoint(midpoint) => Box::new(ImplicitMidpoint::new(midpoint, world, settings)),
            Self::ExplicitVerlet => Box::new(Verlet::new(world)),
            Self::ExplicitRodrigues(rodrigues) => rodrigues.build(world),
        }
    }
}

impl fmt::Display for IntegratorKind {
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

impl Serialize for IntegratorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for IntegratorKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for IntegratorKind {
    const EXPECTED: &'static str = "a name or a table with one key";

    fn of_text<E: Error>(name: &str) -> Result<Self, E> {
        match name {
            "implicit-midpoint" => Ok(Self::ImplicitMidpoint(Midpoint::default())),
            "explicit-rodrigues" => Ok(Self::ExplicitRodrigues(Rodrigues::default())),
            _ => Self::deserialize(StrDeserializer::new(name)),
        }
    }

    fn of_table<'de, M: MapAccess<'de>>(table: M) -> Result<Self, M::Error> {
        Self::deserialize(MapAccessDeserializer::new(table))
    }
}

/// Integrators whose keys all have defaults.
#[cfg(feature = "schema")]
fn allow_plain(schema: &mut schemars::Schema) {
    forms::allow_names(schema, &["implicit-midpoint", "explicit-rodrigues"]);
}
