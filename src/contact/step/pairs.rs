use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::model::{Pair, PairChunks, State, World, Wrench};
use crate::parallel::sum_parts;
use crate::simd::{Level, Row8};

use super::StepFlows;
use super::pair_kernel::{Task, evaluate_pairs};
use crate::contact::close_pairs::ClosePairs;
use crate::contact::{ContactPair, Neighbours, TangentialSpring};

/// Particles a chunk.
const CHUNK: usize = PairChunks::CHUNK;

/// Forces of the pairs in contact at the end of an explicit step.
#[derive(Clone, Debug, Default)]
pub struct PairForces {
    chunks: Vec<ChunkForces>,
    motions: Motions,
}

/// Motions of particles in the step, where they may be in contact.
#[derive(Clone, Debug, Default)]
pub struct Motions {
    /// Position at the end (m), displacement (m) and radius (m).
    pub translations: Vec<Row8>,
    /// Rotation vector 2 Im(q conj(q_0)), and the real part of q conj(q_0). Only with friction.
    pub rotations: Vec<Row8>,
}

/// Pairs in contact whose first particle is in a chunk.
#[derive(Clone, Debug, Default)]
pub struct ChunkForces {
    /// Particles of the chunk with close pairs, ascending.
    members: Vec<u32>,
    /// Pairs in contact at the end or at the start, ascending.
    pub active: Vec<u32>,
    /// Of those of other chunks, the pairs in contact at the end whose second particle is in this chunk.
    incoming: Vec<u32>,
    /// For each active pair: force on the surface of j by i (N), friction torque about the normal's axes per unit arm (N),
    /// and the arms of i and j (m).
    pub rows: Vec<Row8>,
    /// Springs after the step, with friction.
    pub springs: Vec<TangentialSpring>,
    /// Normals, and forces of the dashpots, N; with damping.
    pub dashpots: Vec<(Vec3, f64)>,
    /// Dissipation of friction, and trapezoid error, J.
    pub work: [f64; 2],
}

impl ChunkForces {
    /// Empties the results.
    fn clear(&mut self) {
        self.rows.clear();
        self.rows.resize(self.active.len(), Row8::ZERO);
        self.springs.clear();
        self.dashpots.clear();
        self.work = [0.0; 2];
    }

    /// Makes room for this number of active pairs and of incoming ones, so that steps to come allocate nothing.
    fn reserve(&mut self, active: usize, incoming: usize) {
        self.active.clear();
        self.incoming.clear();
        self.clear();
        self.active.reserve(active);
        self.incoming.reserve(incoming);
        self.rows.reserve(active);
        self.springs.reserve(active);
        self.dashpots.reserve(active);
        self.members.clear();
        self.members.reserve(CHUNK);
    }

    /// Lists the active pairs of chunk `c`: those in contact at the end, and those at the start.
    fn list(&mut self, c: usize, list: &Neighbours, [before, after]: [&State; 2]) {
        self.active.clear();
        self.incoming.clear();
        if let (Some(now), Some(former)) = (list.touching(), list.touched()) {
            merge(now.owned(c), former.owned(c), &mut self.active);
            self.incoming.extend(now.incoming(c));
            return;
        }
        // the list or the start is new
        let (chunks, pairs, springs) = (list.chunks(), list.pairs(), &list.tangential_springs().pairs);
        let is_active = |k: &u32| {
            let (pair, spring) = (&pairs[*k as usize], springs.get(*k as usize));
            pair.overlaps(&after.p) || pair.overlaps(&before.p) || spring.is_some_and(TangentialSpring::is_loaded)
        };
        self.active.extend(chunks.owned(c).map(|k| k as u32).filter(is_active));
        self.incoming.extend(chunks.incoming(c).iter().filter(|&&k| pairs[k as usize].overlaps(&after.p)));
        let (active, incoming) = (std::mem::take(&mut self.active), std::mem::take(&mut self.incoming));
        self.add_members(c, active.iter().chain(&incoming).map(|&k| &pairs[k as usize]));
        (self.active, self.incoming) = (active, incoming);
    }

