//! Energy flows of an implicit step: see [`account`](crate::energy::account).

use crate::contact::{FrictionForce, Neighbours, SurfaceMotion};
use crate::energy::Potential;
use crate::energy::account::{self, Flow, Flows};
use crate::model::{State, World};

use super::Implicit;

impl Implicit {
    /// Commits friction and returns the flows of the last trial, which ends at `after` with a known gradient.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Neighbours, after: &State) -> Flows {
        let damping_sums = self.damping_sums.take().unwrap_or_default();
        let damping = self.dissipated_by_damping(&damping_sums, after.time - self.next.time);
        let Self { potential: known, gradient, inertia, next: before, newton, .. } = self;
        let (held, b) = (self.holding.held(), inertia.weights.dt);
        let motion = SurfaceMotion::Since(before);
        let friction = contacts.commit_friction(world, after, motion, FrictionForce::Mean);
        let damping = damping + friction.damped;
        let potential = Potential::new(world, contacts).value_with(after, newton.workspace());
        let growth = potential - known.replace(potential).unwrap_or(potential);
        let walls =
            friction.walls + account::by_walls(world, contacts.near_walls(), after, motion, [before.time, after.time]);
        let times = [before.time, after.time];
        let [free, loads] = account::by_loads(world.loads(times[0], times[1]), held, before, after);
        let [_, on_held] = account::by_loads(self.electric.loads(), held, before, after);
        let electric = self.electric.cache.exchange(world, before, after);
        let off = |i: usize| inertia.off(after, i);
        let sums = account::by_inertia(world, held, before, after, gradient, off, b);
        let by_charges = electric.gain + on_held - electric.work;
        let by_rule = sums.gained - sums.work - free + growth + damping + friction.lost - walls - sums.free - sums.held
            + by_charges;
        self.residual_work.add(sums.work + sums.free);
        Flows::from([
            (Flow::Walls, walls),
            (Flow::Loads, free + loads),
            (Flow::Held, account::by_holders(world, held, before, after, |i| gradient[i]) - loads - on_held),
            (Flow::Electric, electric.work),
            (Flow::Damping, damping),
            (Flow::Friction, friction.lost),
            (Flow::Numerical, by_rule),
            (Flow::Solver, sums.work + sums.free),
        ])
    }
}
