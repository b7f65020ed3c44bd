//! Kernels over the close pairs of an explicit step.

use crate::contact::TangentialLaw;
use crate::contact::particle_lanes::{MotionLanes, direction, vectors};
use crate::geometry::Vec3;
use crate::model::ContactLaw;
use crate::simd::dispatch;
use crate::simd::{Lanes, Level, Row8, Vec3x};

use super::forces::{Friction, NormalForce, StepDamping, StepGeometry};
use super::pair_blocks::{BLOCK, PairBlock, store, vector};
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
    for register in 0..chunk.list.blocks.len() * (BLOCK / L::COUNT) {
        let at = Place::of::<L>(register);
        let step = geometry::<L>(task, chunk, at);
        let forces = forces::<L, ROUGH, DAMPED>(task, chunk, at, &step);
        add::<L, DAMPED>(chunk, at, &forces);
    }
}

/// First pair of a register: its block, and its lane there.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    lane: usize,
}

impl Place {
    #[inline(always)]
    fn of<L: Lanes>(register: usize) -> Self {
        let first = register * L::COUNT;
        Self { block: first / BLOCK, lane: first % BLOCK }
    }

    /// Sets the bits of a register's pairs in those of its block.
    #[inline(always)]
    fn set_bits<L: Lanes>(self, bits: u32, of: &mut [u8]) {
        let register = (1 << L::COUNT) - 1;
        let of = &mut of[self.block];
        *of = *of & !(register << self.lane) as u8 | ((bits & register) << self.lane) as u8;
    }
}

/// Pairs of a register in the step. Those in contact at its end are noted.
#[inline(always)]
fn geometry<L: Lanes>(task: &Task, chunk: &mut ChunkForces, at: Place) -> StepGeometry<L, 2> {
    let Place { block, lane } = at;
    let (pair, law) = (&chunk.list.blocks[block], chunk.list.law(block));
    let geometry = Geometry::<L>::load(task, pair, law.reach(lane), lane);
    let touching = geometry.overlap().not_below(L::splat(f64::MIN_POSITIVE)) & chunk.list.valid(block) >> lane;
    at.set_bits::<L>(touching, &mut chunk.touching[1]);
    geometry.in_step(task, pair, lane)
}

/// Forces of pairs on i, and energies.
struct PairForce<L> {
    force: Vec3x<L>,
    torques: [Vec3x<L>; 2],
    /// Dissipation of friction, and trapezoid error, J.
    lost: L,
    trapezoid_error: L,
    /// The dashpots' part of `force` (N) and of `torques` (N m).
    dashpot: Vec3x<L>,
    dashpot_torques: [Vec3x<L>; 2],
}

/// Forces of the pairs of a register. Their tangential springs at the end are noted.
#[inline(always)]
fn forces<L: Lanes, const ROUGH: bool, const DAMPED: bool>(
    task: &Task,
    chunk: &mut ChunkForces,
    at: Place,
    step: &StepGeometry<L, 2>,
) -> PairForce<L> {
    let Place { block, lane } = at;
    let law = chunk.list.law(block);
    let spring = law.spring::<L>(task.law, lane);
    let normal = NormalForce::new::<DAMPED, 2>(&spring, step, task.damping);
    if DAMPED {
        normal.correction.store(&mut chunk.corrections[block][lane..]);
    }
    let mut forces = PairForce {
        force: step.n[1] * normal.push,
        torques: [Vec3x::splat(0.0); 2],
        lost: L::splat(0.0),
        trapezoid_error: normal.trapezoid_error,
        dashpot: step.n[1] * normal.dashpot,
        dashpot_torques: [Vec3x::splat(0.0); 2],
    };
    if ROUGH {
        let stretch = vector(&chunk.springs[0][block].stretch, lane);
        let slid = L::from_bits(u32::from(chunk.slides[0][block]) >> lane);
        // the contact point is halfway within the overlap
        let (half, overlap, [r_i, r_j]) = (L::splat(0.5), step.last_overlap(), law.radii(lane));
        let arms = [half.neg_mul_add(overlap, r_i), half.neg_mul_add(overlap, r_j)];
        let friction = Friction::new(
            step,
            TangentialLaw::new(spring.k, normal.drag),
            normal.push,
            &law.mu(lane),
            arms,
            stretch,
            slid,
        );
        forces.force = forces.force + friction.force;
        (forces.torques, forces.lost) = (friction.torques, friction.lost);
        (forces.dashpot, forces.dashpot_torques) = (forces.dashpot + friction.dashpot, friction.dashpot_torques);
        at.set_bits::<L>(friction.slides, &mut chunk.slides[1]);
        let out = &mut chunk.springs[1][block];
        let stretch = friction.stretch;
        store([stretch.x, stretch.y, stretch.z], &mut out.stretch, lane);
        friction.limit.store(&mut out.limit[lane..]);
    }
    forces
}

/// Adds the forces of a register's pairs to the rows of their particles.
#[inline(always)]
fn add<L: Lanes, const DAMPED: bool>(chunk: &mut ChunkForces, at: Place, forces: &PairForce<L>) {
    let (zero, pair) = (L::splat(0.0), &chunk.list.blocks[at.block]);
    let PairForce { force, torques: [on_i, on_j], lost, trapezoid_error, .. } = *forces;
    let rows = [
        L::rows([force.x, force.y, force.z, on_i.x, on_i.y, on_i.z, lost, trapezoid_error]),
        L::rows([-force.x, -force.y, -force.z, on_j.x, on_j.y, on_j.z, zero, zero]),
    ];
    let (to_i, to_j) = (&pair.to_i[at.lane..], &pair.to_j[at.lane..]);
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            L::add_row(&rows[0], lane, &mut chunk.rows[to_i[lane] as usize]);
            L::add_row(&rows[1], lane, &mut chunk.rows[to_j[lane] as usize]);
        }
    }
    if DAMPED {
        let (d, [on_i, on_j]) = (forces.dashpot, forces.dashpot_torques);
        let rows = [
            L::rows([d.x, d.y, d.z, on_i.x, on_i.y, on_i.z, zero, zero]),
            L::rows([-d.x, -d.y, -d.z, on_j.x, on_j.y, on_j.z, zero, zero]),
        ];
        for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
            if lane < L::COUNT {
                L::add_row(&rows[0], lane, &mut chunk.dashpots[to_i[lane] as usize]);
                L::add_row(&rows[1], lane, &mut chunk.dashpots[to_j[lane] as usize]);
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
