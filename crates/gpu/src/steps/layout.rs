//! State and bonds of a world in the layout of the shader `step.wgsl`.

use std::collections::HashMap;

use bdem_core::energy::law::Strength;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Bond, Gradient, State, Stiffness, World};
use bytemuck::{Pod, Zeroable};

use crate::device::GROUP;

use super::program::Law;

/// Unit of quaternions.
const QUATERNION_UNIT: f64 = 1.0 / (1u64 << 30) as f64;

/// Empty slot, which is broken and of no particle. Bits of others: whether the particle is the bond's second, and whether its particles
/// touch all the same.
const EMPTY: u32 = u32::MAX;
const SECOND: u32 = 1 << 30;
const TOUCHING: u32 = 1 << 29;

/// Pose of a particle.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub(super) struct Pose {
    at: [i32; 3],
    group: u32,
    part: [f32; 3],
    step: u32,
    q: [i32; 4],
}

/// Velocities and inverse inertia of a particle.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub(super) struct Motion {
    v: [f32; 3],
    by_mass: f32,
    w: [f32; 3],
    by_inertia: f32,
}

/// Strength (m) of bonds that do not break, whose square single precision holds.
const UNBREAKABLE: f32 = 1e15;

/// Stiffness and strength of bonds, at first where they soften.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
struct Kind {
    k: [f32; 4],
    c: [f32; 4],
    r0: f32,
    sigma: f32,
    tau: f32,
    moment_share: f32,
    friction: f32,
    limit: f32,
    law: u32,
    pad: u32,
}

/// Force (N) and torque (N m) on a particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Default)]
pub struct Sums {
    /// N.
    pub force: [f32; 4],
    /// N m.
    pub torque: [f32; 4],
}

/// Energies (J) of a particle: `Works` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct Works {
    pub damping: f32,
    pub work: f32,
    pub numerical: f32,
    pub fracture: f32,
    pub friction: f32,
    pub walls: f32,
    broke: u32,
    pad: u32,
    /// Dissipated, work of walls and gained by the time rule in the half kick after the block.
    pub late: [f32; 4],
}

/// Single precision.
pub(super) fn single(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Remainders of the velocities of `state` (m/s, rad/s) in single precision: `Rest` of the shader.
pub(super) fn rests(state: &State) -> Vec<[f32; 8]> {
    let rest = |of: &Vec3| single(of - double(single(*of)));
    let of = |(v, w): (&Vec3, &Vec3)| {
        let ([a, b, c], [x, y, z]) = (rest(v), rest(w));
        [a, b, c, 0.0, x, y, z, 0.0]
    };
    state.v.iter().zip(&state.w).map(of).collect()
}

fn double(v: [f32; 3]) -> Vec3 {
    Vec3::from(v.map(f64::from))
}

/// Fixed-point format of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    /// Unit, m.
    pub h: f64,
    /// Binary digits of rest vectors below it.
    pub shift: u32,
}

impl Format {
    /// Format for positions within `extent` (m) of the origin along each axis, and bonds up to a length, m.
    pub(super) fn new(extent: f64, longest: f64) -> Self {
        let h = libm::exp2(libm::log2(extent).ceil() - 30.0);
        // rest vectors and their rotations are below 2^30
        Self { h, shift: (29.0 - libm::log2((longest / h).max(1.0)).ceil()).clamp(0.0, 24.0) as u32 }
    }

    /// Largest distance from the origin along an axis, m.
    pub(super) fn extent(&self) -> f64 {
        self.h * f64::from(1 << 30)
    }

    /// Whole units.
    pub(super) fn units(&self, p: &Vec3) -> [i32; 3] {
        let whole = (p / self.h).map(f64::round);
        [whole.x as i32, whole.y as i32, whole.z as i32]
    }

    pub(super) fn place(&self, at: [i32; 3]) -> Vec3 {
        Vec3::from(at.map(f64::from)) * self.h
    }

    /// State of particles in these groups of constraints. Those that are `held` have no inverse inertia.
    pub(super) fn encode(&self, state: &State, groups: &[u32], inverse: &[[f64; 2]]) -> (Vec<Pose>, Vec<Motion>) {
        let of = |i: usize| {
            let at = self.units(&state.p[i]);
            let q = &state.q[i].coords;
            let pose = Pose {
                at,
                group: groups[i],
                part: single((state.p[i] - self.place(at)) / self.h),
                step: 0,
                q: [q.x, q.y, q.z, q.w].map(|part| (part / QUATERNION_UNIT).round() as i32),
            };
            let [by_mass, by_inertia] = inverse[i].map(|of| of as f32);
            let [v, w] = [state.v[i], state.w[i]].map(single);
            (pose, Motion { v, by_mass, w, by_inertia })
        };
        (0..state.len()).map(of).unzip()
    }

