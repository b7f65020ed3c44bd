use rayon::prelude::*;

use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Gradient, PairChunks, State, World};
use crate::parallel::{Halo, sum_parts};
use crate::simd::{Level, Row4, Row8};

use super::motions::pack_motions;
use super::pair_blocks::{BLOCK, SpringBlock};
use super::pair_kernel::{Task, evaluate_pairs};
use super::pair_list::{NearPairs, PairList};
use super::{StepFlows, set_bits};

/// Particles a chunk.
const CHUNK: usize = PairChunks::CHUNK;

/// Close pairs of an explicit step: near pairs that may overlap soon, in their own compact list, with their tangential springs
/// and the sums of their forces at the end of the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairForces {
    chunks: Vec<ChunkForces>,
    has_friction: bool,
    is_damped: bool,
    /// Positions at the end of the last committed step, m, with friction.
    ends: Vec<Vec3>,
    /// Whether tangential springs have changed since all were last written to those of near pairs.
    has_new_springs: bool,
    /// Whether all lists are those of the last evaluated step.
    is_evaluated: bool,
}

/// Close pairs whose first particle is in a chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkForces {
    pub list: PairList,
    /// The listed pairs are all that may overlap until this chunk and one of its partners have approached by so much, m; below
    /// zero where they are to be found anew.
    valid_for: f64,
    /// Chunks of second particles of near pairs, this one included.
    partners: Vec<u32>,
    /// Whether no step was evaluated since they were found.
    is_new: bool,
    /// Where the latest committed springs are, 0 or 1.
    latest: usize,
    /// Active pairs of each block in contact at the start and at the end of the step, as bits.
    pub touching: [Vec<u8>; 2],
    /// Tangential springs of active pairs at the start and at the end, with friction.
    pub springs: [Vec<SpringBlock>; 2],
    /// Those of them that slid, as bits.
    pub slides: [Vec<u8>; 2],
    /// Places of the pairs that begin to touch, and of the active pairs from then on, with their present places among those.
    beginning: Vec<u32>,
    moves: Vec<(u32, Option<u32>)>,
    /// Sums over the pairs of each particle: dV/dx (N, N m), and in its own rows dissipation of friction and trapezoid error
    /// (J). The last row is spare.
    pub rows: Vec<Row8>,
    /// Sums of the dashpots' part of dV/dp (N), and a zero, with damping.
    pub dashpots: Vec<Row4>,
    /// Dissipation of friction, and trapezoid error, J.
    work: [f64; 2],
}

impl ChunkForces {
    /// Makes room for the results of `near` pairs, so that steps to come allocate nothing.
    fn make_room(&mut self, near: usize, (has_friction, is_damped): (bool, bool)) {
        fn resize<T: Clone>(list: &mut Vec<T>, [count, most]: [usize; 2], with: T) {
            list.reserve(most.saturating_sub(list.len()));
            list.resize(count, with);
        }
        let (halo, blocks) = (&self.list.halo, near.div_ceil(BLOCK));
        let count = if self.list.indices.is_empty() { 0 } else { halo.rows() + 1 };
        let rows = [count, halo.own.len() + near + 1];
        resize(&mut self.rows, rows, Row8::ZERO);
        if is_damped {
            resize(&mut self.dashpots, rows, Row4::ZERO);
        }
        self.list.reserve(near);
        self.touching.iter_mut().for_each(|list| resize(list, [0, blocks], 0));
        resize(&mut self.beginning, [0, near], 0);
        resize(&mut self.moves, [0, near], (0, None));
        if has_friction {
            self.springs.iter_mut().for_each(|list| resize(list, [0, blocks], SpringBlock::NONE));
            self.slides.iter_mut().for_each(|list| resize(list, [0, blocks], 0));
        }
    }

