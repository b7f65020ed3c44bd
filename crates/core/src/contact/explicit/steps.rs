use std::ops::AddAssign;

use crate::contact::effective_mass::EffectiveMasses;
use crate::contact::normal::StepDamping;
use crate::contact::{FrictionWork, NearWalls, TangentialSprings};
use crate::geometry::Vec3;
use crate::model::{Gradient, KeptFace, PairChunks, State, World};
use crate::neighbours::{ContactPair, NearPairs};
use crate::parallel::{self, CHUNK, Halo, Parts};
use crate::simd::Row8;

use super::chunk::Chunk;
use super::drifts::{Drifts, added};
use super::kernel::Task;
use super::wall_list::WallTask;

/// Contacts of an explicit step, and the sums of their forces at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepContacts {
    chunks: Vec<Chunk>,
    /// Rows of the springs of near pairs at the end of the evaluated step; empty without friction.
    ends: Vec<Row8>,
    /// Whether all lists belong to the last evaluated step.
    is_evaluated: bool,
}

/// Near pairs and walls in a step between two states.
#[derive(Clone, Copy)]
pub(crate) struct StepInput<'a> {
    pub world: &'a World,
    pub near: &'a NearPairs,
    pub near_walls: &'a NearWalls,
    pub springs: &'a TangentialSprings,
    pub before: &'a State,
    pub after: &'a State,
    /// Rows of [`pack_motion`](crate::contact::pack_motion) of all particles, or none.
    pub motions: &'a [Row8],
}

impl StepInput<'_> {
    /// Near pairs whose first particle is in chunk `c`.
    pub(super) fn near(&self, c: usize) -> &[ContactPair] {
        &self.near.list()[self.near.chunks().owned(c)]
    }

    /// Rows of their springs at the start; none without friction.
    fn start(&self, c: usize) -> &[Row8] {
        self.springs.pairs.get(self.near.chunks().owned(c)).unwrap_or_default()
    }

    /// Whether a pair touches at the start or at the end.
    pub(super) fn touches(&self, pair: &ContactPair) -> bool {
        pair.overlaps(&self.after.p) || pair.overlaps(&self.before.p)
    }
}

/// Energy flows of contacts in an explicit step, J, and the power of their dashpots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFlows {
    /// Work of friction.
    pub friction: FrictionWork,
    /// Power dissipated by dashpots at the end of the step, in the drifts before and after it, W.
    pub dashpots: [f64; 2],
    /// Power of moving walls against dashpots, likewise, W.
    pub walls: [f64; 2],
    /// Power taken by what undoes the trapezoidal rule's error where contacts open and close, likewise, W.
    pub corrections: [f64; 2],
    /// Stored energy of springs beyond the trapezoidal rule: see
    /// [`NormalSpring::trapezoid_error`](crate::model::NormalSpring::trapezoid_error).
    pub trapezoid_error: f64,
}

impl AddAssign for StepFlows {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        self.dashpots = added(self.dashpots, other.dashpots);
        self.walls = added(self.walls, other.walls);
        self.corrections = added(self.corrections, other.corrections);
        self.trapezoid_error += other.trapezoid_error;
    }
}

