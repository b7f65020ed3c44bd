//! Motion against closed forms, under every integrator. The list of what is not right yet is here, in [`FAULTS`].

use bdem_core::simulate::IntegratorKind;
use bdem_studies::cases::Case;
use bdem_studies::motion::{SLOW, cases, integrators, setting};
use rayon::prelude::*;

/// Every integrator of the study.
const ALL: [&str; 7] = [
    "auto",
    "implicit-euler",
    "implicit-bdf2",
    "explicit-verlet",
    "implicit-midpoint",
    "explicit-rodrigues with map 23",
    "explicit-rodrigues",
];

/// Cases that are wrong today, and the integrators under which they are: each goes when its physics is mended. Slow ones are of the
/// table, others are wrong here too.
const FAULTS: &[(&str, &[&str])] = &[
    // explicit steps, `auto` and BDF2 kick the gyroscopic term to first order
    (
        "rigid slab that tumbles",
        &[
            "auto",
            "implicit-euler",
            "implicit-bdf2",
            "explicit-verlet",
            "explicit-rodrigues with map 23",
            "explicit-rodrigues",
        ],
    ),
    (
        "rigid slab that turns 1000 times",
        &[
            "auto",
            "implicit-euler",
            "implicit-bdf2",
            "explicit-verlet",
            "explicit-rodrigues with map 23",
            "explicit-rodrigues",
        ],
    ),
    ("rigid box that bounces", &["auto"]),
    // the midpoint rule gains energy from its first step on
    ("bonded slab that spins about its stiff axis", &["implicit-midpoint"]),
    ("bonded slab that spins about its middle axis", &["implicit-midpoint"]),
    // history goes on across a release, and loads end with a step
    ("bonded bar that a turning constraint lets go", &["auto", "implicit-bdf2"]),
    ("bonded bar that a load pushes for a while", &["auto", "implicit-euler", "implicit-bdf2", "implicit-midpoint"]),
    // step control does not see the curvature of a path
    ("two charges on a circle", &["auto", "implicit-euler", "implicit-bdf2"]),
    // steps with no free particle do not stop where a bond breaks
    ("bond that is stretched", &ALL),
    ("bond that is sheared", &ALL),
    ("bond that is bent", &ALL),
    ("bond that is twisted", &ALL),
    // steps release the stick of friction
    (
        "bonded block at 28 degrees",
        &["explicit-verlet", "implicit-midpoint", "explicit-rodrigues with map 23", "explicit-rodrigues"],
    ),
    (
        "soft block at 35 degrees",
        &["explicit-verlet", "implicit-midpoint", "explicit-rodrigues with map 23", "explicit-rodrigues"],
    ),
    // friction takes the normal at the end of a step
    (
        "ball that rolls in a bowl and spins about the normal",
        &[
            "auto",
            "implicit-bdf2",
            "explicit-verlet",
            "implicit-midpoint",
            "explicit-rodrigues with map 23",
            "explicit-rodrigues",
        ],
    ),
    ("ball that rolls about a ball and spins about the normal", &ALL),
    // the same, in a drum
    ("ball in a turning drum", &["implicit-euler", "implicit-bdf2"]),
    // forces are those at the ends of steps, without the dashpots' corrections
    ("forces on a moving wall", &ALL),
    (
        "forces on a held grain",
        &[
            "auto",
            "implicit-bdf2",
            "explicit-verlet",
            "implicit-midpoint",
            "explicit-rodrigues with map 23",
            "explicit-rodrigues",
        ],
    ),
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
    assert_eq!(integrators().iter().map(ToString::to_string).collect::<Vec<_>>(), ALL);
}

/// Free rigid bodies are all that the midpoint rule refuses.
#[test]
fn the_midpoint_rule_says_what_it_cannot_do() {
    let midpoint = setting(IntegratorKind::ImplicitMidpoint(Default::default()));
    let refused: Vec<Case> = cases().filter(|case| (case.cannot)(&midpoint).is_some()).collect();
    assert!(refused.len() == 4 && refused.iter().all(|case| case.name.starts_with("rigid")));
}
