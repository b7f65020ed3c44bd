//! Motion against closed forms, under every integrator. The list of what is not right yet is here, in [`FAULTS`].

use bdem_core::simulate::IntegratorKind;
use bdem_studies::cases::Case;
use bdem_studies::motion::{SLOW, cases, integrators, setting};
use rayon::prelude::*;

/// Cases that are wrong today, and the integrators under which they are: each goes when its physics is mended. Slow ones are of the
/// table, others are wrong here too.
const FAULTS: &[(&str, &[&str])] = &[
    // the middle of a step that begins or ends a load has the whole load
    ("bonded bar that a load pushes for a while", &["implicit-midpoint"]),
    // sliding excites the contacts of elastic blocks, which chatter (`accuracy.md`); the midpoint rule damps nothing
    (
        "bonded block at 28 degrees",
        &["explicit-verlet", "implicit-midpoint", "explicit-rodrigues with map 23", "explicit-rodrigues"],
    ),
    (
        "soft block at 35 degrees",
        &["explicit-verlet", "implicit-midpoint", "explicit-rodrigues with map 23", "explicit-rodrigues"],
    ),
    // of first order: at the usual step a third of the spin is left after a second
    ("ball that rolls in a bowl and spins about the normal", &["implicit-euler"]),
    // a residual of Newton's method that does work in each step
    (
        "ball that rolls about a ball and spins about the normal",
        &["implicit-euler", "implicit-bdf2", "implicit-midpoint"],
    ),
    // BDF2 spreads a force over its next steps, which the table does not
    ("forces on a moving wall", &["implicit-bdf2"]),
    ("forces on a held grain", &["implicit-bdf2"]),
];

/// Findings of a case that are wrong, with their verdicts.
fn wrong(case: &Case, integrator: IntegratorKind) -> Vec<String> {
    let found = case.outcome(&setting(integrator)).expect("no stop").unwrap_or_default();
    let wrong = found.iter().filter(|finding| !finding.is_right());
    wrong.map(|finding| format!("{}: {}", finding.target.quantity, finding.verdict())).collect()
}

fn is_fault(case: &Case, integrator: &str) -> bool {
    FAULTS.iter().any(|(name, integrators)| *name == case.name && integrators.contains(&integrator))
}

#[test]
fn motion_is_right_but_for_the_faults() {
    let fast = cases().filter(|case| !SLOW.contains(&case.name));
    let all: Vec<_> = fast.flat_map(|case| integrators().into_iter().map(move |kind| (case, kind))).collect();
    let surprise = |(case, kind): &(Case, IntegratorKind)| {
        let (name, wrong) = (kind.to_string(), wrong(case, *kind));
        match (wrong.is_empty(), is_fault(case, &name)) {
            (false, false) => Some(format!("{}, {name}: {wrong:?}", case.name)),
            (true, true) => Some(format!("{}, {name} is right: take it out of FAULTS", case.name)),
            _ => None,
        }
    };
    let surprises: Vec<String> = all.par_iter().filter_map(surprise).collect();
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[test]
fn every_fault_and_slow_case_is_one_of_the_study() {
    let names: Vec<&str> = cases().map(|case| case.name).collect();
    assert!(FAULTS.iter().map(|fault| fault.0).chain(SLOW).all(|name| names.contains(&name)));
    let all: Vec<String> = integrators().iter().map(ToString::to_string).collect();
    assert!(FAULTS.iter().flat_map(|fault| fault.1).all(|name| all.iter().any(|known| known == name)));
}

/// Free rigid bodies are all that the midpoint rule refuses.
#[test]
fn the_midpoint_rule_says_what_it_cannot_do() {
    let midpoint = setting(IntegratorKind::ImplicitMidpoint(Default::default()));
    let refused: Vec<Case> = cases().filter(|case| (case.cannot)(&midpoint).is_some()).collect();
    assert!(refused.len() == 4 && refused.iter().all(|case| case.name.starts_with("rigid")));
}
