use crate::contact::effective_mass::EffectiveMasses;
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

/// Near pairs in a step between two states.
#[derive(Clone, Copy)]
pub(crate) struct PairsInStep<'a> {
    pub world: &'a World,
    pub pairs: &'a [ContactPair],
    pub before: &'a State,
    pub after: &'a State,
}

impl<'a> PairsInStep<'a> {
    fn near(&self) -> NearPairs<'a> {
        NearPairs { pairs: self.pairs, radius: &self.world.particles.radius }
    }

    fn task(&self, has_friction: bool, motions: &'a [Row8]) -> Task<'a> {
        let damping = StepDamping::new(self.world, [self.before.time, self.after.time]);
        Task { law: self.world.contact_law, has_friction, damping, p: &self.after.p, motions }
    }

    /// Whether a pair touches at the start or at the end.
    fn touches(&self, pair: &ContactPair) -> bool {
        pair.overlaps(&self.after.p) || pair.overlaps(&self.before.p)
    }
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
        (world, masses): (&World, &EffectiveMasses),
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
            chunk.set_heavy(&near, masses);
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

    /// Begins a step of pairs with `masses` other than their particles' own. Call [`Self::add_masses`] and [`Self::set_masses`]
    /// before the step is [evaluated](Self::evaluate).
    pub(crate) fn prepare(&mut self, step: &PairsInStep, masses: &EffectiveMasses) {
        let (near, task) = (step.near(), step.task(self.has_friction, &[]));
        let of = (&step.before.p[..], masses);
        parallel::for_each(parallel::each_mut(&mut self.chunks), |_, chunk| {
            chunk.prepare_heavy(step.world.level, &task, &near, of);
        });
    }

    /// Adds the contacts of bodies that touch in the step to their `masses`.
    pub(crate) fn add_masses(&self, step: &PairsInStep, masses: &mut EffectiveMasses) {
        let near = step.near();
        for (_, pair) in self.chunks.iter().flat_map(|chunk| chunk.heavy(&near)).filter(|(_, pair)| step.touches(pair))
        {
            masses.add_pair(step.world, step.after, [pair.i, pair.j]);
        }
    }

    /// Sets the damping of bodies' contacts by their `masses`.
    pub(crate) fn set_masses(&mut self, step: &PairsInStep, masses: &EffectiveMasses) {
        let near = step.near();
        parallel::for_each(parallel::each_mut(&mut self.chunks), |_, chunk| {
            chunk.set_damping(&near, |pair| {
                let mass = || masses.of_pair(step.world, step.after, [pair.i, pair.j]);
                step.touches(pair).then(|| pair.spring.damped(masses.zeta(), mass()).damping)
            });
        });
    }

    /// Evaluates the close ones of the near pairs in a step. `motions` has the row of [`pack_motion`](super::pack_motion) of each
    /// particle. An empty one is filled where it is needed.
    pub(crate) fn evaluate(&mut self, step: &PairsInStep, motions: &mut Vec<Row8>) {
        self.is_evaluated = true;
        if motions.is_empty() && self.chunks.iter().any(|chunk| !chunk.list.indices.is_empty()) {
            pack_motions(step.before, step.after, motions);
        }
        let (near, task, level) = (step.near(), step.task(self.has_friction, motions), step.world.level);
        parallel::for_each(parallel::each_mut(&mut self.chunks), |_, chunk| {
            chunk.evaluate(level, &task, &near, &step.before.p);
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
