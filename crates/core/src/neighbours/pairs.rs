use crate::geometry::approach::Blocks;
use crate::geometry::{Vec3, grid, mean};
use crate::model::{Bond, Identity, Pair, PairChunks, State, World, insert_at};

use super::ContactPair;

/// Pairs of unbonded particles within a skin of each other. Excluded are pairs in one rigid body, and pairs whose particles are
/// both fully surrounded by bonds. The list is valid until two particles may have approached by the skin. Common translation
/// and rotation do not count.
#[derive(Clone, Debug)]
pub struct NearPairs {
    list: Vec<ContactPair>,
    chunks: PairChunks,
    /// Positions when the list was made.
    anchors: Vec<Vec3>,
    blocks: Blocks,
    /// Upper bound of the displacement of any particle since then relative to a translation at `velocity`, m.
    travel: f64,
    /// Mean velocity of the particles at the last check of the list, m/s.
    velocity: Vec3,
    skin: f64,
    largest_radius: f64,
    version: Identity,
    searches: u64,
}

/// Age of a list of near pairs: what its next search depends on.
pub(crate) type Age<'a> = (&'a [Vec3], f64, Vec3);

/// Kissing number: largest number of equal spheres that touch one of their size.
const KISSING: u8 = 12;

/// Skin over the greatest radius. Second neighbours in a hexagonal packing are 0.83 radii apart, and stay out. At half of it
/// ropes and crushed sheets search twice as often, and take 1.3 times as long.
const SKIN: f64 = 0.8;

impl NearPairs {
    /// An empty list.
    pub(crate) fn none(world: &World, state: &State) -> Self {
        let largest_radius = world.particles.radius.iter().copied().fold(0.0, f64::max);
        Self {
            list: Vec::new(),
            chunks: PairChunks::new(world.particles.len(), &[] as &[ContactPair]),
            anchors: state.p.clone(),
            blocks: Blocks::new(&state.p, largest_radius),
            travel: 0.0,
            velocity: mean(&state.v),
            skin: SKIN * largest_radius,
            largest_radius,
            version: Identity::unique(),
            searches: 0,
        }
    }

    /// The pairs, sorted by `(i, j)`.
    pub(crate) fn list(&self) -> &[ContactPair] {
        &self.list
    }

    /// The same, to change their springs.
    pub(crate) fn list_mut(&mut self) -> &mut [ContactPair] {
        &mut self.list
    }

    /// Chunks of sums over the pairs.
    pub fn chunks(&self) -> &PairChunks {
        &self.chunks
    }

    /// Identity of the list.
    pub(crate) fn version(&self) -> Identity {
        self.version
    }

    /// Number of searches.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Largest radius of a particle, and gap up to which a pair is near, m.
    pub(crate) fn reach(&self) -> [f64; 2] {
        [self.largest_radius, self.skin]
    }

    /// Velocity of the translation to which the travels of [`Self::follow`] are relative, m/s.
    pub(crate) fn common_velocity(&self) -> Vec3 {
        self.velocity
    }

    /// Follows a step in which no particle moved by more than `travel` (m) relative to [`Self::common_velocity`]. Positions are read
    /// only if the sum of travels may exceed the skin. Returns the old list if another takes its place.
    pub(crate) fn follow(&mut self, travel: f64, world: &World, state: &State) -> Option<Vec<ContactPair>> {
        self.travel += travel;
        if self.travel <= 0.5 * self.skin {
            return None;
        }
        self.velocity = mean(&state.v);
        let margin = self.margin(state);
        // a list that would have to be looked at again at once had better be made anew
        if margin > 0.1 * self.skin {
            self.travel = 0.5 * (self.skin - margin);
            return None;
        }
        self.search(world, state)
    }

    /// Whether the list is up to date since the last [`Self::invalidate`].
    pub(crate) fn is_valid(&self) -> bool {
        self.travel < f64::INFINITY
    }

    /// Notes that the particles are at `state`, which [`Self::follow`] has not followed: its next call reads the positions.
    pub(crate) fn invalidate(&mut self, state: &State) {
        (self.travel, self.velocity) = (f64::INFINITY, mean(&state.v));
    }

    /// Whether a pair may be in contact that is not in the list.
    pub(crate) fn is_stale(&mut self, state: &State) -> bool {
        // a NaN is stale too
        let margin = self.margin(state);
        margin < 0.0 || margin.is_nan()
    }

    /// Approach (m) that any two particles may still make before a pair may touch that is not in the list.
    fn margin(&mut self, state: &State) -> f64 {
        self.blocks.margin(&self.anchors, &state.p, self.largest_radius, self.skin)
    }

    /// Index of the pair of particles `i < j`, if it is in the list.
    pub(crate) fn position(&self, ends: [usize; 2]) -> Option<usize> {
        self.list.binary_search_by_key(&ends, Pair::ends).ok()
    }

