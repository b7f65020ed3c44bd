//! Energy flows of a step of the midpoint rule: see [`account`](crate::energy::account).

use crate::contact::{Contacts, FrictionForce, FrictionWork, SurfaceMotion};
use crate::energy::Potential;
use crate::energy::account::{self, Flow, Flows, StepWork};
use crate::integrate::spurious_energy::Gain;
use crate::model::{State, World};

use super::ImplicitMidpoint;

impl ImplicitMidpoint {
    /// Energies gained in the last trial, from `state`.
    pub(super) fn gain(&mut self, world: &World, contacts: &mut Contacts, state: &State) -> Gain {
        let potential = Potential::new(world, contacts).value_with(&self.next, self.newton.workspace());
        let potential = [self.potential.unwrap_or(f64::INFINITY), potential];
        let friction = contacts.friction_work(world, &self.next, SurfaceMotion::Since(state), FrictionForce::Middle);
        let states = [state, &self.next];
        let work = self.work(world, contacts, states, &friction);
        Gain::new(world, states, potential, friction.dissipated() + self.forces.damping, &work)
    }

    /// Commits friction and returns the flows of the last trial, which ends at `after`.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Contacts, after: &State) -> Flows {
        let friction = contacts.commit_friction(world, after, SurfaceMotion::Since(&self.next), FrictionForce::Middle);
        let potential = Potential::new(world, contacts).value_with(after, self.newton.workspace());
        let growth = potential - self.potential.replace(potential).unwrap_or(potential);
        let states @ [before, _] = [&self.next, after];
        let work = self.work(world, contacts, states, &friction);
        let (loads, damping) = (work.loads.iter().sum::<f64>(), self.forces.damping + friction.damped);
        let electric = self.electric.cache.exchange(world, before, after);
        let (forces, held) = (&self.forces, self.holding.held());
        let less_loads = account::by_gradients(before, after, |i| forces.gradient(i));
        let by_impulses = account::by_impulses(world, before, after, |i| !held[i]);
        let by_rule = by_impulses + growth + damping + friction.by_sliding - work.walls - less_loads - loads
            + electric.gain
            - electric.work;
        Flows::from([
            (Flow::Walls, work.walls),
            (Flow::Loads, loads),
            (Flow::Held, work.held),
            (Flow::Electric, electric.work),
            (Flow::Damping, damping),
            (Flow::Friction, friction.by_sliding),
            (Flow::Numerical, by_rule),
        ])
    }

    /// Work on the world between two states, with that of `friction`. Forces are those at the middle.
    fn work(
        &self,
        world: &World,
        contacts: &Contacts,
        [before, after]: [&State; 2],
        friction: &FrictionWork,
    ) -> StepWork {
        let (held, motion, times) = (self.holding.held(), SurfaceMotion::Since(before), [before.time, after.time]);
        StepWork {
            walls: friction.walls + account::by_walls(world, contacts.near_walls(), &self.mid, motion, times),
            loads: account::by_loads(world.loads(times, before, 0.5), held, before, after),
            electric: account::by_loads(self.electric.loads(), held, before, after),
            held: account::by_holders(world, held, before, after, |i| self.forces.gradient(i)),
        }
    }
}
