use bdem_core::charge::{COULOMB_CONSTANT, ExternalField, FieldError};
use bdem_core::geometry::Vec3;
use bdem_core::spring::{EnergyAccount, Rule, Solver, SpringError, Surroundings};

use super::{random_system, run, settings};

/// A force is minus the gradient of the energy, by central differences, and that of a charge from outside is Coulomb's.
#[test]
fn forces_of_surroundings_have_their_energy() {
    let (mut system, state) = random_system(6, 0.0);
    let (at, q, field) = (Vec3::new(2.0, -1.0, 0.5), -3e-6, Vec3::new(1e4, -2e4, 3e4));
    let without = state.coulomb;
    system.surroundings = Surroundings { fields: vec![ExternalField::Uniform { field }], x: vec![at], q: vec![q] };
    let state = system.state(state.x, state.v).expect("a field");
    let energy = |x: Vec<Vec3>| system.energies(&system.state(x, state.v.clone()).expect("a field")).charges;
    for vertex in 0..6 {
        let r = state.x[vertex] - at;
        let distance = (r.norm_squared() + system.softening * system.softening).sqrt();
        let coulomb = r * (COULOMB_CONSTANT * q / distance.powi(3));
        let expected = without[vertex] + (coulomb + field) * system.charge[vertex];
        assert!((state.coulomb[vertex] - expected).norm() < 1e-12 * expected.norm());
        for axis in 0..3 {
            let moved = |h: f64| {
                let mut x = state.x.clone();
                x[vertex][axis] += h;
                energy(x)
            };
            let force = (moved(-1e-5) - moved(1e-5)) / 2e-5;
            assert!((force - expected[axis]).abs() < 1e-6 * expected.norm(), "{force} {expected}");
        }
    }
    let mut account = EnergyAccount::new(&system, &state);
    run(&system, state.clone(), settings(0.002, Rule::Verlet, Solver::Newton), 200, |step| {
        account.add(&system, &step.state)
    });
    assert!(account.imbalance().abs() < 0.01 * account.turnover, "{account:?}");
}

/// A step takes the forces at its beginning: surroundings that change before it act from its end on.
#[test]
fn changed_surroundings_act_from_the_end_of_a_step_on() {
    let (mut system, state) = random_system(6, 0.0);
    let settings = settings(0.01, Rule::ImplicitEuler, Solver::Newton);
    let before = run(&system, state.clone(), settings, 1, |_| ());
    system.surroundings.fields.push(ExternalField::Uniform { field: Vec3::x() * 1e5 });
    let after = run(&system, state, settings, 1, |_| ());
    assert_eq!(after.x, before.x);
    let forces = after.coulomb.iter().zip(&before.coulomb).zip(&system.charge);
    assert!(forces.into_iter().all(|((after, before), q)| (after - before - Vec3::x() * 1e5 * *q).norm() < 1e-12));
}

#[test]
fn a_vertex_where_a_field_has_no_value_is_named() {
    let (mut system, state) = random_system(6, 0.0);
    let centre = Vec3::new(0.0, 0.0, state.x[3].z);
    system.surroundings.fields.push(ExternalField::Vortex { strength: 1.0, centre });
    let error = system.state(state.x, state.v).expect_err("no value");
    assert!(matches!(error, SpringError::Field(FieldError::External { index: 3, .. })), "{error}");
}
