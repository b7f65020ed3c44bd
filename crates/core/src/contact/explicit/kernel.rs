//! The kernel over blocks of contacts in an explicit step: contacts of two particles, and of particles with walls.

use crate::contact::evaluate::{Contact, Frictional, Response};
use crate::contact::lanes::{Turn, direction, motions, spring_rows, stored, stretches};
use crate::contact::normal::StepDamping;
use crate::geometry::Vec3;
use crate::model::{Coefficients, ContactLaw, NormalSpring, State};
use crate::simd::dispatch;
use crate::simd::{InstructionSet, Lanes, Row8, Vec3x, vectors};

use super::blocks::{BLOCK, Block, Contacts};
use super::set_bits;

/// Input of the kernel.
pub(super) struct Task<'a> {
    pub law: ContactLaw,
    pub damping: StepDamping,
    pub before: &'a State,
    pub after: &'a State,
    /// Motions in the step: see [`pack_motion`](crate::contact::pack_motion). Empty where they are not known.
    pub motions: &'a [Row8],
}

/// Sums of the forces of a chunk's contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// dV/dx (N, N m) of each row, and in own rows dissipation of friction and trapezoid error (J). The last row is spare.
    pub forces: Vec<Row8>,
    /// The dashpots' part of dV/dx, but for second powers of rotations in the step, and their power in the step's own drift, W.
    pub dashpots: Vec<Row8>,
    /// Forces that undo the trapezoidal rule's error.
    pub corrections: Vec<Correction>,
    /// Contacts with walls, in order.
    pub on_walls: Vec<OnWall>,
}

/// Normal force of one contact that undoes the trapezoidal rule's error where it opens or closes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Correction {
    /// Particles; that of a contact with a wall twice.
    pub ends: [u32; 2],
    /// N.
    pub force: Vec3,
    /// Its product with the wall's velocity, W.
    pub wall: f64,
}

/// Force of a particle on a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnWall {
    /// N.
    pub force: Vec3,
    /// Product of the dashpots' force with the wall's velocity, W.
    pub power: f64,
    /// Work of the wall by friction, J.
    pub work: f64,
}

impl Sums {
    /// Sets `rows` sums to zero; those of dashpots where there are any.
    pub(super) fn reset(&mut self, rows: usize, is_damped: bool) {
        for (list, rows) in [(&mut self.forces, rows), (&mut self.dashpots, if is_damped { rows } else { 0 })] {
            list.clear();
            list.resize(rows, Row8::ZERO);
        }
        self.corrections.clear();
        self.on_walls.clear();
    }

    /// Makes room for sums over this many rows, pairs, and contacts with walls.
    pub(super) fn reserve(&mut self, rows: usize, [pairs, on_walls]: [usize; 2], is_damped: bool) {
        self.forces.reserve(rows.saturating_sub(self.forces.len()));
        if is_damped {
            self.dashpots.reserve(rows.saturating_sub(self.dashpots.len()));
            self.corrections.reserve((pairs + on_walls).saturating_sub(self.corrections.len()));
        }
        self.on_walls.reserve(on_walls.saturating_sub(self.on_walls.len()));
    }
}

/// Contacts to be evaluated, and rows of their springs at the start: none without friction.
pub(super) struct Input<'a> {
    pub task: &'a Task<'a>,
    pub contacts: &'a Contacts,
    pub start: &'a [Row8],
}

/// Evaluates contacts of two particles. Writes rows of springs at the `end`, and adds up forces.
pub(super) fn evaluate_pairs(instructions: InstructionSet, input: &Input, end: &mut [Row8], sums: &mut Sums) {
    dispatch! { fn elastic<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[2, false, false] }
    dispatch! { fn damped<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[2, false, true] }
    dispatch! { fn frictional<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[2, true, false] }
    dispatch! { fn frictional_damped<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[2, true, true] }
    match (!input.start.is_empty(), input.task.damping.zeta > 0.0) {
        (false, false) => elastic(instructions, input, end, sums),
        (false, true) => damped(instructions, input, end, sums),
        (true, false) => frictional(instructions, input, end, sums),
        (true, true) => frictional_damped(instructions, input, end, sums),
    }
}

