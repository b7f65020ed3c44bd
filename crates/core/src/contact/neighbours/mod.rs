mod memory;
mod part;

use std::sync::OnceLock;

use crate::geometry::approach::Blocks;
use crate::geometry::{Quat, Vec3, grid, mean, rotation};
use crate::model::{Bond, Gradient, Identity, Pair, PairChunks, State, World, insert_at};
use crate::simd::Row8;

use super::effective_mass::EffectiveMasses;
use super::explicit::{Drifts, PairForces, PairsInStep, StepFlows, WallForces, WallsInStep};
use super::{
    ContactPair, FrictionForce, FrictionWork, LimitChange, NearWalls, SurfaceMotion, TangentialSpring,
    TangentialSprings, WallTangentialSpring,
};

pub(crate) use memory::ContactHistory;
pub use memory::ContactState;
use memory::Marked;

/// Pairs of unbonded particles within a skin of each other. Excluded are pairs in one rigid body, and pairs whose particles are
/// both fully surrounded by bonds. The list is valid until two particles may have approached by the skin. Common translation
/// and rotation do not count.
#[derive(Clone, Debug)]
pub struct Neighbours {
    pairs: Vec<ContactPair>,
    chunks: PairChunks,
    /// Tangential springs; those of pairs are in `pair_forces` where it has newer ones.
    tangential: TangentialSprings,
    /// `tangential` with the newer springs of `pair_forces`, where it was asked for.
    newest: OnceLock<TangentialSprings>,
    /// Close pairs, and their forces in the last evaluated explicit step.
    pair_forces: PairForces,
    /// Forces of walls in that step.
    wall_forces: WallForces,
    near_walls: NearWalls,
    masses: EffectiveMasses,
    /// Springs on walls that acted in the last implicit step.
    springs_of_step: Vec<Vec<WallTangentialSpring>>,
    /// Positions when the list was made.
    anchors: Vec<Vec3>,
    blocks: Blocks,
    /// Upper bound of the displacement of any particle since then relative to a translation at `velocity`, m.
    travel: f64,
    /// Mean velocity of the particles at the last check of the list, m/s.
    velocity: Vec3,
    skin: f64,
    largest_radius: f64,
    /// Whether all radii are equal.
    equal: bool,
    version: Identity,
    searches: u64,
    marked: Marked,
}

/// Kissing number: largest number of equal spheres that touch one of their size.
const KISSING: u8 = 12;

/// Skin over the greatest radius. Second neighbours in a hexagonal packing are 0.83 radii apart, and stay out. At half of it
/// ropes and crushed sheets search twice as often, and take 1.3 times as long.
const SKIN: f64 = 0.8;

impl Neighbours {
    /// Near pairs of `world` at `state`.
    pub fn new(world: &World, state: &State) -> Self {
        let mut list = Self::none(world, state);
        list.search(world, state);
        list
    }

    /// An empty list. Until its update, particles pass through each other.
    pub fn none(world: &World, state: &State) -> Self {
        let largest_radius = world.particles.radius.iter().copied().fold(0.0, f64::max);
        Self {
            pairs: Vec::new(),
            tangential: TangentialSprings::new(world),
            pair_forces: PairForces::default(),
            wall_forces: WallForces::default(),
            near_walls: NearWalls::default(),
            springs_of_step: Vec::new(),
            masses: EffectiveMasses::new(world),
            newest: OnceLock::new(),
            chunks: PairChunks::new(world.particles.len(), &[] as &[ContactPair]),
            anchors: state.p.clone(),
            blocks: Blocks::new(&state.p, largest_radius),
            travel: 0.0,
            velocity: mean(&state.v),
            skin: SKIN * largest_radius,
            largest_radius,
            equal: world.particles.radius.iter().all(|&r| r == largest_radius),
            version: Identity::unique(),
            searches: 0,
            marked: Marked::default(),
        }
    }

    /// The pairs, sorted by `(i, j)`.
    pub fn pairs(&self) -> &[ContactPair] {
        &self.pairs
    }

    /// Chunks of sums over the pairs.
    pub fn chunks(&self) -> &PairChunks {
        &self.chunks
    }

    /// Friction of the pairs, and on walls.
    pub fn tangential_springs(&self) -> &TangentialSprings {
        if !self.pair_forces.has_new_springs() {
            return &self.tangential;
        }
        self.newest.get_or_init(|| {
            let mut newest = self.tangential.clone();
            self.pair_forces.write_springs(&mut newest.pairs);
            newest
        })
    }

    /// Friction of the pairs, and on walls, to change. The next step finds the close pairs anew.
    fn tangential_springs_mut(&mut self) -> &mut TangentialSprings {
        self.forget_close();
        &mut self.tangential
    }

