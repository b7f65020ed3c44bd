use crate::energy::{bond, contact, gap_between};
use crate::model::{Bond, State};
use crate::neighbours::ContactPair;

/// Energy dissipated as `bond` breaks at `state`, J: its energy, minus that of a contact that replaces it.
pub fn by_fracture(bond: &Bond, becomes: Option<&ContactPair>, state: &State) -> f64 {
    let had = bond::value(bond, &bond::pose(bond, state));
    had - becomes.map_or(0.0, |pair| contact::value(&pair.spring, &gap_between(pair, state)))
}
