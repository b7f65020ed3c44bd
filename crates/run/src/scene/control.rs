use bdem_core::simulate::ControlSettings;

use super::check::{At, Fault};
use super::solver::MAX_HALVINGS;

/// Checks of `[time.control]`.
pub(super) fn check(settings: &ControlSettings, at: &At) -> Result<(), Fault> {
    at.key("halvings").at_most(settings.halvings, MAX_HALVINGS)?;
    at.key("shortest_step").positive(settings.shortest_step, "")?;
    at.key("deviation").positive(settings.deviation, "")?;
    at.key("broken_share").not_negative(settings.broken_share)?;
    at.key("runaway_share").positive(settings.runaway_share, "")?;
    let sleep_below = at.key("sleep_below");
    sleep_below.expect((0.0..=1.0).contains(&settings.sleep_below), settings.sleep_below, "from 0 to 1")?;
    at.key("energy_bound").positive(settings.energy_bound, "")
}