    /// Adds the particles of chunk `c` that are ends of `pairs` to the members.
    fn add_members<'a, P: Pair + 'a>(&mut self, c: usize, pairs: impl Iterator<Item = &'a P>) {
        let mut is_member = [false; CHUNK];
        self.members.iter().for_each(|&i| is_member[i as usize % CHUNK] = true);
        for end in pairs.flat_map(Pair::ends) {
            if end / CHUNK == c {
                is_member[end % CHUNK] = true;
            }
        }
        self.members.clear();
        self.members.extend(((c * CHUNK) as u32..).zip(&is_member).filter(|(_, is)| **is).map(|(i, _)| i));
    }
}

/// Union of two ascending lists.
fn merge(a: &[u32], b: &[u32], union: &mut Vec<u32>) {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    while let Some(k) = a.peek().into_iter().chain(b.peek()).min().copied() {
        a.next_if_eq(&k);
        b.next_if_eq(&k);
        union.push(k);
    }
}

impl Motions {
    /// Makes room for all particles.
    fn resize(&mut self, particles: usize, has_friction: bool) {
        self.translations.resize(particles, Row8::ZERO);
        self.rotations.resize(if has_friction { particles } else { 0 }, Row8::ZERO);
    }

    /// Computes the motions of each chunk's members.
    fn compute(&mut self, chunks: &[ChunkForces], world: &World, [before, after]: [&State; 2], has_friction: bool) {
        self.resize(after.len(), has_friction);
        let radius = &world.particles.radius;
        self.translations.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (rows, chunk))| {
            for i in chunk.members.iter().map(|&i| i as usize) {
                let (p, d) = (after.p[i], after.p[i] - before.p[i]);
                rows[i - c * CHUNK] = Row8([p.x, p.y, p.z, d.x, d.y, d.z, radius[i], 0.0]);
            }
        });
        self.rotations.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (rows, chunk))| {
            for i in chunk.members.iter().map(|&i| i as usize) {
                let between = after.q[i] * before.q[i].conjugate();
                let between = if between.w < 0.0 { -between } else { between };
                let theta = between.imag() * 2.0;
                rows[i - c * CHUNK] = Row8([theta.x, theta.y, theta.z, between.w, 0.0, 0.0, 0.0, 0.0]);
            }
        });
    }

    /// Torque (N m) on a particle for one on its rotation vector: see [`Turned::pull_back`](crate::contact::Turned).
    fn pull_back(&self, particle: usize, torque: &Vec3) -> Vec3 {
        let [x, y, z, w, ..] = self.rotations[particle].0;
        torque * w + (Vec3::new(x, y, z) * 0.5).cross(torque)
    }
}