/// The same of particles on walls.
pub(super) fn evaluate_on_walls(instructions: InstructionSet, input: &Input, end: &mut [Row8], sums: &mut Sums) {
    dispatch! { fn frictionless<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[1, false, true] }
    dispatch! { fn frictional<'a>(input: &Input<'a>, end: &mut [Row8], sums: &mut Sums) = kernel[1, true, true] }
    if !input.start.is_empty() {
        frictional(instructions, input, end, sums)
    } else {
        frictionless(instructions, input, end, sums)
    }
}

#[inline(always)]
fn kernel<L: Lanes, const N: usize, const FRICTION: bool, const DAMPED: bool>(
    input: &Input,
    end: &mut [Row8],
    sums: &mut Sums,
) {
    let (task, contacts) = (input.task, input.contacts);
    for first in (0..contacts.blocks.len() * BLOCK).step_by(L::COUNT) {
        let (block, lane) = (&contacts.blocks[first / BLOCK], first % BLOCK);
        let valid = ((1u64 << (contacts.count.saturating_sub(first)).min(L::COUNT)) - 1) as u32;
        let (contact, carried) = contact::<L, N, FRICTION>(input, block, lane);
        let response = contact.evaluate::<FRICTION, DAMPED>(task.damping);
        add_forces::<L, N>(&response, block, lane, &mut sums.forces);
        if DAMPED {
            add_dashpots::<L, N>(&response, task.damping.rate, block, lane, &mut sums.dashpots);
        }
        let velocity = carried * L::splat(task.damping.rate);
        if N == 1 {
            push_on_walls(&response, [carried, velocity], valid, &mut sums.on_walls);
        }
        let is_corrected = response.correction.abs().not_below(L::splat(f64::MIN_POSITIVE)) & valid;
        if DAMPED && is_corrected != 0 {
            push_corrections(&response, &contact.n[1], velocity, (block, lane, is_corrected), &mut sums.corrections);
        }
        if FRICTION {
            let depth = contact.frictional.radii[0] - response.arms[0];
            let rows = spring_rows(response.stretch, depth, contact.n[1], response.limit, response.slides);
            for k in [0, 1, 2, 3, 4, 5, 6, 7] {
                if k < L::COUNT {
                    L::store_row(&rows, k, &mut end[block.springs[lane + k] as usize]);
                }
            }
        }
    }
}

/// Contacts of a register in the step, and displacements of walls there, m.
#[inline(always)]
fn contact<L: Lanes, const N: usize, const FRICTION: bool>(
    input: &Input,
    block: &Block,
    lane: usize,
) -> (Contact<L, N>, Vec3x<L>) {
    let (task, none) = (input.task, Vec3x::splat(0.0));
    let [reach, k, size, softening, damping, sticking, sliding, tangential] =
        L::columns(&input.contacts.laws, &block.laws[lane..]);
    let spring = NormalSpring { law: task.law, k, size, softening, damping, tangential };
    let (mut frictional, mut known) = (Frictional::none(), none);
    if FRICTION {
        let (stretch, slid) = stretches(input.start, &block.springs[lane..]);
        if N == 1 {
            let [.., x, y, z, _] = L::columns(input.start, &block.springs[lane..]);
            known = Vec3x::new(x, y, z);
        }
        let (mut radii, mut k) = ([reach; N], 0);
        while k < N {
            radii[k] = L::load(&block.radii[k][lane..]);
            k += 1;
        }
        frictional = Frictional { radii, mu: Coefficients { sticking, sliding }, stretch, slid };
    }
    let (mut moved, mut turns, mut k) = (none, [Turn::none(); N], 0);
    while k < N {
        let (by, turn) = motion(task, &block.ends[k][lane..]);
        moved = if k == 0 { by } else { moved - by };
        turns[k] = turn;
        k += 1;
    }
    if N == 1 {
        let [gap_0, gap, x, y, z, a, b, c] = L::columns(&input.contacts.geometry, &block.laws[lane..]);
        let (n, carried) = (Vec3x::new(x, y, z), Vec3x::new(a, b, c));
        let n_0 = if FRICTION { known } else { n };
        let moved = moved - carried;
        return (Contact { n: [n_0, n], overlaps: [-gap_0, -gap], moved, turns, spring, frictional }, carried);
    }
    let branch = vectors::<L>(&task.after.p, &block.ends[1][lane..]) - vectors(&task.after.p, &block.ends[0][lane..]);
    let ((n_0, l_0), (n, l)) = (direction(branch + moved), direction(branch));
    (Contact { n: [n_0, n], overlaps: [reach - l_0, reach - l], moved, turns, spring, frictional }, none)
}

