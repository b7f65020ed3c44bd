//! Explicit steps of a world's bonds on a graphics card: velocity Verlet, one kernel a step.

mod layout;

use bdem_core::model::{State, World};
use bytemuck::{Pod, Zeroable};
use thiserror::Error;

use crate::device::Device;
use crate::inputs::BondOptions;
use crate::record::{RecordError, record_bond};
use crate::wgsl;
use layout::{BROKEN, Format, MAX_PARTICLES, Motion, Pose, Slots};

pub use layout::Sums;

/// Reason that a world has no steps on a graphics card.
#[derive(Debug, Error)]
pub enum StepsError {
    /// No bonds.
    #[error("the world has no bonds")]
    NoBonds,
    /// Bonds of several laws.
    #[error("bonds of several laws, `{first}` and `{other}`: use one")]
    Laws {
        /// Law of the first bond.
        first: &'static str,
        /// Another law.
        other: &'static str,
    },
    /// Too many stiffnesses and strengths.
    #[error("bonds of more than {most} stiffnesses and strengths: use equal radii and one strength")]
    Kinds {
        /// Limit.
        most: usize,
    },
    /// Too many particles.
    #[error("more than {most} particles")]
    Particles {
        /// Limit.
        most: usize,
    },
    /// The law is not recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Parameters of a step: `Step` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Step {
    particles: u32,
    slots: u32,
    write: u32,
    shift: u32,
    h: f32,
    kick: f32,
    drift: f32,
    share: f32,
    gravity: [f32; 4],
}

/// Steps of a command buffer.
const BATCH: usize = 64;

/// Threads of a workgroup of the shader.
const GROUP: usize = 64;

/// Steps of one world.
pub struct Steps<'a> {
    device: &'a Device,
    pipeline: wgpu::ComputePipeline,
    format: Format,
    particles: usize,
    slots: usize,
    gravity: [f32; 4],
    time: f64,
    /// Index of the current one of each two buffers.
    now: usize,
    poses: [wgpu::Buffer; 2],
    motions: [wgpu::Buffer; 2],
    slot_buffer: wgpu::Buffer,
    kinds: wgpu::Buffer,
    sums: wgpu::Buffer,
}

impl<'a> Steps<'a> {
    /// Steps from `state`, of particles that stay within `extent` (m) of the origin.
    pub fn new(device: &'a Device, world: &World, state: &State, extent: f64) -> Result<Self, StepsError> {
        let particles = state.len();
        if particles > MAX_PARTICLES {
            return Err(StepsError::Particles { most: MAX_PARTICLES });
        }
        let format = Format::new(world, extent);
        let shader =
            [include_str!("state.wgsl"), include_str!("step.wgsl"), &wgsl::bond_structures(), &bond_function(world)?]
                .join("\n");
        let slots = Slots::new(world, particles, &format)?;
        let (poses, motions) = format.encode(world, state);
        let g = world.gravity;
        Ok(Self {
            device,
            pipeline: device.pipeline(&shader, "advance"),
            format,
            particles,
            slots: slots.count,
            gravity: [g.x as f32, g.y as f32, g.z as f32, 0.0],
            time: state.time,
            now: 0,
            poses: [device.storage(&poses), device.storage(&poses)],
            motions: [device.storage(&motions), device.storage(&motions)],
            slot_buffer: device.storage(&slots.table),
            kinds: device.storage(&slots.kinds),
            sums: device.storage(&vec![Sums::zeroed(); particles]),
        })
    }

    /// Advances by `count` steps of `dt` (s), from velocities at the state's time to velocities at the same time as positions.
    pub fn advance(&mut self, count: usize, dt: f64) {
        let (whole, half) = (dt as f32, (0.5 * dt) as f32);
        // a first half kick, whole kicks, a last half kick; bonds break from the first drift on
        let first = self.parameters(half, whole, -1.0, false);
        let middle = self.parameters(whole, whole, 0.5, false);
        let last = self.parameters(half, 0.0, 1.0, true);
        let groups = [first, middle, last].map(|step| self.groups(step));
        let kinds: Vec<usize> = (0..=count).map(|k| if k == 0 { 0 } else { 1 + usize::from(k == count) }).collect();
        for batch in kinds.chunks(BATCH) {
            self.submit(batch.iter().map(|&kind| &groups[kind]));
        }
        self.device.wait();
        self.time += count as f64 * dt;
    }

    fn parameters(&self, kick: f32, drift: f32, share: f32, writes: bool) -> Step {
        Step {
            particles: self.particles as u32,
            slots: self.slots as u32,
            write: u32::from(writes),
            shift: self.format.shift,
            h: self.format.h as f32,
            kick,
            drift,
            share,
            gravity: self.gravity,
        }
    }

    /// Bindings from each of both buffers to the other.
    fn groups(&self, step: Step) -> [wgpu::BindGroup; 2] {
        let uniform = self.device.uniform(&step);
        [0, 1].map(|now| {
            let [(pose, next_pose), (motion, next_motion)] =
                [&self.poses, &self.motions].map(|both| (&both[now], &both[1 - now]));
            let buffers = [&uniform, pose, next_pose, motion, next_motion, &self.slot_buffer, &self.kinds, &self.sums];
            self.device.bindings(&self.pipeline, &buffers)
        })
    }

    fn submit<'b>(&mut self, steps: impl Iterator<Item = &'b [wgpu::BindGroup; 2]>) {
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for groups in steps {
            pass.set_bind_group(0, &groups[self.now], &[]);
            pass.dispatch_workgroups(self.particles.div_ceil(GROUP) as u32, 1, 1);
            self.now = 1 - self.now;
        }
        drop(pass);
        self.device.queue.submit([encoder.finish()]);
    }

    /// State after the last step.
    pub fn state(&self) -> State {
        let (poses, motions): (Vec<Pose>, Vec<Motion>) =
            (self.device.read(&self.poses[self.now]), self.device.read(&self.motions[self.now]));
        self.format.decode(self.time, &poses, &motions)
    }

    /// Forces at the state after the last step.
    pub fn sums(&self) -> Vec<Sums> {
        self.device.read(&self.sums)
    }

    /// Number of whole bonds.
    pub fn whole_bond_count(&self) -> usize {
        let slots: Vec<[u32; 4]> = self.device.read(&self.slot_buffer);
        slots.iter().filter(|slot| slot[3] & BROKEN == 0).count() / 2
    }
}

/// Shader of the world's bond law.
fn bond_function(world: &World) -> Result<String, StepsError> {
    let mut bonds = world.whole_bonds();
    let model = bonds.next().ok_or(StepsError::NoBonds)?.model;
    if let Some(other) = bonds.find(|bond| bond.model != model) {
        return Err(StepsError::Laws { first: model.name, other: other.model.name });
    }
    let options = BondOptions {
        is_damped: world.is_damped(),
        is_breakable: world.whole_bonds().any(|bond| bond.strength.iter().any(|strength| strength.is_finite())),
        has_criterion: world.whole_bonds().any(|bond| bond.criterion != Default::default()),
        axial: world.axial,
        in_frame: true,
    };
    Ok(wgsl::bond_function(&record_bond(model, &options)?))
}
