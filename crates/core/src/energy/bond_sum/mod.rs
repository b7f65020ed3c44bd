//! Sums over all bonds of a world by vector kernels: gradients, energies, strains, and bonds near breakage.
//!
//! ```text
//! poses     position and orientation of each particle in one cache line
//! chunks    each chunk of particles adds its packs of bonds, eight poses and gradients at a time, to rows of its own
//! gather    each particle's row, plus its rows of other chunks' halos
//! tangent   products of the gradient's derivatives with a vector
//! ```

mod tangent;

use std::marker::PhantomData;
use std::ops::Range;

use crate::geometry::{Quat, Vec3};
use crate::model::{
    AxialStress, BondPack, BondPacks, CriterionPack, Gradient, LimitPack, PACK, PackChunk, State, Stiffnesses, World,
};
use crate::parallel::{self, CHUNK, Parts};
use crate::simd::dispatch;
use crate::simd::{Kernel, Lanes, Row8, two_halves};

use super::bond_lanes::{PoseHead, PoseLanes, load};
use super::damping_lanes::StrainPack;
use super::law::{BondLaw, law_of};
use super::workspace::{ChunkSums, Workspace};
use super::{Damping, GradientLanes, Sums, strength};

/// Strains of all bonds at the start of a step, packed as the world's bonds.
#[derive(Clone, Debug, Default)]
pub struct Strains(pub(super) Vec<StrainPack>);

impl Strains {
    /// Strains of all bonds in `state`.
    pub fn new(world: &World, state: &State) -> Self {
        let mut strains = Self::default();
        strains.set(world, state, &mut Workspace::default());
        strains
    }

    /// Sets the strains to those of all bonds in `state`.
    pub fn set(&mut self, world: &World, state: &State, work: &mut Workspace) {
        let packs = world.packs();
        pack_poses(work, state);
        let poses = &work.poses[..];
        self.0.resize(packs.packs.len(), StrainPack::default());
        let instructions = world.instructions;
        set_chunks(&packs.chunks, &mut self.0, &|chunk, part| {
            strains(instructions, chunk, &packs.packs[chunk.packs.clone()], poses, part);
        });
    }

    /// Extrapolates from `former`, strains of the same bonds, by `share` of the change since.
    pub fn extrapolate(&mut self, former: &Self, share: f64) {
        let both = (parallel::each_mut(&mut self.0), parallel::each(&former.0));
        parallel::for_each_item(both, 64, |_, (now, former)| now.extrapolate(former, share));
    }

    /// Strain of the world's bond `index`.
    pub fn of(&self, world: &World, index: usize) -> super::bond::Strain {
        let (pack, lane) = world.packs().pack_of(index);
        self.0[pack].of(lane)
    }
}

/// Calls `set(chunk, its part of packs)` for each of `chunks`.
fn set_chunks(chunks: &[PackChunk], packs: &mut [StrainPack], set: &(impl Fn(&PackChunk, &mut [StrainPack]) + Sync)) {
    match chunks {
        [] => {}
        [chunk] => set(chunk, packs),
        _ => {
            let (low, high) = chunks.split_at(chunks.len() / 2);
            let (low_packs, high_packs) = packs.split_at_mut(high[0].packs.start - low[0].packs.start);
            rayon::join(|| set_chunks(low, low_packs, set), || set_chunks(high, high_packs, set));
        }
    }
}

/// Options of a sum over bonds.
#[derive(Clone, Copy, Debug)]
pub struct BondSum<'a> {
    /// World of the bonds.
    pub world: &'a World,
    /// Damping of the bonds.
    pub damping: Damping<'a>,
    /// Whether to record bonds that may have reached their strength.
    pub check_breakage: bool,
}

