use crate::contact::TangentialSpring;
use crate::contact::lanes::direction;
use crate::geometry::Vec3;
use crate::model::State;
use crate::parallel::CHUNK;
use crate::simd::{Level, Row8};

use super::drifts::{Drifts, added};
use super::pair_blocks::{BLOCK, DashpotBlock, SpringBlock};
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
    /// Where the latest committed springs are, 0 or 1.
    pub latest: usize,
    /// Active pairs of each block in contact at the start and at the end of the step, as bits.
    pub touching: [Vec<u8>; 2],
    /// Tangential springs of active pairs at the start and at the end, with friction.
    pub springs: [Vec<SpringBlock>; 2],
    /// Those of them that slid, as bits.
    pub slides: [Vec<u8>; 2],
    /// Places in the list of pairs that begin to touch, and how active pairs move then.
    beginning: Vec<u32>,
    moves: Vec<Move>,
    /// Sums over the pairs of each particle: dV/dx (N, N m), and in its own rows dissipation of friction and trapezoid error
    /// (J). The last row is spare.
    pub rows: Vec<Row8>,
    /// Dashpots of active pairs, with damping.
    pub dashpots: Vec<DashpotBlock>,
    is_damped: bool,
    /// Dissipation of friction, and trapezoid error, J.
    pub work: [f64; 2],
}

/// Place in the list of a pair that is active from now on, and its index among the active ones of before.
#[derive(Clone, Copy, Debug)]
struct Move {
    place: u32,
    from: Option<u32>,
}

impl Move {
    /// A pair that was passive.
    fn new(place: u32) -> Self {
        Self { place, from: None }
    }
}

