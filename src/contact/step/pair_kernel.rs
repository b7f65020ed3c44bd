//! Kernels over the close pairs of an explicit step.

use crate::contact::particle_lanes::{TurnLanes, pick, rolled, unit, vectors};
use crate::contact::tangential_spring::{Stretched, TANGENTIAL};
use crate::dispatch;
use crate::geometry::Vec3;
use crate::model::{Closing, ClosingSpring, ContactLaw, Spring, State};
use crate::simd::{Lanes, Level, Vec3x};

use super::pair_blocks::{BLOCK, store, vector};
use super::pairs::ChunkForces;

/// Input of the kernel.
pub(super) struct Task<'a> {
    pub law: ContactLaw,
    pub has_friction: bool,
    /// Whether no pairs are known that are in contact at the start.
    pub is_first: bool,
    /// Inverse of the step, 1/s; zero without damping.
    pub rate: f64,
    /// States at the start and at the end of the step.
    pub before: &'a State,
    pub after: &'a State,
}

/// Evaluates the close pairs of a chunk.
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

dispatch! {
    /// Power (W) of a chunk's dashpots at the velocities `v` (m/s).
    pub(super) fn dashpot_power(v: &[Vec3], chunk: &ChunkForces) -> f64 = power
}

#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool, const DAMPED: bool>(task: &Task, chunk: &mut ChunkForces) {
    chunk.work = [0.0; 2];
    for block in 0..chunk.pairs.len() {
        let mut touching = 0;
        let mut lane = 0;
        while lane < BLOCK {
            touching |= evaluate::<L, ROUGH, DAMPED>(task, chunk, block, lane) << lane;
            lane += L::COUNT;
        }
        chunk.touching[1][block] = touching as u8;
    }
}

/// Evaluates the pairs of a block from `lane` on. Returns which of them are in contact at the end, as bits.
#[inline(always)]
fn evaluate<L: Lanes, const ROUGH: bool, const DAMPED: bool>(
    task: &Task,
    chunk: &mut ChunkForces,
    block: usize,
    lane: usize,
) -> u32 {
    let (zero, half) = (L::splat(0.0), L::splat(0.5));
    let pair = &chunk.pairs[block];
    let (i, j) = (&pair.i[lane..], &pair.j[lane..]);
    let (p_i, p_j) = (vectors::<L>(&task.after.p, i), vectors::<L>(&task.after.p, j));
    let branch = p_j - p_i;
    let l = branch.dot(branch).sqrt();
    let reach = L::load(&pair.reach[lane..]);
    let overlap = (reach - l).max(zero);
    let touching = overlap.not_below(L::splat(f64::MIN_POSITIVE));
    let touched = u32::from(chunk.touching[0][block]) >> lane & ((1 << L::COUNT) - 1);
    if touching | touched == 0 && !task.is_first {
        return 0;
    }

    let (from_i, from_j) = (vectors::<L>(&task.before.p, i), vectors::<L>(&task.before.p, j));
    let start = from_j - from_i;
    let l_0 = start.dot(start).sqrt();
    let overlaps = [reach - l_0, reach - l];
    let before = overlaps[0].max(zero);
    let n = unit(branch, l);
    let law = chunk.law(block);
    let spring = law.spring::<L>(task.law, lane);
    let closing = Closing { before, rate: L::splat(if DAMPED { task.rate } else { 0.0 }) };
    let elastic = spring.push(overlap);
    let push = if DAMPED { ClosingSpring { spring: &spring, closing }.push(overlap) } else { elastic };
    let mut force = n * push;
    let mut torque = Vec3x::splat(0.0);
    let radii = law.radii::<L>(lane);
    let arms = [radii[0] - half * overlap, radii[1] - half * overlap];

    let mut work = [[0.0; BLOCK]; 2];
    spring.trapezoid_error(overlaps).store(&mut work[1]);
    if ROUGH {
        // the spring of a pair that parted does its last work at its last contact point
        let n = pick(overlap, n, unit(start, l_0));
        let last_arms = [radii[0] - half * before, radii[1] - half * before];
        let arms = [zero.pick_below(overlap, arms[0], last_arms[0]), zero.pick_below(overlap, arms[1], last_arms[1])];
        let (mut stretch, mut slid) = (Vec3x::splat(0.0), zero);
        if touched != 0 {
            let starts = &chunk.springs[0][block];
            (stretch, slid) = (vector(&starts.stretch, lane), L::load(&starts.slides[lane..]));
        }
        let states = [&task.before.q[..], &task.after.q];
        let turns = [TurnLanes::load(states, i), TurnLanes::load(states, j)];
        let u = (p_i - from_i) - (p_j - from_j) + rolled(&turns, arms).cross(n);
        let stretched = Stretched::new(L::splat(TANGENTIAL) * spring.k, stretch, n, u);
        let limit = stretched.limit(push, &law.mu(lane), slid);
        let friction = stretched.spring * stretched.weight(limit);
        force = force + friction;
        torque = n.cross(friction);
        let after = stretched.committed(limit);
        let ends = [stretch, after];
        stretched.dissipated(ends, u, stretched.mean_force(ends, n)).store(&mut work[0]);

        // none without a normal force
        let after = pick(limit, after, Vec3x::splat(0.0));
        let slides = zero.pick_below(limit, limit.pick_below(stretched.unlimited(), L::splat(1.0), zero), zero);
        let out = &mut chunk.springs[1][block];
        store([after.x, after.y, after.z], &mut out.stretch, lane);
        slides.store(&mut out.slides[lane..]);
        limit.store(&mut out.limit[lane..]);
        store([n.x, n.y, n.z], &mut out.n, lane);
        store(arms, &mut out.arms, lane);
    }
    if DAMPED {
        let out = &mut chunk.dashpots[block];
        store([n.x, n.y, n.z], &mut out.n, lane);
        (push - elastic).store(&mut out.force[lane..]);
    }
    let rows = L::rows([force.x, force.y, force.z, torque.x, torque.y, torque.z, arms[0], arms[1]]);
    let out = &mut chunk.rows[BLOCK * block + lane..][..L::COUNT];
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::store_row(&rows, lane, &mut out[lane]);
        }
    }
    for (sum, lanes) in chunk.work.iter_mut().zip(&work) {
        lanes[..L::COUNT].iter().for_each(|value| *sum += value);
    }
    touching
}

#[inline(always)]
fn power<L: Lanes>(v: &[Vec3], chunk: &ChunkForces) -> f64 {
    let mut sum = 0.0;
    for (block, pair) in chunk.pairs.iter().enumerate() {
        let touching = u32::from(chunk.touching[1][block]);
        let mut lane = 0;
        while touching != 0 && lane < BLOCK {
            let dashpot = &chunk.dashpots[block];
            let closing = vectors::<L>(v, &pair.i[lane..]) - vectors(v, &pair.j[lane..]);
            let force = L::load(&dashpot.force[lane..]);
            let mut powers = [0.0; BLOCK];
            (force * closing.dot(vector(&dashpot.n, lane))).store(&mut powers);
            for (k, power) in powers[..L::COUNT].iter().enumerate() {
                if touching >> (lane + k) & 1 == 1 {
                    sum += power;
                }
            }
            lane += L::COUNT;
        }
    }
    sum
}