    /// Writes a particle's pose and velocities to `state`.
    pub(super) fn decode(&self, pose: &Pose, motion: &Motion, i: usize, state: &mut State) {
        let [x, y, z, w] = pose.q.map(|part| f64::from(part) * QUATERNION_UNIT);
        let q = Quat::new(w, x, y, z);
        state.p[i] = self.place(pose.at) + double(pose.part) * self.h;
        state.q[i] = q / q.norm();
        (state.v[i], state.w[i]) = (double(motion.v), double(motion.w));
    }
}

/// Bonds of all particles, in slices of [`GROUP`] particles: rows of a slot of each.
#[derive(Default)]
pub(super) struct Slots {
    /// Rest vector, and index of the other particle with side and broken bit.
    pub table: Vec<[u32; 4]>,
    /// First row of each slice, and the number of rows.
    pub slices: Vec<u32>,
    /// Index of each slot's kind.
    pub kinds_of_slots: Vec<u32>,
    kinds: Vec<Kind>,
    /// Greatest strain of each slot's bond; empty where none softens.
    pub strains: Vec<f32>,
    /// Ends of each bond that softens, and its first slot.
    pub softening: Vec<([u32; 2], usize)>,
}

impl Sums {
    /// Force and torque of dV/dx (N, N m) without a weight (N).
    pub(super) fn of(Gradient { p, theta }: &Gradient, weight: &Vec3) -> Self {
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        Self { force: four(single(-(p + weight))), torque: four(single(-theta)) }
    }
}

impl Slots {
    pub(super) fn new(world: &World, format: &Format, laws: &[Law]) -> Self {
        let softens = laws.iter().any(|law| law.softens);
        let (mut kinds, mut indices) = (Vec::new(), HashMap::new());
        let mut counts = vec![0; world.particles.len()];
        let rows = world.whole_bonds().map(|bond| {
            [bond.i, bond.j].map(|i| {
                counts[i as usize] += 1;
                counts[i as usize] - 1
            })
        });
        let rows: Vec<[u32; 2]> = rows.collect();
        let slices = slices(&counts);
        let len = GROUP * slices[slices.len() - 1] as usize;
        let place = |i: u32, row: u32| GROUP * (slices[i as usize / GROUP] + row) as usize + i as usize % GROUP;
        let mut slots = Self {
            table: vec![[0, 0, 0, EMPTY]; len],
            kinds_of_slots: vec![0; len],
            strains: vec![1.0; if softens { len } else { 0 }],
            ..Self::default()
        };
        let unit = format.h / f64::from(1u32 << format.shift);
        for (bond, rows) in world.whole_bonds().zip(rows) {
            let places = [place(bond.i, rows[0]), place(bond.j, rows[1])];
            let kind = Kind::new(bond, world, laws);
            let key: [u32; 16] = bytemuck::cast(kind);
            let index = *indices.entry(key).or_insert_with(|| {
                kinds.push(kind);
                kinds.len() as u32 - 1
            });
            let rest = (bond.d0 * bond.l0 / unit).map(|part| part.round() as i32);
            let [x, y, z] = [rest.x, rest.y, rest.z].map(i32::cast_unsigned);
            let touching = if bond.model.keeps_contact() { TOUCHING } else { 0 };
            slots.table[places[0]] = [x, y, z, bond.j | touching];
            slots.table[places[1]] = [x, y, z, bond.i | SECOND | touching];
            places.into_iter().for_each(|place| slots.kinds_of_slots[place] = index);
            if let Some(softening) = &bond.softening {
                places.into_iter().for_each(|place| slots.strains[place] = softening.reached as f32);
                slots.softening.push(([bond.i, bond.j], places[0]));
            }
        }
        (slots.kinds, slots.slices) = (kinds, slices);
        slots
    }

    /// Bytes of the table of kinds.
    pub(super) fn kinds(&self) -> &[u8] {
        bytemuck::cast_slice(&self.kinds)
    }
}

/// First row of each slice of particles with these numbers of slots, and the number of rows.
pub(super) fn slices(counts: &[u32]) -> Vec<u32> {
    let mut slices = vec![0];
    for slice in counts.chunks(GROUP) {
        slices.push(slices[slices.len() - 1] + slice.iter().copied().max().unwrap_or(0));
    }
    slices
}

impl Kind {
    fn new(bond: &Bond, world: &World, laws: &[Law]) -> Self {
        let mut first = bond.clone();
        let softens = first.soften_to(1.0).is_some();
        let Stiffness { r0, k, c, .. } = Stiffness::from(&first);
        let Strength { sigma, tau, criterion, .. } = Strength::new(&first, world.axial);
        let [moment_share, friction] = criterion.unwrap_or([1.0, 0.0]);
        let limit = bond.softening.as_ref().map_or(f64::INFINITY, |softening| softening.limit);
        let single = |value: f64| (value as f32).min(UNBREAKABLE);
        let [r0, sigma, tau, moment_share, friction, limit] =
            [r0, sigma, tau, moment_share, friction, limit].map(single);
        let law = laws.iter().position(|law| law.is_of(bond.model, softens)).expect("the laws of the world's bonds");
        let law = law as u32;
        Self { k: k.map(single), c: c.map(single), r0, sigma, tau, moment_share, friction, limit, law, pad: 0 }
    }
}
