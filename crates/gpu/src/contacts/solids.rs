//! Solid parts of walls on a card: shapes with a closed form, each in a frame of its own.

use bdem_core::energy::WallForce;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Pose, Quat, Vec3};
use bdem_core::internals::contact::WallTangentialSpring;
use bdem_core::model::{Motion, State, Wall, World};
use bytemuck::{Pod, Zeroable};

use crate::device::Device;

use super::{BlockStart, lists, tables};

/// Unit of axes.
const AXIS_UNIT: f64 = 1.0 / (1u64 << 30) as f64;

/// Kinds of the shader.
const PLANE: u32 = 0;
const BOX: u32 = 1;
const CYLINDER: u32 = 2;
const SPHERE: u32 = 3;

/// Half the height of a cylinder without ends, h.
const ENDLESS: f64 = (1u32 << 30) as f64;

/// `Solid` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Row {
    size: [i32; 3],
    kind: u32,
    part: [f32; 3],
    sign: i32,
    mu: [f32; 2],
    moves: u32,
    is_thin: u32,
}

/// `Place` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Place {
    at: [i32; 4],
    part: [f32; 4],
    spin: [f32; 4],
    axes: [[i32; 4]; 3],
}

/// Solid part of a wall: a closed form.
struct Part {
    /// Index of the wall.
    wall: usize,
    /// The part as a wall of its own.
    alone: Wall,
    kind: u32,
    /// -1 for the complement.
    sign: i32,
    /// Half edges of a box; radius, none and half the height of a cylinder; radius of a sphere, m.
    size: [f64; 3],
    /// Frame at time 0.
    frame: Pose,
}

/// Solid parts of all walls.
pub(super) struct Solids {
    parts: Vec<Part>,
    h: f64,
    moves: bool,
    rows: wgpu::Buffer,
    places: wgpu::Buffer,
    pub springs: wgpu::Buffer,
    forces: wgpu::Buffer,
}

/// Solid parts of a wall. None if one has no closed form on cards, or if they are convex and more than one: their contacts would hide
/// each other.
fn parts_of(index: usize, wall: &Wall) -> Option<Vec<Part>> {
    let shapes = match wall.surface() {
        Shape::Union(members) => members.clone(),
        Shape::Group(group) => group.members().to_vec(),
        single => vec![single.clone()],
    };
    let is_concave = |of: &Part| of.kind == PLANE || of.sign < 0;
    let all: Option<Vec<_>> = shapes.into_iter().map(|shape| Part::new(index, &wall.motion, shape)).collect();
    all.filter(|all| all.len() == 1 || all.iter().all(is_concave))
}

/// Whether a wall has solid parts on cards.
pub(crate) fn has_closed_form(wall: &Wall) -> bool {
    parts_of(0, wall).is_some()
}

/// Rotation of z to a unit vector.
fn rotation_to(n: &Vec3) -> Quat {
    let (z, x) = (Vec3::z(), Vec3::x());
    let half = (z + n).try_normalize(1e-6);
    half.map_or_else(|| Quat::from_parts(0.0, x), |half| Quat::from_parts(z.dot(&half), z.cross(&half)))
}

/// Solid parts of the walls that have them.
fn parts(world: &World) -> Vec<Part> {
    world.walls.iter().enumerate().filter_map(|(index, wall)| parts_of(index, wall)).flatten().collect()
}

/// Largest distance of frames from the origin along an axis at these times (s), or size of a part, m.
pub(crate) fn extent(world: &World, times: &[f64]) -> f64 {
    let of_part = |part: Part| {
        let far = |&time: &f64| part.alone.motion.pose(time).apply(&part.frame.shift).amax();
        let sizes = part.size.into_iter().filter(|size| *size < 0.25 * f64::MAX);
        times.iter().map(far).chain(sizes).fold(0.0, f64::max)
    };
    parts(world).into_iter().map(of_part).fold(0.0, f64::max)
}

