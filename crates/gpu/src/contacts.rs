//! Contacts of particles with each other and with walls in explicit steps on a graphics card: one kernel a step.

mod lists;
mod solids;
mod tables;

use bdem_core::energy::WallForce;
use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::{ContactState, StepDamping};
use bdem_core::model::{FrictionModel, State, World};
use bdem_core::simd::traced::NotRecordable;
use bytemuck::{Pod, Zeroable};

use crate::device::Device;
use crate::record::{CONTACT, ContactOptions, PAIR_SPRING, PUSH, ROLLING};
use crate::record::{record_contact, record_pair_spring, record_push, record_rolling};
use crate::wgsl;
use lists::Lists;
use solids::Solids;

pub(crate) use solids::{extent as wall_extent, has_closed_form};

/// Buffers of the steps' kernel that contacts read.
pub(crate) struct Shared<'b> {
    /// Both buffers of poses and of motions.
    pub poses: [&'b wgpu::Buffer; 2],
    pub motions: [&'b wgpu::Buffer; 2],
    /// Slots of bonds, and the first row of each slice of them.
    pub bonds: &'b wgpu::Buffer,
    pub slices: &'b wgpu::Buffer,
    /// Whether any bond of a particle is broken.
    pub broken: &'b wgpu::Buffer,
    /// Spins at the end of a step, and energies.
    pub spins: &'b wgpu::Buffer,
    pub works: &'b wgpu::Buffer,
}

/// A block of steps.
pub(crate) struct BlockStart<'b> {
    /// State at its start, and tangential springs there.
    pub state: &'b State,
    pub springs: &'b ContactState,
    /// Times of the start and of the ends of all steps, s.
    pub times: &'b [f64],
    /// Length of a step, s.
    pub dt: f64,
}

/// Parameters of a block: `Block` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Block {
    particles: u32,
    solids: u32,
    steps: u32,
    h: f32,
    drift: [f32; 3],
    rate: f32,
}

/// Report of the kernels: `Status` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Status {
    travel: f32,
    slots: u32,
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

/// Bytes of `Push` of the shaders.
const PUSH_BYTES: usize = 112;

/// First number of steps between lists, and the most.
const CADENCES: [usize; 2] = [8, 1024];

/// Shaders for the contacts of a world.
pub(crate) struct ContactProgram {
    touch: wgpu::ComputePipeline,
    /// None without rolling friction.
    roll: Option<wgpu::ComputePipeline>,
    lists: [wgpu::ComputePipeline; 3],
    /// Whether any contacts have friction.
    has_friction: bool,
}

impl ContactProgram {
    /// Shaders for `world`; none where no particle has contacts.
    pub(crate) fn new(device: &Device, world: &World) -> Result<Option<Self>, NotRecordable> {
        if !(0..world.particles.len()).any(|i| world.particles.has_contacts(i)) {
            return Ok(None);
        }
        let of_pairs = world.materials.iter().any(|material| material.static_friction > 0.0);
        let of_walls = world.walls.iter().any(|wall| wall.friction.is_some_and(|mu| mu > 0.0));
        let has_friction = world.friction_model == FrictionModel::TangentialSpring && (of_pairs || of_walls);
        let rolls = world.materials.iter().any(|material| material.rolling_friction > 0.0);
        let shader = shader(world, has_friction)?;
        let touch = device.pipeline(&shader, "touch");
        let roll = rolls.then(|| device.pipeline(&shader, "turn_less"));
        Ok(Some(Self { touch, roll, lists: lists::pipelines(device, world)?, has_friction }))
    }
}

/// Functions of surfaces of pairs, for all kernels.
pub(crate) fn surface_functions(world: &World) -> Result<String, NotRecordable> {
    let parts = [
        include_str!("surfaces.wgsl"),
        &wgsl::structure(&PAIR_SPRING),
        &wgsl::function("pair_spring", &PAIR_SPRING, &record_pair_spring(&world.pair_springs())?),
        &wgsl::function("pair_push", &PUSH, &record_push(world.contact_law)?),
    ];
    Ok(parts.join("\n"))
}

fn shader(world: &World, has_friction: bool) -> Result<String, NotRecordable> {
    // the step is the unit of time
    let damping = StepDamping { zeta: world.contact_damping, rate: 1.0 };
    let of = |on_wall| record_contact(&ContactOptions { law: world.contact_law, damping, has_friction, on_wall });
    let constants = format!("const HAS_FRICTION = {has_friction};\n");
    let parts = [
        include_str!("state.wgsl"),
        include_str!("contacts.wgsl"),
        include_str!("walls.wgsl"),
        include_str!("rolling.wgsl"),
        &constants,
        &surface_functions(world)?,
        &wgsl::function("rolling", &ROLLING, &record_rolling()?),
        &wgsl::structure(&CONTACT),
        &wgsl::function("pair_contact", &CONTACT, &of(false)?),
        &wgsl::function("wall_contact", &CONTACT, &of(true)?),
    ];
    Ok(parts.join("\n"))
}

/// Contacts of one world on a card.
pub(crate) struct Contacts {
    pipeline: wgpu::ComputePipeline,
    roll: Option<wgpu::ComputePipeline>,
    has_friction: bool,
    particles: usize,
    /// Unit of positions, m.
    h: f64,
    lists: Lists,
    solids: Solids,
    surfaces: wgpu::Buffer,
    status: wgpu::Buffer,
    pushes: wgpu::Buffer,
    /// Bindings of both kernels for each of both pose buffers.
    groups: Vec<[Option<wgpu::BindGroup>; 2]>,
    /// Steps between lists, and since the last.
    cadence: usize,
    age: usize,
}

