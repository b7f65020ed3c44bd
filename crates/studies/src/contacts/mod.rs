//! Verification tests of single contacts, against closed forms: Chung and Ooi, "Benchmark tests for verifying discrete
//! element modelling codes at particle impact level" (2011), and others that the field knows.
//!
//! ```text
//! normal      normal impacts, and rest
//! oblique     oblique impacts, and impacts of spinning grains
//! sliding     blocks on a slope and on a belt
//! rolling     grains that roll and spin, on a floor and on a turntable
//! corner      grains in a groove and in an edge
//! reference   the rebound of an oblique elastic impact
//! law         closed forms of contacts
//! charts      restitution, rebound and decay as curves
//! ```

mod charts;
mod corner;
mod law;
mod normal;
mod oblique;
mod reference;
mod rolling;
mod sliding;

use bdem_core::model::{ContactLaw, FrictionModel};
use bdem_core::simulate::IntegratorKind;
use bdem_run::run::RunError;

use super::cases::{Case, CaseTable, Setting, integrators, name_of};
use super::{Report, Setup, Study};

pub(super) const STUDY: Study =
    Study { name: "contacts", about: "single contacts against closed forms, under every integrator", run };

/// All cases.
pub fn cases() -> impl Iterator<Item = Case> {
    let cases = [&normal::CASES[..], &oblique::CASES, &sliding::CASES, &rolling::CASES, &corner::CASES];
    cases.into_iter().flatten().copied()
}

/// Contact laws and friction rules of the table.
const LAWS: [ContactLaw; 3] = [ContactLaw::Linear, ContactLaw::Hertz, ContactLaw::RodriguesHertz];
const RULES: [FrictionModel; 2] = [FrictionModel::TangentialSpring, FrictionModel::VelocityCorrection];

const TABLE: CaseTable = CaseTable { columns: &["law", "friction rule", "integrator"], names, settings };

fn names(case: &Case, setting: &Setting) -> Vec<String> {
    let rule = if case.has_friction { name_of(&setting.rule) } else { "any".to_owned() };
    vec![name_of(&setting.law), rule, setting.integrator.to_string()]
}

/// Settings of the table. Those of a small size have one law and one rule.
fn settings(case: &Case, setup: &Setup) -> Vec<Setting> {
    let laws = setup.choose(&LAWS[..], &LAWS[..1]);
    let rules = if case.has_friction { setup.choose(&RULES[..], &RULES[..1]) } else { &RULES[..1] };
    let integrators = setup.choose(integrators(), vec![IntegratorKind::Auto, IntegratorKind::ExplicitVerlet]);
    let under = |law: ContactLaw, rule: FrictionModel| {
        integrators.iter().map(move |&integrator| Setting { law, rule, integrator, step: None })
    };
    laws.iter().flat_map(|&law| rules.iter().flat_map(move |&rule| under(law, rule))).collect()
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    Ok(Report { charts: charts::all(setup)?, ..TABLE.report(setup, cases())? })
}
