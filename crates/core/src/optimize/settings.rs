use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use crate::energy::Curvature;
use crate::forms::{self, Forms};
use crate::linalg::amg::AmgSettings;

/// Settings of an implicit step's solver: `[solver]` in a scene. Every value has a default.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolverSettings {
    /// Maximum number of Newton iterations; a step that needs more has failed.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub newton_iterations: u32,
    /// Tolerance of the next iteration's predicted decrement sqrt(|g.dx| / (bonds E S l0)), a strain. In steps shorter
    /// than 100 T it is larger in inverse proportion, 20 times at most.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub newton_tolerance: f64,
    /// Tolerance of the predicted decrement relative to the step's first; both tolerances must be met.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub newton_relative_tolerance: f64,
    /// The Hessian of Newton's first iteration.
    pub hessian: Curvature,
    /// Tolerance of friction's limits at the end of a step, relative to their sum. Above it the step is minimised again
    /// with the new limits, unless it is linearly implicit.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub friction_tolerance: f64,
    /// Maximum number of further minimisations for friction; a step that needs more has failed. With 0 friction uses
    /// the contact forces at the start of the step.
    pub friction_rounds: u32,
    /// Whether an iteration reuses the matrix of the last one while the decrement falls fast.
    pub reuse_matrix: bool,
    /// Relative residual at which conjugate gradients stop.
    pub cg_tolerance: CgTolerance,
    /// Maximum number of conjugate gradient iterations of a solve. Beyond it Newton's method goes on with the last iterate.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub cg_iterations: u32,
    /// Armijo's constant: the sufficient decrease of a step, over the decrease by its slope.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0)))]
    pub armijo: f64,
    /// Maximum number of halvings in the line search.
    #[cfg_attr(feature = "schema", schemars(range(max = 52)))]
    pub line_search_halvings: u32,
    /// Steps that take one Newton iteration.
    pub linearly_implicit: LinearlyImplicit,
    /// The longest linearly implicit step, in periods T. Contacts last about 8 T, and one iteration resolves their
    /// presence alone. The error where a block meets a floor is 1e-4 radii at 5 T, 0.008 at 7 T, and 0.07 at 20 T.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub linear_longest_step: f64,
    /// Relative residual at which conjugate gradients stop in linearly implicit steps without multigrid. The error that
    /// block Jacobi leaves is stress between neighbouring bonds, which would break some.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0)))]
    pub linear_cg_tolerance: f64,
    /// Predictor of the orientation q^ in a step's inertia, from q and the spin.
    pub predictor: Predictor,
    /// Time step, in periods T, below which block Jacobi alone is the preconditioner: inertia keeps such systems well
    /// conditioned.
    pub jacobi_below: f64,
    /// The preconditioner of longer steps.
    pub amg: AmgSettings,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            newton_iterations: 30,
            newton_tolerance: 1e-6,
            newton_relative_tolerance: 0.1,
            hessian: Curvature::Semidefinite,
            friction_tolerance: 0.01,
            friction_rounds: 7,
            reuse_matrix: true,
            cg_tolerance: CgTolerance::Fixed(0.1),
            cg_iterations: 500,
            armijo: 1e-4,
            line_search_halvings: 20,
            linearly_implicit: LinearlyImplicit::Breaking,
            linear_longest_step: 6.0,
            linear_cg_tolerance: 0.01,
            predictor: Predictor::Geodesic,
            jacobi_below: 6.0,
            amg: AmgSettings::default(),
        }
    }
}

/// Relative residual at which conjugate gradients stop.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
pub enum CgTolerance {
    /// `min(1/2, |grad f|^(1/2))`, the forcing term of \[IBDEM\] eq 31. The paper gives no unit of the gradient: here it is the
    /// mean of the bonds' sigma_c S, or E S of those that do not break.
    Forcing,
    /// A number.
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(!skip, untagged))]
    Fixed(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0)))] f64),
}

impl CgTolerance {
    /// Its value for a gradient of this norm, in the unit of [`Self::Forcing`].
    pub fn at(self, norm: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Forcing => norm().sqrt().min(Self::Forcing.greatest()),
            Self::Fixed(tolerance) => tolerance,
        }
    }

    /// Its greatest value.
    pub fn greatest(self) -> f64 {
        match self {
            Self::Forcing => 0.5,
            Self::Fixed(tolerance) => tolerance,
        }
    }
}

impl Serialize for CgTolerance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(tolerance) => serializer.serialize_f64(*tolerance),
            named => Self::serialize(named, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CgTolerance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for CgTolerance {
    const EXPECTED: &'static str = "a number below 1, or \"forcing\"";

    fn of_number<E: Error>(tolerance: f64) -> Result<Self, E> {
        Ok(Self::Fixed(tolerance))
    }

    fn of_text<E: Error>(name: &str) -> Result<Self, E> {
        Self::deserialize(StrDeserializer::new(name))
    }
}

/// Choice of linearly implicit steps: one Newton iteration from free flight, where new contacts already overlap, and
/// further ones if it did not suffice. A repeated step is solved in full.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearlyImplicit {
    /// No steps.
    Never,
    /// Steps after one that broke bonds.
    #[default]
    Breaking,
    /// All steps.
    Always,
}

/// Predictor of the orientation q^ in an implicit Euler step's inertia (\[IBDEM\] eq 6).
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predictor {
    /// `exp(dt w/2) q_n`: conserves a free spin exactly.
    #[default]
    Geodesic,
    /// `2 q_n - q_(n-1)`, as printed: dissipates (w dt/2)^2 of the spin every step.
    Paper,
    /// `q_n + dt/2 (w,0) q_n`, as in \[ROD\]: dissipates a third of that.
    Rod,
}