    /// Makes the pairs with loaded springs the active ones. The springs are those of `all` near pairs.
    fn set_springs(&mut self, all: &[TangentialSpring], near: &NearPairs) {
        let Self { list, moves, .. } = self;
        let is_loaded = |&(_, &k): &(u32, &u32)| all.get(k as usize).is_some_and(TangentialSpring::is_loaded);
        moves.clear();
        moves.extend((0..).zip(&list.indices).filter(is_loaded).map(|(place, _)| (place, None)));
        self.move_active(near, !all.is_empty());
        for (at, &place) in self.list.active.iter().enumerate() {
            let (spring, block, lane) = (&all[self.list.indices[place as usize] as usize], at / BLOCK, at % BLOCK);
            self.springs[0][block].set(lane, spring);
            self.slides[0][block] |= u8::from(spring.slides) << lane;
            self.touching[0][block] |= 1 << lane;
        }
    }

    /// The spring of an active pair in contact at the start (0) or at the end (1), where particles are at `p` (m).
    fn spring(&self, when: usize, (block, lane): (usize, usize), p: &[Vec3]) -> TangentialSpring {
        let pair = &self.list.blocks[block];
        let branch = p[pair.j[lane] as usize] - p[pair.i[lane] as usize];
        let slides = self.slides[when][block] >> lane & 1 == 1;
        self.springs[when][block].get(lane, slides, &branch, self.list.law(block))
    }

    /// Active pairs in contact at the start (0) or at the end (1): block and lane, and the index of the near pair.
    fn touching(&self, when: usize) -> impl Iterator<Item = ((usize, usize), usize)> {
        let blocks = self.touching[when].iter().enumerate();
        let places = blocks.flat_map(|(block, &bits)| set_bits(bits.into()).map(move |lane| (block, lane)));
        places.map(|(block, lane)| {
            let place = self.list.active[BLOCK * block + lane];
            ((block, lane), self.list.indices[place as usize] as usize)
        })
    }

    /// How much nearer a particle of this chunk, `c`, and one of its partners may have come in a step, by the `travels` of all
    /// chunks, m.
    fn approach(&self, c: usize, travels: &[f64]) -> f64 {
        let others = self.partners.iter().map(|&partner| travels[partner as usize]);
        travels[c] + others.fold(0.0, f64::max)
    }

    /// Whether the listed pairs are all that may overlap. They are not where a travel is NaN.
    fn is_valid(&self) -> bool {
        self.valid_for >= 0.0
    }

    /// Sets the partners to the chunks of these second particles.
    fn find_partners(&mut self, seconds: impl Iterator<Item = u32>) {
        self.partners.clear();
        for partner in seconds.map(|j| j / CHUNK as u32) {
            if !self.partners.contains(&partner) {
                self.partners.push(partner);
            }
        }
    }

    /// Writes the latest tangential springs to those of `all` near pairs. Particles were at `p` (m) at the end of the last
    /// committed step.
    fn write_springs(&self, all: &mut [TangentialSpring], p: &[Vec3]) {
        if all.is_empty() {
            return;
        }
        self.list.indices.iter().for_each(|&k| all[k as usize] = TangentialSpring::default());
        for (place, k) in self.touching(self.latest) {
            all[k] = self.spring(self.latest, place, p);
        }
    }

    /// Makes the end of the last committed step the start of the next one.
    fn begin(&mut self) {
        if std::mem::take(&mut self.latest) == 1 {
            self.touching.swap(0, 1);
            self.springs.swap(0, 1);
            self.slides.swap(0, 1);
        }
    }