    /// Inserts pairs that may touch from now on. Returns the new ones and their places (ascending).
    pub(crate) fn insert(
        &mut self,
        world: &World,
        pairs: impl Iterator<Item = [u32; 2]>,
    ) -> (Vec<ContactPair>, Vec<usize>) {
        let is_new = |ends: &[u32; 2]| world.particles.meet(*ends) && self.position(ends.map(|i| i as usize)).is_none();
        let mut new: Vec<[u32; 2]> = pairs.filter(is_new).collect();
        new.sort_unstable();
        new.dedup();
        let new: Vec<_> = new.into_iter().map(|ends| ContactPair::new(ends, world)).collect();
        let place = |pair: &ContactPair| self.list.partition_point(|known| known.ends() < pair.ends());
        let places: Vec<_> = new.iter().map(place).collect();
        if !new.is_empty() {
            self.chunks.insert(&places, &new);
            insert_at(&mut self.list, &places, new.iter().copied());
            self.version = Identity::unique();
        }
        (new, places)
    }

    /// Builds the list anew at `state`. Returns the old one if they differ.
    pub(crate) fn search(&mut self, world: &World, state: &State) -> Option<Vec<ContactPair>> {
        let radius = &world.particles.contact_radius;
        let reach = |i: usize, j: usize| radius[i] + radius[j] + self.skin;
        let surrounded = surrounded(world);
        let inside = |i: usize| surrounded[i];
        let some_touch = radius.iter().any(|&r| r > 0.0);
        let max_reach = if some_touch { 2.0 * self.largest_radius + self.skin } else { 0.0 };
        let near = grid::pairs_within_except(&state.p, inside, reach, max_reach);
        // both lists are sorted, so the bonded pairs come out in one walk
        let apart = world.whole_bonds().filter(|bond| !bond.model.keeps_contact());
        let mut bonds = apart.map(|b| [b.i, b.j]).peekable();
        let rigid = rigid_bodies(world);
        let in_one =
            |[i, j]: [u32; 2]| rigid.get(i as usize).is_some_and(|body| *body != 0 && *body == rigid[j as usize]);
        let unbonded = near.into_iter().filter(|pair| {
            while bonds.next_if(|b| b < pair).is_some() {}
            bonds.peek() != Some(pair) && !in_one(*pair)
        });
        // both lists are sorted: pairs that were known are taken over
        let mut known = self.list.iter().peekable();
        let list: Vec<_> = unbonded
            .map(|pair| {
                while known.next_if(|known| [known.i, known.j] < pair).is_some() {}
                let same = known.next_if(|known| [known.i, known.j] == pair);
                same.copied().unwrap_or_else(|| ContactPair::new(pair, world))
            })
            .collect();
        self.set_anchors(state.p.clone());
        self.travel = 0.0;
        self.searches += 1;
        (list != self.list).then(|| self.replace(world, list))
    }

    /// Replaces the list. Returns the old one.
    pub(crate) fn replace(&mut self, world: &World, list: Vec<ContactPair>) -> Vec<ContactPair> {
        self.chunks = PairChunks::new(world.particles.len(), &list);
        self.version = Identity::unique();
        std::mem::replace(&mut self.list, list)
    }

    fn set_anchors(&mut self, anchors: Vec<Vec3>) {
        self.blocks = Blocks::new(&anchors, self.largest_radius);
        self.anchors = anchors;
    }

    /// Age of the list.
    pub(crate) fn age(&self) -> Age<'_> {
        (&self.anchors, self.travel, self.velocity)
    }

    /// Sets the age of the list.
    pub(crate) fn set_age(&mut self, (anchors, travel, velocity): Age) {
        self.set_anchors(anchors.to_vec());
        (self.travel, self.velocity) = (travel, velocity);
    }
}

/// The number of each particle's rigid body, from one; zeros for others, and nothing where there is no rigid body.
fn rigid_bodies(world: &World) -> Vec<u32> {
    let mut numbers = vec![0; if world.rigid.is_empty() { 0 } else { world.particles.len() }];
    for (body, number) in world.rigid.iter().zip(1..) {
        numbers[body.particles.clone()].fill(number);
    }
    numbers
}

/// Whether each particle touches twelve others that it is bonded to, where all have one radius: there is no room for another.
pub fn surrounded(world: &World) -> Vec<bool> {
    let equal = world.particles.radius.windows(2).all(|pair| pair[0] == pair[1]);
    bond_counts(world).into_iter().map(|bonds| equal && bonds >= KISSING).collect()
}

/// Number of bonded neighbours that each particle touches, at most 255. Bonded particles have no contact.
fn bond_counts(world: &World) -> Vec<u8> {
    /// Length of a bond over the distance of touching spheres, less one, above which the bond spans a gap and covers no surface.
    const TOUCH: f64 = 0.01;
    let mut counts = vec![0u8; world.particles.len()];
    let closes = |bond: &&Bond| bond.l0 < 2.0 * bond.r0 * (1.0 + TOUCH) && !bond.model.keeps_contact();
    for bond in world.whole_bonds().filter(closes) {
        for i in [bond.i, bond.j] {
            counts[i as usize] = counts[i as usize].saturating_add(1);
        }
    }
    counts
}
