use crate::contact::Neighbours;
use crate::energy::{bond, contact, gap_between};
use crate::model::{Bond, State};

/// What is lost as `broken` bonds leave the world at `state`, J: their energy, less that of the contacts that they
/// become.
pub fn by_fracture<'a>(contacts: &Neighbours, state: &State, broken: impl Iterator<Item = &'a Bond>) -> f64 {
    let lost = |bond: &Bond| {
        let had = bond::value(bond, &bond::pose(bond, state));
        let pair = contacts.find(bond.i, bond.j).filter(|_| !bond.model.keeps_contact());
        had - pair.map_or(0.0, |pair| contact::value(&pair.spring, &gap_between(pair, state)))
    };
    broken.map(lost).sum()
}