impl Contacts {
    /// Contacts of `world`, with at least this number of `slots` for the pairs of a particle.
    pub(crate) fn new(program: &ContactProgram, device: &Device, world: &World, h: f64, slots: usize) -> Self {
        let particles = world.particles.len();
        Self {
            pipeline: program.touch.clone(),
            roll: program.roll.clone(),
            has_friction: program.has_friction,
            particles,
            h,
            lists: Lists::new(device, program.lists.clone(), world, h, slots),
            solids: Solids::new(device, world, h),
            surfaces: device.storage(&tables::surfaces(world, h)),
            status: device.storage(&[Status::default()]),
            pushes: device.room(PUSH_BYTES * particles),
            groups: Vec::new(),
            cadence: CADENCES[0],
            age: 0,
        }
    }

    /// Starts a block of steps.
    pub(crate) fn begin(
        &mut self,
        device: &Device,
        world: &World,
        start: &BlockStart,
        shared: &Shared,
    ) -> Result<(), Fault> {
        let drift = start.state.v.iter().sum::<Vec3>() * (start.dt / self.h / self.particles as f64);
        let block = Block {
            particles: self.particles as u32,
            solids: self.solids.count() as u32,
            steps: start.times.len() as u32 - 1,
            h: self.h as f32,
            drift: [drift.x as f32, drift.y as f32, drift.z as f32],
            rate: (1.0 / start.dt) as f32,
        };
        self.lists.begin(device, start, shared, (&self.surfaces, &self.status))?;
        self.solids.begin(device, world, start);
        let uniform = device.uniform(&block);
        let group = |now: usize| {
            let mut buffers = vec![&uniform, shared.poses[now], shared.poses[1 - now], shared.motions[now]];
            buffers.extend([&self.surfaces, shared.bonds]);
            buffers.extend(self.lists.buffers());
            buffers.extend([&self.status, &self.pushes, shared.broken]);
            buffers.extend(self.solids.buffers());
            let touch = device.bindings(&self.pipeline, &buffers);
            buffers.extend([shared.spins, shared.poses[1 - now], shared.motions[1 - now], shared.works]);
            let of_rolling = |at: &u32| !matches!(at, 2 | 7 | 9 | 10 | 14 | 15);
            let own = (0..).zip(buffers).filter(|(at, _)| of_rolling(at));
            let roll = self.roll.as_ref().map(|roll| device.some_bindings(roll, own));
            [Some(touch), roll]
        };
        self.groups = [0, 1].map(group).into();
        Ok(())
    }

    /// Starts a command buffer of steps.
    pub(crate) fn begin_batch(&mut self, device: &Device) {
        self.age = 0;
        device.write(&self.status, &[Status::default()]);
    }

    /// Contacts at the end of a step, whose poses are in buffer `now`. Builds lists when they are due.
    pub(crate) fn touch(&mut self, device: &Device, pass: &mut wgpu::ComputePass, now: usize) {
        if self.age.is_multiple_of(self.cadence) {
            self.lists.build(device, pass, now);
        }
        self.age += 1;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[now][0], &[]);
        device.dispatch(pass, self.particles);
    }

    /// Rolling friction after the kick that ends a step, from state `now` to the other one.
    pub(crate) fn roll(&self, device: &Device, pass: &mut wgpu::ComputePass, now: usize) {
        if let Some(roll) = &self.roll {
            pass.set_pipeline(roll);
            pass.set_bind_group(0, &self.groups[now][1], &[]);
            device.dispatch(pass, self.particles);
        }
    }

    /// Checks the steps since the last [`Self::begin_batch`]. On a fault they have to be repeated from the same state; lists are
    /// built more often then, if they were too old. Results do not depend on how often they are.
    pub(crate) fn check(&mut self, device: &Device) -> Result<(), Fault> {
        /// Share of the distance that lists hold for after which the next are built.
        const USED: f32 = 0.6;
        let Status { travel, slots, passing, .. } = device.read::<Status>(&self.status)[0];
        if slots > 0 {
            return Err(Fault::Slots(slots as usize));
        }
        // the kernel notes no travel that is less than a tenth above another
        let share = 1.1 * travel / self.lists.margin();
        let span = self.cadence.min(self.age);
        self.cadence = ((span as f32 * (USED / share).min(2.0)) as usize).clamp(1, CADENCES[1]);
        // lists of each step hold wherever particles are
        if span > 1 && (share > 1.0 || share.is_nan()) {
            return Err(Fault::Travel);
        }
        if passing > 0 { Err(Fault::Passing(passing as usize - 1)) } else { Ok(()) }
    }

    /// Buffers that change in steps.
    pub(crate) fn changing(&self) -> impl Iterator<Item = &wgpu::Buffer> {
        self.lists.buffers().into_iter().chain([&self.solids.springs])
    }

    /// Surfaces of particles: `Surface` of the shader.
    pub(crate) fn surfaces(&self) -> &wgpu::Buffer {
        &self.surfaces
    }

    /// Forces and torques of the last [`Self::touch`]: `Push` of the shader.
    pub(crate) fn pushes(&self) -> &wgpu::Buffer {
        &self.pushes
    }

    /// Tangential springs at the end of the block, which is `state`.
    pub(crate) fn springs(&self, device: &Device, world: &World, state: &State) -> ContactState {
        let mut springs = ContactState::default();
        if self.has_friction {
            springs.pairs = self.lists.springs(device, world, state);
            springs.walls = self.solids.springs(device, world, state);
        }
        springs
    }

    /// Forces on walls at the end of the block, which is `state`.
    pub(crate) fn wall_forces(&self, device: &Device, world: &World, state: &State) -> Vec<WallForce> {
        self.solids.forces(device, world, state)
    }
}
