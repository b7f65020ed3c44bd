//! Curves of restitution, rebound and decay beside their closed forms.

use bdem_core::model::{ContactLaw, FrictionModel};
use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use rayon::prelude::*;

use super::law::contact_duration;
use super::normal::Impact;
use super::oblique::{psi_after, right_psi, right_ratio, speed_ratio};
use super::rolling::{right_rolling, right_sliding, rolling_curve, sliding_curve};
use super::{LAWS, Setup};
use crate::cases::{Setting, Stop, integrators, name_of};

type Points = Vec<(f64, f64)>;

/// All charts.
pub(super) fn all(setup: &Setup) -> Result<Vec<Chart>, RunError> {
    setup.log.note("charts");
    Ok(vec![over_rates(setup)?, over_steps(setup)?, rebounds(setup)?, angles(setup)?, decays(setup)?])
}

/// Setting of a chart: friction by tangential springs, a law, an integrator and a step.
fn setting(law: ContactLaw, integrator: IntegratorKind, step: Option<StepSize>) -> Setting {
    Setting { law, rule: FrictionModel::TangentialSpring, integrator, step }
}

fn kinds(setup: &Setup) -> Vec<IntegratorKind> {
    setup.choose(integrators(), vec![IntegratorKind::Auto, IntegratorKind::ExplicitVerlet])
}

/// Line of each integrator, after that of the right values. Runs that end early have no point.
fn lines(
    setup: &Setup,
    right: Points,
    curve: impl Fn(IntegratorKind) -> Result<Points, RunError> + Sync,
) -> Result<Vec<Line>, RunError> {
    let line = |kind: &IntegratorKind| curve(*kind).map(|points| Line { label: kind.to_string(), points });
    let found = kinds(setup).par_iter().map(line).collect::<Result<Vec<_>, _>>()?;
    Ok([vec![Line { label: "right".to_owned(), points: right }], found].concat())
}

/// Points of a curve at `xs`, without those whose run the solver gave up.
fn points(xs: &[f64], of: impl Fn(f64) -> Result<f64, Stop>) -> Result<Points, RunError> {
    let point = |&x: &f64| match of(x) {
        Err(Stop::Ended(_)) => None,
        Err(Stop::Error(error)) => Some(Err(error)),
        Ok(y) => Some(Ok((x, y))),
    };
    xs.iter().filter_map(point).collect()
}

/// `count` numbers from `low` to `high` at equal ratios.
fn ratios(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low * libm::pow(high / low, k as f64 / (count - 1) as f64)).collect()
}

/// `count` numbers from `low` to `high` at equal distances.
fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

/// The impact of charts of restitution.
const IMPACT: Impact = Impact { restitution: 0.5, gap: 0.05, frame_rate: 240.0 };

fn over_rates(setup: &Setup) -> Result<Chart, RunError> {
    let rates = ratios(20.0, 20e3, setup.choose(16, 4));
    let panel = |law: ContactLaw| {
        let restitution = |kind, frame_rate| Impact { frame_rate, ..IMPACT }.measure(&setting(law, kind, None));
        let right = rates.iter().map(|&rate| (rate, IMPACT.restitution)).collect();
        let lines = lines(setup, right, |kind| points(&rates, |rate| restitution(kind, rate)))?;
        Ok(Panel { title: format!("grain on a floor, e 0.5, {}", name_of(&law)), lines })
    };
    let panels = LAWS.into_iter().map(panel).collect::<Result<_, RunError>>()?;
    let (x_label, y_label) = ("frames a second, at default steps", "v'/v");
    Ok(Chart { name: "contacts", x_label, y_label, scale: AxisScale::Both, panels })
}

