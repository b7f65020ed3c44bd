use bdem_core::simulate::{CgTolerance, SolverSettings};

use super::check::{At, Fault};

/// Limit on halvings of a line search. A step of 1 halved this often is lost in rounding.
pub(super) const MAX_HALVINGS: u32 = 52;

/// Checks of `[solver]`.
pub(super) fn check(settings: &SolverSettings, at: &At) -> Result<(), Fault> {
    at.key("newton_iterations").at_least_one(settings.newton_iterations)?;
    at.key("newton_tolerance").positive(settings.newton_tolerance, "")?;
    at.key("newton_relative_tolerance").not_negative(settings.newton_relative_tolerance)?;
    at.key("friction_tolerance").positive(settings.friction_tolerance, "")?;
    if let CgTolerance::Fixed(tolerance) = settings.cg_tolerance {
        at.key("cg_tolerance").share(tolerance)?;
    }
    at.key("cg_iterations").at_least_one(settings.cg_iterations)?;
    at.key("linear_longest_step").positive(settings.linear_longest_step, "")?;
    at.key("linear_cg_tolerance").share(settings.linear_cg_tolerance)?;
    at.key("armijo").share(settings.armijo)?;
    at.key("line_search_halvings").at_most(settings.line_search_halvings, MAX_HALVINGS)?;
    let amg = at.key("amg");
    amg.key("dense_size").at_least_one(settings.amg.dense_size)?;
    amg.key("sweeps").at_least_one(settings.amg.sweeps)?;
    amg.key("levels").at_least_one(settings.amg.levels)
}
