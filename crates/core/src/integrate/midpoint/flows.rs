//! Energy flows of a step of the midpoint rule: see [`account`](crate::energy::account).

use crate::contact::{FrictionForce, Neighbours, SurfaceMotion};
use crate::energy::Potential;
use crate::energy::account::{self, Flow, Flows};
use crate::model::{State, World};

use super::ImplicitMidpoint;

impl ImplicitMidpoint {
    /// Commits friction and returns the flows of the last trial, which ends at `after`.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Neighbours, after: &State) -> Flows {
        let Self { potential: known, forces, mid, next: before, newton, .. } = self;
        let held = self.holding.held();
        let friction = contacts.commit_friction(world, after, SurfaceMotion::Since(before), FrictionForce::Middle);
        let potential = Potential::new(world, contacts).value_with(after, newton.workspace());
        let growth = potential - known.replace(potential).unwrap_or(potential);
        let damping = forces.damping + friction.damped;
        let walls = friction.walls
            + account::by_walls(
                world,
                contacts.near_walls(),
                mid,
                SurfaceMotion::Since(before),
                [before.time, after.time],
            );
        let [free, loads] = account::by_loads(world.loads(before.time, after.time), held, before, after);
        let electric = self.electric.cache.exchange(world, before, after);
        let less_loads = account::by_gradients(before, after, |i| forces.gradient(i));
        let by_impulses = account::by_impulses(world, before, after, |i| !held[i]);
        let by_rule = by_impulses + growth + damping + friction.lost - walls - less_loads - free - loads
            + electric.gain
            - electric.work;
        Flows::from([
            (Flow::Walls, walls),
            (Flow::Loads, free + loads),
            (Flow::Held, account::by_holders(world, held, before, after, |i| forces.gradient(i))),
            (Flow::Electric, electric.work),
            (Flow::Damping, damping),
            (Flow::Friction, friction.lost),
            (Flow::Numerical, by_rule),
        ])
    }
}
