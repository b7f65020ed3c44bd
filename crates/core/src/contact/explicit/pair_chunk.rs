use crate::contact::effective_mass::EffectiveMasses;
use crate::contact::lanes::direction;
use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::State;
use crate::parallel::CHUNK;
use crate::simd::{Level, Row8};

use super::drifts::{Drifts, added};
use super::pair_blocks::{BLOCK, DashpotBlock};
use super::pair_kernel::{Task, dashpot_powers, evaluate_pairs};
use super::pair_list::{NearPairs, PairList};
use super::set_bits;

/// Close pairs whose first particle is in a chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkForces {
    pub list: PairList,
    /// Approach of this chunk and a partner up to which no other pairs can overlap, m. Below zero the pairs are to be found
    /// anew.
    pub valid_for: f64,
    /// Chunks of second particles of near pairs, this one included.
    partners: Vec<u32>,
    /// Whether no step was evaluated since they were found.
    pub is_new: bool,
    /// Index of the latest committed springs, 0 or 1.
    pub latest: usize,
    /// Active pairs of each block in contact at the end of the step, as bits.
    pub touching: Vec<u8>,
    /// Tangential springs of listed pairs at the start and at the end, with friction: stretch (m), 1 for one that slid, and
    /// friction limit (N). The rest of a spring follows from the positions. Those of passive pairs are zero.
    pub springs: [Vec<Row8>; 2],
    /// Places in the list of pairs that begin to touch, and of those that are active then.
    beginning: Vec<u32>,
    active: Vec<u32>,
    /// Whether listed pairs may have other masses than their particles' own, and the indices of those that are active.
    is_heavy: bool,
    heavy: Vec<u32>,
    /// Sums over the pairs of each particle: dV/dx (N, N m), and in its own rows dissipation of friction and trapezoid error
    /// (J). The last row is spare.
    pub rows: Vec<Row8>,
    /// Dashpots of active pairs, with damping.
    pub dashpots: Vec<DashpotBlock>,
    is_damped: bool,
    /// Dissipation of friction, and trapezoid error, J.
    pub work: [f64; 2],
}