impl PairForces {
    /// Whether no pair is in contact, or was at the start.
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.active.is_empty())
    }

    /// Lists the particles of `close` pairs, for the steps to come.
    pub fn set_members(&mut self, chunks: &PairChunks, close: &ClosePairs, particles: usize, has_friction: bool) {
        self.chunks.resize_with(chunks.len(), ChunkForces::default);
        self.chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            chunk.reserve(chunks.owned(c).len(), chunks.incoming(c).len());
            chunk.add_members(c, close.of_chunk(c));
        });
        if self.chunks.iter().any(|chunk| !chunk.members.is_empty()) {
            self.motions.resize(particles, has_friction);
        }
    }

    /// Evaluates the pairs of `list` in contact in a step between two states.
    pub fn evaluate(&mut self, list: &Neighbours, world: &World, before: &State, after: &State) {
        let (pairs, springs) = (list.pairs(), &list.tangential_springs().pairs);
        self.chunks.resize_with(list.chunks().len(), ChunkForces::default);
        let chunks = self.chunks.par_iter_mut().enumerate();
        chunks.for_each(|(c, chunk)| chunk.list(c, list, [before, after]));
        if self.is_empty() {
            return;
        }
        self.motions.compute(&self.chunks, world, [before, after], !springs.is_empty());
        let task = Task {
            pairs,
            springs,
            law: world.contact_law,
            rate: if world.contact_damping > 0.0 { 1.0 / (after.time - before.time) } else { 0.0 },
            motions: &self.motions,
        };
        let level = Level::best();
        self.chunks.par_iter_mut().filter(|chunk| !chunk.active.is_empty()).for_each(|chunk| {
            chunk.clear();
            evaluate_pairs(level, &task, chunk);
        });
    }

    /// Writes the gradients of all pairs to `out`.
    pub fn write(&self, pairs: &[ContactPair], out: &mut [Wrench]) {
        let has_friction = !self.motions.rotations.is_empty();
        out.par_chunks_mut(CHUNK).zip(&self.chunks).enumerate().for_each(|(c, (out, chunk))| {
            out.fill(Wrench::default());
            let first = c * CHUNK;
            for (&k, row) in chunk.active.iter().zip(&chunk.rows) {
                let [i, j] = pairs[k as usize].ends();
                let [on_i, on_j] = gradients(row);
                out[i - first] += on_i;
                if let Some(out) = out.get_mut(j - first) {
                    *out += on_j;
                }
            }
            for (j, row) in self.incoming(pairs, chunk) {
                out[j - first] += gradients(row)[1];
            }
            if has_friction {
                for &i in &chunk.members {
                    let torque = &mut out[i as usize - first].torque;
                    *torque = self.motions.pull_back(i as usize, torque);
                }
            }
        });
    }

    /// Second particles and rows of the pairs that other chunks own.
    fn incoming<'a>(
        &'a self,
        pairs: &'a [ContactPair],
        chunk: &'a ChunkForces,
    ) -> impl Iterator<Item = (usize, &'a Row8)> {
        let (mut owner, mut at) = (usize::MAX, 0);
        chunk.incoming.iter().map(move |&k| {
            let [i, j] = pairs[k as usize].ends();
            if i / CHUNK != owner {
                (owner, at) = (i / CHUNK, 0);
            }
            // both lists ascend
            let of = &self.chunks[owner];
            at += of.active[at..].iter().take_while(|&&active| active < k).count();
            (j, &of.rows[at])
        })
    }

    /// Replaces the tangential `springs` of all active pairs. Returns the energy flows of a step of `dt` (s) that ended
    /// `after`.
    pub fn commit(
        &mut self,
        pairs: &[ContactPair],
        springs: &mut [TangentialSpring],
        after: &State,
        dt: f64,
    ) -> StepFlows {
        for chunk in &self.chunks {
            for (&k, spring) in chunk.active.iter().zip(&chunk.springs) {
                springs[k as usize] = *spring;
            }
        }
        sum_parts(self.chunks.par_iter(), |chunk| {
            let mut flows = StepFlows::default();
            if !chunk.active.is_empty() {
                let speed = |k: u32, n: &Vec3| {
                    let [i, j] = pairs[k as usize].ends();
                    (after.v[i] - after.v[j]).dot(n)
                };
                let power = chunk.active.iter().zip(&chunk.dashpots).map(|(&k, (n, force))| force * speed(k, n));
                flows.damping = power.sum::<f64>() * dt;
                [flows.friction.lost, flows.trapezoid_error] = chunk.work;
            }
            flows
        })
    }
}

/// dV/dx of both particles of a pair, before the torques are pulled back.
#[inline(always)]
fn gradients(row: &Row8) -> [Wrench; 2] {
    let [x, y, z, a, b, c, arm_i, arm_j] = row.0;
    let (force, torque) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
    [Wrench { force, torque: torque * arm_i }, Wrench { force: -force, torque: torque * arm_j }]
}
