use crate::contact::Neighbours;
use crate::energy::{Potential, Strains, account};
use crate::model::{State, World, Wrench};

/// What an implicit integrator keeps for the [`account`] of energy.
#[derive(Debug, Default)]
pub struct Books {
    /// V at the state that a step begins with, J.
    potential: Option<f64>,
    /// Slopes of V in the step at hand.
    pub slopes: Vec<Wrench>,
    /// The bonds' strains at the step's two ends, where there is damping.
    strains: [Strains; 2],
}

impl Books {
    /// Those of a run that went on to where V is `potential`, J.
    pub fn of(potential: Option<f64>) -> Self {
        Self { potential, ..Self::default() }
    }

    /// V at the current state, J, once there was a step.
    pub fn potential(&self) -> Option<f64> {
        self.potential
    }

    /// Makes ready for a step from `state`.
    pub fn open(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        if self.potential.is_none() {
            self.reopen(world, contacts, state);
        }
    }

    /// Goes on from V at `state` as it is now.
    pub fn reopen(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.potential = Some(Potential::new(world, contacts).value(state));
    }

    /// Takes the slopes of `potential` at `x`; returns V there, J.
    pub fn take_slopes(&mut self, potential: &Potential, x: &State) -> f64 {
        self.slopes.resize(x.len(), Wrench::default());
        potential.gradient(x, &mut self.slopes)
    }

    /// Goes on to where V is `potential`; returns by how much it grew, J.
    pub fn advance(&mut self, potential: f64) -> f64 {
        potential - self.potential.replace(potential).unwrap_or(potential)
    }

    /// What damping took in a step between these states, if it counts from the strains `start` in `dt` seconds: see
    /// [`account::by_damping`].
    pub fn damping(&mut self, world: &World, [before, after]: [&State; 2], start: &Strains, dt: f64) -> f64 {
        if !world.is_damped() {
            return 0.0;
        }
        let [from, to] = &mut self.strains;
        from.take(world, before);
        to.take(world, after);
        account::by_damping(world, from, start, to, dt)
    }
}