impl ChunkForces {
    /// Empties the list, and keeps its room.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
        self.dashpots.clear();
        self.touching.iter_mut().for_each(Vec::clear);
        self.valid_for = -1.0;
    }

    /// Makes room for the results of `near` pairs, so that steps to come allocate nothing.
    pub(super) fn make_room(&mut self, near: usize, (has_friction, is_damped): (bool, bool)) {
        fn resize<T: Clone>(list: &mut Vec<T>, [count, most]: [usize; 2], with: T) {
            list.reserve(most.saturating_sub(list.len()));
            list.resize(count, with);
        }
        let (halo, blocks) = (&self.list.halo, near.div_ceil(BLOCK));
        let count = if self.list.indices.is_empty() { 0 } else { halo.rows() + 1 };
        let rows = [count, halo.own.len() + near + 1];
        resize(&mut self.rows, rows, Row8::ZERO);
        self.is_damped = is_damped;
        resize(&mut self.dashpots, [0, if is_damped { blocks } else { 0 }], DashpotBlock::NONE);
        self.list.reserve(near);
        self.touching.iter_mut().for_each(|list| resize(list, [0, blocks], 0));
        resize(&mut self.beginning, [0, near], 0);
        resize(&mut self.moves, [0, near], Move::new(0));
        if has_friction {
            self.springs.iter_mut().for_each(|list| resize(list, [0, blocks], SpringBlock::NONE));
            self.slides.iter_mut().for_each(|list| resize(list, [0, blocks], 0));
        }
    }

    /// Makes the pairs with loaded springs the active ones. The springs are those of `all` near pairs.
    pub(super) fn set_springs(&mut self, all: &[TangentialSpring], near: &NearPairs) {
        let Self { list, moves, .. } = self;
        let is_loaded = |&(_, &k): &(u32, &u32)| all.get(k as usize).is_some_and(TangentialSpring::is_loaded);
        moves.clear();
        moves.extend((0..).zip(&list.indices).filter(is_loaded).map(|(place, _)| Move::new(place)));
        self.move_active(near, !all.is_empty());
        for (at, &place) in self.list.active.iter().enumerate() {
            let (spring, block, lane) = (&all[self.list.indices[place as usize] as usize], at / BLOCK, at % BLOCK);
            self.springs[0][block].set(lane, spring);
            self.slides[0][block] |= u8::from(spring.slides) << lane;
            self.touching[0][block] |= 1 << lane;
        }
    }

    /// The spring of an active pair in contact at the start (0) or at the end (1), where particles are at `p` (m).
    pub(super) fn spring(&self, when: usize, (block, lane): (usize, usize), p: &[Vec3]) -> TangentialSpring {
        let pair = &self.list.blocks[block];
        let branch = p[pair.j[lane] as usize] - p[pair.i[lane] as usize];
        let slides = self.slides[when][block] >> lane & 1 == 1;
        self.springs[when][block].get(lane, slides, &branch, self.list.law(block))
    }

    /// Active pairs in contact at the start (0) or at the end (1): block and lane, and the index of the near pair.
    pub(super) fn touching(&self, when: usize) -> impl Iterator<Item = ((usize, usize), usize)> {
        let blocks = self.touching[when].iter().enumerate();
        let places = blocks.flat_map(|(block, &bits)| set_bits(bits.into()).map(move |lane| (block, lane)));
        places.map(|(block, lane)| {
            let place = self.list.active[BLOCK * block + lane];
            ((block, lane), self.list.indices[place as usize] as usize)
        })
    }

    /// How much nearer a particle of this chunk, `c`, and one of its partners may have come in a step, by the `travels` of all
    /// chunks, m.
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
        for (place, k) in self.touching(self.latest) {
            all[k] = self.spring(self.latest, place, p);
        }
    }

    /// Makes the end of the last committed step the start of the next one.
    pub(super) fn begin(&mut self) {
        if std::mem::take(&mut self.latest) == 1 {
            self.touching.swap(0, 1);
            self.springs.swap(0, 1);
            self.slides.swap(0, 1);
        }
    }

    /// Evaluates the pairs, and adds them up.
    pub(super) fn evaluate(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) {
        self.activate(level, task, near, before);
        self.rows.fill(Row8::ZERO);
        self.dashpots.resize(if self.is_damped { self.list.blocks.len() } else { 0 }, DashpotBlock::NONE);
        evaluate_pairs(level, task, self);
        self.work = [0.0; 2];
        for row in &self.rows[..self.list.halo.own.len()] {
            self.work[0] += row.0[6];
            self.work[1] += row.0[7];
        }
    }

    /// Makes pairs active before they touch, and passive when they are apart.
    fn activate(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) {
        /// Distances over that at which a pair begins to touch: all that touch are below the first, but for rounding. Where one
        /// more does, all those below the second become active, since others will soon.
        const TOUCHING: f64 = 1.0 + 1e-12;
        const SOON: f64 = 1.01;
        let states = [task.p, before];
        let states = &states[..if std::mem::take(&mut self.is_new) { 2 } else { 1 }];
        for factor in [TOUCHING, SOON] {
            self.beginning.clear();
            states.iter().for_each(|p| self.list.find_nearer(level, factor, p, &mut self.beginning));
            if self.beginning.is_empty() {
                return;
            }
        }
        self.beginning.sort_unstable();
        self.beginning.dedup();
        let Self { list, moves, .. } = self;
        let mut beginning = self.beginning.drain(..).peekable();
        moves.clear();
        for (from, &place) in (0..).zip(&list.active) {
            while let Some(new) = beginning.next_if(|&new| new < place) {
                moves.push(Move::new(new));
            }
            if [before, task.p].iter().any(|p| list.is_nearer(near, place, SOON, p)) {
                moves.push(Move { place, from: Some(from) });
            }
        }
        moves.extend(beginning.map(Move::new));
        self.move_active(near, task.has_friction);
    }

    /// Makes the pairs of `moves` the active ones, with what is known of their start.
    fn move_active(&mut self, near: &NearPairs, has_friction: bool) {
        let Self { list, moves, .. } = self;
        list.activate(moves.iter().map(|to| to.place), near);
        let blocks = list.blocks.len();
        let [touched, touching] = &mut self.touching;
        move_bits(moves, touched, touching, blocks);
        self.touching.swap(0, 1);
        self.touching[1].resize(blocks, 0);
        if has_friction {
            let [slid, slides] = &mut self.slides;
            move_bits(moves, slid, slides, blocks);
            let [from, to] = &mut self.springs;
            to.clear();
            to.resize(blocks, SpringBlock::NONE);
            for (at, to_be) in moves.iter().enumerate() {
                if let Some(old) = to_be.from {
                    to[at / BLOCK].copy(at % BLOCK, &from[old as usize / BLOCK], old as usize % BLOCK);
                }
            }
            self.springs.swap(0, 1);
            self.slides.swap(0, 1);
            self.springs[1].resize(blocks, SpringBlock::NONE);
            self.slides[1].resize(blocks, 0);
        }
    }

    /// Whether a pair of a block touches at the start or at the end.
    pub(super) fn may_push(&self, block: usize) -> bool {
        self.touching.iter().any(|touching| touching[block] != 0)
    }

    /// Powers (W) of the dashpots in the drifts before and after the step's end.
    pub(super) fn dashpot_powers(&self, after: &State) -> [f64; 2] {
        let [before, at_end] = dashpot_powers(Level::best(), self, after);
        [before, 2.0 * at_end - before]
    }

    /// Powers (W) of the corrections of normal forces in these drifts.
    pub(super) fn correction_powers(&self, drifts: &Drifts) -> [f64; 2] {
        let (mut sum, p) = ([0.0; 2], &drifts.after.p);
        let corrected = |(_, dashpots): &(usize, &DashpotBlock)| dashpots.correction != [0.0; BLOCK];
        for (block, dashpots) in self.dashpots.iter().enumerate().filter(corrected) {
            let pair = &self.list.blocks[block];
            for lane in set_bits(self.list.valid(block).into()) {
                let [i, j] = [pair.i[lane], pair.j[lane]].map(|particle| particle as usize);
                let (n, _) = direction::<f64>((&(p[j] - p[i])).into());
                let force = Vec3::from(n) * dashpots.correction[lane];
                let [of_i, of_j] = [i, j].map(|particle| drifts.velocities(particle));
                sum = added(sum, [force.dot(&(of_i[0] - of_j[0])), force.dot(&(of_i[1] - of_j[1]))]);
            }
        }
        sum
    }
}

/// Copies the bits of active pairs that stay, from blocks `from` to this many blocks `to`. The others are zero.
fn move_bits(moves: &[Move], from: &[u8], to: &mut Vec<u8>, blocks: usize) {
    to.clear();
    to.resize(blocks, 0);
    for (at, to_be) in moves.iter().enumerate() {
        if let Some(old) = to_be.from {
            let (block, lane) = (old as usize / BLOCK, old as usize % BLOCK);
            to[at / BLOCK] |= (from[block] >> lane & 1) << (at % BLOCK);
        }
    }
}
