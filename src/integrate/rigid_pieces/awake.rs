use crate::energy::bond::{self, Strain};
use crate::fracture::BondLoad;
use crate::integrate::stability;
use crate::model::{Pair, State, World};

use super::body::Body;
use super::rest::Rest;

/// The bonds of pieces that do not rest inside, each particle of which is a body of its own.
#[derive(Debug, Default)]
pub struct AwakeBonds {
    links: Vec<BondLink>,
    /// The longest step that these bonds are followed by, s.
    pub longest_step: f64,
}

#[derive(Clone, Copy, Debug)]
struct BondLink {
    /// Index of the bond.
    at: usize,
    bodies: [usize; 2],
    /// Where damping begins.
    before: Strain,
}

/// Share of the limit of stability of bonds that steps take.
const SHARE: f64 = 0.9;

impl AwakeBonds {
    /// Finds the bonds between bodies in `now`; tells these that something touches them.
    pub fn find(&mut self, world: &World, bodies: &mut [Body], rest: &Rest, now: &State) {
        self.links.clear();
        self.longest_step = f64::INFINITY;
        if rest.all_rest() {
            return;
        }
        for (at, bond) in world.bonds().iter().enumerate().filter(|(_, bond)| !bond.is_broken()) {
            let ends = bond.ends().map(|i| rest.body_of[i] as usize);
            if ends[0] != ends[1] {
                ends.iter().for_each(|&body| bodies[body].is_linked = true);
                let before = Strain::new(bond, &bond::pose(bond, now));
                self.links.push(BondLink { at, bodies: ends, before });
            }
        }
        let bonds = self.links.iter().map(|link| &world.bonds()[link.at]);
        self.longest_step = SHARE * stability::of_bonds(world, bonds);
    }

    /// The particles, with their bodies.
    pub fn particles(&self, world: &World) -> impl Iterator<Item = (u32, u32)> {
        self.links.iter().flat_map(|link| {
            let bond = &world.bonds()[link.at];
            [(bond.i, link.bodies[0] as u32), (bond.j, link.bodies[1] as u32)]
        })
    }

    /// Whether two particles are bonded so that they do not push each other.
    pub fn hold(&self, world: &World, ends: [usize; 2]) -> bool {
        let found = self.links.binary_search_by_key(&ends, |link| world.bonds()[link.at].ends());
        found.is_ok_and(|at| !world.bonds()[self.links[at].at].model.keeps_contact())
    }

    /// What bonds do to the bodies at `now`, after a step of `dt` (s) if there is one; returns what their damping took, J.
    ///
    /// Returns none where one breaks.
    pub fn push(&mut self, world: &World, bodies: &mut [Body], now: &State, dt: Option<f64>) -> Option<f64> {
        let mut taken = 0.0;
        for BondLink { at, bodies: ends, before } in &mut self.links {
            let bond = &world.bonds()[*at];
            let pose = bond::pose(bond, now);
            if BondLoad::new(bond, &pose).breaks(bond, world.axial) {
                return None;
            }
            let mut slopes = bond::gradient(bond, &pose).wrenches();
            if let Some(dt) = dt.filter(|_| bond.c.n > 0.0) {
                let (half, resistance) = bond::damping(bond, &pose, before, dt);
                taken += 2.0 * half;
                slopes.iter_mut().zip(resistance.wrenches()).for_each(|(slope, by)| *slope += by);
                *before = Strain::new(bond, &pose);
            }
            for (k, i) in bond.ends().into_iter().enumerate() {
                bodies[ends[k]].take(&now.p[i], &slopes[k]);
            }
        }
        Some(taken)
    }
}