    /// Evaluates the pairs, and adds them up.
    fn evaluate(&mut self, level: Level, task: &Task, near: &NearPairs, before: &[Vec3]) {
        self.activate(level, task, near, before);
        self.rows.fill(Row8::ZERO);
        self.dashpots.fill(Row4::ZERO);
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
                moves.push((new, None));
            }
            if [before, task.p].iter().any(|p| list.is_nearer(near, place, SOON, p)) {
                moves.push((place, Some(from)));
            }
        }
        moves.extend(beginning.map(|new| (new, None)));
        self.move_active(near, task.has_friction);
    }

    /// Makes the pairs of `moves` the active ones, with what is known of their start.
    fn move_active(&mut self, near: &NearPairs, has_friction: bool) {
        let Self { list, moves, .. } = self;
        list.activate(moves.iter().map(|&(place, _)| place), near);
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
            for (at, &(_, old)) in moves.iter().enumerate() {
                if let Some(old) = old {
                    to[at / BLOCK].copy(at % BLOCK, &from[old as usize / BLOCK], old as usize % BLOCK);
                }
            }
            self.springs.swap(0, 1);
            self.slides.swap(0, 1);
            self.springs[1].resize(blocks, SpringBlock::NONE);
            self.slides[1].resize(blocks, 0);
        }
    }

    /// Power (W) of the dashpots at the velocities `v` (m/s).
    fn dashpot_power(&self, v: &[Vec3]) -> f64 {
        let mut sum = Vec3::zeros();
        for (i, &Row4([x, y, z, _])) in self.list.halo.nodes().zip(&self.dashpots) {
            sum += Vec3::new(x, y, z).component_mul(&v[i]);
        }
        sum.sum()
    }
}

impl PairForces {
    /// Empties the lists, and keeps their room.
    pub(crate) fn clear(&mut self) {
        for chunk in &mut self.chunks {
            chunk.list.clear();
            chunk.rows.clear();
            chunk.dashpots.clear();
            chunk.touching.iter_mut().for_each(Vec::clear);
            chunk.valid_for = -1.0;
        }
        (self.has_new_springs, self.is_evaluated) = (false, false);
    }

    /// Follows a step in which no particle of a chunk came off the common motion by more than its `travels` (m). Where those
    /// of two chunks together may matter, the pairs of `near` ones are found anew that are nearer than `gap` (m) at `p` (m).
    /// Their tangential springs are those of `all` (empty without friction), which are brought up to date.
    pub(crate) fn follow(
        &mut self,
        world: &World,
        (chunks, near): (&PairChunks, &[ContactPair]),
        all: &mut [TangentialSpring],
        travels: &[f64],
        (gap, p): (f64, &[Vec3]),
    ) {
        if self.chunks.len() != chunks.len() {
            self.chunks = vec![ChunkForces { valid_for: -1.0, ..ChunkForces::default() }; chunks.len()];
        }
        let mut any = false;
        for (c, chunk) in self.chunks.iter_mut().enumerate() {
            chunk.valid_for -= chunk.approach(c, travels);
            if !chunk.is_valid() {
                any = true;
                chunk.write_springs(all, &self.ends);
            }
        }
        if !any {
            return;
        }
        self.is_evaluated = false;
        (self.has_friction, self.is_damped) = (!all.is_empty(), world.contact_damping > 0.0);
        let kinds = (self.has_friction, self.is_damped);
        let (near, all) = (NearPairs { pairs: near, radius: &world.particles.radius }, &*all);
        let stale = self.chunks.par_iter_mut().enumerate().filter(|(_, chunk)| !chunk.is_valid());
        stale.for_each(|(c, chunk)| {
            chunk.find_partners(near.pairs[chunks.owned(c)].iter().map(|pair| pair.j));
            // those that parted in this step are in contact at its start
            let reach = gap + chunk.approach(c, travels);
            let is_loaded = |k: usize| all.get(k).is_some_and(TangentialSpring::is_loaded);
            let is_close = |&k: &usize| near.pairs[k].is_nearer(reach, p) || is_loaded(k);
            let close = chunks.owned(c).filter(is_close).map(|k| k as u32);
            chunk.list.set(chunks.range(c), close, &near);
            chunk.work = [0.0; 2];
            chunk.make_room(chunks.owned(c).len(), kinds);
            chunk.set_springs(all, &near);
            (chunk.valid_for, chunk.is_new, chunk.latest) = (gap, true, 0);
        });
        Halo::link(&mut self.chunks, CHUNK, |chunk| &mut chunk.list.halo);
    }

    /// Whether tangential springs of near pairs are these, and not those that [`Self::write_springs`] has written last.
    pub(crate) fn has_new_springs(&self) -> bool {
        self.has_new_springs
    }

