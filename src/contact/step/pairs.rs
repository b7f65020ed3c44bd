use rayon::prelude::*;

use crate::contact::{ContactPair, SurfaceMotion, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Gradient, PairChunks, State, World};
use crate::parallel::sum_parts;
use crate::simd::{Level, Row8};

use super::StepFlows;
use super::pair_blocks::{BLOCK, DashpotBlock, LawBlock, PairBlock, SpringBlock};
use super::pair_kernel::{Task, dashpot_power, evaluate_pairs};

/// Particles a chunk.
const CHUNK: usize = PairChunks::CHUNK;

/// Close pairs of an explicit step: near pairs that may overlap soon, in their own compact list, with their tangential springs
/// and their forces at the end of the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairForces {
    chunks: Vec<ChunkForces>,
    /// For each chunk, those whose second particle alone is in it, ascending.
    incoming: Vec<Vec<Incoming>>,
    has_friction: bool,
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
    /// Indices in the list of near pairs, ascending.
    indices: Vec<u32>,
    pub pairs: Vec<PairBlock>,
    /// One for each block, or one alone if they are all equal.
    laws: Vec<LawBlock>,
    /// Pairs of each block in contact at the start and at the end of the step, as bits.
    pub touching: [Vec<u8>; 2],
    /// Tangential springs at the start and at the end, with friction. Of blocks and lanes in contact.
    pub springs: [Vec<SpringBlock>; 2],
    /// Pairs of each block whose springs were loaded when the list was made, as bits, with friction.
    loaded: Vec<u8>,
    /// For each pair in contact at the end: force on the surface of j by i (N), friction torque about the normal's axes per
    /// unit arm (N), and the arms of i and j (m).
    pub rows: Vec<Row8>,
    /// Dashpots of blocks in contact, with damping.
    pub dashpots: Vec<DashpotBlock>,
    /// Dissipation of friction, and trapezoid error, J.
    pub work: [f64; 2],
}

/// Close pair of another chunk.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    /// Chunk of the first particle, and the pair's place there.
    owner: u32,
    place: u32,
    /// The second particle.
    j: u32,
}

impl ChunkForces {
    /// Laws of a block.
    #[inline(always)]
    pub(super) fn law(&self, block: usize) -> &LawBlock {
        self.laws.get(block).unwrap_or(&self.laws[0])
    }

    /// Sets the list to `close` pairs, indices of `near` ones.
    fn set(&mut self, close: impl Iterator<Item = u32>, near: &[ContactPair], radius: &[f64]) {
        self.indices.clear();
        self.indices.extend(close);
        self.pairs.clear();
        self.laws.clear();
        let law = |k: u32| {
            let ContactPair { i, j, spring, mu, .. } = &near[k as usize];
            (spring, mu, radius[*i as usize], radius[*j as usize])
        };
        let are_equal = self.indices.iter().all(|&k| law(k) == law(self.indices[0]));
        for block in self.indices.chunks(BLOCK) {
            let pairs: [&ContactPair; BLOCK] = std::array::from_fn(|k| &near[block[k.min(block.len() - 1)] as usize]);
            let pairs = &pairs[..block.len()];
            self.pairs.push(PairBlock::new(pairs));
            if self.laws.is_empty() || !are_equal {
                self.laws.push(LawBlock::new(pairs, radius));
            }
        }
        self.work = [0.0; 2];
    }

    /// Makes room for results: no contact and no spring. There is capacity for `near` pairs, so that steps to come allocate
    /// nothing.
    fn make_room(&mut self, near: usize, has_friction: bool, is_damped: bool) {
        // contents are read where pairs touch alone, and are written before
        fn resize<T: Clone>(list: &mut Vec<T>, [count, most]: [usize; 2], with: T) {
            list.reserve(most.saturating_sub(list.len()));
            list.resize(count, with);
        }
        let blocks = [self.pairs.len(), near.div_ceil(BLOCK)];
        self.indices.reserve(near - self.indices.len());
        self.pairs.reserve(blocks[1] - blocks[0]);
        for touching in &mut self.touching {
            touching.clear();
            resize(touching, blocks, 0);
        }
        resize(&mut self.rows, blocks.map(|count| BLOCK * count), Row8::ZERO);
        if has_friction {
            self.springs.iter_mut().for_each(|list| resize(list, blocks, SpringBlock::NONE));
            resize(&mut self.loaded, blocks, 0);
        }
        if is_damped {
            resize(&mut self.dashpots, blocks, DashpotBlock::NONE);
        }
    }

    /// Sets the springs at the start to those of `all` near pairs.
    fn set_springs(&mut self, all: &[TangentialSpring]) {
        for (place, &k) in self.indices.iter().enumerate() {
            let (spring, block) = (&all[k as usize], place / BLOCK);
            if spring.is_loaded() {
                if self.touching[0][block] == 0 {
                    self.springs[0][block] = SpringBlock::NONE;
                }
                self.springs[0][block].set(place % BLOCK, spring);
                self.touching[0][block] |= 1 << (place % BLOCK);
            }
        }
        self.loaded.copy_from_slice(&self.touching[0]);
    }

    /// Whether the pair of a place is in contact at the start (0) or at the end (1).
    #[inline(always)]
    fn touches(&self, when: usize, place: usize) -> bool {
        self.touching[when][place / BLOCK] >> (place % BLOCK) & 1 == 1
    }
}

