use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::linalg::amg::AmgSettings;

/// All that can be set about how an implicit step is solved: `[solver]` in a scene. Every value has a default.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolverSettings {
    /// Newton iterations after which a step counts as failed.
    #[schemars(range(min = 1))]
    pub newton_iterations: u32,
    /// Newton stops when the decrement sqrt(|g.dx| / (bonds E S l0)), a strain, that it foresees for the next iteration is
    /// below this; in steps shorter than 100 T, below as many times more as they are shorter, but 20 times at most.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub newton_tolerance: f64,
    /// ... and below this share of the step's first decrement.
    #[schemars(range(min = 0.0))]
    pub newton_relative_tolerance: f64,
    /// The Hessian that Newton starts with.
    pub hessian: HessianKind,
    /// By how much friction's limits may differ, as a share of them all, from what contacts bear at the end of a step;
    /// above it the step is minimised again, unless it is linearly implicit.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub friction_tolerance: f64,
    /// How often at most: a step whose contacts have not settled then has failed. With 0 friction goes by what contacts bore
    /// when the step began.
    pub friction_rounds: u32,
    /// Relative residual at which conjugate gradients stop.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub cg_tolerance: f64,
    /// Conjugate gradient iterations after which the solve counts as failed.
    #[schemars(range(min = 1))]
    pub cg_iterations: u32,
    /// Armijo's constant: a step must win this share of the decrease that its slope promises.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub armijo: f64,
    /// Halvings that the line search may try.
    #[schemars(range(max = 52))]
    pub line_search_halvings: u32,
    /// Which steps take one Newton iteration.
    pub linearly_implicit: LinearlyImplicit,
    /// The longest linearly implicit step, in periods T: contacts last about eight, and one iteration knows no more
    /// than that they are there. Where a block meets a floor it is off by 1e-4 radii at 5 T, by 0.008 at 7 T, and by
    /// 0.07 at 20 T.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub linear_longest_step: f64,
    /// In linearly implicit steps without multigrid: the relative residual at which conjugate gradients stop. What
    /// block Jacobi leaves is stress from one bond to the next, and breaks bonds of its own.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub linear_cg_tolerance: f64,
    /// Where a step's inertia points to: q^ from q and the spin.
    pub predictor: Predictor,
    /// Steps shorter than so many periods T are preconditioned by block Jacobi alone: inertia makes them easy enough.
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
            hessian: HessianKind::GaussNewton,
            friction_tolerance: 0.01,
            friction_rounds: 7,
            cg_tolerance: 0.1,
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

/// Which second derivative of the potentials Newton uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HessianKind {
    /// Positive semidefinite by construction, plus the geometric term of bonds in tension.
    #[default]
    GaussNewton,
    /// The Riemannian Hessian (\[IBDEM\] eq 29); projected on demand, when the solver has met negative curvature.
    Exact,
    /// The Riemannian Hessian with every bond's negative eigenvalues set to zero.
    Projected,
}

/// Which steps are linearly implicit: one Newton iteration from free flight, where contacts to come already overlap,
/// and no more if it was a good one. A step that is done again is solved in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearlyImplicit {
    Never,
    /// Those after a step that broke bonds.
    #[default]
    Breaking,
    Always,
}

/// The orientation q^ that an implicit Euler step's inertia points to (\[IBDEM\] eq 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predictor {
    /// `exp(dt w/2) q_n`: keeps a free spin exactly.
    #[default]
    Geodesic,
    /// `2 q_n - q_(n-1)`, as printed: loses (w dt/2)^2 of the spin every step.
    Paper,
    /// `q_n + dt/2 (w,0) q_n`, as in \[ROD\]: loses a third of that.
    Rod,
}