impl ChunkForces {
    /// Empties the list, and keeps its room.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
        self.dashpots.clear();
        self.touching.clear();
        self.heavy.clear();
        (self.is_heavy, self.valid_for) = (false, -1.0);
    }

    /// Makes room for the results of `near` pairs, so that steps to come allocate nothing.
    pub(super) fn make_room(&mut self, near: usize, (has_friction, is_damped): (bool, bool)) {
        fn resize<T: Clone>(list: &mut Vec<T>, [count, most]: [usize; 2], with: T) {
            list.clear();
            list.reserve(most);
            list.resize(count, with);
        }
        let (halo, blocks) = (&self.list.halo, near.div_ceil(BLOCK));
        let count = if self.list.indices.is_empty() { 0 } else { halo.rows() + 1 };
        let rows = [count, halo.own.len() + near + 1];
        resize(&mut self.rows, rows, Row8::ZERO);
        self.is_damped = is_damped;
        resize(&mut self.dashpots, [0, if is_damped { blocks } else { 0 }], DashpotBlock::NONE);
        self.list.reserve(near);
        resize(&mut self.touching, [0, blocks], 0);
        resize(&mut self.beginning, [0, near], 0);
        resize(&mut self.active, [0, near], 0);
        resize(&mut self.heavy, [0, near], 0);
        if has_friction {
            let listed = self.list.indices.len();
            self.springs.iter_mut().for_each(|list| resize(list, [listed, near], Row8::ZERO));
        }
    }

    /// Makes the pairs with loaded springs the active ones. The springs are those of `all` near pairs.
    pub(super) fn set_springs(&mut self, all: &[TangentialSpring], near: &NearPairs) {
        let Self { list, active, springs, .. } = self;
        active.clear();
        for (place, spring) in
            list.indices.iter().enumerate().filter_map(|(place, &k)| Some((place, all.get(k as usize)?)))
        {
            if spring.is_loaded() {
                let [x, y, z] = spring.stretch.into();
                springs[0][place] = Row8([x, y, z, f64::from(spring.slides), spring.limit, 0.0, 0.0, 0.0]);
                active.push(place as u32);
            }
        }
        list.activate(active, near);
        self.touching.clear();
        self.touching.resize(list.blocks.len(), 0);
    }

    /// The latest tangential spring of the active pair `at` an index, where particles are at `p` (m).
    fn spring(&self, at: usize, p: &[Vec3]) -> TangentialSpring {
        let (block, lane) = (at / BLOCK, at % BLOCK);
        let Row8([x, y, z, slid, limit, ..]) = self.springs[self.latest][self.list.active[at] as usize];
        if limit <= 0.0 {
            return TangentialSpring::default();
        }
        let ends = self.list.blocks[block].ends(lane);
        let (n, arms) = self.list.law(block).contact_point(lane, &(p[ends[1]] - p[ends[0]]));
        let stretch = Vec3::new(x, y, z);
        TangentialSpring { stretch, slides: slid > 0.0, n, shift: Vec3::zeros(), limit, arms }
    }

    /// Indices of the near pairs in contact at the end.
    pub(super) fn touching(&self) -> impl Iterator<Item = usize> {
        let blocks = self.touching.iter().enumerate();
        let active = blocks.flat_map(|(block, &bits)| set_bits(bits.into()).map(move |lane| BLOCK * block + lane));
        active.map(|at| self.list.indices[self.list.active[at] as usize] as usize)
    }

    /// Upper bound of the approach (m) of a particle of this chunk `c` and one of its partners in a step, from the `travels` (m) of
    /// all chunks.
    pub(super) fn approach(&self, c: usize, travels: &[f64]) -> f64 {
        let others = self.partners.iter().map(|&partner| travels[partner as usize]);
        travels[c] + others.fold(0.0, f64::max)
    }

    /// Whether the listed pairs are all that may overlap. They are not where a travel is NaN.
    pub(super) fn is_valid(&self) -> bool {
        self.valid_for >= 0.0
    }

    /// Sets the partners to the chunks of these second particles.
    pub(super) fn find_partners(&mut self, seconds: impl Iterator<Item = u32>) {
        self.partners.clear();
        for partner in seconds.map(|j| j / CHUNK as u32) {
            if !self.partners.contains(&partner) {
                self.partners.push(partner);
            }
        }
    }

    /// Writes the latest tangential springs to those of `all` near pairs. Particles were at `p` (m) at the end of the last
    /// committed step.
    pub(super) fn write_springs(&self, all: &mut [TangentialSpring], p: &[Vec3]) {
        if all.is_empty() {
            return;
        }
        self.list.indices.iter().for_each(|&k| all[k as usize] = TangentialSpring::default());
        for (at, &place) in self.list.active.iter().enumerate() {
            all[self.list.indices[place as usize] as usize] = self.spring(at, p);
        }
    }

    /// Makes the end of the last committed step the start of the next one.
    fn begin(&mut self) {
        if std::mem::take(&mut self.latest) == 1 {
            self.springs.swap(0, 1);
        }
    }

    /// Sets whether listed pairs may have other masses than their particles' own. Their blocks have laws of their own then.
    pub(super) fn set_heavy(&mut self, near: &NearPairs, masses: &EffectiveMasses) {
        let mut listed = self.list.indices.iter().map(|&k| &near.pairs[k as usize]);
        self.is_heavy = !masses.is_empty() && listed.any(|pair| masses.differ(pair));
        if self.is_heavy {
            self.list.part_laws();
        }
    }

    /// Finds the active pairs of a chunk that has them.
    fn find_heavy(&mut self, near: &NearPairs, masses: &EffectiveMasses) {
        let Self { heavy, list, .. } = self;
        heavy.clear();
        let differs = |place: u32| masses.differ(list.pair(near, place));
        heavy.extend((0..).zip(&list.active).filter(|(_, place)| differs(**place)).map(|(at, _): (u32, _)| at));
    }

    /// These pairs, by the index of the active one.
    pub(super) fn heavy<'a>(&'a self, near: &NearPairs<'a>) -> impl Iterator<Item = (usize, &'a ContactPair)> {
        let near = *near;
        self.heavy.iter().map(move |&at| (at as usize, self.list.pair(&near, self.list.active[at as usize])))
    }

    /// Sets their damping, N s/m, where it is known.
    pub(super) fn set_damping(&mut self, near: &NearPairs, damping: impl Fn(&ContactPair) -> Option<f64>) {
        for at in self.heavy.iter().map(|&at| at as usize) {
            if let Some(damping) = damping(self.list.pair(near, self.list.active[at])) {
                self.list.set_damping(at, damping);
            }
        }
    }

    /// Begins a step: makes pairs active before they touch. Returns whether others may be active than before.
    fn prepare(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) -> bool {
        self.begin();
        self.activate(level, task, near, before)
    }

    /// Begins a step where listed pairs may have other masses, and finds those.
    pub(super) fn prepare_heavy(
        &mut self,
        level: Level,
        task: &Task,
        near: &NearPairs,
        (before, masses): (&[Vec3], &EffectiveMasses),
    ) {
        if self.is_heavy && self.prepare(level, task, near, before) {
            self.find_heavy(near, masses);
        }
    }

    /// Evaluates the pairs, and adds them up.
    pub(super) fn evaluate(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) {
        if self.list.indices.is_empty() {
            return;
        }
        if !self.is_heavy {
            self.prepare(level, task, near, before);
        }
        self.rows.fill(Row8::ZERO);
        self.dashpots.resize(if self.is_damped { self.list.blocks.len() } else { 0 }, DashpotBlock::NONE);
        evaluate_pairs(level, task, self);
        self.work = [0.0; 2];
        for row in &self.rows[..self.list.halo.own.len()] {
            self.work[0] += row.0[6];
            self.work[1] += row.0[7];
        }
    }

    /// Makes pairs active before they touch, and passive when they are apart. Returns whether others may be active than before.
    fn activate(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) -> bool {
        /// Distances over that at which a pair begins to touch: all that touch are below the first, but for rounding. Where one
        /// more does, all those below the second become active, since others will soon.
        const TOUCHING: f64 = 1.0 + 1e-12;
        const SOON: f64 = 1.01;
        let states = [task.p, before];
        let is_new = std::mem::take(&mut self.is_new);
        let states = &states[..if is_new { 2 } else { 1 }];
        for factor in [TOUCHING, SOON] {
            self.beginning.clear();
            states.iter().for_each(|p| self.list.find_nearer(level, factor, p, &mut self.beginning));
            if self.beginning.is_empty() {
                return is_new;
            }
        }
        self.beginning.sort_unstable();
        self.beginning.dedup();
        let Self { list, active, .. } = self;
        let mut beginning = self.beginning.drain(..).peekable();
        active.clear();
        for &place in &list.active {
            active.extend(std::iter::from_fn(|| beginning.next_if(|&new| new < place)));
            if [before, task.p].iter().any(|p| list.is_nearer(near, place, SOON, p)) {
                active.push(place);
            } else if task.has_friction {
                self.springs[1][place as usize] = Row8::ZERO;
            }
        }
        active.extend(beginning);
        list.activate(active, near);
        self.touching.resize(list.blocks.len(), 0);
        true
    }

    /// Powers (W) of the dashpots in the drifts before and after the step's end.
    pub(super) fn dashpot_powers(&self, level: Level, after: &State) -> [f64; 2] {
        let [before, at_end] = dashpot_powers(level, self, after);
        [before, 2.0 * at_end - before]
    }

    /// Powers (W) of the corrections of normal forces in these drifts.
    pub(super) fn correction_powers(&self, drifts: &Drifts) -> [f64; 2] {
        let (mut sum, p) = ([0.0; 2], &drifts.after.p);
        let corrected = |(_, dashpots): &(usize, &DashpotBlock)| dashpots.correction != [0.0; BLOCK];
        for (block, dashpots) in self.dashpots.iter().enumerate().filter(corrected) {
            for lane in set_bits(self.list.valid(block).into()) {
                let [i, j] = self.list.blocks[block].ends(lane);
                let (n, _) = direction::<f64>((&(p[j] - p[i])).into());
                let force = Vec3::from(n) * dashpots.correction[lane];
                let [of_i, of_j] = [i, j].map(|particle| drifts.velocities(particle));
                sum = added(sum, [force.dot(&(of_i[0] - of_j[0])), force.dot(&(of_i[1] - of_j[1]))]);
            }
        }
        sum
    }
}
