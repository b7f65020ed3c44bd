//! Contacts of particles with each other and with walls in explicit steps on a graphics card: one kernel a step.

mod lists;
mod memory;
mod refusal;
mod solids;
mod tables;

use bdem_core::internals::contact::{ContactState, StepDamping};
use bdem_core::model::{FrictionModel, State, World};
use bdem_core::simd::traced::NotRecordable;
use bytemuck::{Pod, Zeroable};

use crate::device::Device;
use crate::record::{ContactOptions, record_contact, record_pair_spring};
use crate::wgsl;
use lists::Lists;
use solids::Solids;

pub use memory::{ContactFlows, WallForce};
pub use refusal::{Refusal, refusal};

/// Buffers of the steps' kernel that contacts read.
pub(crate) struct Shared<'b> {
    /// Poses and motions, both buffers of each.
    pub poses: [&'b wgpu::Buffer; 2],
    pub motions: [&'b wgpu::Buffer; 2],
    /// Slots of bonds, and their number a particle.
    pub bonds: &'b wgpu::Buffer,
    pub bond_slots: usize,
    /// Unit of positions, m.
    pub h: f64,
}

/// Place of a step in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Forces at the start, without motion.
    First,
    /// A step.
    Middle,
    /// The last one, which notes the forces on walls.
    Last,
}

/// Parameters of a step: `Step` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Step {
    particles: u32,
    solids: u32,
    is_first: u32,
    is_last: u32,
    h: f32,
    rate: f32,
    pad: [u32; 2],
    drift: [f32; 4],
}

/// Report of the kernels: `Status` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Status {
    /// Greatest distance of a particle from its place in the lists, h.
    travel: f32,
    /// Slots of pairs that the lists need; zero if they have enough.
    slots: u32,
    /// Particle that may pass a wall, plus one.
    passing: u32,
    built: u32,
}

/// Reason that steps are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Lists need this number of slots a particle.
    Slots(usize),
    /// A particle moved farther than lists hold.
    Travel,
    /// This particle may pass through a wall.
    Passing(usize),
}

/// Steps of a command buffer at most.
pub(crate) const MAX_BATCH: usize = 64;

/// Share of the distance that lists hold for below which they are built half as often.
const EARLY: f32 = 0.3;

/// Threads of a workgroup of the shaders.
const GROUP: u32 = 64;

/// Contacts of one world on a card.
pub(crate) struct Contacts {
    pipeline: wgpu::ComputePipeline,
    particles: usize,
    /// Unit of positions, m.
    h: f64,
    lists: Lists,
    solids: Solids,
    surfaces: wgpu::Buffer,
    status: wgpu::Buffer,
    clocks: [wgpu::Buffer; 2],
    /// Index of the current clock.
    clock: usize,
    pushes: wgpu::Buffer,
    energies: wgpu::Buffer,
    lates: wgpu::Buffer,
    /// Bindings of each part of a block, from each of both pose buffers, for each of both clocks.
    groups: Vec<[[wgpu::BindGroup; 2]; 2]>,
    /// Whether particles have friction with each other.
    pair_friction: bool,
    /// Steps between lists.
    cadence: usize,
}

impl Contacts {
    /// Contacts from a state. Worlds for which there is a [`refusal`] have none.
    pub(crate) fn new(
        device: &Device,
        world: &World,
        state: &State,
        springs: &ContactState,
        shared: &Shared,
    ) -> Result<Self, NotRecordable> {
        let (particles, h) = (state.len(), shared.h);
        let [pair_friction, wall_friction] = frictions(world);
        let solids = Solids::new(device, world, particles, h);
        let surfaces = device.storage(&tables::surfaces(world, h));
        let status = device.storage(&[Status::default()]);
        let clocks = [0, 1].map(|_| device.storage(&[0u32]));
        let zeros = |rows: usize| device.storage(&vec![0f32; rows * particles]);
        let contacts = Self {
            pipeline: device.pipeline(&shader(world)?, "touch"),
            particles,
            h,
            lists: Lists::new(device, world, state, springs, (shared, &surfaces, &status, &clocks)),
            solids,
            surfaces,
            status,
            clocks,
            clock: 0,
            pushes: zeros(8),
            energies: zeros(8),
            lates: zeros(12),
            groups: Vec::new(),
            pair_friction,
            cadence: 8,
        };
        if wall_friction {
            contacts.solids.set_springs(device, world, state, springs);
        }
        Ok(contacts)
    }

    /// Starts a block of steps of `dt` (s), while all move by `drift` (m/s).
    pub(crate) fn begin(&mut self, device: &Device, shared: &Shared, dt: f64, drift: [f64; 3]) {
        self.bind(device, shared, dt, drift);
        for buffer in [&self.energies, &self.lates] {
            device.queue.write_buffer(buffer, 0, &vec![0; buffer.size() as usize]);
        }
    }

    /// Buffers that change in steps.
    pub(crate) fn changing(&self) -> Vec<wgpu::Buffer> {
        let own = [&self.energies, &self.lates].map(Clone::clone);
        own.into_iter().chain(self.lists.changing()).chain(self.solids.changing()).collect()
    }

    /// Makes room for this number of pairs of a particle.
    pub(crate) fn enlarge(&mut self, device: &Device, slots: usize, shared: &Shared, dt: f64, drift: [f64; 3]) {
        self.lists.enlarge(device, slots, shared, (&self.surfaces, &self.status, &self.clocks));
        self.bind(device, shared, dt, drift);
    }

