use rayon::prelude::*;

use crate::fracture::{BondLoad, Pieces};
use crate::model::{Bond, Pair, State, World};

/// The pieces of a world, and what they bear at rest inside.
#[derive(Debug, Default)]
pub struct Rest {
    /// What a bond bears besides what it did when its piece came to rest: a share of what it could.
    share: f64,
    /// How many bonds there are in the pieces below; none where others have come of them since.
    bonds: Option<usize>,
    /// All particles, one piece after another, and where in them the pieces are.
    order: Vec<u32>,
    spans: Vec<[u32; 2]>,
    /// The piece of each particle.
    pub piece_of: Vec<u32>,
    /// The body of each particle: that of its piece, or where that is awake its own.
    pub body_of: Vec<u32>,
    /// Whether each piece is awake.
    is_awake: Vec<bool>,
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

/// Strain that can be seen: what bears more besides what it does counts as if it broke there.
const STRAIN: f64 = 3e-3;

/// Young's modulus, Pa.
fn modulus(bond: &Bond) -> f64 {
    bond.k.n * bond.l0 / bond.area()
}

impl Rest {
    pub fn new(share: f64) -> Self {
        Self { share, ..Self::default() }
    }

    /// Finds the pieces of a world, all of which rest, and what they bear in `state`.
    pub fn find(&mut self, world: &World, state: &State) {
        if self.bonds.replace(world.whole_bond_count()) != Some(world.whole_bond_count()) {
            self.group(world);
        }
        self.body_of.clone_from(&self.piece_of);
        self.is_awake.clear();
        self.is_awake.resize(self.count(), false);
        self.weigh(world, state);
    }

    fn group(&mut self, world: &World) {
        let pieces = Pieces::of(world);
        self.order = pieces.sorted();
        self.piece_of.resize(pieces.of_particle.len(), 0);
        self.spans.clear();
        let is_one = |&i: &u32, &j: &u32| pieces.of_particle[i as usize] == pieces.of_particle[j as usize];
        let mut first = 0;
        for piece in self.order.chunk_by(is_one) {
            let end = first + piece.len() as u32;
            piece.iter().for_each(|&i| self.piece_of[i as usize] = self.spans.len() as u32);
            self.spans.push([first, end]);
            first = end;
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

    /// The same for the `particles` of awake pieces, which these bonds hold together.
    pub fn weigh_awake<'a>(
        &mut self,
        world: &World,
        particles: &[u32],
        bonds: impl Iterator<Item = &'a Bond>,
        now: &State,
    ) {
        particles.iter().for_each(|&i| self.limits[i as usize] = Limit::NONE);
        for bond in bonds {
            let limit = limit(bond, self.share, world, now);
            bond.ends().iter().for_each(|&i| self.limits[i] = self.limits[i].lesser(&limit));
        }
    }

    /// The particles of a piece.
    pub fn members(&self, piece: usize) -> &[u32] {
        let [first, end] = self.spans[piece];
        &self.order[first as usize..end as usize]
    }

    /// The particles of some pieces, ascending.
    pub fn members_of(&self, pieces: &[usize]) -> Vec<u32> {
        let mut particles: Vec<u32> = pieces.iter().flat_map(|&piece| self.members(piece)).copied().collect();
        particles.sort_unstable();
        particles
    }

    /// How many pieces there are.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// Whether a piece is awake.
    pub fn is_awake(&self, piece: usize) -> bool {
        self.is_awake[piece]
    }

    /// The awake pieces.
    pub fn awake(&self) -> impl Iterator<Item = usize> {
        (0..self.count()).filter(|&piece| self.is_awake[piece])
    }

    /// A piece is awake: its particles are these bodies.
    pub fn wake(&mut self, piece: usize, bodies: &[u32]) {
        let [first, end] = self.spans[piece];
        let members = &self.order[first as usize..end as usize];
        members.iter().zip(bodies).for_each(|(&i, &body)| self.body_of[i as usize] = body);
        self.is_awake[piece] = true;
    }

    /// A piece rests again: it is this body.
    pub fn settle(&mut self, piece: usize, body: u32) {
        let [first, end] = self.spans[piece];
        self.order[first as usize..end as usize].iter().for_each(|&i| self.body_of[i as usize] = body);
        self.is_awake[piece] = false;
    }

    /// An awake piece has come apart, into parts that `part_of` numbers: they are pieces of their own, the last ones but for the
    /// first of them.
    pub fn part(&mut self, piece: usize, part_of: impl Fn(u32) -> u32) {
        let [first, end] = self.spans[piece];
        let members = &mut self.order[first as usize..end as usize];
        members.sort_by_key(|&i| part_of(i));
        let (mut first, mut piece) = (first, piece);
        for part in members.chunk_by(|&i, &j| part_of(i) == part_of(j)) {
            let span = [first, first + part.len() as u32];
            if piece == self.spans.len() {
                self.spans.push(span);
                self.is_awake.push(true);
                // these pieces are not those of the world's bonds
                self.bonds = None;
            } else {
                self.spans[piece] = span;
            }
            part.iter().for_each(|&i| self.piece_of[i as usize] = piece as u32);
            (first, piece) = (span[1], self.spans.len());
        }
    }

    /// What the bonds of a particle bear besides what they do; no limit where its piece does not rest.
    pub fn limit(&self, particle: usize) -> &Limit {
        if self.is_awake[self.piece_of[particle] as usize] { &Limit::NONE } else { &self.limits[particle] }
    }

    /// The same where it does not rest too.
    pub fn limit_at_rest(&self, particle: usize) -> &Limit {
        &self.limits[particle]
    }
}

/// A `share` of what a bond bears besides what it does.
fn limit(bond: &Bond, share: f64, world: &World, state: &State) -> Limit {
    let (load, [sigma, tau]) = (BondLoad::of(bond, state), bond.strength);
    let modulus = modulus(bond);
    // of what is stronger than can be seen, no more than that counts
    let seen = STRAIN * modulus;
    let spare = |load: f64, strength: f64| if strength.is_finite() { (1.0 - load / strength).max(0.0) } else { 1.0 };
    let spare = spare(load.sigma(bond, world.axial), sigma).min(spare(load.tau(bond), tau));
    let stress = share * (spare * sigma.min(tau)).min(seen);
    let density = world.material_of(bond.i as usize).density;
    Limit { force: stress * bond.area(), stress, speed: stress / (modulus * density).sqrt() }
}