/// Displacements (m) and rotations of particles in the step.
#[inline(always)]
fn motion<L: Lanes>(task: &Task, particles: &[u32]) -> (Vec3x<L>, Turn<L>) {
    if !task.motions.is_empty() {
        return motions(task.motions, particles);
    }
    let moved = vectors::<L>(&task.after.p, particles) - vectors(&task.before.p, particles);
    (moved, Turn::load([&task.before.q, &task.after.q], particles))
}

/// Adds forces and energies of a register's contacts to the rows of their particles.
#[inline(always)]
fn add_forces<L: Lanes, const N: usize>(response: &Response<L, N>, block: &Block, lane: usize, sums: &mut [Row8]) {
    let (f, energies) = (response.force, [response.by_sliding, response.trapezoid_error]);
    add_rows(f, &response.torques, energies, block, lane, sums);
}

/// The same of their dashpots; `rate` is the inverse of the step, 1/s.
#[inline(always)]
fn add_dashpots<L: Lanes, const N: usize>(
    response: &Response<L, N>,
    rate: f64,
    block: &Block,
    lane: usize,
    sums: &mut [Row8],
) {
    let energies = [response.dashpot_work * L::splat(rate), L::splat(0.0)];
    add_rows(response.dashpot, &response.dashpot_torques, energies, block, lane, sums);
}

/// Adds `force` and `torques` to the rows of the particles, and `energies` to that of the first. Contact after contact, so that the
/// order of sums does not depend on the number of lanes.
#[inline(always)]
fn add_rows<L: Lanes, const N: usize>(
    force: Vec3x<L>,
    torques: &[Vec3x<L>; N],
    energies: [L; 2],
    block: &Block,
    lane: usize,
    sums: &mut [Row8],
) {
    let (zero, [t, s], back) = (L::splat(0.0), [torques[0], torques[N - 1]], -force);
    let first = L::rows([force.x, force.y, force.z, t.x, t.y, t.z, energies[0], energies[1]]);
    let second = L::rows([back.x, back.y, back.z, s.x, s.y, s.z, zero, zero]);
    // unrolled, so that the rows stay in registers
    for k in [0, 1, 2, 3, 4, 5, 6, 7] {
        if k < L::COUNT {
            L::add_row(&first, k, &mut sums[block.rows[0][lane + k] as usize]);
            if N == 2 {
                L::add_row(&second, k, &mut sums[block.rows[1][lane + k] as usize]);
            }
        }
    }
}

/// Adds the `valid` contacts of a register, on walls that moved by `carried` (m) at a velocity (m/s).
#[inline(always)]
fn push_on_walls<L: Lanes, const N: usize>(
    response: &Response<L, N>,
    [carried, velocity]: [Vec3x<L>; 2],
    valid: u32,
    to: &mut Vec<OnWall>,
) {
    let f = response.force;
    let [power, work] = [response.dashpot.dot(velocity), -response.mean_force.dot(carried)];
    let [x, y, z, power, work] = stored([f.x, f.y, f.z, power, work]);
    for lane in set_bits(valid.into()) {
        let force = Vec3::new(x[lane], y[lane], z[lane]);
        to.push(OnWall { force, power: power[lane], work: work[lane] });
    }
}

/// Adds the corrections of the contacts in these lanes of a block from `lane` on, along the normals `n`.
#[inline(always)]
fn push_corrections<L: Lanes, const N: usize>(
    response: &Response<L, N>,
    n: &Vec3x<L>,
    velocity: Vec3x<L>,
    (block, lane, which): (&Block, usize, u32),
    to: &mut Vec<Correction>,
) {
    let force = *n * response.correction;
    let [x, y, z, wall] = stored([force.x, force.y, force.z, force.dot(velocity)]);
    for k in set_bits(which.into()) {
        let (ends, force) = (block.ends.map(|ends| ends[lane + k]), Vec3::new(x[k], y[k], z[k]));
        to.push(Correction { ends, force, wall: wall[k] });
    }
}
