//! Runs without a gradient say why.

use bdem_core::model::BondModel;
use bdem_core::simulate::{IntegratorKind, SimulationSettings};
use bdem_fit::error::FitError;
use bdem_fit::run::Run;

use crate::scenes::{Places, Theta, settings};

#[test]
fn integrators_steps_and_laws_without_a_gradient() {
    let theta = Theta { has_springs: false, ..Theta::new(1) };
    let auto = SimulationSettings { integrator: IntegratorKind::Auto, ..settings(IntegratorKind::ExplicitVerlet) };
    assert!(matches!(Run::new(theta.build(), &auto, 1), Err(FitError::Integrator { .. })));
    let free = SimulationSettings { step: None, ..settings(IntegratorKind::ExplicitVerlet) };
    assert!(matches!(Run::new(theta.build(), &free, 1), Err(FitError::Step { .. })));
    let endless = Run::new(theta.build(), &settings(IntegratorKind::ExplicitVerlet), u32::MAX);
    assert!(matches!(endless, Err(FitError::TooManySteps { .. })));
    let binder = Theta { model: BondModel::FORCE_2021, ..theta };
    let wrong = Run::new(binder.build(), &settings(IntegratorKind::ExplicitVerlet), 1);
    assert!(matches!(wrong, Err(FitError::Model { .. })));
}

#[test]
fn a_bond_that_breaks_is_named() {
    let theta = Theta { has_springs: false, ..Theta::new(1) };
    let (world, state) = theta.build();
    let mut bonds = world.bonds().to_vec();
    bonds.iter_mut().for_each(|bond| bond.strength = [1.0; 2]);
    let weak = bdem_core::model::World::new(world.materials.clone(), world.particles.clone(), bonds);
    let run = Run::new((weak, state), &settings(IntegratorKind::ExplicitVerlet), 1).expect("a run");
    let error = run.loss(&Places::new(&theta)).expect_err("it breaks");
    println!("{error}");
    assert!(matches!(error, FitError::Breaks { .. }), "{error}");
}
