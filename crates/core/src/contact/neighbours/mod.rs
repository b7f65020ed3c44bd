mod memory;
mod part;

use crate::geometry::approach::Blocks;
use crate::geometry::{Quat, Vec3, grid, mean, rotation};
use crate::model::{Bond, Gradient, Identity, Pair, PairChunks, State, World, insert_at};
use crate::parallel::CHUNK;
use crate::simd::Row8;

use super::effective_mass::EffectiveMasses;
use super::explicit::{Drifts, StepContacts, StepFlows, StepInput};
use super::implicit::{LaggedFriction, WallFriction};
use super::{
    ContactPair, FrictionForce, FrictionWork, LimitChange, NearWalls, PairStep, SurfaceMotion, TangentialSpring,
    TangentialSprings,
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
    /// Tangential springs at the end of the last committed step.
    springs: TangentialSprings,
    /// Friction in an implicit step.
    lagged: LaggedFriction,
    /// Contacts of the last evaluated explicit step.
    step: StepContacts,
    near_walls: NearWalls,
    masses: EffectiveMasses,
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
            springs: TangentialSprings::new(world),
            lagged: LaggedFriction::default(),
            step: StepContacts::default(),
            near_walls: NearWalls::default(),
            masses: EffectiveMasses::new(world),
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

    /// Tangential springs of the pairs, and on walls.
    pub fn tangential_springs(&self) -> &TangentialSprings {
        &self.springs
    }

    /// The same to change. The next step finds its contacts anew.
    fn tangential_springs_mut(&mut self) -> &mut TangentialSprings {
        self.step.clear();
        self.lagged.clear();
        &mut self.springs
    }

    /// Pairs that may overlap, sorted: those in contact at the end of the last evaluated explicit step, and some others; all if these
    /// are unknown.
    pub fn may_touch(&self) -> impl Iterator<Item = &ContactPair> {
        let known = self.step.active(&self.chunks);
        let all = if known.is_some() { &[] } else { &self.pairs[..] };
        known.into_iter().flatten().map(|k| &self.pairs[k]).chain(all)
    }

    /// Evaluates the contacts of a step between two states. The list must be [up to date](Self::update_after) with the end.
    /// `motions` has a row for each particle, displacement (m) and rotation, or none.
    pub fn evaluate_step(&mut self, world: &World, before: &State, after: &State, motions: &[Row8]) {
        self.lagged.clear();
        let Self { pairs, chunks, near_walls, springs, .. } = self;
        let step = StepInput { world, pairs, chunks, near_walls, springs, before, after, motions };
        self.step.evaluate(&step, &mut self.masses);
    }

    /// Writes dV/dx (N, N m) of the contacts of the evaluated step to `out`. Returns false, and writes nothing, if there are
    /// none.
    pub fn step_gradient(&self, out: &mut [Gradient]) -> bool {
        let is_empty = self.step.is_empty();
        if !is_empty {
            self.step.write(out);
        }
        !is_empty
    }

    /// Commits the evaluated step between two states: tangential springs stretch or slide. The second has the velocities of the
    /// step's end.
    pub fn commit_step(&mut self, [before, after]: [&State; 2]) -> StepFlows {
        self.lagged.clear();
        self.near_walls.hold(self.step.held_faces());
        self.step.commit(&mut self.springs, &Drifts { before, after })
    }

    /// The near pairs in the step of `motion` that leads to `x`.
    pub fn pairs_in<'a>(&'a self, world: &'a World, motion: SurfaceMotion<'a>, x: &'a State) -> PairStep<'a> {
        let step = PairStep::new(world, motion, x).turned_from(&self.lagged.reference);
        step.of(&self.pairs, &self.springs.pairs, &self.lagged.pairs)
    }

    /// Whether any contact has friction with a normal force.
    pub(crate) fn has_friction(&self) -> bool {
        let mut on_walls = self.wall_frictions();
        let limits = if self.lagged.is_empty() { (&self.springs.pairs, 7) } else { (&self.lagged.pairs, 3) };
        on_walls.any(|on| on.point.limit > 0.0) || limits.0.iter().any(|row| row.0[limits.1] != 0.0)
    }

    /// Friction on walls, sorted by particle: in an implicit step, or at rest.
    pub(crate) fn wall_frictions(&self) -> impl Iterator<Item = WallFriction> {
        let (in_step, at_rest) = match self.lagged.is_empty() {
            true => (&[][..], &self.springs.walls[..]),
            false => (&self.lagged.walls[..], &[][..]),
        };
        in_step.iter().flatten().copied().chain(at_rest.iter().flatten().map(WallFriction::of))
    }

    /// The same of one particle.
    pub(crate) fn wall_frictions_of(&self, particle: usize) -> impl Iterator<Item = WallFriction> {
        let (chunk, i) = (particle / CHUNK, particle as u32);
        let [in_step, at_rest] = [!self.lagged.is_empty(), self.lagged.is_empty()];
        let in_step =
            self.lagged.walls.get(chunk).filter(|_| in_step).map_or(&[][..], |list| of(list, i, |on| on.particle));
        let at_rest =
            self.springs.walls.get(chunk).filter(|_| at_rest).map_or(&[][..], |list| of(list, i, |on| on.particle));
        in_step.iter().copied().chain(at_rest.iter().map(WallFriction::of))
    }

    /// Orientations up to which friction has the slip of an implicit step; empty between steps.
    pub(crate) fn reference(&self) -> &[Quat] {
        &self.lagged.reference
    }

    /// Friction on walls in the last implicit step.
    pub(crate) fn last_wall_frictions(&self) -> impl Iterator<Item = WallFriction> {
        self.lagged.walls.iter().flatten().copied()
    }

    /// Walls, the forces (N) of particles on them in the last explicit step, and where they act (m). `after` is its end.
    pub(crate) fn wall_forces<'a>(
        &'a self,
        world: &'a World,
        after: &'a State,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        self.step.on_walls(world, after)
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
        self.step.clear();
        self.set_masses(world, x, motion);
        self.lagged.update(&self.springs, (world, &self.pairs, &self.near_walls), x, (motion, rule))
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
        let work = self.friction_work(world, x, motion, rule);
        self.lagged.commit(&mut self.springs);
        self.near_walls.hold_after(world, x, motion);
        work
    }

    /// Result of [`Self::commit_friction`], without its effect.
    pub(crate) fn friction_work(
        &mut self,
        world: &World,
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        self.step.clear();
        self.lagged.settle(&self.springs, (world, &self.pairs, &self.near_walls), x, (motion, rule))
    }

    /// The friction of a pair; none where it is not in the list.
    fn tangential_spring_of(&self, ends: [usize; 2]) -> TangentialSpring {
        let at = self.pairs.binary_search_by_key(&ends, Pair::ends).ok();
        at.and_then(|at| self.springs.pairs.get(at)).map(TangentialSpring::from_row).unwrap_or_default()
    }

    /// Sets the friction of a pair, if it is in the list, and pairs have any.
    fn set_tangential_spring(&mut self, ends: [usize; 2], tangential: TangentialSpring) {
        if let Ok(at) = self.pairs.binary_search_by_key(&ends, Pair::ends)
            && let Some(slot) = self.tangential_springs_mut().pairs.get_mut(at)
        {
            *slot = tangential.row();
        }
    }

    /// Rotates the tangential springs of pairs whose particles are carried by a common rotation `turn`.
    pub(crate) fn turn_friction<'a>(&mut self, turn: impl Fn([usize; 2]) -> Option<&'a Quat>) {
        self.step.clear();
        for (pair, row) in self.pairs.iter().zip(&mut self.springs.pairs) {
            let mut spring = TangentialSpring::from_row(row);
            if spring.is_loaded()
                && let Some(turn) = turn(pair.ends())
            {
                spring.stretch = rotation::rotate(turn, &spring.stretch);
                spring.n = rotation::rotate(turn, &spring.n);
                *row = spring.row();
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
        self.step.clear();
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
        self.step.follow((&self.chunks, &self.pairs), &self.springs.pairs, &self.masses, travels);
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
        self.lagged.clear();
        self.step.clear();
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
        self.step.forget(&new);
        self.lagged.clear();
        self.chunks.insert(&places, &new);
        self.springs.insert(world, &places);
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
        self.step.clear();
        self.chunks = PairChunks::new(world.particles.len(), &pairs);
        self.springs.follow(world, &self.pairs, &pairs);
        self.pairs = pairs;
        self.version = Identity::unique();
    }
}

/// Items of a sorted list with a `particle`.
fn of<T>(list: &[T], particle: u32, key: impl Fn(&T) -> u32) -> &[T] {
    let first = list.partition_point(|item| key(item) < particle);
    let count = list[first..].partition_point(|item| key(item) == particle);
    &list[first..first + count]
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
