//! State and bonds of a world in the layout of the shader `step.wgsl`.

use bdem_core::energy::law::Strength;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Bond, State, Stiffness, World};
use bytemuck::{Pod, Zeroable};

use super::StepsError;

/// Unit of quaternions.
const QUATERNION_UNIT: f64 = 1.0 / (1u64 << 30) as f64;

/// Bits of a slot: broken or empty, and whether the particle is the bond's second.
pub(super) const BROKEN: u32 = 1 << 31;
const SECOND: u32 = 1 << 30;
const KIND_SHIFT: u32 = 24;
const MAX_KINDS: usize = 64;
pub(super) const MAX_PARTICLES: usize = 1 << KIND_SHIFT;

/// Pose of a particle.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub(super) struct Pose {
    at: [i32; 3],
    pad_0: u32,
    part: [f32; 3],
    pad_1: u32,
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

/// Stiffness and strength of bonds.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default, PartialEq)]
pub(super) struct Kind {
    k: [f32; 4],
    c: [f32; 4],
    r0: f32,
    sigma: f32,
    tau: f32,
    moment_share: f32,
    friction: f32,
    pad: [f32; 3],
}

/// Force (N) and torque (N m) on a particle, half the energy (J) of its bonds, and its bonds that broke.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Default)]
pub struct Sums {
    /// N.
    pub force: [f32; 3],
    /// J.
    pub energy: f32,
    /// N m.
    pub torque: [f32; 3],
    /// Number.
    pub broken: f32,
}

/// Fixed-point format of positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Unit, m.
    pub h: f64,
    /// Binary digits of rest vectors below it.
    pub shift: u32,
}

impl Format {
    /// Format for positions within `extent` (m) of the origin.
    pub(super) fn new(world: &World, extent: f64) -> Self {
        let h = libm::exp2(libm::log2(extent).ceil() - 31.0);
        let longest = world.whole_bonds().map(|bond| bond.l0 / h).fold(1.0, f64::max);
        // rest vectors and their rotations are below 2^30
        Self { h, shift: (29.0 - libm::log2(longest).ceil()).clamp(0.0, 24.0) as u32 }
    }

    pub(super) fn encode(&self, world: &World, state: &State) -> (Vec<Pose>, Vec<Motion>) {
        let held = world.always_held();
        let single = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32];
        let of = |i: usize| {
            let p = state.p[i] / self.h;
            let whole = p.map(f64::round);
            let q = &state.q[i].coords;
            let pose = Pose {
                at: [whole.x as i32, whole.y as i32, whole.z as i32],
                part: single(p - whole),
                q: [q.x, q.y, q.z, q.w].map(|part| (part / QUATERNION_UNIT).round() as i32),
                ..Pose::default()
            };
            let inverse = |of: f64| if held[i] { 0.0 } else { (1.0 / of) as f32 };
            let [by_mass, by_inertia] = [world.particles.mass[i], world.particles.inertia[i]].map(inverse);
            (pose, Motion { v: single(state.v[i]), by_mass, w: single(state.w[i]), by_inertia })
        };
        (0..state.len()).map(of).unzip()
    }

    pub(super) fn decode(&self, time: f64, poses: &[Pose], motions: &[Motion]) -> State {
        let double = |v: [f32; 3]| Vec3::from(v.map(f64::from));
        let place = |pose: &Pose| Vec3::from_fn(|k, _| (f64::from(pose.at[k]) + f64::from(pose.part[k])) * self.h);
        let turn = |pose: &Pose| {
            let [x, y, z, w] = pose.q.map(|part| f64::from(part) * QUATERNION_UNIT);
            let q = Quat::new(w, x, y, z);
            q / q.norm()
        };
        State {
            time,
            p: poses.iter().map(place).collect(),
            q: poses.iter().map(turn).collect(),
            v: motions.iter().map(|motion| double(motion.v)).collect(),
            w: motions.iter().map(|motion| double(motion.w)).collect(),
        }
    }
}

/// Bonds of all particles: slot s of particle i is at `s n + i`.
pub(super) struct Slots {
    /// Rest vector, and index of the other particle with kind, side and broken bit.
    pub table: Vec<[u32; 4]>,
    /// Number of a particle.
    pub count: usize,
    pub kinds: Vec<Kind>,
}

impl Slots {
    pub(super) fn new(world: &World, particles: usize, format: &Format) -> Result<Self, StepsError> {
        let (mut lists, mut kinds) = (vec![Vec::<[u32; 4]>::new(); particles], Vec::new());
        let unit = format.h / f64::from(1u32 << format.shift);
        for bond in world.whole_bonds() {
            let kind = kind_index(&mut kinds, Kind::new(bond, world))?;
            let rest = (bond.d0 * bond.l0 / unit).map(|part| part.round() as i32);
            let slot = |of: u32, side: u32| {
                [rest.x.cast_unsigned(), rest.y.cast_unsigned(), rest.z.cast_unsigned(), of | kind << KIND_SHIFT | side]
            };
            lists[bond.i as usize].push(slot(bond.j, 0));
            lists[bond.j as usize].push(slot(bond.i, SECOND));
        }
        let count = lists.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut table = vec![[0, 0, 0, BROKEN]; count * particles];
        for (i, list) in lists.iter().enumerate() {
            list.iter().enumerate().for_each(|(s, slot)| table[s * particles + i] = *slot);
        }
        // buffers are not empty
        kinds.resize(kinds.len().max(1), Kind::default());
        Ok(Self { table, count, kinds })
    }
}

impl Kind {
    fn new(bond: &Bond, world: &World) -> Self {
        let Stiffness { r0, k, c, .. } = Stiffness::from(bond);
        let Strength { sigma, tau, criterion, .. } = Strength::new(bond, world.axial);
        let [moment_share, friction] = criterion.unwrap_or([1.0, 0.0]);
        let single = |value: f64| (value as f32).min(f32::MAX);
        let [r0, sigma, tau, moment_share, friction] = [r0, sigma, tau, moment_share, friction].map(single);
        Self { k: k.map(single), c: c.map(single), r0, sigma, tau, moment_share, friction, pad: [0.0; 3] }
    }

    /// Whether all numbers are equal within rounding.
    fn is_near(&self, other: &Self) -> bool {
        let (a, b): (&[f32], &[f32]) =
            (bytemuck::cast_slice(std::slice::from_ref(self)), bytemuck::cast_slice(std::slice::from_ref(other)));
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs())
    }
}

/// Index of an equal kind, which is appended if new.
fn kind_index(kinds: &mut Vec<Kind>, kind: Kind) -> Result<u32, StepsError> {
    if let Some(index) = kinds.iter().position(|known| known.is_near(&kind)) {
        return Ok(index as u32);
    }
    if kinds.len() == MAX_KINDS {
        return Err(StepsError::Kinds { most: MAX_KINDS });
    }
    kinds.push(kind);
    Ok(kinds.len() as u32 - 1)
}
