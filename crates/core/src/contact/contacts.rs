use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{Bond, Gradient, Identity, Pair, PairChunks, State, World};
use crate::neighbours::{ContactPair, NearPairs};
use crate::parallel::CHUNK;
use crate::simd::Row8;

use super::effective_mass::EffectiveMasses;
use super::explicit::{Drifts, StepContacts, StepFlows, StepInput};
use super::implicit::{LaggedFriction, WallFriction};
use super::memory::ContactHistory;
use super::{
    FrictionForce, FrictionWork, LimitChange, NearWalls, PairStep, SurfaceMotion, TangentialSpring, TangentialSprings,
};

/// Contacts of a world: near pairs and walls, tangential springs, and forces in a step.
#[derive(Clone, Debug)]
pub struct Contacts {
    pub(super) near: NearPairs,
    pub(super) near_walls: NearWalls,
    /// Tangential springs at the end of the last committed step.
    springs: TangentialSprings,
    /// Friction in an implicit step.
    lagged: LaggedFriction,
    /// Contacts of the last evaluated explicit step.
    step: StepContacts,
    pub(super) masses: EffectiveMasses,
    /// History at the start of a step's trial.
    pub(super) marked: ContactHistory,
}

impl Contacts {
    /// Contacts of `world` at `state`.
    pub fn new(world: &World, state: &State) -> Self {
        let mut contacts = Self::none(world, state);
        contacts.search(world, state);
        contacts
    }

    /// None. Until their update, particles pass through each other.
    pub fn none(world: &World, state: &State) -> Self {
        Self {
            near: NearPairs::none(world, state),
            near_walls: NearWalls::default(),
            springs: TangentialSprings::new(world),
            lagged: LaggedFriction::default(),
            step: StepContacts::default(),
            masses: EffectiveMasses::new(world),
            marked: ContactHistory::default(),
        }
    }

    /// The near pairs, sorted by `(i, j)`.
    pub fn pairs(&self) -> &[ContactPair] {
        self.near.list()
    }

    /// Chunks of sums over the pairs.
    pub fn chunks(&self) -> &PairChunks {
        self.near.chunks()
    }

    /// Tangential springs of the pairs, and on walls.
    pub fn tangential_springs(&self) -> &TangentialSprings {
        &self.springs
    }

    /// The same to change. The next step finds its contacts anew.
    pub(super) fn tangential_springs_mut(&mut self) -> &mut TangentialSprings {
        self.step.clear();
        self.lagged.clear();
        &mut self.springs
    }

    /// Pairs that may overlap, sorted: those in contact at the end of the last evaluated explicit step, and some others; all if these
    /// are unknown.
    pub fn may_touch(&self) -> impl Iterator<Item = &ContactPair> {
        let known = self.step.active(self.chunks());
        let all = if known.is_some() { &[] } else { self.pairs() };
        known.into_iter().flatten().map(|k| &self.pairs()[k]).chain(all)
    }

    /// Evaluates the contacts of a step between two states. The list must be [up to date](Self::update_after) with the end.
    /// `motions` has a row for each particle, displacement (m) and rotation, or none.
    pub fn evaluate_step(&mut self, world: &World, before: &State, after: &State, motions: &[Row8]) {
        self.lagged.clear();
        let Self { near, near_walls, springs, .. } = self;
        let step = StepInput { world, near, near_walls, springs, before, after, motions };
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
        self.near_walls.hold(self.step.kept_faces());
        self.step.commit(&mut self.springs, &Drifts { before, after })
    }

    /// The near pairs in the step of `motion` that leads to `x`.
    pub fn pairs_in<'a>(&'a self, world: &'a World, motion: SurfaceMotion<'a>, x: &'a State) -> PairStep<'a> {
        let step = PairStep::new(world, motion, x).turned_from(&self.lagged.reference);
        step.of(self.pairs(), &self.springs.pairs, &self.lagged.pairs)
    }

    /// Whether any contact has friction with a normal force.
    pub(crate) fn has_friction(&self) -> bool {
        let of_pairs = || match self.lagged.is_empty() {
            true => self.springs.pairs().any(|spring| spring.is_loaded()),
            false => self.lagged.pairs.iter().any(|Row8([_, _, _, limit, ..])| *limit > 0.0),
        };
        self.wall_frictions().any(|on| on.point.limit > 0.0) || of_pairs()
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
        let in_step = self.lagged.walls.get(chunk).filter(|_| !self.lagged.is_empty());
        let at_rest = self.springs.walls.get(chunk).filter(|_| self.lagged.is_empty());
        let in_step = in_step.map_or(&[][..], |list| of(list, i, |on| on.particle));
        let at_rest = at_rest.map_or(&[][..], |list| of(list, i, |on| on.particle));
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
        self.lagged.update(&self.springs, (world, self.near.list(), &self.near_walls), x, (motion, rule))
    }

