//! Energy flows of an explicit step: see [`account`](crate::energy::account).

use serde::{Deserialize, Serialize};

use crate::contact::{Contacts, StepFlows, SurfaceMotion};
use crate::energy::account::{self, Flow, Flows};
use crate::model::{Gradient, State, World};

use super::{Explicit, Rule};

/// Powers (W) of the dashpot forces at a state, at the velocities of the drift after it. Half of a force's impulse acts before the
/// state, half after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DashpotPowers {
    /// Dissipation by contacts.
    pub contacts: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// Work against the forces that correct the trapezoidal rule where contacts open and close.
    pub corrections: f64,
}

impl<R: Rule> Explicit<R> {
    /// Flows of the last trial, from `state`.
    pub(super) fn flows(
        &mut self,
        world: &World,
        contacts: &Contacts,
        state: &State,
        by_contacts: &StepFlows,
    ) -> Flows {
        let electric = self.electric.exchange(world, state, &self.next);
        let times = [state.time, self.next.time];
        let dt = times[1] - times[0];
        let by_springs = self.walls(world, contacts, state);
        let StepFlows { dashpots, walls, corrections, .. } = *by_contacts;
        let [end, next_start] = [0, 1].map(|drift| DashpotPowers {
            contacts: dashpots[drift],
            walls: walls[drift],
            corrections: corrections[drift],
        });
        // the first gradient is that of the potential, without dashpots
        let start = self.powers.replace(next_start).unwrap_or_default();
        let (next, held) = (&self.next, self.holding.held());
        let loads = account::by_loads(world.loads(times, state, 0.0), held, state, next);
        let gradient = |i: usize| self.weighted_gradient(i, [0.5; 2]);
        let errors = self.numerical(world, state) + by_contacts.trapezoid_error + electric.trapezoid_error();
        Flows::from([
            (Flow::Walls, by_contacts.friction.walls + by_springs + 0.5 * dt * (start.walls + end.walls)),
            (Flow::Loads, loads[0] + loads[1]),
            (Flow::Held, account::by_holders(world, held, state, next, gradient) - loads[1]),
            (Flow::Electric, electric.work),
            (Flow::Damping, dt * (self.damping + 0.5 * (start.contacts + end.contacts))),
            (Flow::Friction, by_contacts.friction.by_sliding),
            (Flow::Numerical, errors - 0.5 * dt * (start.corrections + end.corrections)),
        ])
    }

    /// Work of moving walls against springs in a step, J, by the trapezoidal rule.
    fn walls(&self, world: &World, contacts: &Contacts, state: &State) -> f64 {
        let (near, times) = (contacts.near_walls(), [state.time, self.next.time]);
        let work = |x: &State| account::by_walls(world, near, x, SurfaceMotion::None, times);
        0.5 * (work(state) + work(&self.next))
    }

    /// Weighted sum of the particle's gradients at the start and at the end.
    fn weighted_gradient(&self, i: usize, of: [f64; 2]) -> Gradient {
        let [before, after] = [&self.gradient[i], &self.next_gradient[i]];
        Gradient { p: before.p * of[0] + after.p * of[1], theta: before.theta * of[0] + after.theta * of[1] }
    }

    /// Energy (J) after the last committed step above the conserved one (the shadow energy), of particles without loads.
    ///
    /// ```text
    /// sum dt^2/8 |F|^2/M + dt/2 P        P the power of the corrections of the trapezoidal rule
    /// ```
    pub(super) fn shadow_gap(&self) -> f64 {
        if !self.loads.is_empty() || self.gradient.len() != self.inverse.len() {
            return 0.0;
        }
        let corrections = self.powers.map_or(0.0, |powers| powers.corrections);
        account::shadow_gap(&self.gradient, &self.inverse, self.dt) + 0.5 * self.dt * corrections
    }

    /// Energy gained by the time rule, J.
    fn numerical(&self, world: &World, state: &State) -> f64 {
        let (held, next) = (self.holding.held(), &self.next);
        let is_kicked = |i: usize| self.inverse[i][0] != 0.0;
        let mut sum = if self.loads.is_empty() {
            self.kick_error.iter().sum::<f64>()
        } else {
            // with loads that sum lacks the last kick
            account::by_impulses(world, state, next, is_kicked)
        };
        // forces inside a rigid body do no work, so their impulses on its particles do not count
        for i in world.free_rigid().flat_map(|body| body.particles.clone()) {
            let mut gradient = self.weighted_gradient(i, [0.5; 2]);
            if let Some(load) = self.loads.get(i) {
                gradient += load.gradient();
            }
            sum += account::by_force(world, state, next, i, &gradient);
        }
        let uneven = R::KICKS[0] - 0.5;
        if uneven != 0.0 {
            // the account uses the mean of the forces at both ends
            let gradient = |i: usize| {
                if held[i] || !is_kicked(i) {
                    Gradient::default()
                } else {
                    self.weighted_gradient(i, [-uneven, uneven])
                }
            };
            sum += account::by_gradients(state, next, gradient);
        }
        sum
    }
}
