//! Kernels over the close pairs of an explicit step.

use crate::contact::evaluate::{Contact, Response, Rough};
use crate::contact::lanes::{direction, motions, vectors};
use crate::contact::normal::StepDamping;
use crate::geometry::Vec3;
use crate::model::{ContactLaw, State};
use crate::simd::dispatch;
use crate::simd::{Lanes, Level, Row8, Vec3x};

use super::drifts::added;
use super::pair_blocks::{BLOCK, DashpotBlock, LawBlock, PairBlock, store, vector};
use super::pair_chunk::ChunkForces;
use super::set_bits;

/// Input of the kernel.
pub(super) struct Task<'a> {
    pub law: ContactLaw,
    pub has_friction: bool,
    pub damping: StepDamping,
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
    match (task.has_friction, task.damping.zeta > 0.0) {
        (false, false) => elastic(level, task, chunk),
        (false, true) => damped(level, task, chunk),
        (true, false) => rough(level, task, chunk),
        (true, true) => rough_damped(level, task, chunk),
    }
}

#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool, const DAMPED: bool>(task: &Task, chunk: &mut ChunkForces) {
    for first in (0..chunk.list.blocks.len() * BLOCK).step_by(L::COUNT) {
        let (block, lane) = (first / BLOCK, first % BLOCK);
        let (pair, law) = (&chunk.list.blocks[block], chunk.list.law(block));
        let mut rough = Rough::none();
        if ROUGH {
            let [x, y, z, slid, ..] = L::columns(&chunk.springs[0], &pair.places[lane..]);
            let stretch = Vec3x::new(x, y, z);
            let (radii, stiffness, mu) = (law.radii(lane), law.stiffness(lane), law.mu(lane));
            rough = Rough { radii, stiffness, mu, stretch, slid };
        }
        let contact = contact::<L>(task, pair, law, lane, rough);
        let touching = contact.overlaps[1].not_below(L::splat(f64::MIN_POSITIVE)) & chunk.list.valid(block) >> lane;
        put_bits::<L>(touching, lane, &mut chunk.touching[block]);
        let response = contact.evaluate::<ROUGH, DAMPED>(task.damping);
        if DAMPED {
            let power = response.dashpot_work * L::splat(task.damping.rate);
            store_dashpots(&response, power, &mut chunk.dashpots[block], lane);
        }
        let ends = [&pair.to_i[lane..], &pair.to_j[lane..]];
        add_rows(&response, ends, &mut chunk.rows);
        if ROUGH {
            let (zero, Vec3x { x, y, z }) = (L::splat(0.0), response.stretch);
            let rows = L::rows([x, y, z, L::from_bits(response.slides), response.limit, zero, zero, zero]);
            for k in [0, 1, 2, 3, 4, 5, 6, 7] {
                if k < L::COUNT {
                    L::store_row(&rows, k, &mut chunk.springs[1][pair.places[lane + k] as usize]);
                }
            }
        }
    }
}

/// Sets the bits of a register's pairs in those of its block.
#[inline(always)]
fn put_bits<L: Lanes>(bits: u32, lane: usize, of: &mut u8) {
    let register = (1 << L::COUNT) - 1;
    *of = *of & !(register << lane) as u8 | ((bits & register) << lane) as u8;
}

/// Pairs of a register in the step.
#[inline(always)]
fn contact<L: Lanes>(task: &Task, pair: &PairBlock, law: &LawBlock, lane: usize, rough: Rough<L, 2>) -> Contact<L, 2> {
    let branch = vectors::<L>(task.p, &pair.j[lane..]) - vectors(task.p, &pair.i[lane..]);
    let ((moved_i, turn_i), (moved_j, turn_j)) =
        (motions(task.motions, &pair.i[lane..]), motions(task.motions, &pair.j[lane..]));
    let (moved, reach) = (moved_i - moved_j, law.reach::<L>(lane));
    let ((n_0, l_0), (n, l)) = (direction(branch + moved), direction(branch));
    let spring = law.spring(task.law, lane);
    Contact { n: [n_0, n], overlaps: [reach - l_0, reach - l], moved, turns: [turn_i, turn_j], spring, rough }
}

#[inline(always)]
fn store_dashpots<L: Lanes>(response: &Response<L, 2>, power: L, to: &mut DashpotBlock, lane: usize) {
    let (force, [i, j]) = (response.dashpot, response.dashpot_torques);
    store([force.x, force.y, force.z], &mut to.force, lane);
    store([i.x, i.y, i.z], &mut to.torques[0], lane);
    store([j.x, j.y, j.z], &mut to.torques[1], lane);
    power.store(&mut to.power[lane..]);
    response.correction.store(&mut to.correction[lane..]);
}

/// Adds the forces and energies of a register's pairs to the rows of their particles.
#[inline(always)]
fn add_rows<L: Lanes>(response: &Response<L, 2>, [to_i, to_j]: [&[u32]; 2], sums: &mut [Row8]) {
    let (zero, f, [on_i, on_j]) = (L::splat(0.0), response.force, response.torques);
    let rows = [
        L::rows([f.x, f.y, f.z, on_i.x, on_i.y, on_i.z, response.lost, response.trapezoid_error]),
        L::rows([-f.x, -f.y, -f.z, on_j.x, on_j.y, on_j.z, zero, zero]),
    ];
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::add_row(&rows[0], lane, &mut sums[to_i[lane] as usize]);
            L::add_row(&rows[1], lane, &mut sums[to_j[lane] as usize]);
        }
    }
}

dispatch! {
    /// Powers (W) of a chunk's dashpots in the drift of the step, and at the velocities of its end `after`.
    pub(super) fn dashpot_powers(chunk: &ChunkForces, after: &State) -> [f64; 2] = sum_powers
}

#[inline(always)]
fn sum_powers<L: Lanes>(chunk: &ChunkForces, after: &State) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (block, dashpots) in chunk.dashpots.iter().enumerate() {
        let (pair, mut at_end) = (&chunk.list.blocks[block], [0.0; BLOCK]);
        for lane in (0..BLOCK).step_by(L::COUNT) {
            let (i, j) = (&pair.i[lane..], &pair.j[lane..]);
            let v = vectors::<L>(&after.v, i) - vectors(&after.v, j);
            let [on_i, on_j]: [Vec3x<L>; 2] = [vector(&dashpots.torques[0], lane), vector(&dashpots.torques[1], lane)];
            let spin = on_i.dot(vectors(&after.w, i)) + on_j.dot(vectors(&after.w, j));
            (vector::<L>(&dashpots.force, lane).dot(v) + spin).store(&mut at_end[lane..]);
        }
        for lane in set_bits(chunk.list.valid(block).into()) {
            sums = added(sums, [dashpots.power[lane], at_end[lane]]);
        }
    }
    sums
}
