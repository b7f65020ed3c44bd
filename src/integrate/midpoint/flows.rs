//! Where the energy of a step of the midpoint rule goes: see [`account`](crate::energy::account).

use crate::contact::{Neighbours, Slip};
use crate::energy::Potential;
use crate::energy::account::{self, Flows};
use crate::model::{State, World};

use super::ImplicitMidpoint;

impl ImplicitMidpoint {
    /// Draws friction's springs, and returns the flows of the step that was tried last, to `after`.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Neighbours, after: &State) -> Flows {
        let Self { books, forces, mid, strains, next: before, .. } = self;
        let held = self.holding.held();
        // in the middle, friction's springs are drawn by half the slip
        let slip = Slip::Since(before);
        books.take_slopes(&Potential { slip, ..Potential::new(world, contacts) }, mid);
        let friction = contacts.settle_rubs(world, after, slip);
        let growth = books.advance(Potential::new(world, contacts).value(after));
        let by_middle = account::by_slopes(before, after, |i| books.slopes[i]);
        let walls = friction.walls + account::by_walls(world, mid, [before.time, after.time]);
        let by_holders = if account::any_held_moves(held, before, after) {
            account::by_holders(world, held, before, after, |i| forces.wrench(i))
        } else {
            0.0
        };
        let by_impulses = account::by_impulses(world, before, after, |i| !held[i]);
        Flows {
            walls,
            loads: account::by_loads(world, before, after),
            held: by_holders,
            damping: books.damping(world, [before, after], strains, after.time - before.time),
            friction: friction.lost,
            fracture: 0.0,
            solver: 0.0,
            numerical: by_impulses + growth + friction.lost - walls - by_middle,
        }
    }
}
