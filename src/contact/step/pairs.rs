use rayon::prelude::*;

use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Gradient, PairChunks, State, World};
use crate::parallel::{Halo, sum_parts};
use crate::simd::{Level, Row4, Row8};

use super::StepFlows;
use super::motions::pack_motions;
use super::pair_blocks::{BLOCK, SpringBlock};
use super::pair_kernel::{Task, evaluate_pairs};
use super::pair_list::PairList;

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
    /// Whether the evaluated step is committed.
    is_committed: bool,
    /// Whether the tangential springs have changed since [`Self::list`].
    has_new_springs: bool,
    /// Whether a step was evaluated since then.
    is_evaluated: bool,
}

/// Close pairs whose first particle is in a chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkForces {
    pub list: PairList,
    /// Pairs of each block in contact at the start and at the end of the step, as bits.
    pub touching: [Vec<u8>; 2],
    /// Tangential springs at the start and at the end, with friction. Of blocks and lanes in contact.
    pub springs: [Vec<SpringBlock>; 2],
    /// Those of them that slid, as bits.
    pub slides: [Vec<u8>; 2],
    /// Pairs of each block whose springs were loaded when the list was made, as bits, with friction.
    loaded: Vec<u8>,
    /// Sums over the pairs of each particle: dV/dx (N, N m), and in its own rows dissipation of friction and trapezoid error
    /// (J). The last row is spare.
    pub rows: Vec<Row8>,
    /// Sums of the dashpots' part of dV/dp (N), and a zero, with damping.
    pub dashpots: Vec<Row4>,
    /// Dissipation of friction, and trapezoid error, J.
    work: [f64; 2],
}

impl ChunkForces {
    /// Makes room for results: no contact and no spring. There is capacity for `near` pairs, so that steps to come allocate
    /// nothing.
    fn make_room(&mut self, near: usize, has_friction: bool, is_damped: bool) {
        // contents are read where pairs touch alone, and are written before
        fn resize<T: Clone>(list: &mut Vec<T>, [count, most]: [usize; 2], with: T) {
            list.reserve(most.saturating_sub(list.len()));
            list.resize(count, with);
        }
        self.list.reserve(near);
        let blocks = [self.list.blocks.len(), near.div_ceil(BLOCK)];
        for touching in &mut self.touching {
            touching.clear();
            resize(touching, blocks, 0);
        }
        let halo = &self.list.halo;
        let count = if self.list.blocks.is_empty() { 0 } else { halo.rows() + 1 };
        let rows = [count, halo.own.len() + near + 1];
        resize(&mut self.rows, rows, Row8::ZERO);
        if has_friction {
            self.springs.iter_mut().for_each(|list| resize(list, blocks, SpringBlock::NONE));
            self.slides.iter_mut().for_each(|list| resize(list, blocks, 0));
            resize(&mut self.loaded, blocks, 0);
        }
        if is_damped {
            resize(&mut self.dashpots, rows, Row4::ZERO);
        }
    }

    /// Sets the springs at the start to those of `all` near pairs.
    fn set_springs(&mut self, all: &[TangentialSpring]) {
        self.slides[0].fill(0);
        for (place, &k) in self.list.indices.iter().enumerate() {
            let (spring, block, lane) = (&all[k as usize], place / BLOCK, place % BLOCK);
            if spring.is_loaded() {
                if self.touching[0][block] == 0 {
                    self.springs[0][block] = SpringBlock::NONE;
                }
                self.springs[0][block].set(lane, spring);
                self.slides[0][block] |= u8::from(spring.slides) << lane;
                self.touching[0][block] |= 1 << lane;
            }
        }
        self.loaded.copy_from_slice(&self.touching[0]);
    }

    /// The spring of a pair in contact at the start (0) or at the end (1), where particles are at `p` (m).
    fn spring(&self, when: usize, (block, lane): (usize, usize), p: &[Vec3]) -> TangentialSpring {
        let pair = &self.list.blocks[block];
        let branch = p[pair.j[lane] as usize] - p[pair.i[lane] as usize];
        let slides = self.slides[when][block] >> lane & 1 == 1;
        self.springs[when][block].get(lane, slides, &branch, self.list.law(block))
    }

    /// Makes the end of the last step the start of the next one.
    fn begin(&mut self) {
        self.touching.swap(0, 1);
        self.springs.swap(0, 1);
        self.slides.swap(0, 1);
    }