impl BondSum<'_> {
    /// Writes to `out`, or with `add` adds to it, `own(i)` and the sum over all bonds. `own(i)` is a particle's own
    /// energy (J) and gradient dV/dp (N). Returns the energy, J, and the dissipation of damping: for damping by
    /// velocities its power, W, within a step half its energy, J.
    ///
    /// `work.poses` holds each particle's [`pack_pose`]. `work.velocities` holds each [`pack_velocity`] if damping
    /// needs it.
    pub fn gradient(
        &self,
        work: &mut Workspace,
        own: impl Fn(usize) -> (Sums, Vec3) + Sync,
        out: &mut [Gradient],
        add: bool,
    ) -> Sums {
        let all = 0..out.len();
        self.gradient_then(work, own, out, add, all, |_, _, _| {})
    }

    /// [`Self::gradient`], which calls `then(its particles, its part of out, its part of with)` when a chunk of particles is
    /// complete. `with` has an entry for each of [`BondPacks::chunk_len`] particles.
    pub(crate) fn gradient_then<W: Parts>(
        &self,
        work: &mut Workspace,
        own: impl Fn(usize) -> (Sums, Vec3) + Sync,
        out: &mut [Gradient],
        add: bool,
        with: W,
        then: impl Fn(&Range<usize>, &[Gradient], W::Part) + Sync,
    ) -> Sums {
        self.run_chunks(work);
        let packs = self.world.packs();
        let Workspace { chunks, energies, .. } = work;
        energies.resize(chunks.len(), [0.0; 3]);
        let chunks = &chunks[..];
        let parts = (
            parallel::chunks_mut(out, packs.chunk_len),
            parallel::each(&packs.chunks),
            parallel::each(chunks),
            parallel::each_mut(energies),
            with,
        );
        parallel::for_each(parts, |_, (out, chunk, sums, energy, with)| {
            let mut chunk_sums = Sums::default();
            for ((i, row), out) in chunk.halo.own.clone().zip(&sums.rows).zip(&mut *out) {
                let (value, by_p) = own(i);
                chunk_sums += value;
                chunk_sums.energy += row.0[ENERGY];
                chunk_sums.damping += row.0[DAMPING];
                let mut sum = gradient_of(row);
                sum.p += by_p;
                if add {
                    sum += *out;
                }
                *out = sum;
            }
            let halo = |from: usize| &packs.chunks[from].halo;
            chunk.halo.gather(halo, |k, from, row| out[k] += gradient_of(&chunks[from].rows[row]));
            then(&chunk.halo.own, out, with);
            *energy = [chunk_sums.energy, chunk_sums.damping, chunk_sums.contact_damping];
        });
        energies.iter().fold(Sums::default(), |mut sum, &[energy, damping, contact_damping]| {
            sum += Sums { energy, damping, contact_damping };
            sum
        })
    }

    /// Sets `overloaded` to the indices (ascending) of bonds that may have reached their strength: all that did, and those
    /// within rounding of it. Requires [`Self::check_breakage`] and a previous [`Self::gradient`].
    pub fn overloaded(&self, work: &Workspace, overloaded: &mut Vec<usize>) {
        overloaded.clear();
        for (chunk, sums) in self.world.packs().chunks.iter().zip(&work.chunks) {
            let noted = sums.overloaded.iter().map(|&k| chunk.bonds.start + k as usize);
            overloaded.extend(noted.filter(|&k| k < chunk.bonds.end));
        }
    }

    /// Sets `found` to the indices (ascending) of bonds that may have reached their strength at `state`: all that did,
    /// and those within rounding of it.
    pub(crate) fn find_overloaded(world: &World, state: &State, work: &mut Workspace, found: &mut Vec<usize>) {
        found.clear();
        if !world.packs().limits.is_empty() {
            let bonds = BondSum { world, damping: Damping::None, check_breakage: true };
            pack_poses(work, state);
            bonds.run_chunks(work);
            bonds.overloaded(work, found);
        }
    }

    /// The energy of all bonds, J.
    pub(crate) fn energy(&self, state: &State, work: &mut Workspace) -> f64 {
        pack_poses(work, state);
        self.run_chunks(work);
        work.chunks.iter().flat_map(|sums| &sums.rows).map(|row| row.0[ENERGY]).sum()
    }

    /// Sums of each chunk's own rows and halo.
    fn run_chunks(&self, work: &mut Workspace) {
        let packs = self.world.packs();
        work.chunks.resize_with(packs.chunks.len(), ChunkSums::default);
        let Workspace { poses, velocities, chunks, .. } = work;
        parallel::for_each((parallel::each_mut(chunks), parallel::each(&packs.chunks)), |_, (sums, chunk)| {
            sums.rows.clear();
            sums.rows.resize(chunk.halo.rows(), Row8::ZERO);
            sums.overloaded.clear();
            for (model, stiffness) in &chunk.laws {
                let mut task = self.task(packs, chunk, stiffness, [poses, velocities]);
                task.tension = model.axial(self.world.axial) == AxialStress::Tension;
                law_of(model).add_chunk(self.world.instructions, &task, sums);
            }
            if chunk.laws.len() > 1 {
                sums.overloaded.sort_unstable();
            }
        });
    }

    fn task<'a>(
        &'a self,
        packs: &'a BondPacks,
        chunk: &'a PackChunk,
        stiffness: &'a Stiffnesses,
        [poses, velocities]: [&'a [Row8]; 2],
    ) -> Task<'a> {
        let before = match self.damping {
            Damping::Step { before, dt } => Some((&before.0[chunk.packs.clone()], 1.0 / dt)),
            Damping::None | Damping::Rate => None,
        };
        Task {
            packs: &packs.packs[chunk.packs.clone()],
            stiffness,
            limits: if self.check_breakage { packs.limits.get(chunk.packs.clone()).unwrap_or_default() } else { &[] },
            criteria: packs.criteria.get(chunk.packs.clone()).unwrap_or_default(),
            damped: match self.damping {
                Damping::None => false,
                Damping::Rate => self.world.is_damped(),
                Damping::Step { .. } => true,
            },
            before,
            first: chunk.halo.own.start as u32,
            tension: self.world.axial == AxialStress::Tension,
            poses,
            velocities,
        }
    }
}