impl PairForces {
    /// Empties the list, and keeps its room.
    pub(crate) fn clear(&mut self) {
        for chunk in &mut self.chunks {
            chunk.indices.clear();
            chunk.pairs.clear();
            chunk.touching.iter_mut().for_each(Vec::clear);
        }
        self.incoming.iter_mut().for_each(Vec::clear);
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
        self.has_friction = !all.is_empty();
        let is_damped = world.contact_damping > 0.0;
        self.chunks.resize_with(chunks.len(), ChunkForces::default);
        self.chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            let owned = chunks.owned(c);
            let count = owned.len();
            chunk.set(owned.filter(|&k| is_close(k)).map(|k| k as u32), near, &world.particles.radius);
            chunk.make_room(count, self.has_friction, is_damped);
            if self.has_friction {
                chunk.set_springs(all);
            }
        });
        self.incoming.resize_with(chunks.len(), Vec::new);
        let own = &self.chunks;
        self.incoming.par_iter_mut().enumerate().for_each(|(c, incoming)| {
            incoming.clear();
            incoming.reserve(chunks.incoming(c).len());
            let (mut owner, mut place) = (usize::MAX, 0);
            for &k in chunks.incoming(c) {
                let ContactPair { i, j, .. } = near[k as usize];
                if i as usize / CHUNK != owner {
                    (owner, place) = (i as usize / CHUNK, 0);
                }
                // both lists ascend
                let of = &own[owner].indices;
                place += of[place..].iter().take_while(|&&other| other < k).count();
                if of.get(place) == Some(&k) {
                    incoming.push(Incoming { owner: owner as u32, place: place as u32, j });
                }
            }
        });
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
                    let spring = (touching >> lane & 1 == 1).then(|| chunk.springs[last][block].get(lane));
                    all[chunk.indices[BLOCK * block + lane] as usize] = spring.unwrap_or_default();
                }
            }
        }
    }

    /// Indices of the near pairs in contact at the end of the evaluated step, ascending; none where no step was evaluated.
    pub(crate) fn touching(&self) -> Option<impl Iterator<Item = usize>> {
        let all = self.chunks.iter().flat_map(|chunk| {
            let places = (0..chunk.indices.len()).filter(|&place| chunk.touches(1, place));
            places.map(|place| chunk.indices[place] as usize)
        });
        self.is_evaluated.then_some(all)
    }

    /// Whether no pair is in contact at the end.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.touching[1].iter().all(|&bits| bits == 0))
    }

    /// Evaluates the close pairs in a step between two states.
    pub(crate) fn evaluate(&mut self, world: &World, before: &State, after: &State) {
        let begins_anew = std::mem::replace(&mut self.is_committed, false);
        let is_first = !std::mem::replace(&mut self.is_evaluated, true);
        let task = Task {
            law: world.contact_law,
            has_friction: self.has_friction,
            is_first,
            rate: if world.contact_damping > 0.0 { 1.0 / (after.time - before.time) } else { 0.0 },
            before,
            after,
        };
        let level = Level::best();
        self.chunks.par_iter_mut().filter(|chunk| !chunk.pairs.is_empty()).for_each(|chunk| {
            if begins_anew {
                chunk.touching.swap(0, 1);
                chunk.springs.swap(0, 1);
            }
            evaluate_pairs(level, &task, chunk);
        });
    }

    /// Writes the gradients of all pairs in the step between two states to `out`.
    pub(crate) fn write(&self, before: &State, after: &State, out: &mut [Gradient]) {
        let motion = SurfaceMotion::Since(before);
        out.par_chunks_mut(CHUNK).zip(&self.chunks).zip(&self.incoming).enumerate().for_each(
            |(c, ((out, chunk), incoming))| {
                out.fill(Gradient::default());
                let first = c * CHUNK;
                for (block, pair) in chunk.pairs.iter().enumerate() {
                    for lane in set_bits(chunk.touching[1][block]) {
                        let [on_i, on_j] = gradients(&chunk.rows[BLOCK * block + lane]);
                        out[pair.i[lane] as usize - first] += on_i;
                        if let Some(out) = out.get_mut(pair.j[lane] as usize - first) {
                            *out += on_j;
                        }
                    }
                }
                for &Incoming { owner, place, j } in incoming {
                    let (owner, place) = (&self.chunks[owner as usize], place as usize);
                    if owner.touches(1, place) {
                        out[j as usize - first] += gradients(&owner.rows[place])[1];
                    }
                }
                if self.has_friction {
                    for (i, Gradient { theta, .. }) in (first..).zip(out).filter(|(_, on)| on.theta != Vec3::zeros()) {
                        *theta = motion.turned(after, i).pull_back(theta);
                    }
                }
            },
        );
    }

    /// Commits the evaluated step: its springs are those of the next one's start. Returns the energy flows of a step that
    /// ended `after`.
    pub(crate) fn commit(&mut self, after: &State) -> StepFlows {
        self.is_committed = true;
        self.has_new_springs = self.has_friction;
        let level = Level::best();
        sum_parts(self.chunks.par_iter(), |chunk| {
            let power = if chunk.dashpots.is_empty() { 0.0 } else { dashpot_power(level, &after.v, chunk) };
            let mut flows = StepFlows { dashpot_power: power, ..StepFlows::default() };
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

/// dV/dx of both particles of a pair, before the torques are pulled back.
#[inline(always)]
fn gradients(row: &Row8) -> [Gradient; 2] {
    let [x, y, z, a, b, c, arm_i, arm_j] = row.0;
    let (p, theta) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
    [Gradient { p, theta: theta * arm_i }, Gradient { p: -p, theta: theta * arm_j }]
}
