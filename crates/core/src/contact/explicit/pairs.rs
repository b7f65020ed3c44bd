use crate::contact::normal::StepDamping;
use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Gradient, PairChunks, State, World, shift};
use crate::parallel::{self, CHUNK, Halo};
use crate::simd::Row8;

use super::StepFlows;
use super::drifts::Drifts;
use super::motions::pack_motions;
use super::pair_chunk::ChunkForces;
use super::pair_kernel::Task;
use super::pair_list::NearPairs;

/// Close pairs of an explicit step: near pairs that may overlap soon, in their own compact list, with their tangential springs
/// and the sums of their forces at the end of the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairForces {
    chunks: Vec<ChunkForces>,
    has_friction: bool,
    is_damped: bool,
    /// Positions at the end of the last committed step, m, with friction.
    ends: Vec<Vec3>,
    /// Whether tangential springs have changed since they were last written to those of near pairs.
    has_new_springs: bool,
    /// Whether all lists belong to the last evaluated step.
    is_evaluated: bool,
}

impl PairForces {
    /// Empties the lists, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.chunks.iter_mut().for_each(ChunkForces::clear);
        (self.has_new_springs, self.is_evaluated) = (false, false);
    }

    /// Follows a step in which no particle of a chunk moved relative to the common translation by more than its `travels` (m).
    /// Chunks whose lists may be incomplete find the pairs of `near` that are nearer than `gap` (m) at `p` (m).
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
            self.chunks = vec![ChunkForces::default(); chunks.len()];
            self.clear();
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
        parallel::for_each(parallel::each_mut(&mut self.chunks), |c, chunk| {
            if chunk.is_valid() {
                return;
            }
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

    /// Follows `new` near pairs at these `places` (ascending) of the list. Only the chunks of their first particles find their
    /// close pairs anew.
    pub(crate) fn admit(&mut self, places: &[usize], new: &[ContactPair]) {
        self.is_evaluated = false;
        if self.chunks.is_empty() {
            return;
        }
        self.chunks.iter_mut().for_each(|chunk| shift(&mut chunk.list.indices, places));
        new.iter().for_each(|pair| self.chunks[pair.i as usize / CHUNK].valid_for = -1.0);
    }

    /// Whether the tangential springs here are newer than those that [`Self::write_springs`] wrote last.
    pub(crate) fn has_new_springs(&self) -> bool {
        self.has_new_springs
    }

    /// Writes the tangential springs at the end of the last committed step to those of `all` near pairs.
    pub(crate) fn write_springs(&self, all: &mut [TangentialSpring]) {
        self.chunks.iter().for_each(|chunk| chunk.write_springs(all, &self.ends));
    }

    /// Indices of the near pairs in contact at the end of the evaluated step, ascending; none where no step was evaluated.
    pub(crate) fn touching(&self) -> Option<impl Iterator<Item = usize>> {
        self.is_evaluated.then_some(self.chunks.iter().flat_map(|chunk| chunk.touching()))
    }

    /// Whether no pair is active: none is in contact at the end, nor was at the start.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.list.active.is_empty())
    }

    /// Evaluates the close ones of the `near` pairs in a step between two states. `motions` has the row of
    /// [`pack_motion`](super::pack_motion) of each particle. An empty one is filled where it is needed.
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
            damping: StepDamping::new(world, [before.time, after.time]),
            p: &after.p,
            motions,
        };
        let near = NearPairs { pairs: near, radius: &world.particles.radius };
        let level = world.level;
        parallel::for_each(parallel::each_mut(&mut self.chunks), |_, chunk| {
            if !chunk.list.indices.is_empty() {
                chunk.begin();
                chunk.evaluate(level, &task, &near, &before.p);
            }
        });
    }

    /// Writes the gradients of all pairs to `out`.
    pub(crate) fn write(&self, out: &mut [Gradient]) {
        let chunks = &self.chunks[..];
        parallel::for_each((parallel::chunks_mut(out, CHUNK), parallel::each(chunks)), |_, (out, chunk)| {
            if chunk.rows.is_empty() {
                out.fill(Gradient::default());
            }
            out.iter_mut().zip(&chunk.rows).for_each(|(out, row)| *out = gradient(row));
            let halo = |from: usize| &chunks[from].list.halo;
            chunk.list.halo.gather(halo, |k, from, row| out[k] += gradient(&chunks[from].rows[row]));
        });
    }

    /// Commits the evaluated step: its springs are those of the next one's start. Returns its energy flows.
    pub(crate) fn commit(&mut self, drifts: &Drifts) -> StepFlows {
        let after = drifts.after;
        self.has_new_springs = self.has_friction;
        self.chunks.iter_mut().for_each(|chunk| chunk.latest = 1);
        self.ends.resize(if self.has_friction { after.len() } else { 0 }, Vec3::zeros());
        let ends = (parallel::chunks_mut(&mut self.ends, CHUNK), parallel::chunks(&after.p, CHUNK));
        parallel::for_each(ends, |_, (ends, p)| ends.copy_from_slice(p));
        parallel::sum(parallel::each(&self.chunks), |_, chunk| {
            let (dashpots, corrections) = (chunk.dashpot_powers(drifts.level, after), chunk.correction_powers(drifts));
            let mut flows = StepFlows { dashpots, corrections, ..StepFlows::default() };
            [flows.friction.lost, flows.trapezoid_error] = chunk.work;
            flows
        })
    }
}

#[inline(always)]
pub(super) fn gradient(&Row8([x, y, z, a, b, c, ..]): &Row8) -> Gradient {
    Gradient { p: Vec3::new(x, y, z), theta: Vec3::new(a, b, c) }
}