impl StepContacts {
    /// Forgets all contacts, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.chunks.iter_mut().for_each(|chunk| chunk.pairs.clear());
        self.ends.clear();
        self.is_evaluated = false;
    }

    /// Forgets the contacts of the chunks that get `new` near pairs.
    pub(crate) fn forget(&mut self, new: &[ContactPair]) {
        for pair in new {
            if let Some(chunk) = self.chunks.get_mut(pair.i as usize / CHUNK) {
                chunk.pairs.clear();
            }
        }
        self.ends.clear();
        self.is_evaluated = false;
    }

    /// Follows a step in which no particle of a chunk moved relative to the common translation by more than its `travels` (m).
    /// The springs of near pairs have the rows `springs`; none without friction.
    pub(crate) fn follow(&mut self, near: &NearPairs, springs: &[Row8], masses: &EffectiveMasses, travels: &[f64]) {
        let chunks = near.chunks();
        self.chunks.resize_with(chunks.len(), Chunk::default);
        if self.ends.len() != springs.len() {
            self.ends.clear();
            self.ends.resize(springs.len(), Row8::ZERO);
        }
        let is_new = self.chunks.iter().any(|chunk| !chunk.pairs.is_known());
        parallel::for_each(parallel::each_mut(&mut self.chunks), |c, chunk| {
            if chunk.pairs.is_known() {
                chunk.pairs.follow(c, travels);
            } else {
                let (range, springs) = (chunks.owned(c), springs.get(chunks.owned(c)).unwrap_or_default());
                chunk.pairs.set(chunks.range(c), &near.list()[range], springs, masses);
            }
        });
        if is_new {
            self.is_evaluated = false;
            Halo::link(&mut self.chunks, CHUNK, |chunk| &mut chunk.pairs.halo);
        }
    }

    /// Indices of the near pairs in contact at the end of the evaluated step, and of some others, ascending; none where no step was
    /// evaluated.
    pub(crate) fn active<'a>(&'a self, chunks: &'a PairChunks) -> Option<impl Iterator<Item = usize> + 'a> {
        let of = move |(c, chunk): (usize, &'a Chunk)| {
            chunk.pairs.active.iter().map(move |&k| chunks.owned(c).start + k as usize)
        };
        self.is_evaluated.then(|| self.chunks.iter().enumerate().flat_map(of))
    }

    /// Whether no contact is evaluated: none touches at the end, nor did at the start.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(Chunk::is_idle)
    }

    /// Evaluates the contacts of a step, those of bodies with their effective `masses`.
    pub(crate) fn evaluate(&mut self, step: &StepInput, masses: &mut EffectiveMasses) {
        let (StepInput { world, before, after, motions, .. }, chunks) = (*step, step.near.chunks());
        let (times, instructions) = ([before.time, after.time], world.instructions);
        let walls = &*world.walls_during(times);
        let search = &WallTask { world, before, after, walls, near: step.near_walls };
        let task = &Task { law: world.contact_law, damping: StepDamping::new(world, times), before, after, motions };
        let has_masses = !masses.is_empty();
        parallel::for_each(self.with_ends(chunks), |c, (chunk, end)| {
            chunk.find(c, step, search, (step.start(c), end));
            if !has_masses {
                chunk.evaluate(instructions, task, (step.start(c), end));
            }
        });
        if has_masses {
            masses.begin(world, times);
            self.chunks.iter().enumerate().for_each(|(c, chunk)| chunk.add_masses(c, step, masses));
            let masses = &*masses;
            parallel::for_each(self.with_ends(chunks), |c, (chunk, end)| {
                chunk.set_masses(c, step, masses);
                chunk.evaluate(instructions, task, (step.start(c), end));
            });
        }
        self.is_evaluated = true;
    }

    /// Chunks, with the rows of their springs at the end.
    fn with_ends<'a>(&'a mut self, chunks: &'a PairChunks) -> impl Parts<Part = (&'a mut Chunk, &'a mut [Row8])> {
        let Self { chunks: own, ends, .. } = self;
        (parallel::each_mut(own), parallel::ranges_mut(ends, chunks.all_owned()))
    }

    /// Writes the gradients of all contacts to `out`.
    pub(crate) fn write(&self, out: &mut [Gradient]) {
        let chunks = &self.chunks[..];
        parallel::for_each((parallel::chunks_mut(out, CHUNK), parallel::each(chunks)), |_, (out, chunk)| {
            let mut rows = chunk.sums.forces.iter();
            out.iter_mut().for_each(|out| *out = rows.next().map(gradient).unwrap_or_default());
            let halo = |from: usize| &chunks[from].pairs.halo;
            chunk.pairs.halo.gather(halo, |k, from, row| {
                if let Some(row) = chunks[from].sums.forces.get(row) {
                    out[k] += gradient(row);
                }
            });
        });
    }

    /// Forces (N) of particles on walls at the end `after` of the evaluated step, by the walls' indices, and where they act (m).
    pub(crate) fn on_walls<'a>(
        &'a self,
        world: &'a World,
        after: &'a State,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        self.chunks.iter().flat_map(|chunk| chunk.forces_on_walls(world, after))
    }

    /// Faces that centres are behind at the end, sorted.
    pub(crate) fn kept_faces(&self) -> impl Iterator<Item = KeptFace> {
        self.chunks.iter().flat_map(|chunk| {
            let mut held = chunk.walls.held.clone();
            held.sort_by_key(|held| (held.particle, held.wall));
            held
        })
    }

    /// Commits the evaluated step: its springs are those of the next one's start. Returns its energy flows.
    pub(crate) fn commit(&mut self, springs: &mut TangentialSprings, drifts: &Drifts) -> StepFlows {
        std::mem::swap(&mut springs.pairs, &mut self.ends);
        for (springs, chunk) in springs.walls.iter_mut().zip(&self.chunks) {
            springs.clear();
            springs.extend(chunk.walls.loaded_springs());
        }
        parallel::sum(parallel::each(&self.chunks), |_, chunk| chunk.flows(drifts))
    }
}

fn gradient(&Row8([x, y, z, a, b, c, ..]): &Row8) -> Gradient {
    Gradient { p: Vec3::new(x, y, z), theta: Vec3::new(a, b, c) }
}