/// Entry of a row of sums with the energy.
const ENERGY: usize = 6;

/// Entry of a row of sums with the dissipation.
const DAMPING: usize = 7;

fn gradient_of(row: &Row8) -> Gradient {
    let [a, b, c, d, e, f, ..] = row.0;
    Gradient { p: Vec3::new(a, b, c), theta: Vec3::new(d, e, f) }
}

/// Position (m) and orientation of a particle in the layout of kernels.
#[inline(always)]
pub fn pack_pose(p: &Vec3, q: &Quat) -> Row8 {
    let q = &q.coords;
    Row8([p.x, p.y, p.z, q.x, q.y, q.z, q.w, 0.0])
}

/// Velocity (m/s) and angular velocity (rad/s) of a particle in the layout of kernels. Damping forces are those of [v, w]. Their
/// power is that at the mean velocities, which are stored with 20 binary digits each: two in an entry, in the unused entries of
/// this row and of the particle's pose `place`.
#[inline(always)]
pub fn pack_velocity([v, w]: [&Vec3; 2], [mean_v, mean_w]: [&Vec3; 2], place: &mut Row8) -> Row8 {
    place.0[7] = two_halves(mean_v.x, mean_v.y);
    let rest = [two_halves(mean_v.z, mean_w.x), two_halves(mean_w.y, mean_w.z)];
    Row8([v.x, v.y, v.z, w.x, w.y, w.z, rest[0], rest[1]])
}

/// Packs the poses of all particles.
pub(super) fn pack_poses(work: &mut Workspace, state: &State) {
    work.poses.resize(state.len(), Row8::ZERO);
    parallel::for_each_item(parallel::each_mut(&mut work.poses), CHUNK, |i, row| {
        *row = pack_pose(&state.p[i], &state.q[i]);
    });
}

