//! Cheap lower bound on the stability limit.

use crate::model::{Modes, State, World};

use super::longest;
use super::possible_contacts::PossibleContacts;

/// Lower bound (s) on the [limit](super::limit), from sums over each particle's bonds.
///
/// (a - b)^2 <= 2 a^2 + 2 b^2, also for shear and rotation, splits each bond between its two particles, as for contacts.
pub fn lower_bound(world: &World, state: &State) -> f64 {
    let possible = PossibleContacts::new(world, state);
    let mut sums = vec![[[0.0; 2]; 2]; state.len()];
    for bond in world.whole_bonds().map(|bond| possible.kinds.stiffened(bond)) {
        let parts = [&bond.k, &bond.c].map(|modes| parted(modes, bond.l0));
        for i in [bond.i, bond.j] {
            let sum = sums[i as usize].iter_mut().flatten();
            sum.zip(parts.as_flattened()).for_each(|(sum, part)| *sum += part);
        }
    }
    let (held, particles) = (world.always_held(), &world.particles);
    let by_mass = |i: usize, [move_, turn]: [f64; 2]| (move_ / particles.mass[i]).max(turn / particles.inertia[i]);
    let free = (0..state.len()).filter(|&i| !held[i]);
    let [k, c] = free.fold([0.0; 2], |[k, c]: [f64; 2], i| {
        let contacts = possible.ceiling(i) / particles.mass[i];
        [
            k.max(by_mass(i, sums[i][0]) + contacts),
            c.max(by_mass(i, sums[i][1]) + possible.kinds.damping_time(i) * contacts),
        ]
    });
    longest(k, c, possible.kinds.fastest_contact())
}

/// Share of a bond of length `l0` (m) in the stiffness of each of its particles, for translation and rotation.
fn parted(modes: &Modes, l0: f64) -> [f64; 2] {
    // springs come without a rest length, and without shear
    let shear = if modes.s > 0.0 { 4.0 * modes.s / (l0 * l0) } else { 0.0 };
    [(2.0 * modes.n).max(shear), modes.s + 2.0 * modes.t.max(modes.b)]
}
