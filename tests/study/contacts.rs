//! Single contacts against closed forms. The list of settings that are not right yet is here, in [`FAULTS`].

use bdem_core::model::{ContactLaw, FrictionModel};
use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_studies::cases::{Case, Finding, Setting};
use bdem_studies::contacts::cases;
use rayon::prelude::*;

use crate::study::{names, quick};

/// Cases that are wrong today with Verlet at a small step, and the law by which they are: each goes when its physics is
/// mended.
const FAULTS: [(&str, &[ContactLaw]); 2] = [
    // by Hertz's law psi' is off by up to 0.08: the stiffness of a step's end acts on the whole step's slip
    ("oblique impact, speed of the contact point", &[ContactLaw::Hertz]),
    // by the other the tangential stiffness does not grow with the overlap as the normal one does
    ("oblique impact at three times the speed", &[ContactLaw::Hertz, ContactLaw::RodriguesHertz]),
];

/// Cases that measure a restitution.
const RESTITUTION: [&str; 2] = ["grain on a floor, restitution", "two grains, restitution"];

/// Blocks take longer than all other cases: they run at longer steps.
fn is_fast(case: &Case) -> bool {
    !case.name.contains("block")
}

/// Verlet at a step that resolves a contact, with tangential springs.
fn resolved(law: ContactLaw) -> Setting {
    let (rule, integrator) = (FrictionModel::TangentialSpring, IntegratorKind::ExplicitVerlet);
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
fn verlet_at_a_small_step_is_right_by_the_law_of_rodrigues_and_others() {
    expect_right(ContactLaw::RodriguesHertz);
}

/// Restitution under every integrator, in steps short against a contact.
#[test]
fn restitution_is_right_under_every_integrator() {
    let kinds: Vec<IntegratorKind> = IntegratorKind::all().into_iter().collect();
    let wrong = |kind: &IntegratorKind| -> Vec<String> {
        let step = if kind.is_explicit() { StepSize::Limit(0.02) } else { StepSize::Periods(0.02) };
        let setting = Setting { integrator: *kind, step: Some(step), ..resolved(ContactLaw::Linear) };
        let of_restitution = cases().filter(|case| RESTITUTION.contains(&case.name));
        let found: Vec<Finding> =
            of_restitution.flat_map(|case| case.outcome(&setting).expect("no stop").unwrap()).collect();
        // implicit Euler's own loss shrinks with the step only
        let bound = if *kind == IntegratorKind::ImplicitEuler { 0.04 } else { 0.01 };
        let is_wrong =
            |finding: &&Finding| !finding.found.as_ref().is_ok_and(|e| (e - finding.target.right).abs() < bound);
        found.iter().filter(is_wrong).map(|finding| format!("{kind}: {finding:?}")).collect()
    };
    let wrong: Vec<String> = kinds.par_iter().flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Blocks that stick, slide and ride on a belt, at 0.9 of the limit or what contacts allow.
#[test]
fn blocks_are_right_at_the_longest_explicit_step() {
    let setting = Setting { step: Some(StepSize::Auto), ..resolved(ContactLaw::Linear) };
    let blocks: Vec<Case> = cases().filter(|case| !is_fast(case)).collect();
    let wrong: Vec<String> = blocks.par_iter().flat_map(|case| wrong(case, &setting)).collect();
    assert!(wrong.is_empty() && blocks.len() == 4, "{wrong:#?}");
}

#[test]
fn every_fault_is_a_case() {
    assert!(FAULTS.iter().all(|(fault, _)| cases().any(|case| case.name == *fault)));
}

#[test]
fn settings_say_why_they_cannot() {
    let named = |name: &str| cases().find(|case| case.name == name).expect("a case");
    let corrects = Setting { rule: FrictionModel::VelocityCorrection, ..resolved(ContactLaw::Linear) };
    let why = |name: &str, setting: &Setting| named(name).outcome(setting).expect("no stop").expect_err(name);
    assert!(why("grain with backspin", &corrects).contains("no torque"));
    assert!(why("bonded block on a slope below the angle of friction", &corrects).contains("creeps"));
    let midpoint = IntegratorKind::ImplicitMidpoint(Default::default());
    let setting = Setting { integrator: midpoint, ..resolved(ContactLaw::Linear) };
    assert!(why("rigid block on a belt", &setting).contains("rigid bodies"));
}

/// Each case has rows, and all are right under `auto` and Verlet at their default steps.
#[test]
fn the_table_has_every_case_and_is_right_at_default_steps() {
    let report = quick("contacts");
    let (rows, verdicts) = (names(&report, 0), names(&report, 10));
    assert!(cases().all(|case| rows.iter().any(|row| row == case.name)));
    let wrong: Vec<_> = rows.iter().zip(&verdicts).filter(|(_, verdict)| *verdict != "right").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((report.claims.len(), report.charts.len()), (cases().count(), 5));
}
