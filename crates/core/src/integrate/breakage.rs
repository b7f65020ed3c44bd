use crate::contact::Contacts;
use crate::energy::account::{self, Flow, Flows};
use crate::energy::{bond, contact, gap_between};
use crate::fracture::OverloadedBond;
use crate::model::{Gradient, State, World};
use crate::neighbours::ContactPair;
use crate::parallel;

/// Change of dV/dx at the ends of a bond that broke or softened at `state`, with opposite sign: the gradient of the bond
/// before, less that of the softened one or of the `contact` in its place.
pub(super) fn removed_gradients(
    OverloadedBond { bond, softened, .. }: &OverloadedBond,
    contact: Option<&ContactPair>,
    state: &State,
) -> [Gradient; 2] {
    let pose = bond::pose(bond, state);
    let mut removed = bond::gradient(bond, &pose).by_particle();
    if let Some(softened) = softened {
        let lost = 1.0 - softened.kept;
        removed = removed.map(|of| Gradient { p: of.p * lost, theta: of.theta * lost });
    } else if let Some(pair) = contact {
        let by_p = contact::gradient(&pair.spring, &gap_between(pair, state));
        removed[0].p += by_p;
        removed[1].p -= by_p;
    }
    removed
}

/// Breaks or softens the bonds at these indices (ascending) at `state`. The ends of those that break become a contact. Adds the
/// change of energy to `flows`. The integrator of the last step must account for them: see
/// [`Integrator::after_breakage`](super::Integrator::after_breakage).
pub fn break_bonds(
    world: &mut World,
    contacts: &mut Contacts,
    state: &State,
    overloaded: &[usize],
    flows: &mut Flows,
) -> Vec<OverloadedBond> {
    let record = |k: usize| OverloadedBond::new(&world.bonds()[overloaded[k]], state, world.axial);
    let all = parallel::map(overloaded.len(), CHUNK, record);
    update_bonds(world, overloaded.iter().copied().zip(&all));
    contacts.add_pairs(world, all.iter().filter(|bond| bond.breaks()).map(OverloadedBond::ends));
    for of in &all {
        flows[Flow::Fracture] += match &of.softened {
            Some(softened) => of.energy * (1.0 - softened.kept),
            None => account::by_fracture(&of.bond, contacts.after(&of.bond), state),
        };
    }
    all
}

/// Bonds per task.
const CHUNK: usize = 64;

/// Breaks or softens the bonds at these indices (ascending) in `world`.
pub(crate) fn update_bonds<'a>(world: &mut World, all: impl Iterator<Item = (usize, &'a OverloadedBond)>) {
    let mut broken = Vec::new();
    for (index, of) in all {
        match &of.softened {
            Some(softened) => world.soften(index, softened.reached).expect("a bond that softens"),
            None => broken.push(index),
        }
    }
    world.mark_broken(&broken);
}
