//! Kernels over the close pairs of an explicit step.

use crate::contact::evaluate::{Contact, Response, Rough};
use crate::contact::lanes::{direction, motions, vectors};
use crate::contact::normal::StepDamping;
use crate::geometry::Vec3;
use crate::model::ContactLaw;
use crate::simd::dispatch;
use crate::simd::{Lanes, Level, Row8, Vec3x};

use super::pair_blocks::{BLOCK, LawBlock, PairBlock, store, vector};
use super::pair_chunk::ChunkForces;

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
        let at @ (block, lane) = (first / BLOCK, first % BLOCK);
        let (pair, law) = (&chunk.list.blocks[block], chunk.list.law(block));
        let mut rough = Rough::none();
        if ROUGH {
            let (stretch, slid) = (vector(&chunk.springs[0][block].stretch, lane), chunk.slides[0][block]);
            let slid = L::from_bits(u32::from(slid) >> lane);
            let (radii, stiffness, mu) = (law.radii(lane), law.stiffness(lane), law.mu(lane));
            rough = Rough { radii, stiffness, mu, stretch, slid };
        }
        let contact = contact::<L>(task, pair, law, lane, rough);
        let touching = contact.overlaps[1].not_below(L::splat(f64::MIN_POSITIVE)) & chunk.list.valid(block) >> lane;
        set_bits::<L>(touching, lane, &mut chunk.touching[1][block]);
        let response = contact.evaluate::<ROUGH, DAMPED>(task.damping);
        add::<L, DAMPED>(chunk, at, &response);
        if ROUGH {
            set_bits::<L>(response.slides, lane, &mut chunk.slides[1][block]);
            let Vec3x { x, y, z } = response.stretch;
            store([x, y, z], &mut chunk.springs[1][block].stretch, lane);
            response.limit.store(&mut chunk.springs[1][block].limit[lane..]);
        }
    }
}

/// Sets the bits of a register's pairs in those of its block.
#[inline(always)]
fn set_bits<L: Lanes>(bits: u32, lane: usize, of: &mut u8) {
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

/// Adds the forces of a register's pairs to the rows of their particles.
#[inline(always)]
fn add<L: Lanes, const DAMPED: bool>(
    chunk: &mut ChunkForces,
    (block, lane): (usize, usize),
    response: &Response<L, 2>,
) {
    let (zero, pair) = (L::splat(0.0), &chunk.list.blocks[block]);
    let ends = [&pair.to_i[lane..], &pair.to_j[lane..]];
    let work = [response.lost, response.trapezoid_error];
    add_rows(&response.force, &response.torques, work, ends, &mut chunk.rows);
    if DAMPED {
        add_rows(&response.dashpot, &response.dashpot_torques, [zero; 2], ends, &mut chunk.dashpots);
        response.correction.store(&mut chunk.corrections[block][lane..]);
    }
}

/// Adds forces (N), torques (N m) and the energies of `work` (J) to the rows of i, and what is opposite to those of j.
#[inline(always)]
fn add_rows<L: Lanes>(
    f: &Vec3x<L>,
    [on_i, on_j]: &[Vec3x<L>; 2],
    [lost, trapezoid_error]: [L; 2],
    [to_i, to_j]: [&[u32]; 2],
    sums: &mut [Row8],
) {
    let zero = L::splat(0.0);
    let rows = [
        L::rows([f.x, f.y, f.z, on_i.x, on_i.y, on_i.z, lost, trapezoid_error]),
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