/// Packs the velocities of all particles, after [`pack_poses`].
pub(super) fn pack_velocities(work: &mut Workspace, state: &State) {
    work.velocities.resize(state.len(), Row8::ZERO);
    let rows = (parallel::each_mut(&mut work.velocities), parallel::each_mut(&mut work.poses));
    parallel::for_each_item(rows, CHUNK, |i, (row, place)| {
        let [v, w] = [&state.v[i], &state.w[i]];
        *row = pack_velocity([v, w], [v, w], place);
    });
}

/// Input of a chunk's kernel.
pub(super) struct Task<'a> {
    packs: &'a [BondPack],
    stiffness: &'a Stiffnesses,
    /// Empty unless breakage is checked.
    pub(super) limits: &'a [LimitPack],
    /// See [`BondPacks::criteria`].
    criteria: &'a [CriterionPack],
    pub(super) damped: bool,
    /// Strains at the start of the step, and 1/dt.
    before: Option<(&'a [StrainPack], f64)>,
    /// The chunk's first particle.
    first: u32,
    tension: bool,
    poses: &'a [Row8],
    /// See [`pack_velocity`].
    velocities: &'a [Row8],
}

/// Kernel of the law `B` for a chunk.
pub(super) struct ChunkKernel<'a, B, const DAMPED: bool, const WATCHED: bool> {
    task: &'a Task<'a>,
    sums: &'a mut ChunkSums,
    law: PhantomData<fn() -> B>,
}

impl<'a, B: BondLaw, const DAMPED: bool, const WATCHED: bool> ChunkKernel<'a, B, DAMPED, WATCHED> {
    pub(super) fn new(task: &'a Task<'a>, sums: &'a mut ChunkSums) -> Self {
        Self { task, sums, law: PhantomData }
    }
}

impl<B: BondLaw, const DAMPED: bool, const WATCHED: bool> Kernel for ChunkKernel<'_, B, DAMPED, WATCHED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        chunk_kernel::<L, B, DAMPED, WATCHED>(self.task, self.sums);
    }
}

dispatch! {
    fn strains<'a>(chunk: &PackChunk, packs: &'a [BondPack], poses: &[Row8], out: &mut [StrainPack]) = strain_kernel
}

/// A kernel in stages, each a short loop over a few runs of one register of bonds. In short loops the processor
/// overlaps roots and divisions. Intermediate results stay in the cache.
#[inline(always)]
fn chunk_kernel<L: Lanes, B: BondLaw, const DAMPED: bool, const WATCHED: bool>(task: &Task, sums: &mut ChunkSums) {
    /// Runs per pass through the stages.
    const BLOCK: usize = 4;
    let runs = task.packs.len() * PACK / L::COUNT;
    let mut heads = [PoseHead::<L>::zero(); BLOCK];
    let mut poses = [PoseLanes::<L>::zero(); BLOCK];
    let mut elastic = [(L::splat(0.0), GradientLanes::<L>::zero()); BLOCK];
    let mut first = 0;
    while first < runs {
        let count = BLOCK.min(runs - first);
        for (run, head) in (first..).zip(&mut heads[..count]) {
            let (pack, part) = pack_and_lane::<L>(run);
            *head = PoseHead::new(&task.packs[pack], part, task.poses);
        }
        for (run, (pose, head)) in (first..).zip(poses.iter_mut().zip(&heads[..count])) {
            let (pack, part) = pack_and_lane::<L>(run);
            *pose =
                if B::HAS_ORIENTATION { PoseLanes::new(&task.packs[pack], part, head) } else { PoseLanes::axial(head) };
        }
        for (run, (elastic, pose)) in (first..).zip(elastic.iter_mut().zip(&poses[..count])) {
            *elastic = resist::<L, B, WATCHED>(task, pack_and_lane::<L>(run), pose, &mut sums.overloaded);
        }
        for (run, k) in (first..).zip(0..count) {
            let at = pack_and_lane::<L>(run);
            let (energy, gradient) = elastic[k];
            if DAMPED {
                let (energy, taken, gradient) = damp(task, at, &poses[k], heads[k].rest, energy, gradient);
                add(task, at, energy, taken, &gradient, &mut sums.rows);
            } else {
                add(task, at, energy, L::splat(0.0), &gradient, &mut sums.rows);
            }
        }
        first += count;
    }
}

