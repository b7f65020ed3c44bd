//! Single contacts against closed forms. The list of settings that are not right yet is here, in [`FAULTS`].

use bdem_core::model::{ContactLaw, FrictionRule};
use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_studies::cases::{Case, Setting};
use bdem_studies::contacts::cases;
use rayon::prelude::*;

use crate::study::{names, quick};

/// Cases that are wrong today with Verlet at a small step, and the law by which they are: each goes when its physics is
/// mended.
const FAULTS: [(&str, &[ContactLaw]); 1] = [
    // the tangential stiffness does not grow with the overlap as the normal one does
    ("oblique impact at three times the speed", &[ContactLaw::Hertz]),
];

/// Blocks take longer than all other cases: those under default steps are in the table.
fn is_fast(case: &Case) -> bool {
    !case.name.contains("block")
}

/// Verlet at a step that resolves a contact, with tangential springs.
fn resolved(law: ContactLaw) -> Setting {
    let (rule, integrator) = (FrictionRule::TangentialSpring, IntegratorKind::ExplicitVerlet);
    Setting { law, rule, integrator, step: Some(StepSize::Limit(0.04)) }
}

/// Findings of a case that are wrong, with their verdicts.
fn wrong(case: &Case, setting: &Setting) -> Vec<String> {
    let found = case.outcome(setting).expect("no stop").expect("Verlet with springs can do all");
    let wrong = found.iter().filter(|finding| !finding.is_right());
    wrong.map(|finding| format!("{}: {} {}", case.name, finding.target.quantity, finding.verdict())).collect()
}

fn expect_right(law: ContactLaw) {
    let is_fault = |case: &Case| FAULTS.iter().any(|(name, laws)| *name == case.name && laws.contains(&law));
    let right: Vec<Case> = cases().filter(|case| !is_fault(case) && is_fast(case)).collect();
    let wrong: Vec<String> = right.par_iter().flat_map(|case| wrong(case, &resolved(law))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn verlet_at_a_small_step_is_right_by_the_linear_law() {
    expect_right(ContactLaw::Linear);
}

#[test]
fn verlet_at_a_small_step_is_right_by_hertzs_law() {
    expect_right(ContactLaw::Hertz);
}

#[test]
fn every_fault_is_a_case() {
    assert!(FAULTS.iter().all(|(fault, _)| cases().any(|case| case.name == *fault)));
}

#[test]
fn settings_say_why_they_cannot() {
    let named = |name: &str| cases().find(|case| case.name == name).expect("a case");
    let corrects = Setting { rule: FrictionRule::VelocityCorrection, ..resolved(ContactLaw::Linear) };
    let why = |name: &str, setting: &Setting| named(name).outcome(setting).expect("no stop").expect_err(name);
    assert!(why("grain with backspin", &corrects).contains("no torque"));
    assert!(why("bonded block on a slope below the angle of friction", &corrects).contains("creeps"));
    let midpoint = IntegratorKind::ImplicitMidpoint(Default::default());
    let setting = Setting { integrator: midpoint, ..resolved(ContactLaw::Linear) };
    assert!(why("rigid block on a belt", &setting).contains("rigid bodies"));
}

/// Each row has a verdict, and each case a row.
#[test]
fn the_table_has_every_case_with_its_verdicts() {
    let report = quick("contacts");
    let (rows, verdicts) = (names(&report, 0), names(&report, 10));
    assert!(cases().all(|case| rows.iter().any(|row| row == case.name)));
    let known = ["right", "off by ", "ended with: ", "cannot: "];
    assert!(verdicts.iter().all(|verdict| known.iter().any(|start| verdict.starts_with(start))), "{verdicts:?}");
    assert_eq!((report.claims.len(), report.charts.len()), (cases().count(), 5));
}