    /// Indices of the pairs in contact at the end of the last evaluated explicit step. `None` if unknown.
    pub fn touching(&self) -> Option<impl Iterator<Item = usize>> {
        self.pair_forces.touching()
    }

    /// Pairs that may overlap, sorted: all, if those in contact are unknown.
    pub fn may_touch(&self) -> impl Iterator<Item = &ContactPair> {
        let known = self.touching();
        let all = if known.is_some() { &[] } else { &self.pairs[..] };
        known.into_iter().flatten().map(|k| &self.pairs[k]).chain(all)
    }

    /// Evaluates the contacts of a step between two states. The list must be [up to date](Self::update_after) with the end.
    /// `motions` has a row for each particle, displacement (m) and rotation; an empty one is filled where needed.
    pub fn evaluate_step(&mut self, world: &World, before: &State, after: &State, motions: &mut Vec<Row8>) {
        let Self { pair_forces, wall_forces, masses, tangential, .. } = self;
        let pairs = &PairsInStep { world, pairs: &self.pairs, before, after };
        let walls = &WallsInStep { world, near: &self.near_walls, before, after };
        let has_masses = !masses.is_empty();
        if has_masses {
            masses.begin(world, [before.time, after.time]);
            pair_forces.prepare(pairs, masses);
            wall_forces.find(walls, &tangential.walls);
            pair_forces.add_masses(pairs, masses);
            wall_forces.add_masses(walls, masses);
            pair_forces.set_masses(pairs, masses);
            wall_forces.set_masses(walls, masses);
        }
        pair_forces.evaluate(pairs, motions);
        wall_forces.evaluate(walls, &tangential.walls, has_masses);
    }

    /// Writes dV/dx (N, N m) of the contacts of the evaluated step to `out`. Returns false, and writes nothing, if there are
    /// none.
    pub fn step_gradient(&self, out: &mut [Gradient]) -> bool {
        if self.pair_forces.is_empty() && self.wall_forces.is_empty() {
            return false;
        }
        self.pair_forces.write(out);
        self.wall_forces.add(out);
        true
    }

    /// Commits the evaluated step between two states: tangential springs stretch or slide. The second has the velocities of the
    /// step's end.
    pub fn commit_step(&mut self, world: &World, [before, after]: [&State; 2]) -> StepFlows {
        self.newest.take();
        self.tangential.reference.clear();
        self.near_walls.hold(self.wall_forces.held_faces());
        let drifts = &Drifts { before, after, level: world.level };
        let mut flows = self.pair_forces.commit(drifts);
        flows += self.wall_forces.commit(&mut self.tangential.walls, drifts);
        flows
    }

    /// Orientations up to which tangential springs have the slip of an implicit step; empty between steps.
    pub(crate) fn reference(&self) -> &[Quat] {
        &self.tangential.reference
    }

    /// Springs on walls at the start of the last step of [`Self::commit_friction`], with its friction limits and normals.
    pub(crate) fn springs_of_step(&self) -> impl Iterator<Item = &WallTangentialSpring> {
        self.springs_of_step.iter().flatten()
    }