impl Solids {
    pub(super) fn new(device: &Device, world: &World, h: f64) -> Self {
        let parts = parts(world);
        let rows: Vec<Row> = parts.iter().map(|part| part.row(world, h)).collect();
        let room = || device.room(16 * parts.len() * world.particles.len());
        Self {
            rows: device.storage(&rows),
            places: device.room(0),
            springs: room(),
            forces: room(),
            moves: parts.iter().any(|part| part.alone.motion != Motion::Fixed),
            parts,
            h,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.parts.len()
    }

    /// Buffers of the contacts' kernel, in its order.
    pub(super) fn buffers(&self) -> [&wgpu::Buffer; 4] {
        [&self.rows, &self.places, &self.springs, &self.forces]
    }

    /// Starts a block: places at its times and a step after it, and springs. Places of walls at rest are those of
    /// the first time.
    pub(super) fn begin(&mut self, device: &Device, world: &World, start: &BlockStart) {
        let next = start.times.last().map(|last| last + start.dt);
        let all = start.times.iter().chain(&next);
        let times = all.take(if self.moves { usize::MAX } else { 1 });
        let (parts, h) = (&self.parts, self.h);
        let at = |&time: &f64| parts.iter().map(move |part| part.place(time, h));
        self.places = device.storage(&times.flat_map(at).collect::<Vec<Place>>());
        self.set_springs(device, world, start);
    }

    fn set_springs(&self, device: &Device, world: &World, start: &BlockStart) {
        let n = start.state.len();
        let mut rows = vec![[0f32; 4]; self.count() * n];
        for WallTangentialSpring { particle, wall, tangential } in &start.springs.walls {
            let i = *particle as usize;
            let nearness = |k: &usize| {
                let near = self.parts[*k].near(world, start.state, i);
                near.map_or(-2.0, |(_, n)| n.dot(&tangential.n))
            };
            let own = (0..self.count()).filter(|&k| self.parts[k].wall == *wall as usize);
            let Some(k) = own.max_by(|a, b| nearness(a).total_cmp(&nearness(b))) else { continue };
            rows[k * n + i] = lists::row(tangential);
        }
        device.write(&self.springs, &rows);
    }

    /// Loaded springs, sorted by particle and wall, at a state.
    pub(super) fn springs(&self, device: &Device, world: &World, state: &State) -> Vec<WallTangentialSpring> {
        let of = |(i, part, row, gap, n): (usize, &Part, [f32; 4], f64, Vec3)| {
            let tangential = lists::spring(row, n, -gap);
            WallTangentialSpring { particle: i as u32, wall: part.wall as u32, tangential }
        };
        let rows = device.read(&self.springs);
        self.near(&rows, world, state).filter(|(.., gap, _)| *gap < 0.0).map(of).collect()
    }

    /// Forces on walls at a state.
    pub(super) fn forces(&self, device: &Device, world: &World, state: &State) -> Vec<WallForce> {
        let of = |(i, part, [x, y, z, _], gap, n): (usize, &Part, [f32; 4], f64, Vec3)| {
            let place = state.p[i] + n * (world.particles.radius[i] + gap);
            (part.wall, Vec3::new(x.into(), y.into(), z.into()), place)
        };
        self.near(&device.read(&self.forces), world, state).map(of).collect()
    }

    /// Particles near parts that have numbers there, which end in one that is not zero; with gaps (m) and normals.
    fn near<'a>(
        &'a self,
        rows: &'a [[f32; 4]],
        world: &'a World,
        state: &'a State,
    ) -> impl Iterator<Item = (usize, &'a Part, [f32; 4], f64, Vec3)> {
        let pairs = (0..state.len()).flat_map(|i| self.parts.iter().enumerate().map(move |(k, part)| (i, k, part)));
        let loaded = pairs.map(|(i, k, part)| (i, part, rows[k * state.len() + i])).filter(|(.., row)| row[3] != 0.0);
        loaded.filter_map(|(i, part, row)| part.near(world, state, i).map(|(gap, n)| (i, part, row, gap, n)))
    }
}

impl Part {
    /// Part of a wall that moves in this way; `None` if its shape has no closed form here.
    fn new(wall: usize, motion: &Motion, whole: Shape) -> Option<Self> {
        let (mut shape, mut sign, mut frame) = (&whole, 1, Pose::default());
        loop {
            match shape {
                Shape::Placed { shape: inner, position, rotation } => {
                    frame = Pose { turn: frame.turn * rotation, shift: frame.apply(position) };
                    shape = inner;
                }
                Shape::Complement(inner) => (shape, sign) = (inner, -sign),
                _ => break,
            }
        }
        let (kind, size) = match *shape {
            Shape::HalfSpace(HalfSpace { normal, offset }) => {
                let turn = rotation_to(&normal);
                frame = Pose { turn: frame.turn * turn, shift: frame.apply(&(normal * offset)) };
                (PLANE, [0.0; 3])
            }
            Shape::Box { size } => (BOX, size.map(|edge| 0.5 * edge)),
            Shape::Cylinder { radius, height } => (CYLINDER, [radius, 0.0, 0.5 * height]),
            Shape::Sphere { radius } => (SPHERE, [radius, 0.0, 0.0]),
            _ => return None,
        };
        let mut alone = Wall::new(whole);
        alone.motion = motion.clone();
        Some(Self { wall, alone, kind, sign, size, frame })
    }

    /// Place at a time (s).
    fn place(&self, time: f64, h: f64) -> Place {
        let (pose, twist) = (self.alone.motion.pose(time), self.alone.motion.twist(time));
        let frame = Pose { turn: pose.turn * self.frame.turn, shift: pose.apply(&self.frame.shift) };
        let mut place = Place::default();
        for k in 0..3 {
            place.spin[k] = twist.spin[k] as f32;
            (place.at[k], place.part[k]) = tables::parts(frame.shift[k], h);
            let axis = frame.rotate(&Vec3::ith(k, 1.0));
            (0..3).for_each(|of| place.axes[k][of] = (axis[of] / AXIS_UNIT).round() as i32);
        }
        place
    }

    fn row(&self, world: &World, h: f64) -> Row {
        let (wall, &Self { kind, sign, .. }) = (&world.walls[self.wall], self);
        let size = self.size.map(|length| tables::parts(length.min(ENDLESS * h), h));
        let mu = [wall.static_friction.or(wall.friction), wall.friction];
        Row {
            size: size.map(|(whole, _)| whole),
            kind,
            part: size.map(|(_, part)| part),
            sign,
            mu: mu.map(|mu| mu.map_or(-1.0, |mu| mu as f32)),
            moves: u32::from(wall.motion != Motion::Fixed),
            is_thin: u32::from(kind != PLANE && sign > 0),
        }
    }

    /// Gap (m) of a particle that touches it or nearly does, and the unit normal to it.
    fn near(&self, world: &World, state: &State, i: usize) -> Option<(f64, Vec3)> {
        let radius = world.particles.contact_radius[i];
        let near = self.alone.at(state.time).touch(&state.p[i], 2.0 * radius);
        near.map(|(gap, n)| (gap + radius, -n))
    }
}
