//! Verification tests of motion, against closed forms: free bodies, orbits, beams, waves, breaks and rests.
//!
//! ```text
//! free      rigid and bonded bodies that fly, spin and bounce
//! release   bodies that constraints and loads let go
//! orbit     charges that circle each other
//! pendulum  a mass on a spring
//! beam      sag, frequency and Euler's load of a row of grains
//! wave      waves along a row of grains, and a spall
//! bond      breaks of single bonds
//! rest      blocks that rest on a slope
//! rolling   balls that roll where the normal turns, and in a drum
//! impulse   forces that a run writes
//! chain     rows of grains
//! conserved quantities that stay, and their errors
//! swing     period and amplitude
//! ```

mod beam;
mod bond;
mod chain;
mod conserved;
mod free;
mod impulse;
mod orbit;
mod pendulum;
mod release;
mod rest;
mod rolling;
mod swing;
mod wave;

use bdem_core::model::{ContactLaw, FrictionModel};
use bdem_core::simulate::{IntegratorKind, StepSize};

use super::cases::{Case, CaseTable, Setting};
use super::{Setup, Study};

pub(super) const STUDY: Study = Study {
    name: "motion",
    about: "free bodies, orbits, beams, waves and breaks against closed forms, under every integrator",
    run: |setup| TABLE.report(setup, cases().filter(|case| !(setup.quick && SLOW.contains(&case.name)))),
};

/// Cases that take longer than all others together. The small size has them not.
pub const SLOW: [&str; 3] =
    ["rigid slab that turns 1000 times", "bonded block at 28 degrees", "soft block at 35 degrees"];

/// All cases.
pub fn cases() -> impl Iterator<Item = Case> {
    let bodies = [&free::CASES[..], &release::CASES, &orbit::CASES, &pendulum::CASES];
    let bonds = [&beam::CASES[..], &wave::CASES, &bond::CASES];
    let contacts = [&rest::CASES[..], &rolling::CASES, &impulse::CASES];
    bodies.into_iter().chain(bonds).chain(contacts).flatten().copied()
}

/// Integrators of the table: all but two of first order that papers print, whose errors `order` measures.
pub fn integrators() -> Vec<IntegratorKind> {
    let is_first_order = |name: &str| name.ends_with("at the end") || name.ends_with("map 27");
    IntegratorKind::all().into_iter().filter(|kind| !is_first_order(&kind.to_string())).collect()
}

/// An integrator with the steps that it chooses, and the usual law and friction of contacts.
pub fn setting(integrator: IntegratorKind) -> Setting {
    let (law, rule) = (ContactLaw::Linear, FrictionModel::TangentialSpring);
    Setting { law, rule, integrator, step: Some(StepSize::Auto) }
}

const TABLE: CaseTable = CaseTable {
    columns: &["integrator"],
    names: |_, setting| vec![setting.integrator.to_string()],
    settings: |_, setup: &Setup| {
        let integrators = setup.choose(integrators(), vec![IntegratorKind::Auto, IntegratorKind::ExplicitVerlet]);
        integrators.into_iter().map(setting).collect()
    },
};
