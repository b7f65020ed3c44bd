//! What a world loses.

use rayon::prelude::*;

use crate::contact::Neighbours;
use crate::energy::bond::Strain;
use crate::energy::{Strains, bond, contact, gap_between};
use crate::model::{Bond, State, World};
use crate::parallel::sum_parts;

/// What the bonds' damping takes in a step that leads from the strains `from` to the strains `to`, J: its stress at the
/// end, by the strain that came since `before` in `dt` seconds, times the strain of the step,
///
/// ```text
/// sum c (to - before)(to - from)/dt        over the four modes of each bond
/// ```
///
/// What a step of implicit Euler takes is that with `from` for `before`, twice its
/// [`damping`](crate::energy::bond::damping)'s value. BDF2's damping counts from other strains, `from` + a (`from` - their
/// former), over b. An explicit step's forces are those of the rates in the step before and in its own, in equal parts: `before`
/// are the strains a step earlier, over two steps; or to second order `from`, over one.
pub fn by_damping(world: &World, from: &Strains, before: &Strains, to: &Strains, dt: f64) -> f64 {
    let sum = sum_parts(world.packs().chunks.par_iter(), |chunk| {
        let bonds = world.bonds()[chunk.bonds.clone()].iter().enumerate();
        let taken = bonds.map(|(k, bond)| {
            let [from, before, to] = [from, before, to].map(|strains| strains.in_packs(chunk.packs.start, k));
            stress_times_strain(bond, &minus(&to, &before), &minus(&to, &from))
        });
        taken.sum::<f64>()
    });
    sum / dt
}

fn minus(a: &Strain, b: &Strain) -> Strain {
    Strain { stretch: a.stretch - b.stretch, shear: a.shear - b.shear, bend_twist: a.bend_twist - b.bend_twist }
}

/// c a b, J s: strains are in the bond's own frame, where its rest direction is d0.
fn stress_times_strain(bond: &Bond, a: &Strain, b: &Strain) -> f64 {
    let (c, d) = (&bond.c, &bond.d0);
    let twist = d.dot(&a.bend_twist) * d.dot(&b.bend_twist);
    c.n * a.stretch * b.stretch
        + c.s * a.shear.dot(&b.shear)
        + c.b * a.bend_twist.dot(&b.bend_twist)
        + (c.t - c.b) * twist
}

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
