use rayon::prelude::*;

use crate::fracture::{BondLoad, Pieces};
use crate::model::{Bond, Pair, State, World};

/// The pieces of a world, and what they bear at rest inside.
#[derive(Debug, Default)]
pub struct Rest {
    /// What a bond bears besides what it did when its piece came to rest: a share of what it could.
    share: f64,
    /// Whether that is known, for bonds have not moved against each other since it was looked at.
    is_known: bool,
    /// How many bonds there are in the pieces below.
    bonds: Option<usize>,
    /// All particles, one piece after another.
    order: Vec<u32>,
    /// Where in them the pieces begin, and the last ends.
    starts: Vec<usize>,
    /// The body of each particle: its piece, or where that is awake itself.
    pub body_of: Vec<u32>,
    /// The piece of each particle.
    of_particle: Vec<u32>,
    limits: Vec<Limit>,
    of_bonds: Vec<Limit>,
}

/// What the bonds of a particle bear besides what they do: its weakest.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// N.
    pub force: f64,
    /// Pa.
    pub stress: f64,
    /// The speed (m/s) of a wave that brings such a stress: sigma/sqrt(E rho).
    pub speed: f64,
}

impl Limit {
    /// Of what nothing strains.
    const NONE: Self = Self { force: f64::INFINITY, stress: f64::INFINITY, speed: f64::INFINITY };

    fn lesser(&self, other: &Self) -> Self {
        Self {
            force: self.force.min(other.force),
            stress: self.stress.min(other.stress),
            speed: self.speed.min(other.speed),
        }
    }
}

/// Bonds a task.
const CHUNK: usize = 1024;

/// Strain that can be seen: what stands more counts as if it broke there.
const STRAIN: f64 = 3e-3;

/// Young's modulus, Pa.
fn modulus(bond: &Bond) -> f64 {
    bond.k.n * bond.l0 / bond.area()
}

/// sigma and tau that a bond can bear, Pa.
fn bearable(bond: &Bond) -> [f64; 2] {
    bond.strength.map(|strength| strength.min(STRAIN * modulus(bond)))
}

impl Rest {
    pub fn new(share: f64) -> Self {
        Self { share, ..Self::default() }
    }

    /// Bonds may have moved against each other.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// Finds the pieces, if bonds broke, and what they bear.
    pub fn find(&mut self, world: &World, state: &State) {
        if self.bonds.replace(world.whole_bond_count()) != Some(world.whole_bond_count()) {
            self.group(world);
            self.is_known = false;
        }
        if !self.is_known {
            self.weigh(world, state);
            self.is_known = true;
        }
    }

    fn group(&mut self, world: &World) {
        let pieces = Pieces::of(world);
        self.order = pieces.sorted();
        self.of_particle.resize(pieces.of_particle.len(), 0);
        self.starts = vec![0];
        let is_one = |&i: &u32, &j: &u32| pieces.of_particle[i as usize] == pieces.of_particle[j as usize];
        for piece in self.order.chunk_by(is_one) {
            piece.iter().for_each(|&i| self.of_particle[i as usize] = self.starts.len() as u32 - 1);
            self.starts.push(self.starts[self.starts.len() - 1] + piece.len());
        }
    }

    /// Finds what the particles' bonds bear besides what they do.
    fn weigh(&mut self, world: &World, state: &State) {
        let share = self.share;
        let limit = |bond: &Bond| if bond.is_broken() { Limit::NONE } else { limit(bond, share, world, state) };
        world.bonds().par_iter().with_min_len(CHUNK).map(limit).collect_into_vec(&mut self.of_bonds);
        self.limits.clear();
        self.limits.resize(world.particles.len(), Limit::NONE);
        for (bond, limit) in world.bonds().iter().zip(&self.of_bonds) {
            bond.ends().iter().for_each(|&i| self.limits[i] = self.limits[i].lesser(limit));
        }
    }

    /// All pieces rest.
    pub fn begin(&mut self) {
        self.body_of.clone_from(&self.of_particle);
    }

    /// The particles of a piece.
    pub fn members(&self, piece: usize) -> &[u32] {
        &self.order[self.starts[piece]..self.starts[piece + 1]]
    }

    /// The particles of a piece are bodies of their own, numbered from `first` on.
    pub fn part(&mut self, piece: usize, first: usize) {
        let members = &self.order[self.starts[piece]..self.starts[piece + 1]];
        members.iter().zip(first as u32..).for_each(|(&i, body)| self.body_of[i as usize] = body);
    }

    /// How many pieces there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether all pieces rest.
    pub fn all_rest(&self) -> bool {
        self.body_of == self.of_particle
    }

    /// What the bonds of a particle bear besides what they do; no limit where its piece does not rest.
    pub fn limit(&self, particle: usize) -> &Limit {
        if self.body_of[particle] == self.of_particle[particle] { &self.limits[particle] } else { &Limit::NONE }
    }
}

/// A `share` of what a bond bears besides what it does.
fn limit(bond: &Bond, share: f64, world: &World, state: &State) -> Limit {
    let (load, [sigma, tau]) = (BondLoad::of(bond, state), bearable(bond));
    let spare = 1.0 - (load.sigma(bond, world.axial) / sigma).max(load.tau(bond) / tau);
    let stress = share * spare.max(0.0) * sigma.min(tau);
    let density = world.material_of(bond.i as usize).density;
    Limit { force: stress * bond.area(), stress, speed: stress / (modulus(bond) * density).sqrt() }
}