    fn bind(&mut self, device: &Device, shared: &Shared, dt: f64, drift: [f64; 3]) {
        let drift = drift.map(|v| (v * dt / self.h) as f32);
        let step = |part: Part| Step {
            particles: self.particles as u32,
            solids: self.solids.count() as u32,
            is_first: u32::from(part == Part::First),
            is_last: u32::from(part == Part::Last),
            h: self.h as f32,
            rate: (1.0 / dt) as f32,
            pad: [0; 2],
            drift: [drift[0], drift[1], drift[2], 0.0],
        };
        let group = |uniform: &wgpu::Buffer, part: Part, now: usize, clock: usize| {
            let [lists, solids] = [self.lists.buffers(), self.solids.buffers()];
            let before = if part == Part::First { now } else { 1 - now };
            let mut buffers = vec![uniform, shared.poses[now], shared.poses[before], shared.motions[now]];
            buffers.extend([&self.surfaces, shared.bonds]);
            buffers.extend(lists);
            buffers.extend([&self.status, &self.pushes, &self.energies, &self.lates]);
            buffers.extend([&self.clocks[clock], &self.clocks[1 - clock]]);
            buffers.extend(solids);
            device.bindings(&self.pipeline, &buffers)
        };
        self.groups = [Part::First, Part::Middle, Part::Last]
            .map(|part| {
                let uniform = device.uniform(&step(part));
                [0, 1].map(|now| [0, 1].map(|clock| group(&uniform, part, now, clock)))
            })
            .into();
    }

    /// Starts a command buffer of steps at these `times` (s): the end of the last step, of each, and of one more.
    pub(crate) fn begin_batch(&mut self, device: &Device, world: &World, times: &[f64]) {
        self.clock = 0;
        device.queue.write_buffer(&self.clocks[0], 0, bytemuck::bytes_of(&0u32));
        device.queue.write_buffer(&self.status, 0, bytemuck::bytes_of(&Status::default()));
        self.solids.set_places(device, world, times);
    }

    /// Contacts at the end of step `k` since [`Self::begin_batch`], whose poses are in buffer `now`. Builds lists when they are due.
    pub(crate) fn touch(&mut self, pass: &mut wgpu::ComputePass, k: usize, part: Part, now: usize) {
        if k.is_multiple_of(self.cadence) {
            self.lists.build(pass, now, self.clock);
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[part as usize][now][self.clock], &[]);
        pass.dispatch_workgroups((self.particles as u32).div_ceil(GROUP), 1, 1);
        self.clock = 1 - self.clock;
    }

    /// Forces and torques that the last [`Self::touch`] wrote: `Push` of the shader.
    pub(crate) fn pushes(&self) -> &wgpu::Buffer {
        &self.pushes
    }

    /// Checks the steps since the last [`Self::begin_batch`]. On a fault they have to be repeated from the same state; lists are
    /// built more often then, if they were too old. Results do not depend on how often they are.
    pub(crate) fn check(&mut self, device: &Device) -> Result<(), Fault> {
        let Status { travel, slots, passing, .. } = device.read(&self.status)[0];
        let share = travel / self.lists.margin();
        if slots > 0 {
            Err(Fault::Slots(slots as usize))
        } else if share > 1.0 {
            self.cadence = (self.cadence / 2).max(1);
            Err(Fault::Travel)
        } else if passing > 0 {
            Err(Fault::Passing(passing as usize - 1))
        } else {
            self.cadence = if share < EARLY { (2 * self.cadence).min(MAX_BATCH) } else { self.cadence };
            Ok(())
        }
    }

    /// Energy flows since the start of the block.
    pub(crate) fn flows(&self, device: &Device) -> ContactFlows {
        ContactFlows::of(&device.read(&self.energies))
    }

    /// Tangential springs at the end of the block, which is `state`.
    pub(crate) fn contact_state(&self, device: &Device, world: &World, state: &State) -> ContactState {
        let mut springs = ContactState::default();
        if self.pair_friction {
            springs.pairs = self.lists.springs(device, world, state);
        }
        springs.walls = self.solids.springs(device, world, state);
        springs
    }

    /// Forces on walls at the end of the block, which is `state`.
    pub(crate) fn wall_forces(&self, device: &Device, world: &World, state: &State) -> Vec<WallForce> {
        self.solids.forces(device, world, state)
    }
}

/// Whether contacts of pairs, and on walls, have friction.
fn frictions(world: &World) -> [bool; 2] {
    let by_springs = world.friction_model == FrictionModel::TangentialSpring;
    let of_pairs = by_springs && world.materials.iter().any(|material| material.static_friction > 0.0);
    let of_walls = by_springs && world.walls.iter().any(|wall| wall.friction.is_some_and(|mu| mu > 0.0));
    [of_pairs, of_pairs || of_walls]
}

fn shader(world: &World) -> Result<String, NotRecordable> {
    let [pair_friction, wall_friction] = frictions(world);
    // the step is the unit of time
    let damping = StepDamping { zeta: world.contact_damping, rate: 1.0 };
    let of = |has_friction: bool, on_wall: bool| {
        record_contact(&ContactOptions { law: world.contact_law, damping, has_friction, on_wall })
    };
    let constants = format!(
        "const PAIR_FRICTION = {pair_friction};\nconst WALL_FRICTION = {wall_friction};\nconst DAMPED = {};\n",
        world.contact_damping > 0.0
    );
    let functions = [
        wgsl::pair_spring_function(&record_pair_spring(&world.pair_springs())?),
        wgsl::contact_function(&of(pair_friction, false)?, false),
        wgsl::contact_function(&of(wall_friction, true)?, true),
    ];
    let parts = [
        include_str!("state.wgsl"),
        include_str!("surfaces.wgsl"),
        include_str!("contacts.wgsl"),
        include_str!("walls.wgsl"),
        &constants,
    ];
    Ok([parts.join("\n"), functions.join("\n")].join("\n"))
}
