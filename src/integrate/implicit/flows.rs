//! Where the energy of an implicit step goes: see [`account`](crate::energy::account).

use crate::contact::{Neighbours, Slip};
use crate::energy::Potential;
use crate::energy::account::{self, Flows};
use crate::model::{State, World, Wrench};

use super::Implicit;

impl Implicit {
    /// Draws friction's springs, and returns the flows of the step that was tried last, to `after`.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Neighbours, after: &State) -> Flows {
        let Self { books, slopes, inertia, strains, next: before, .. } = self;
        let (held, b) = (self.holding.held(), inertia.weights.dt);
        let slip = Slip::Since(before);
        slopes.resize(after.len(), Wrench::default());
        let taken = super::potential(world, contacts, strains, b, before).gradient_and_damping(after, slopes);
        let friction = contacts.settle_rubs(world, after, slip);
        let growth = books.advance(Potential::new(world, contacts).value(after));

        // its power is that of the rule's own rate of strain
        let dt = after.time - before.time;
        let damping = dt * (2.0 * taken.damping / b + taken.contact_damping);
        let walls = friction.walls + account::by_walls(world, after, slip, [before.time, after.time]);
        let [free, loads] = account::by_loads(world, held, before, after);
        let off = |i: usize| inertia.off(after, i);
        let sums = account::by_inertia(world, held, before, after, slopes, off, b);
        let by_rule = sums.gained - sums.work - free + growth + damping + friction.lost - walls - sums.free - sums.held;
        Flows {
            walls,
            loads: free + loads,
            held: account::by_holders(world, held, before, after, |i| slopes[i]) - loads,
            damping,
            friction: friction.lost,
            fracture: 0.0,
            numerical: by_rule,
            solver: sums.work + sums.free,
        }
    }
}
