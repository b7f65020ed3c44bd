//! Energy flows of an implicit step: see [`account`](crate::energy::account).

use crate::contact::{Contacts, FrictionForce, FrictionWork, SurfaceMotion};
use crate::energy::account::{self, Flow, Flows, StepWork};
use crate::energy::{Potential, Sums};
use crate::integrate::spurious_energy::Gain;
use crate::model::{State, World};

use super::Implicit;

impl Implicit {
    /// [`StepReport::spurious_energy`](crate::integrate::StepReport::spurious_energy) of the last trial, from `state`.
    pub(super) fn spurious_energy(&mut self, world: &World, contacts: &mut Contacts, state: &State) -> f64 {
        let damping_sums = self.evaluate(world, contacts, state);
        let potential = Potential::new(world, contacts).value_with(&self.next, self.newton.workspace());
        let potential = [self.potential.unwrap_or(f64::INFINITY), potential];
        let friction = contacts.friction_work(world, &self.next, SurfaceMotion::Since(state), FrictionForce::Mean);
        let states = [state, &self.next];
        let work = self.work(world, contacts, states, &friction);
        let dissipated = friction.dissipated() + self.dissipated_by_damping(&damping_sums, states);
        Gain::new(world, states, potential, dissipated, &work).over_exchanged(world, &self.next)
    }

    /// Commits friction and returns the flows of the last trial, which ends at `after` with a known gradient.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Contacts, after: &State) -> Flows {
        let damping_sums = self.damping_sums.take().unwrap_or_default();
        let friction = contacts.commit_friction(world, after, SurfaceMotion::Since(&self.next), FrictionForce::Mean);
        let potential = Potential::new(world, contacts).value_with(after, self.newton.workspace());
        let growth = potential - self.potential.replace(potential).unwrap_or(potential);
        let states @ [before, _] = [&self.next, after];
        let work = self.work(world, contacts, states, &friction);
        let damping = friction.damped + self.dissipated_by_damping(&damping_sums, states);
        let electric = self.electric.cache.exchange(world, before, after);
        let Self { gradient, inertia, next: before, .. } = &*self;
        let off = |i: usize| inertia.off(after, i);
        let sums = account::by_inertia(world, self.holding.held(), before, after, gradient, off, inertia.weights.dt);
        let by_charges = electric.gain + work.electric[1] - electric.work;
        let by_rule = sums.gained - sums.work - work.loads[0] + growth + damping + friction.by_sliding
            - work.walls
            - sums.free
            - sums.held
            + by_charges;
        self.residual_work.add(sums.work + sums.free);
        Flows::from([
            (Flow::Walls, work.walls),
            (Flow::Loads, work.loads.iter().sum()),
            (Flow::Held, work.held),
            (Flow::Electric, electric.work),
            (Flow::Damping, damping),
            (Flow::Friction, friction.by_sliding),
            (Flow::Numerical, by_rule),
            (Flow::Solver, sums.work + sums.free),
        ])
    }

    /// Work on the world between two states, with that of `friction`. The gradient at the end is known.
    fn work(
        &self,
        world: &World,
        contacts: &Contacts,
        [before, after]: [&State; 2],
        friction: &FrictionWork,
    ) -> StepWork {
        let (held, motion, times) = (self.holding.held(), SurfaceMotion::Since(before), [before.time, after.time]);
        let walls = friction.walls + account::by_walls(world, contacts.near_walls(), after, motion, times);
        let loads = account::by_loads(world.loads(times, before, 1.0), held, before, after);
        let electric = account::by_loads(self.electric.loads(), held, before, after);
        let holders = account::by_holders(world, held, before, after, |i| self.gradient[i]);
        StepWork { walls, loads, electric, held: holders - loads[1] - electric[1] }
    }

    /// Energy dissipated by damping between two states, J, from the rule's rate of strain.
    fn dissipated_by_damping(&self, damping_sums: &Sums, [before, after]: [&State; 2]) -> f64 {
        let dt = after.time - before.time;
        dt * (2.0 * damping_sums.damping / self.inertia.weights.dt + damping_sums.contact_damping)
    }
}