/// Pack of a run of bonds, and its first lane.
#[inline(always)]
fn pack_and_lane<L: Lanes>(run: usize) -> (usize, usize) {
    (run * L::COUNT / PACK, run * L::COUNT % PACK)
}

/// Elastic energy (J) and gradient of the bonds of pack `k` from lane `part` on. Records those near breakage.
#[inline(always)]
fn resist<L: Lanes, B: BondLaw, const WATCHED: bool>(
    task: &Task,
    (k, part): (usize, usize),
    pose: &PoseLanes<L>,
    overloaded: &mut Vec<u32>,
) -> (L, GradientLanes<L>) {
    let stiffness = &load(task.stiffness.of(k), part);
    if WATCHED {
        let bits =
            strength::overloaded::<L, B>(pose, stiffness, (&task.limits[k], task.criteria.get(k)), part, task.tension);
        note(overloaded, bits, PACK * k + part);
    }
    B::elastic(pose, stiffness)
}

/// `energy` and `gradient` of the same bonds with damping, and between them its dissipation.
#[inline(always)]
fn damp<L: Lanes>(
    task: &Task,
    (k, part): (usize, usize),
    pose: &PoseLanes<L>,
    rest: [L; 2],
    energy: L,
    gradient: GradientLanes<L>,
) -> (L, L, GradientLanes<L>) {
    let stiffness = &load(task.stiffness.of(k), part);
    if let Some((before, rate)) = task.before {
        let (dissipated, resistance) = pose.damping(stiffness, &before[k], part, L::splat(rate));
        (energy + dissipated, dissipated, gradient.plus(resistance))
    } else {
        let (power, resistance) = pose.resistance(&task.packs[k], part, stiffness, task.velocities, rest);
        (energy, power, gradient.plus(resistance))
    }
}

/// Adds the gradients of the same bonds to their particles' rows.
#[inline(always)]
fn add<L: Lanes>(
    task: &Task,
    (k, part): (usize, usize),
    energy: L,
    taken: L,
    gradient: &GradientLanes<L>,
    rows: &mut [Row8],
) {
    let pack = &task.packs[k];
    let zero = L::splat(0.0);
    let (f, a, b) = (gradient.p_j, gradient.theta_i, gradient.theta_j);
    let on_i = L::rows([-f.x, -f.y, -f.z, a.x, a.y, a.z, energy, taken]);
    let on_j = L::rows([f.x, f.y, f.z, b.x, b.y, b.z, zero, zero]);
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::add_row(&on_i, lane, &mut rows[(pack.i[part + lane] - task.first) as usize]);
            L::add_row(&on_j, lane, &mut rows[pack.to_j[part + lane] as usize]);
        }
    }
}

#[inline(always)]
fn strain_kernel<L: Lanes>(chunk: &PackChunk, packs: &[BondPack], poses: &[Row8], out: &mut [StrainPack]) {
    // strains depend on lengths alone, which are equal for all laws
    let Some((_, stiffness)) = chunk.laws.first() else { return };
    let are_axial = !chunk.laws.iter().any(|(model, _)| model.has_orientation());
    for (k, (pack, out)) in packs.iter().zip(out).enumerate() {
        for part in (0..PACK).step_by(L::COUNT) {
            let head = PoseHead::new(pack, part, poses);
            let pose = if are_axial { PoseLanes::<L>::axial(&head) } else { PoseLanes::new(pack, part, &head) };
            pose.strain(&load(stiffness.of(k), part), part, out);
        }
    }
}

/// Appends the bonds whose bits are set.
#[inline(always)]
fn note(list: &mut Vec<u32>, bits: u32, first: usize) {
    if bits != 0 {
        note_each(list, bits, first);
    }
}

#[cold]
fn note_each(list: &mut Vec<u32>, bits: u32, first: usize) {
    list.extend((0..PACK as u32).filter(|lane| bits >> lane & 1 == 1).map(|lane| first as u32 + lane));
}
