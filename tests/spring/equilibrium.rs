use bdem_core::charge::COULOMB_CONSTANT;
use bdem_core::geometry::Vec3;
use bdem_core::spring::{Rule, Solver, Spring, SpringSystem, Springs};

use super::{run, settings};

/// `k (r - l) = k_c q^2/r^2` by Cardano's formula.
#[test]
fn a_charged_pair_rests_where_spring_and_coulomb_forces_balance() {
    let (stiffness, rest, q) = (10.0, 1.0, 2e-5);
    let charge = COULOMB_CONSTANT * q * q / stiffness;
    let (half, third): (f64, f64) = (f64::powi(rest / 3.0, 3) + charge / 2.0, rest / 3.0);
    let root = (half * half - third.powi(6)).sqrt();
    let expected = third + (half + root).cbrt() + (half - root).cbrt();
    assert!(expected > 1.2);
    let spring = Spring { ends: [0, 1], stiffness, rest_length: rest, damping: 2.0 };
    let springs = Springs::new(2, vec![spring]).expect("springs");
    let system = SpringSystem::new(springs, vec![0.1, 0.3], vec![q; 2]).expect("masses");
    let state = system.state(vec![Vec3::zeros(), Vec3::new(0.6, 0.8, 0.0)], vec![Vec3::zeros(); 2]).expect("a field");
    for (rule, step) in [(Rule::ImplicitEuler, 0.15), (Rule::ImplicitBdf2, 0.15), (Rule::Verlet, 0.01)] {
        let steps = (30.0 / step) as usize;
        let end = run(&system, state.clone(), settings(step, rule, Solver::Newton), steps, |_| ());
        let distance = (end.x[1] - end.x[0]).norm();
        assert!((distance - expected).abs() < 1e-9, "{rule:?}: {distance} {expected}");
    }
}
