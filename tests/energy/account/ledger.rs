//! Steps that keep their account.

use bdem_core::energy::Potential;
use bdem_core::energy::account::{Account, Balance, EnergySnapshot};
use bdem_core::integrate::{Explicit, Implicit, ImplicitMidpoint, Integrator, Map, Midpoint, Step, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_core::simulate::{CgTolerance, LinearlyImplicit, SolverSettings};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    Verlet,
    Rodrigues(u32),
    Implicit(TimeRule),
    Midpoint,
}

pub(super) const METHODS: [Method; 7] = [
    Method::Verlet,
    Method::Rodrigues(23),
    Method::Rodrigues(25),
    Method::Rodrigues(27),
    Method::Implicit(TimeRule::Euler),
    Method::Implicit(TimeRule::Bdf2),
    Method::Midpoint,
];

/// As exactly as rounding nearly has it.
fn exactly() -> SolverSettings {
    SolverSettings {
        newton_tolerance: 1e-9,
        newton_relative_tolerance: 1e-5,
        cg_tolerance: CgTolerance::Fixed(1e-8),
        newton_iterations: 200,
        friction_tolerance: 1e-4,
        friction_rounds: 7,
        linearly_implicit: LinearlyImplicit::Never,
        ..SolverSettings::default()
    }
}

/// A world on its way, and its account.
pub(super) struct Ledger {
    pub world: World,
    pub state: State,
    pub contacts: Contacts,
    pub account: Account,
    integrator: Box<dyn Integrator>,
    most_unaccounted: f64,
    scale: f64,
}

pub(super) fn stock(world: &World, contacts: &Contacts, state: &State) -> EnergySnapshot {
    EnergySnapshot::new(world, state, Potential::new(world, contacts).energies(state))
}

impl Ledger {
    pub(super) fn new(method: Method, world: World, state: State) -> Self {
        let contacts = Contacts::new(&world, &state);
        let integrator: Box<dyn Integrator> = match method {
            Method::Verlet => Box::new(Verlet::new(&world)),
            Method::Rodrigues(23) => Box::new(Explicit::<Map<23>>::new(&world)),
            Method::Rodrigues(25) => Box::new(Explicit::<Map<25>>::new(&world)),
            Method::Rodrigues(_) => Box::new(Explicit::<Map<27>>::new(&world)),
            Method::Implicit(rule) => Box::new(Implicit::new(rule, &world, &exactly())),
            Method::Midpoint => Box::new(ImplicitMidpoint::new(Midpoint::default(), &world, &exactly())),
        };
        let account = Account::new(&world, stock(&world, &contacts, &state));
        Self { account, contacts, integrator, world, state, most_unaccounted: 0.0, scale: 0.0 }
    }

    pub(super) fn advance(&mut self, dt: f64) {
        self.integrator.trial(&self.world, &mut self.contacts, &self.state, Step::new(dt)).expect("a step");
        self.account.flows += self.integrator.commit(&self.world, &mut self.contacts, &mut self.state);
        let Balance { unaccounted, scale, .. } = self.balance();
        (self.most_unaccounted, self.scale) = (self.most_unaccounted.max(unaccounted.abs()), scale);
    }

    pub(super) fn balance(&mut self) -> Balance {
        self.account.balance(&stock(&self.world, &self.contacts, &self.state))
    }

    /// The most that was not accounted for at the end of a step, as a share of all that was at play in the end.
    pub(super) fn most_open(&self) -> f64 {
        self.most_unaccounted / self.scale
    }
}
