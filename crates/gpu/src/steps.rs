//! Explicit steps of a world's bonds on a graphics card: velocity Verlet, one kernel a step.

mod layout;

use bdem_core::internals::contact::ContactState;
use bdem_core::model::{BondModel, State, World};
use bdem_core::simd::traced::NotRecordable;
use bytemuck::{Pod, Zeroable};
use thiserror::Error;

use crate::contacts::{ContactFlows, Contacts, Fault, MAX_BATCH, Part, Shared, WallForce};
use crate::device::{Device, Saved};
use crate::inputs::BondOptions;
use crate::record::{RecordError, record_bond};
use crate::wgsl;
use layout::{BROKEN, Format, MAX_PARTICLES, Motion, Pose, Slots};

pub use layout::Sums;

/// Reason that a world has no steps on a graphics card.
#[derive(Debug, Error)]
pub enum StepsError {
    /// The contacts are not recorded.
    #[error("contacts have no shader: {0}")]
    Contacts(NotRecordable),
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
    contacts: Contacts,
}

impl<'a> Steps<'a> {
    /// Steps from `state`, of particles that stay within `extent` (m) of the origin.
    pub fn new(device: &'a Device, world: &World, state: &State, extent: f64) -> Result<Self, StepsError> {
        Self::with_springs(device, world, state, extent, &ContactState::default())
    }

    /// The same with these tangential springs.
    pub fn with_springs(
        device: &'a Device,
        world: &World,
        state: &State,
        extent: f64,
        springs: &ContactState,
    ) -> Result<Self, StepsError> {
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
        let poses = [device.storage(&poses), device.storage(&poses)];
        let motions = [device.storage(&motions), device.storage(&motions)];
        let slot_buffer = device.storage(&slots.table);
        let shared = shared_buffers(&poses, &motions, &slot_buffer, slots.count, format.h);
        let contacts = Contacts::new(device, world, state, springs, &shared).map_err(StepsError::Contacts)?;
        Ok(Self {
            device,
            pipeline: device.pipeline(&shader, "advance"),
            format,
            particles,
            slots: slots.count,
            gravity: [g.x as f32, g.y as f32, g.z as f32, 0.0],
            time: state.time,
            now: 0,
            poses,
            motions,
            slot_buffer,
            contacts,
            kinds: device.storage(&slots.kinds),
            sums: device.storage(&vec![Sums::zeroed(); particles]),
        })
    }

    /// Advances by `count` steps of `dt` (s), from velocities at the state's time to velocities at the same time as positions.
    pub fn advance(&mut self, world: &World, count: usize, dt: f64) {
        let (whole, half) = (dt as f32, (0.5 * dt) as f32);
        // a first half kick, whole kicks, a last half kick; bonds break from the first drift on
        let first = self.parameters(half, whole, -1.0, false);
        let middle = self.parameters(whole, whole, 0.5, false);
        let last = self.parameters(half, 0.0, 1.0, true);
        let groups = [first, middle, last].map(|step| self.groups(step));
        let shared = shared_buffers(&self.poses, &self.motions, &self.slot_buffer, self.slots, self.format.h);
        self.contacts.begin(self.device, &shared, dt, [0.0; 3]);
        let part = |k: usize| match k {
            0 => Part::First,
            k if k == count => Part::Last,
            _ => Part::Middle,
        };
        let start = self.time;
        let at = |k: i64| start + k.clamp(0, count as i64) as f64 * dt;
        for batch in (0..=count).collect::<Vec<_>>().chunks(MAX_BATCH) {
            let (from, to) = (batch[0] as i64, batch[batch.len() - 1] as i64);
            let times: Vec<f64> = (from - 1..=to + 1).map(at).collect();
            let parts: Vec<Part> = batch.iter().map(|&k| part(k)).collect();
            let now = self.now;
            let mut saved = self.saved();
            saved.save(self.device);
            loop {
                self.contacts.begin_batch(self.device, world, &times);
                self.submit(&parts, &groups);
                self.device.wait();
                let Err(fault) = self.contacts.check(self.device) else { break };
                saved.restore(self.device);
                match fault {
                    Fault::Travel => {}
                    Fault::Slots(slots) => {
                        let shared =
                            shared_buffers(&self.poses, &self.motions, &self.slot_buffer, self.slots, self.format.h);
                        self.contacts.enlarge(self.device, slots, &shared, dt, [0.0; 3]);
                        saved = self.saved();
                        saved.save(self.device);
                    }
                    Fault::Passing(particle) => panic!("particle {particle} may pass through a wall"),
                }
                self.now = now;
            }
        }
        self.time += count as f64 * dt;
    }

    /// Copies of all that changes in steps.
    fn saved(&self) -> Saved {
        let own = self.poses.iter().chain(&self.motions).chain([&self.slot_buffer, &self.sums]).cloned();
        Saved::new(self.device, own.chain(self.contacts.changing()))
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
            let buffers = [
                &uniform,
                pose,
                next_pose,
                motion,
                next_motion,
                &self.slot_buffer,
                &self.kinds,
                &self.sums,
                self.contacts.pushes(),
            ];
            self.device.bindings(&self.pipeline, &buffers)
        })
    }

    fn submit(&mut self, parts: &[Part], groups: &[[wgpu::BindGroup; 2]; 3]) {
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (k, &part) in parts.iter().enumerate() {
            self.contacts.touch(&mut pass, k, part, self.now);
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &groups[part as usize][self.now], &[]);
            pass.dispatch_workgroups(self.particles.div_ceil(GROUP) as u32, 1, 1);
            self.now = 1 - self.now;
        }
        drop(pass);
        self.device.queue.submit([encoder.finish()]);
    }

    /// Energy flows of contacts since the last call of [`Self::advance`].
    pub fn contact_flows(&self) -> ContactFlows {
        self.contacts.flows(self.device)
    }

    /// Tangential springs after the last step.
    pub fn springs(&self, world: &World) -> ContactState {
        self.contacts.contact_state(self.device, world, &self.state())
    }

    /// Forces on walls after the last step.
    pub fn wall_forces(&self, world: &World) -> Vec<WallForce> {
        self.contacts.wall_forces(self.device, world, &self.state())
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

fn shared_buffers<'b>(
    poses: &'b [wgpu::Buffer; 2],
    motions: &'b [wgpu::Buffer; 2],
    bonds: &'b wgpu::Buffer,
    bond_slots: usize,
    h: f64,
) -> Shared<'b> {
    Shared { poses: poses.each_ref(), motions: motions.each_ref(), bonds, bond_slots, h }
}

/// Shader of the world's bond law; any without bonds.
fn bond_function(world: &World) -> Result<String, StepsError> {
    let mut bonds = world.whole_bonds();
    let model = bonds.next().map_or(BondModel::QUATERNION, |bond| bond.model);
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
