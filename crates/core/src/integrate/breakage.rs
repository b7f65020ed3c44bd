use crate::contact::Contacts;
use crate::energy::account::{self, Flow, Flows};
use crate::energy::{bond, contact, gap_between};
use crate::fracture::BrokenBond;
use crate::model::{Bond, Gradient, State, World};
use crate::neighbours::ContactPair;

/// Change of dV/dx at the ends of a broken `bond` at `state`, with opposite sign: the bond's gradient less that of the
/// `contact` in its place.
pub(super) fn removed_gradients(bond: &Bond, contact: Option<&ContactPair>, state: &State) -> [Gradient; 2] {
    let mut removed = bond::gradient(bond, &bond::pose(bond, state)).by_particle();
    if let Some(pair) = contact {
        let by_p = contact::gradient(&pair.spring, &gap_between(pair, state));
        removed[0].p += by_p;
        removed[1].p -= by_p;
    }
    removed
}

/// Breaks the bonds at these indices (ascending) at `state`. Their ends become a contact. Adds the change of energy to `flows`.
/// The integrator of the last step must account for them: see [`Integrator::after_breakage`](super::Integrator::after_breakage).
pub fn break_bonds(
    world: &mut World,
    contacts: &mut Contacts,
    state: &State,
    overloaded: &[usize],
    flows: &mut Flows,
) -> Vec<BrokenBond> {
    let broken: Vec<_> = overloaded.iter().map(|&k| BrokenBond::new(&world.bonds()[k], state, world.axial)).collect();
    world.mark_broken(overloaded);
    contacts.add_pairs(world, broken.iter().map(BrokenBond::ends));
    for BrokenBond { bond, .. } in &broken {
        flows[Flow::Fracture] += account::by_fracture(bond, contacts.after(bond), state);
    }
    broken
}