    /// Walls, the forces (N) of particles on them in the last explicit step, and where they act (m). `after` is its end.
    pub(crate) fn wall_forces<'a>(
        &'a self,
        world: &'a World,
        after: &'a State,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        self.wall_forces.forces(world, after)
    }

    /// Particles near walls, to change the faces that their centres are behind.
    fn near_walls_mut(&mut self) -> &mut NearWalls {
        &mut self.near_walls
    }

    /// Particle that is wholly behind a face of a wall that it went through, at the end `x` of a step from a time (s).
    pub(crate) fn passed(&self, world: &World, from: f64, x: &State) -> Option<usize> {
        self.near_walls.passed(world, from, x)
    }

    /// Particles that may touch walls at the state of the last [`Self::update`] or [`Self::update_after`].
    pub fn near_walls(&self) -> &NearWalls {
        &self.near_walls
    }

    /// Updates the friction limits to the normal forces in `x` after `motion`, for friction by this `rule`. Returns their change
    /// since the last update.
    pub fn update_friction_limits(
        &mut self,
        world: &World,
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> LimitChange {
        self.forget_close();
        self.set_masses(world, x, motion);
        self.tangential.update_limits((world, &self.pairs, &self.near_walls), x, motion, rule)
    }

    /// Sets the damping of the contacts of bodies by their effective masses at `x`, after a step of `motion`.
    fn set_masses(&mut self, world: &World, x: &State, motion: SurfaceMotion) {
        let Self { masses, pairs, near_walls, .. } = self;
        if masses.is_empty() {
            return;
        }
        masses.begin(world, [motion.start(x).time, x.time]);
        let heavy: Vec<usize> = (0..pairs.len()).filter(|&k| masses.differ(&pairs[k])).collect();
        let on_walls = near_walls.find(world, x, motion, |i| masses.differs(i));
        for &k in heavy.iter().filter(|&&k| pairs[k].overlaps(&x.p)) {
            masses.add_pair(world, x, [pairs[k].i, pairs[k].j]);
        }
        on_walls.iter().for_each(|(i, n)| masses.add(world, x, *i, n));
        for k in heavy {
            let mass = masses.of_pair(world, x, [pairs[k].i, pairs[k].j]);
            pairs[k].spring = pairs[k].spring.damped(masses.zeta(), mass);
        }
        near_walls.set_masses(on_walls.iter().map(|(i, n)| (*i, masses.on_wall(world, x, *i, n))));
    }

    /// Commits friction after the step of `motion`: tangential springs stretch or slide. Returns the dissipated energy, and the
    /// work of moving walls.
    pub fn commit_friction(
        &mut self,
        world: &World,
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        self.forget_close();
        self.springs_of_step.clone_from(&self.tangential.walls);
        let work = self.tangential.commit((world, &self.pairs, &self.near_walls), x, motion, rule);
        self.near_walls.hold_after(world, x, motion);
        work
    }

    /// Result of [`Self::commit_friction`], without its effect.
    pub(crate) fn friction_work(
        &self,
        world: &World,
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        self.tangential_springs().work((world, &self.pairs, &self.near_walls), x, motion, rule)
    }

    /// The friction of a pair; none where it is not in the list.
    fn tangential_spring_of(&self, ends: [usize; 2]) -> TangentialSpring {
        let at = self.pairs.binary_search_by_key(&ends, Pair::ends).ok();
        at.and_then(|at| self.tangential_springs().pairs.get(at)).copied().unwrap_or_default()
    }

    /// Sets the friction of a pair, if it is in the list, and pairs have any.
    fn set_tangential_spring(&mut self, ends: [usize; 2], tangential: TangentialSpring) {
        if let Ok(at) = self.pairs.binary_search_by_key(&ends, Pair::ends)
            && let Some(slot) = self.tangential_springs_mut().pairs.get_mut(at)
        {
            *slot = tangential;
        }
    }

    /// Rotates the tangential springs of pairs whose particles are carried by a common rotation `turn`.
    pub(crate) fn turn_friction<'a>(&mut self, turn: impl Fn([usize; 2]) -> Option<&'a Quat>) {
        self.forget_close();
        for (pair, tangential) in self.pairs.iter().zip(&mut self.tangential.pairs) {
            if *tangential != TangentialSpring::default()
                && let Some(turn) = turn(pair.ends())
            {
                tangential.stretch = rotation::rotate(turn, &tangential.stretch);
                tangential.n = rotation::rotate(turn, &tangential.n);
            }
        }
    }

    /// Identity of the list of near pairs.
    pub(crate) fn version(&self) -> Identity {
        self.version
    }

    /// Number of searches for near pairs.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Builds the list anew if it may lack a pair in contact at `state`. Returns whether it did.
    pub fn update(&mut self, world: &World, state: &State) -> bool {
        self.near_walls.forget();
        self.forget_close();
        let stale = self.is_stale(state);
        if stale {
            self.search(world, state);
        }
        stale
    }

    /// Velocity of the translation to which the travels of [`Self::update_after`] are relative, m/s.
    pub(crate) fn common_velocity(&self) -> Vec3 {
        self.velocity
    }

    /// As [`Self::update`], after a short step of `dt` (s) in which no particle of each chunk of [`CHUNK`](crate::parallel::CHUNK) particles moved
    /// relative to [`Self::velocity`] by more than its `travels` (m). Positions are read only if the sum of travels may exceed the
    /// skin.
    pub fn update_after(&mut self, travels: &[f64], dt: f64, world: &World, state: &State) -> bool {
        let travel = travels.iter().copied().fold(0.0, f64::max);
        let way = travel + dt * self.velocity.norm();
        self.near_walls.follow(way, [self.largest_radius, self.skin], world, state);
        self.travel += travel;
        let is_new = self.travel > 0.5 * self.skin && self.renew(world, state);
        self.find_close(travels, world, &state.p);
        is_new
    }

    /// Whether the list is up to date since the last [`Self::invalidate`].
    pub fn is_valid(&self) -> bool {
        self.travel < f64::INFINITY
    }

    /// Builds the list anew if it may lack a pair in contact at `state`, after [`Self::invalidate`].
    pub fn catch_up(&mut self, world: &World, state: &State) {
        if self.travel == f64::INFINITY {
            self.update(world, state);
        }
    }

    /// Finds close pairs at `p` (m) in the chunks whose lists may be incomplete after a step of these `travels` (m).
    fn find_close(&mut self, travels: &[f64], world: &World, p: &[Vec3]) {
        /// Largest gap of close pairs over the skin.
        const CLOSE: f64 = 0.5;
        let near = (&self.chunks, &self.pairs[..]);
        self.pair_forces.follow(
            (world, &self.masses),
            near,
            &mut self.tangential.pairs,
            travels,
            (CLOSE * self.skin, p),
        );
    }

    /// Marks the lists of close pairs as invalid.
    fn forget_close(&mut self) {
        if self.pair_forces.has_new_springs() {
            self.pair_forces.write_springs(&mut self.tangential.pairs);
        }
        self.newest.take();
        self.pair_forces.clear();
    }

    /// Reads the positions, and builds the list anew if little of its skin is left. Returns whether it did.
    fn renew(&mut self, world: &World, state: &State) -> bool {
        self.velocity = mean(&state.v);
        let margin = self.margin(state);
        // a list that would have to be looked at again at once had better be made anew
        if margin > 0.1 * self.skin {
            self.travel = 0.5 * (self.skin - margin);
            return false;
        }
        self.search(world, state);
        true
    }

    /// Notes that the particles are at `state`, which [`Self::update_after`] has not followed: its next call reads the positions.
    pub fn invalidate(&mut self, state: &State) {
        (self.travel, self.velocity) = (f64::INFINITY, mean(&state.v));
        self.near_walls.forget();
        self.tangential.reference.clear();
        self.forget_close();
    }

    /// Inserts the pairs whose bonds broke.
    pub fn add_pairs(&mut self, world: &World, broken: impl Iterator<Item = [u32; 2]>) {
        let is_new = |[i, j]: &[u32; 2]| world.particles.meet([*i, *j]) && self.find(*i, *j).is_none();
        let mut new: Vec<[u32; 2]> = broken.filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        new.sort_unstable();
        new.dedup();
        let new: Vec<_> = new.into_iter().map(|ends| ContactPair::new(ends, world)).collect();
        let place = |pair: &ContactPair| self.pairs.partition_point(|known| known.ends() < pair.ends());
        let places: Vec<_> = new.iter().map(place).collect();
        self.newest.take();
        self.pair_forces.admit(&places, &new);
        self.chunks.insert(&places, &new);
        self.tangential.insert(world, &places);
        insert_at(&mut self.pairs, &places, new.into_iter());
        self.version = Identity::unique();
    }

    /// The pair of particles `i < j`, if it is in the list.
    pub fn find(&self, i: u32, j: u32) -> Option<&ContactPair> {
        let at = self.pairs.binary_search_by_key(&(i, j), |c| (c.i, c.j)).ok()?;
        Some(&self.pairs[at])
    }

    /// The pair that a broken `bond` becomes, if it is in the list.
    pub fn after(&self, bond: &Bond) -> Option<&ContactPair> {
        self.find(bond.i, bond.j).filter(|_| !bond.model.keeps_contact())
    }

    /// Whether a pair may be in contact that is not in the list.
    pub fn is_stale(&mut self, state: &State) -> bool {
        // a NaN is stale too
        let margin = self.margin(state);
        margin < 0.0 || margin.is_nan()
    }

    /// Approach (m) that any two particles may still make before a pair may touch that is not in the list.
    fn margin(&mut self, state: &State) -> f64 {
        self.blocks.margin(&self.anchors, &state.p, self.largest_radius, self.skin)
    }

    fn search(&mut self, world: &World, state: &State) {
        let radius = &world.particles.contact_radius;
        let reach = |i: usize, j: usize| radius[i] + radius[j] + self.skin;
        let bonds = bond_counts(world);
        let inside = |i: usize| self.equal && bonds[i] >= KISSING;
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
        let mut known = self.pairs.iter().peekable();
        let pairs: Vec<_> = unbonded
            .map(|pair| {
                while known.next_if(|known| [known.i, known.j] < pair).is_some() {}
                known
                    .next_if(|known| [known.i, known.j] == pair)
                    .copied()
                    .unwrap_or_else(|| ContactPair::new(pair, world))
            })
            .collect();
        self.set_anchors(state.p.clone());
        self.travel = 0.0;
        self.searches += 1;
        if pairs != self.pairs {
            self.replace(world, pairs);
        }
    }

    fn set_anchors(&mut self, anchors: Vec<Vec3>) {
        self.blocks = Blocks::new(&anchors, self.largest_radius);
        self.anchors = anchors;
    }

    fn replace(&mut self, world: &World, pairs: Vec<ContactPair>) {
        self.forget_close();
        self.chunks = PairChunks::new(world.particles.len(), &pairs);
        self.tangential.follow(world, &self.pairs, &pairs);
        self.pairs = pairs;
        self.version = Identity::unique();
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