    /// Writes the tangential springs at the end of the last committed step to those of `all` near pairs.
    pub(crate) fn write_springs(&self, all: &mut [TangentialSpring]) {
        self.chunks.iter().for_each(|chunk| chunk.write_springs(all, &self.ends));
    }

    /// Indices of the near pairs in contact at the end of the evaluated step, ascending; none where no step was evaluated.
    pub(crate) fn touching(&self) -> Option<impl Iterator<Item = usize>> {
        self.is_evaluated.then_some(self.chunks.iter().flat_map(|chunk| chunk.touching(1).map(|(_, k)| k)))
    }

    /// Whether no pair is in contact at the end.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.touching[1].iter().all(|&bits| bits == 0))
    }

    /// Evaluates the close ones of the `near` pairs in a step between two states. See
    /// [`StepForces::evaluate`](super::StepForces::evaluate).
    pub(crate) fn evaluate(
        &mut self,
        world: &World,
        near: &[ContactPair],
        [before, after]: [&State; 2],
        motions: &mut Vec<Row8>,
    ) {
        self.is_evaluated = true;
        if motions.is_empty() && self.chunks.iter().any(|chunk| !chunk.list.indices.is_empty()) {
            pack_motions(before, after, motions);
        }
        let task = Task {
            law: world.contact_law,
            has_friction: self.has_friction,
            rate: if self.is_damped { 1.0 / (after.time - before.time) } else { 0.0 },
            p: &after.p,
            motions,
        };
        let near = NearPairs { pairs: near, radius: &world.particles.radius };
        let level = Level::best();
        self.chunks.par_iter_mut().filter(|chunk| !chunk.list.indices.is_empty()).for_each(|chunk| {
            chunk.begin();
            chunk.evaluate(level, &task, &near, &before.p);
        });
    }

    /// Writes the gradients of all pairs to `out`.
    pub(crate) fn write(&self, out: &mut [Gradient]) {
        let chunks = &self.chunks[..];
        out.par_chunks_mut(CHUNK).zip(chunks).for_each(|(out, chunk)| {
            if chunk.rows.is_empty() {
                out.fill(Gradient::default());
            }
            out.iter_mut().zip(&chunk.rows).for_each(|(out, row)| *out = gradient(row));
            let halo = |from: usize| &chunks[from].list.halo;
            chunk.list.halo.gather(halo, |k, from, row| out[k] += gradient(&chunks[from].rows[row]));
        });
    }

    /// Commits the evaluated step: its springs are those of the next one's start. Returns the energy flows of a step that
    /// ended `after`.
    pub(crate) fn commit(&mut self, after: &State) -> StepFlows {
        self.has_new_springs = self.has_friction;
        self.chunks.iter_mut().for_each(|chunk| chunk.latest = 1);
        self.ends.resize(if self.has_friction { after.len() } else { 0 }, Vec3::zeros());
        self.ends.par_chunks_mut(CHUNK).zip(after.p.par_chunks(CHUNK)).for_each(|(ends, p)| ends.copy_from_slice(p));
        sum_parts(self.chunks.par_iter(), |chunk| {
            let mut flows = StepFlows { dashpot_power: chunk.dashpot_power(&after.v), ..StepFlows::default() };
            [flows.friction.lost, flows.trapezoid_error] = chunk.work;
            flows
        })
    }
}

/// Copies the bits of active pairs that stay, from blocks `from` to this many blocks `to`. The others are zero.
fn move_bits(moves: &[(u32, Option<u32>)], from: &[u8], to: &mut Vec<u8>, blocks: usize) {
    to.clear();
    to.resize(blocks, 0);
    for (at, &(_, old)) in moves.iter().enumerate() {
        if let Some(old) = old {
            let (block, lane) = (old as usize / BLOCK, old as usize % BLOCK);
            to[at / BLOCK] |= (from[block] >> lane & 1) << (at % BLOCK);
        }
    }
}

#[inline(always)]
pub(super) fn gradient(&Row8([x, y, z, a, b, c, ..]): &Row8) -> Gradient {
    Gradient { p: Vec3::new(x, y, z), theta: Vec3::new(a, b, c) }
}
