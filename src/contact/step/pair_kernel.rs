//! Kernels over the close pairs of an explicit step.

use crate::contact::particle_lanes::{MotionLanes, direction, vectors};
use crate::dispatch;
use crate::geometry::Vec3;
use crate::model::ContactLaw;
use crate::simd::{Lanes, Level, Row8, Vec3x};

use super::forces::{Friction, NormalForce, StepGeometry};
use super::pair_blocks::{BLOCK, PairBlock, store, vector};
use super::pairs::ChunkForces;

/// Input of the kernel.
pub(super) struct Task<'a> {
    pub law: ContactLaw,
    pub has_friction: bool,
    /// Whether no pairs are known that are in contact at the start.
    pub is_first: bool,
    /// Inverse of the step, 1/s; zero without damping.
    pub rate: f64,
    /// Positions at the end of the step, m.
    pub p: &'a [Vec3],
    /// Motions in the step: see [`pack_motion`](super::pack_motion).
    pub motions: &'a [Row8],
}

/// Evaluates the active pairs of a chunk.
pub(super) fn evaluate_pairs(level: Level, task: &Task, chunk: &mut ChunkForces) {
    dispatch! { fn elastic<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[false, false] }
    dispatch! { fn damped<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[false, true] }
    dispatch! { fn rough<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[true, false] }
    dispatch! { fn rough_damped<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[true, true] }
    match (task.has_friction, task.rate > 0.0) {
        (false, false) => elastic(level, task, chunk),
        (false, true) => damped(level, task, chunk),
        (true, false) => rough(level, task, chunk),
        (true, true) => rough_damped(level, task, chunk),
    }
}

#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool, const DAMPED: bool>(task: &Task, chunk: &mut ChunkForces) {
    for block in 0..chunk.list.blocks.len() {
        let mut lane = 0;
        while lane < BLOCK {
            evaluate::<L, ROUGH, DAMPED>(task, chunk, block, lane);
            lane += L::COUNT;
        }
    }
}

/// Evaluates the pairs of a block from `lane` on.
#[inline(always)]
fn evaluate<L: Lanes, const ROUGH: bool, const DAMPED: bool>(
    task: &Task,
    chunk: &mut ChunkForces,
    block: usize,
    lane: usize,
) {
    let (pair, law) = (&chunk.list.blocks[block], chunk.list.law(block));
    let register = (1 << L::COUNT) - 1;
    let geometry = Geometry::<L>::load(task, pair, law.reach(lane), lane);
    let touching = geometry.overlap().not_below(L::splat(f64::MIN_POSITIVE)) & chunk.list.valid(block) >> lane;
    chunk.touching[1][block] = chunk.touching[1][block] & !(register << lane) as u8 | (touching << lane) as u8;

    let step = geometry.in_step(task, pair, lane);
    let spring = law.spring::<L>(task.law, lane);
    let normal = NormalForce::new::<DAMPED, 2>(&spring, &step, task.rate);
    let trapezoid_error = spring.trapezoid_error(step.overlaps);
    let (mut force, mut torques, mut lost) = (step.n[1] * normal.push, [Vec3x::splat(0.0); 2], L::splat(0.0));
    if ROUGH {
        let stretch = vector(&chunk.springs[0][block].stretch, lane);
        let slid = L::from_bits(u32::from(chunk.slides[0][block]) >> lane);
        // the contact point is halfway within the overlap
        let (half, overlap, [r_i, r_j]) = (L::splat(0.5), step.last_overlap(), law.radii(lane));
        let arms = [half.neg_mul_add(overlap, r_i), half.neg_mul_add(overlap, r_j)];
        let friction = Friction::new(&step, spring.k, normal.push, &law.mu(lane), arms, stretch, slid);
        (torques, lost) = (friction.torques, friction.lost);
        force = force + friction.force;
        let slides = friction.slides & register;
        chunk.slides[1][block] = chunk.slides[1][block] & !(register << lane) as u8 | (slides << lane) as u8;
        let out = &mut chunk.springs[1][block];
        let stretch = friction.stretch;
        store([stretch.x, stretch.y, stretch.z], &mut out.stretch, lane);
        friction.limit.store(&mut out.limit[lane..]);
    }

    let zero = L::splat(0.0);
    let [on_i, on_j] = torques;
    let rows = [
        L::rows([force.x, force.y, force.z, on_i.x, on_i.y, on_i.z, lost, trapezoid_error]),
        L::rows([-force.x, -force.y, -force.z, on_j.x, on_j.y, on_j.z, zero, zero]),
    ];
    let (to_i, to_j) = (&pair.to_i[lane..], &pair.to_j[lane..]);
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::add_row(&rows[0], lane, &mut chunk.rows[to_i[lane] as usize]);
            L::add_row(&rows[1], lane, &mut chunk.rows[to_j[lane] as usize]);
        }
    }
    if DAMPED {
        let d = step.n[1] * normal.dashpot;
        let rows = L::rows([d.x, d.y, d.z, zero, -d.x, -d.y, -d.z, zero]);
        for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
            if lane < L::COUNT {
                L::add_half::<0>(&rows, lane, &mut chunk.dashpots[to_i[lane] as usize]);
                L::add_half::<1>(&rows, lane, &mut chunk.dashpots[to_j[lane] as usize]);
            }
        }
    }
}

/// Pairs at the end of the step.
#[derive(Clone, Copy)]
struct Geometry<L> {
    /// Distance at which they begin to touch, m.
    reach: L,
    branch: Vec3x<L>,
    /// Unit normal from i to j.
    n: Vec3x<L>,
    /// Distance of the centres, m.
    l: L,
}

impl<L: Lanes> Geometry<L> {
    #[inline(always)]
    fn load(task: &Task, pair: &PairBlock, reach: L, lane: usize) -> Self {
        let branch = vectors::<L>(task.p, &pair.j[lane..]) - vectors(task.p, &pair.i[lane..]);
        let (n, l) = direction(branch);
        Self { reach, branch, n, l }
    }

    #[inline(always)]
    fn overlap(&self) -> L {
        (self.reach - self.l).max(L::splat(0.0))
    }

    /// The pairs in the step.
    #[inline(always)]
    fn in_step(&self, task: &Task, pair: &PairBlock, lane: usize) -> StepGeometry<L, 2> {
        let [i, j] =
            [MotionLanes::load(task.motions, &pair.i[lane..]), MotionLanes::load(task.motions, &pair.j[lane..])];
        let moved = i.moved - j.moved;
        let (n_0, l_0) = direction(self.branch + moved);
        let overlaps = [self.reach - l_0, self.reach - self.l];
        StepGeometry { n: [n_0, self.n], overlaps, moved, turns: [i.turn, j.turn] }
    }
}
