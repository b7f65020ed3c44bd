use bdem_core::spring::{Rule, Solver};

use super::{EnergyAccount, random_system, run, settings};

/// Within 1 % of the energy that changed hands. Explicit steps dissipate nothing but by the dashpots.
#[test]
fn the_energy_account_closes() {
    for damping in [0.0, 0.05] {
        let (system, state) = random_system(40, damping);
        for (rule, step) in [(Rule::ImplicitEuler, 0.005), (Rule::ImplicitBdf2, 0.005), (Rule::Verlet, 0.002)] {
            let mut account = EnergyAccount::new(&system, &state);
            let settings = settings(step, rule, Solver::Newton);
            run(&system, state.clone(), settings, 400, |step| account.add(&system, &step.state));
            let share = |energy: f64| energy / account.turnover;
            assert!(share(account.imbalance().abs()) < 0.01, "{rule:?}: {account:?}");
            assert!((damping > 0.0) == (account.damping > 0.0));
            match rule {
                Rule::Verlet => assert!(share(account.integrator.abs()) < 0.01, "{}", share(account.integrator)),
                _ => assert!(account.integrator > 0.0),
            }
        }
    }
}