/// Restitution over the step, in durations of the elastic contact.
fn over_steps(setup: &Setup) -> Result<Chart, RunError> {
    let shares = ratios(0.005, 1.0, setup.choose(16, 4));
    let panel = |law: ContactLaw| {
        let step = |share: f64| Some(StepSize::Seconds(share * contact_duration(law, 1.0)));
        let restitution = |kind, share| IMPACT.measure(&setting(law, kind, step(share)));
        let right = shares.iter().map(|&share| (share, IMPACT.restitution)).collect();
        let lines = lines(setup, right, |kind| points(&shares, |share| restitution(kind, share)))?;
        Ok(Panel { title: format!("grain on a floor, e 0.5, {}", name_of(&law)), lines })
    };
    let panels = LAWS.into_iter().map(panel).collect::<Result<_, RunError>>()?;
    let (x_label, y_label) = ("step, durations of a contact", "v'/v");
    Ok(Chart { name: "contacts_step", x_label, y_label, scale: AxisScale::Both, panels })
}

/// psi' over psi of an elastic oblique impact.
fn rebounds(setup: &Setup) -> Result<Chart, RunError> {
    let speeds = spread(0.0, 10.0, setup.choose(21, 5));
    let panel = |law: ContactLaw| {
        let right = spread(0.0, 10.0, 201).into_iter().map(|psi| (psi, right_psi(law, psi))).collect();
        let after = |kind, psi| psi_after(&setting(law, kind, None), psi);
        let lines = lines(setup, right, |kind| points(&speeds, |psi| after(kind, psi)))?;
        Ok(Panel { title: format!("elastic oblique impact, {}", name_of(&law)), lines })
    };
    let panels = LAWS.into_iter().map(panel).collect::<Result<_, RunError>>()?;
    let (x_label, y_label) = ("psi = s/(mu v_n), before", "psi', after");
    Ok(Chart { name: "contacts_rebound", x_label, y_label, scale: AxisScale::Linear, panels })
}

/// v_t'/v_t over the angle of incidence. Below 33 degrees from the normal contacts stick for a part of the impact.
fn angles(setup: &Setup) -> Result<Chart, RunError> {
    let all = spread(5.0, 85.0, setup.choose(17, 4));
    let panel = |law: ContactLaw| {
        let right = spread(33.0, 85.0, 53).into_iter().map(|degrees| (degrees, right_ratio(degrees))).collect();
        let ratio = |kind, degrees| speed_ratio(&setting(law, kind, None), degrees);
        let lines = lines(setup, right, |kind| points(&all, |degrees| ratio(kind, degrees)))?;
        Ok(Panel { title: format!("e 0.98, mu 0.092, {}; right: sliding", name_of(&law)), lines })
    };
    let panels = LAWS.into_iter().map(panel).collect::<Result<_, RunError>>()?;
    let (x_label, y_label) = ("angle from the normal, degrees", "v_t'/v_t");
    Ok(Chart { name: "contacts_angle", x_label, y_label, scale: AxisScale::Linear, panels })
}

/// Speeds over time of a sliding grain that begins to roll, and of one with rolling friction.
fn decays(setup: &Setup) -> Result<Chart, RunError> {
    let of = |curve: fn(&Setting) -> Result<Points, Stop>| {
        move |kind| match curve(&setting(ContactLaw::Linear, kind, None)) {
            Err(Stop::Ended(_)) => Ok(Points::new()),
            Err(Stop::Error(error)) => Err(error),
            Ok(points) => Ok(points),
        }
    };
    let right = |end, of: fn(f64) -> f64| spread(0.0, end, 201).into_iter().map(|time| (time, of(time))).collect();
    let panel =
        |title: &str, right, curve| Ok(Panel { title: title.to_owned(), lines: lines(setup, right, of(curve))? });
    let panels = [
        panel("rolling friction 0.05", right(1.5, right_rolling), rolling_curve),
        panel("sliding grain that begins to roll", right(2.0, right_sliding), sliding_curve),
    ];
    let panels = panels.into_iter().collect::<Result<_, RunError>>()?;
    let (x_label, y_label) = ("time, over that to the end of the decay", "v/v_0");
    Ok(Chart { name: "contacts_decay", x_label, y_label, scale: AxisScale::Linear, panels })
}
