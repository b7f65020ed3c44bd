//! Where the energy of an implicit step goes: see [`account`](crate::energy::account).

use crate::contact::{Neighbours, Slip};
use crate::energy::account::{self, Flows};
use crate::energy::{Damping, Potential};
use crate::model::{State, World, Wrench};

use super::Implicit;

impl Implicit {
    /// Draws friction's springs, and returns the flows of the step that was tried last, to `after`.
    pub(super) fn flows(&mut self, world: &World, contacts: &mut Neighbours, after: &State) -> Flows {
        let Self { books, inertia, strains, next: before, .. } = self;
        let (held, b) = (self.holding.held(), inertia.weights.dt);
        let slip = Slip::Since(before);
        let damping = if world.is_damped() { Damping::Step { before: strains, dt: b } } else { Damping::None };
        books.take_slopes(&Potential { damping, slip, ..Potential::new(world, contacts) }, after);
        let friction = contacts.settle_rubs(world, after, slip);
        let growth = books.advance(Potential::new(world, contacts).value(after));

        let damping = books.damping(world, [before, after], strains, b);
        let walls = friction.walls + account::by_walls(world, after, [before.time, after.time]);
        let by_slopes = account::by_slopes(before, after, |i| books.slopes[i]);
        let by_holders = if account::any_held_moves(held, before, after) {
            account::by_holders(world, held, before, after, |i| books.slopes[i])
                - account::by_loads_on(world, before, after, |i| held[i])
        } else {
            0.0
        };
        let inertia = account::by_inertia(world, held, before, after, |i| inertia.off(after, i), b);
        let free = account::by_slopes(before, after, |i| if held[i] { Wrench::default() } else { books.slopes[i] });
        Flows {
            walls,
            loads: account::by_loads(world, before, after),
            held: by_holders,
            damping,
            friction: friction.lost,
            fracture: 0.0,
            numerical: inertia.made + growth + friction.lost + damping - walls - by_slopes,
            solver: inertia.work + free,
        }
    }
}