    /// Sets the damping of the contacts of bodies by their effective masses at `x`, after a step of `motion`.
    fn set_masses(&mut self, world: &World, x: &State, motion: SurfaceMotion) {
        let Self { masses, near, near_walls, .. } = self;
        if masses.is_empty() {
            return;
        }
        let pairs = near.list_mut();
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
        self.near_walls.keep_faces_after(world, x, motion);
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
        self.lagged.settle(&self.springs, (world, self.near.list(), &self.near_walls), x, (motion, rule))
    }

    /// The friction of a pair; none where it is not in the list.
    pub(super) fn tangential_spring_of(&self, ends: [usize; 2]) -> TangentialSpring {
        let at = self.near.position(ends);
        at.and_then(|at| self.springs.pairs.get(at)).map(TangentialSpring::from_row).unwrap_or_default()
    }

    /// Sets the friction of a pair, if it is in the list, and pairs have any.
    pub(super) fn set_tangential_spring(&mut self, ends: [usize; 2], tangential: TangentialSpring) {
        if let Some(at) = self.near.position(ends)
            && let Some(slot) = self.tangential_springs_mut().pairs.get_mut(at)
        {
            *slot = tangential.row();
        }
    }

    /// Rotates the tangential springs of pairs whose particles are carried by a common rotation `turn`.
    pub(crate) fn turn_friction<'a>(&mut self, turn: impl Fn([usize; 2]) -> Option<&'a Quat>) {
        self.step.clear();
        for (pair, row) in self.near.list().iter().zip(&mut self.springs.pairs) {
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
        self.near.version()
    }

    /// Number of searches for near pairs.
    pub fn searches(&self) -> u64 {
        self.near.searches()
    }

    /// Builds the list of near pairs anew if it may lack one in contact at `state`. Returns whether it did.
    pub fn update(&mut self, world: &World, state: &State) -> bool {
        self.near_walls.particles_mut().forget();
        self.step.clear();
        let is_stale = self.near.is_stale(state);
        if is_stale {
            self.search(world, state);
        }
        is_stale
    }

    /// Velocity of the translation to which the travels of [`Self::update_after`] are relative, m/s.
    pub(crate) fn common_velocity(&self) -> Vec3 {
        self.near.common_velocity()
    }

    /// As [`Self::update`], after a short step of `dt` (s) in which no particle of each chunk of [`CHUNK`] particles moved
    /// relative to [`Self::common_velocity`] by more than its `travels` (m).
    pub fn update_after(&mut self, travels: &[f64], dt: f64, world: &World, state: &State) {
        let travel = travels.iter().copied().fold(0.0, f64::max);
        let way = travel + dt * self.near.common_velocity().norm();
        self.near_walls.particles_mut().follow(way, self.near.reach(), world, state);
        if let Some(old) = self.near.follow(travel, world, state) {
            self.follow(world, &old);
        }
        self.step.follow(&self.near, &self.springs.pairs, &self.masses, travels);
    }

    /// Whether the list of near pairs is up to date since the last [`Self::invalidate`].
    pub fn is_valid(&self) -> bool {
        self.near.is_valid()
    }

    /// Builds the list of near pairs anew if it may lack a pair in contact at `state`, after [`Self::invalidate`].
    pub fn catch_up(&mut self, world: &World, state: &State) {
        if !self.near.is_valid() {
            self.update(world, state);
        }
    }

    /// Notes that the particles are at `state`, which [`Self::update_after`] has not followed: its next call reads the positions.
    pub fn invalidate(&mut self, state: &State) {
        self.near.invalidate(state);
        self.near_walls.particles_mut().forget();
        self.lagged.clear();
        self.step.clear();
    }

    /// Inserts the pairs whose bonds broke.
    pub fn add_pairs(&mut self, world: &World, broken: impl Iterator<Item = [u32; 2]>) {
        let (new, places) = self.near.insert(world, broken);
        if !new.is_empty() {
            self.step.forget(&new);
            self.lagged.clear();
            self.springs.insert(world, &places);
        }
    }

    /// The pair that a broken `bond` becomes, if it is in the list.
    pub fn after(&self, bond: &Bond) -> Option<&ContactPair> {
        let at = self.near.position(bond.ends()).filter(|_| !bond.model.keeps_contact());
        at.map(|at| &self.near.list()[at])
    }

    /// Whether a pair may be in contact that is not in the list.
    pub fn is_stale(&mut self, state: &State) -> bool {
        self.near.is_stale(state)
    }

    fn search(&mut self, world: &World, state: &State) {
        if let Some(old) = self.near.search(world, state) {
            self.follow(world, &old);
        }
    }

    /// Carries springs over from `old` near pairs to those that have taken their place.
    pub(super) fn follow(&mut self, world: &World, old: &[ContactPair]) {
        self.step.clear();
        self.lagged.clear();
        self.springs.follow(world, old, self.near.list());
    }
}

/// Items of a sorted list with a `particle`.
fn of<T>(list: &[T], particle: u32, key: impl Fn(&T) -> u32) -> &[T] {
    let first = list.partition_point(|item| key(item) < particle);
    let count = list[first..].partition_point(|item| key(item) == particle);
    &list[first..first + count]
}