    /// Evaluates the pairs, and adds them up.
    fn evaluate(&mut self, level: Level, task: &Task) {
        self.rows.fill(Row8::ZERO);
        self.dashpots.fill(Row4::ZERO);
        evaluate_pairs(level, task, self);
        self.work = [0.0; 2];
        for row in &self.rows[..self.list.halo.own.len()] {
            self.work[0] += row.0[6];
            self.work[1] += row.0[7];
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
    /// Empties the list, and keeps its room.
    pub(crate) fn clear(&mut self) {
        for chunk in &mut self.chunks {
            chunk.list.clear();
            chunk.rows.clear();
            chunk.dashpots.clear();
            chunk.touching.iter_mut().for_each(Vec::clear);
        }
        (self.has_new_springs, self.is_evaluated, self.is_committed) = (false, false, false);
    }

    /// Lists the close ones of the `near` pairs, with the tangential springs of `all` (empty without friction).
    pub(crate) fn list(
        &mut self,
        world: &World,
        chunks: &PairChunks,
        near: &[ContactPair],
        all: &[TangentialSpring],
        is_close: impl Fn(usize) -> bool + Sync,
    ) {
        (self.has_new_springs, self.is_evaluated, self.is_committed) = (false, false, false);
        (self.has_friction, self.is_damped) = (!all.is_empty(), world.contact_damping > 0.0);
        self.chunks.resize_with(chunks.len(), ChunkForces::default);
        let (has_friction, is_damped) = (self.has_friction, self.is_damped);
        self.chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            let (owned, count) = (chunks.owned(c), chunks.owned(c).len());
            let close = owned.filter(|&k| is_close(k)).map(|k| k as u32);
            chunk.list.set(chunks.range(c), close, near, &world.particles.radius);
            chunk.work = [0.0; 2];
            chunk.make_room(count, has_friction, is_damped);
            if has_friction {
                chunk.set_springs(all);
            }
        });
        Halo::link(&mut self.chunks, CHUNK, |chunk| &mut chunk.list.halo);
    }

    /// Whether the tangential springs of near pairs are these, and no longer those of the last [`Self::list`].
    pub(crate) fn has_new_springs(&self) -> bool {
        self.has_new_springs
    }

    /// Writes the tangential springs at the end of the last committed step to those of `all` near pairs.
    pub(crate) fn write_springs(&self, all: &mut [TangentialSpring]) {
        let last = usize::from(self.is_committed);
        for chunk in &self.chunks {
            for (block, (&touching, &loaded)) in chunk.touching[last].iter().zip(&chunk.loaded).enumerate() {
                // the others have no spring, in `all` either
                for lane in set_bits(touching | loaded) {
                    let spring = (touching >> lane & 1 == 1).then(|| chunk.spring(last, (block, lane), &self.ends));
                    all[chunk.list.indices[BLOCK * block + lane] as usize] = spring.unwrap_or_default();
                }
            }
        }
    }

    /// Indices of the near pairs in contact at the end of the evaluated step, ascending; none where no step was evaluated.
    pub(crate) fn touching(&self) -> Option<impl Iterator<Item = usize>> {
        let all = self.chunks.iter().flat_map(|chunk| {
            let blocks = chunk.touching[1].iter().enumerate();
            let places = blocks.flat_map(|(block, &bits)| set_bits(bits).map(move |lane| BLOCK * block + lane));
            places.map(|place| chunk.list.indices[place] as usize)
        });
        self.is_evaluated.then_some(all)
    }

    /// Whether no pair is in contact at the end.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.touching[1].iter().all(|&bits| bits == 0))
    }

    /// Evaluates the close pairs in a step between two states. See [`StepForces::evaluate`](super::StepForces::evaluate).
    pub(crate) fn evaluate(&mut self, world: &World, before: &State, after: &State, motions: &mut Vec<Row8>) {
        let begins_anew = std::mem::replace(&mut self.is_committed, false);
        let is_first = !std::mem::replace(&mut self.is_evaluated, true);
        if motions.is_empty() && self.chunks.iter().any(|chunk| !chunk.list.blocks.is_empty()) {
            pack_motions(before, after, motions);
        }
        let task = Task {
            law: world.contact_law,
            has_friction: self.has_friction,
            is_first,
            rate: if self.is_damped { 1.0 / (after.time - before.time) } else { 0.0 },
            p: &after.p,
            motions,
        };
        let level = Level::best();
        self.chunks.par_iter_mut().filter(|chunk| !chunk.list.blocks.is_empty()).for_each(|chunk| {
            if begins_anew {
                chunk.begin();
            }
            chunk.evaluate(level, &task);
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
        self.is_committed = true;
        self.has_new_springs = self.has_friction;
        self.ends.resize(if self.has_friction { after.len() } else { 0 }, Vec3::zeros());
        self.ends.par_chunks_mut(CHUNK).zip(after.p.par_chunks(CHUNK)).for_each(|(ends, p)| ends.copy_from_slice(p));
        sum_parts(self.chunks.par_iter(), |chunk| {
            let mut flows = StepFlows { dashpot_power: chunk.dashpot_power(&after.v), ..StepFlows::default() };
            [flows.friction.lost, flows.trapezoid_error] = chunk.work;
            flows
        })
    }
}

/// Places of the bits of `byte` that are set, ascending.
#[inline(always)]
fn set_bits(mut byte: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = byte.trailing_zeros() as usize;
        (byte != 0).then(|| byte &= byte - 1)?;
        Some(place)
    })
}

#[inline(always)]
fn gradient(&Row8([x, y, z, a, b, c, ..]): &Row8) -> Gradient {
    Gradient { p: Vec3::new(x, y, z), theta: Vec3::new(a, b, c) }
}
