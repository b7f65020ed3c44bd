//! Explicit steps of a world on a graphics card: velocity Verlet, one kernel a step.

mod breaks;
mod decay;
mod layout;
mod program;
mod rows;

use std::time::{Duration, Instant};

use bdem_core::energy::WallForce;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{BlockDecay, BreakInStep, Step, inverse_inertia};
use bdem_core::internals::contact::ContactState;
use bdem_core::model::{Gradient, HeldParticles, State, World};
use bytemuck::{Pod, Zeroable};

use crate::contacts::{BlockStart, Contacts, Fault, Shared};
use crate::device::{Device, Saved};
use breaks::{Break, softened};
use decay::Decay;
use layout::{Format, Motion, Pose, Slots, Works, rests, single};
use rows::Groups;

pub use breaks::BrokenBond;
pub use layout::Sums;
pub use program::{Program, largest_buffer};

/// Parameters of a block: `Block` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Block {
    particles: u32,
    steps: u32,
    shift: u32,
    h: f32,
    dt: f32,
    groups: u32,
    breaks: u32,
    zero: u32,
    gravity: [f32; 3],
    pad: u32,
}

/// Time between two looks at a request to stop.
const PATCH: Duration = Duration::from_millis(100);

/// First and most steps of a command buffer.
const BATCHES: [u32; 2] = [8, 4096];

/// Block that is begun.
struct Begun {
    /// From each of both states to the other.
    bindings: [wgpu::BindGroup; 2],
    decay: Option<Decay>,
    /// Numbers of kernels that are done and not done, and of those in the command buffer that the card works on.
    done: u32,
    left: u32,
    sent: u32,
    /// Index of the state before those.
    start: usize,
    /// Time at which they were sent.
    at: Instant,
}

/// Energies in a block, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockWork {
    /// Dissipated by damping of bonds.
    pub damping: f64,
    /// Work of loads on free particles.
    pub loads: f64,
    /// Work of constraints on held particles, but for the change of their kinetic energy and against their weights.
    pub held: f64,
    /// Gain by the time rule.
    pub numerical: f64,
    /// Energy of bonds that broke or softened.
    pub fracture: f64,
    /// Dissipated by friction.
    pub friction: f64,
    /// Work of moving walls.
    pub walls: f64,
    /// By the last forces in the half kick after the block: dissipated, work of walls, and gain by the time rule.
    pub late: [f64; 3],
}

/// Result of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All steps are taken.
    Done,
    /// A stop is requested.
    Interrupted,
    /// A particle left the extent.
    Outside,
    /// More bonds broke than there is room for.
    TooManyBreaks,
    /// A particle has this number of pairs, more than there is room for.
    TooManyPairs(usize),
    /// This particle may pass through a wall.
    MayPass(usize),
}

/// Bonds of a world on a card, and room for its particles.
pub struct Steps {
    device: Device,
    pipeline: wgpu::ComputePipeline,
    format: Format,
    particles: usize,
    softening: Vec<([u32; 2], usize)>,
    room: usize,
    /// Index of the current one of each two buffers.
    now: usize,
    poses: [wgpu::Buffer; 2],
    motions: [wgpu::Buffer; 2],
    slot_buffer: wgpu::Buffer,
    kinds_of_slots: wgpu::Buffer,
    kinds: wgpu::Buffer,
    strains: wgpu::Buffer,
    sums: wgpu::Buffer,
    works: wgpu::Buffer,
    events: wgpu::Buffer,
    rests: wgpu::Buffer,
    spins: wgpu::Buffer,
    slices: wgpu::Buffer,
    broken: wgpu::Buffer,
    contacts: Option<Contacts>,
    decay: [wgpu::ComputePipeline; 2],
    /// State before the last command buffer, whose steps are repeated where lists of contacts did not hold.
    saved: Option<Saved>,
    /// Steps of the next command buffer.
    batch: u32,
    begun: Option<Result<Begun, Fault>>,
    /// Times of the positions in the block, s.
    times: Vec<f64>,
}

impl Steps {
    /// Bonds of `world`, whose particles stay within `extent` (m) of the origin, and of which `room` may break in a block. Particles have
    /// at least this number of near `pairs`.
    pub fn new(program: &Program, world: &World, extent: f64, room: usize, pairs: usize) -> Self {
        let (device, particles) = (&program.device, world.particles.len());
        let format = Format::new(extent, program.longest);
        let slots = Slots::new(world, &format, &program.laws);
        let mut steps = Self {
            device: device.clone(),
            pipeline: program.pipeline.clone(),
            particles,
            room,
            now: 0,
            poses: [0, 1].map(|_| device.room(particles * size_of::<Pose>())),
            motions: [0, 1].map(|_| device.room(particles * size_of::<Motion>())),
            slot_buffer: device.storage(&slots.table),
            kinds_of_slots: device.storage(&slots.kinds_of_slots),
            kinds: device.storage(slots.kinds()),
            strains: device.storage(&slots.strains),
            slices: device.storage(&slots.slices),
            broken: device.room(4 * particles),
            softening: slots.softening,
            sums: device.room(particles * size_of::<Sums>()),
            works: device.room(particles * size_of::<Works>()),
            events: device.room(HEADER + room * size_of::<Break>()),
            rests: device.room(particles * size_of::<[f32; 8]>()),
            spins: device.room(particles * size_of::<[f32; 8]>()),
            contacts: program.contacts.as_ref().map(|of| Contacts::new(of, device, world, format.h, pairs)),
            decay: program.decay.clone(),
            saved: None,
            batch: BATCHES[0],
            begun: None,
            times: Vec::new(),
            format,
        };
        steps.saved = steps.contacts.as_ref().map(|contacts| Saved::new(device, steps.changing(contacts)));
        steps
    }

    /// Begins a block of steps with a decay, from `state` with these tangential springs and dV/dx. `holding` is set to its first step.
    /// Bonds that break are marked on the card alone.
    pub fn begin(
        &mut self,
        world: &World,
        (state, springs): (&State, &ContactState),
        gradient: &[Gradient],
        holding: &mut HeldParticles,
        (Step { dt, count, .. }, decay): (Step, &BlockDecay),
    ) {
        self.times.clear();
        self.times.push(state.time);
        (0..count as usize).for_each(|k| self.times.push(self.times[k] + dt));
        holding.set(world, self.times[0], self.times[1]);
        let mut groups = Groups::new(world, state, holding, dt);
        let inverse = inverse_inertia(world, holding.held());
        self.start(world, (state, gradient), &groups, &inverse);
        // a kick before each drift, and one after the last
        let ends = self.times[1..].iter().map(|time| Some(*time)).chain([None]);
        let steps = self.times.iter().zip(ends).map(|(start, end)| end.map(|end| [*start, end]));
        let rows = self.device.storage(&groups.rows(world, state, holding, &self.format, steps));
        let block = Block {
            particles: self.particles as u32,
            steps: count,
            shift: self.format.shift,
            h: self.format.h as f32,
            dt: dt as f32,
            groups: groups.len() as u32,
            breaks: self.room as u32,
            zero: 0,
            gravity: single(world.gravity),
            pad: 0,
        };
        let begun = self.begin_contacts(world, (state, springs), dt);
        let bindings = self.bindings(&block, &rows);
        let Self { poses, motions, works, rests, .. } = self;
        let shared = decay::Shared { poses, motions, works, rests };
        let decay = Decay::new(&self.device, &self.decay, &self.format, &self.times, decay, &shared);
        let begun = begun.map(|()| Begun {
            bindings,
            decay,
            done: 0,
            left: count + 1,
            sent: 0,
            start: self.now,
            at: Instant::now(),
        });
        self.begun = Some(begun.map(|begun| self.send(begun)));
    }

    fn begin_contacts(
        &mut self,
        world: &World,
        (state, springs): (&State, &ContactState),
        dt: f64,
    ) -> Result<(), Fault> {
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let [poses, motions] = [&self.poses, &self.motions].map(|both| both.each_ref());
        let (bonds, slices, broken) = (&self.slot_buffer, &self.slices, &self.broken);
        let shared = Shared { poses, motions, bonds, slices, broken, spins: &self.spins, works: &self.works };
        contacts.begin(&self.device, world, &BlockStart { state, springs, times: &self.times, dt }, &shared)
    }

    /// Ends the block that is begun, unless it `stops`.
    pub fn finish(&mut self, stops: impl Fn() -> bool) -> Outcome {
        let done = self.begun.take().expect("a block is begun").map_err(Outcome::from);
        if let Err(outcome) = done.and_then(|begun| self.take(begun, stops)) {
            return outcome;
        }
        let [breaks, outside, ..] = self.device.read_first::<[u32; 4]>(&self.events, 1)[0];
        match (outside, breaks as usize > self.room) {
            (0, false) => Outcome::Done,
            (0, true) => Outcome::TooManyBreaks,
            _ => Outcome::Outside,
        }
    }

    /// Sets the state at the start of a block with its dV/dx, and the inverse inertia.
    fn start(
        &mut self,
        world: &World,
        (state, gradient): (&State, &[Gradient]),
        groups: &Groups,
        inverse: &[[f64; 2]],
    ) {
        let (poses, motions) = self.format.encode(state, &groups.of_particles, inverse);
        let mass = &world.particles.mass;
        let sums: Vec<_> = gradient.iter().zip(mass).map(|(of, mass)| Sums::of(of, &(world.gravity * *mass))).collect();
        self.device.write(&self.sums, &sums);
        self.device.write(&self.poses[0], &poses);
        self.device.write(&self.motions[0], &motions);
        self.device.write(&self.rests, &rests(state));
        self.device.write(&self.events, &[0u32; HEADER / 4]);
        self.device.clear(&self.works);
        self.now = 0;
    }

    /// Takes the steps of a block in command buffers, until `stops`.
    fn take(&mut self, mut begun: Begun, stops: impl Fn() -> bool) -> Result<(), Outcome> {
        loop {
            let asked = Instant::now();
            self.device.wait();
            let [waited, taken] = [asked, begun.at].map(|since| since.elapsed().as_secs_f64());
            if self.check(&begun)? {
                begun.done += begun.sent;
                begun.left -= begun.sent;
            }
            // steps that ended before they were asked for do not tell their time
            let longer = if waited > 0.5 * taken { PATCH.as_secs_f64() / taken } else { 1.0 };
            self.batch = ((f64::from(begun.sent) * longer.min(4.0)) as u32).clamp(1, BATCHES[1]);
            if begun.left == 0 {
                return Ok(());
            }
            if stops() {
                return Err(Outcome::Interrupted);
            }
            begun = self.send(begun);
        }
    }

    /// Buffers that change in steps.
    fn changing<'b>(&'b self, contacts: &'b Contacts) -> impl Iterator<Item = &'b wgpu::Buffer> {
        let own = [
            &self.slot_buffer,
            &self.sums,
            &self.broken,
            &self.strains,
            &self.works,
            &self.events,
            &self.rests,
            &self.spins,
        ];
        self.poses.iter().chain(&self.motions).chain(own).chain(contacts.changing())
    }

    /// Sends a command buffer of the kernels that are left of a block to the card.
    fn send(&mut self, begun: Begun) -> Begun {
        let (start, sent, device) = (self.now, self.batch.min(begun.left), &self.device);
        if let (Some(contacts), Some(saved)) = (&mut self.contacts, &self.saved) {
            saved.save(device);
            contacts.begin_batch(device);
        }
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for step in begun.done..begun.done + sent {
            if let Some(decay) = &begun.decay {
                decay.apply(device, &mut pass, step, self.now);
            }
            if let Some(contacts) = self.contacts.as_mut().filter(|_| step > 0) {
                contacts.touch(device, &mut pass, self.now);
            }
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &begun.bindings[self.now], &[]);
            device.dispatch(&mut pass, self.particles);
            if let Some(contacts) = self.contacts.as_ref().filter(|_| step > 0) {
                contacts.roll(device, &mut pass, self.now);
            }
            self.now = 1 - self.now;
        }
        drop(pass);
        device.queue.submit([encoder.finish()]);
        Begun { sent, start, at: Instant::now(), ..begun }
    }

    /// Whether the steps that were sent are valid. If not, all is as before them.
    fn check(&mut self, begun: &Begun) -> Result<bool, Outcome> {
        let (Some(contacts), Some(saved)) = (&mut self.contacts, &self.saved) else { return Ok(true) };
        match contacts.check(&self.device) {
            Ok(()) => Ok(true),
            Err(Fault::Travel) => {
                saved.restore(&self.device);
                self.now = begun.start;
                Ok(false)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Bindings from each of both states to the other.
    fn bindings(&self, block: &Block, rows: &wgpu::Buffer) -> [wgpu::BindGroup; 2] {
        let uniform = self.device.uniform(block);
        [0, 1].map(|now| {
            let [(pose, next_pose), (motion, next_motion)] =
                [&self.poses, &self.motions].map(|both| (&both[now], &both[1 - now]));
            let (slots, kinds_of_slots, kinds) = (&self.slot_buffer, &self.kinds_of_slots, &self.kinds);
            let (strains, sums, works) = (&self.strains, &self.sums, &self.works);
            let (events, rests, slices) = (&self.events, &self.rests, &self.slices);
            let state = [&uniform, pose, next_pose, motion, next_motion];
            let of_contacts = |of: fn(&Contacts) -> &wgpu::Buffer| self.contacts.as_ref().map_or(rows, of);
            let [pushes, surfaces] = [Contacts::pushes, Contacts::surfaces].map(of_contacts);
            let state = [&state[..], &[slots, kinds_of_slots, kinds, strains, rows, sums, works, events]].concat();
            let rest = [rests, slices, pushes, surfaces, &self.broken, &self.spins];
            self.device.bindings(&self.pipeline, &[&state[..], &rest[..]].concat())
        })
    }

    /// Largest distance of a particle from the origin along an axis, m.
    pub fn extent(&self) -> f64 {
        self.format.extent()
    }

    /// Writes the state after the last step to `end`, a state of the world.
    pub fn read_state(&self, end: &mut State) {
        let (poses, motions): (Vec<Pose>, Vec<Motion>) =
            (self.device.read(&self.poses[self.now]), self.device.read(&self.motions[self.now]));
        let rests: Vec<[f32; 8]> = self.device.read(&self.rests);
        for i in 0..self.particles {
            self.format.decode(&poses[i], &motions[i], i, end);
            let [x, y, z, ..] = rests[i].map(f64::from);
            end.v[i] += Vec3::new(x, y, z);
        }
        end.time = *self.times.last().expect("a block was taken");
    }

    /// Forces at the state after the last step, without loads and weights.
    pub fn sums(&self) -> Vec<Sums> {
        let mut sums = self.device.read(&self.sums);
        sums.truncate(self.particles);
        sums
    }

    /// Tangential springs, and forces on walls, after the last step, whose state is `end`.
    pub fn contacts_at(&self, world: &World, end: &State) -> (ContactState, Vec<WallForce>) {
        let of = |contacts: &Contacts| {
            let device = &self.device;
            (contacts.springs(device, world, end), contacts.wall_forces(device, world, end))
        };
        self.contacts.as_ref().map(of).unwrap_or_default()
    }

    /// Energies of the last block, in which these particles were held.
    pub fn work(&self, held: &[bool]) -> BlockWork {
        let mut sum = BlockWork::default();
        let works: Vec<Works> = self.device.read(&self.works);
        for (of, &is_held) in works.iter().zip(held) {
            let [damping, work, numerical, fracture] = [of.damping, of.work, of.numerical, of.fracture].map(f64::from);
            sum.damping += damping;
            *(if is_held { &mut sum.held } else { &mut sum.loads }) += work;
            sum.numerical += numerical;
            sum.fracture += fracture;
            sum.friction += f64::from(of.friction);
            sum.walls += f64::from(of.walls);
            sum.late.iter_mut().zip(of.late).for_each(|(sum, of)| *sum += f64::from(of));
        }
        sum
    }

    /// Bonds that broke in the block, sorted by time and index.
    pub fn breaks(&self, world: &World, state: &State) -> Vec<BrokenBond> {
        let count = self.device.read_first::<[u32; 4]>(&self.events, 1)[0][0] as usize;
        if count == 0 {
            return Vec::new();
        }
        let words = self.device.read_first::<u32>(&self.events, (HEADER + count * size_of::<Break>()) / 4);
        let mut scratch = state.clone();
        let breaks: &[Break] = bytemuck::cast_slice(&words[HEADER / 4..]);
        let mut broken: Vec<_> =
            breaks.iter().map(|of| of.decode(world, &self.format, &self.times, &mut scratch)).collect();
        broken.sort_by(|a, b| a.at.time.total_cmp(&b.at.time).then(a.at.index.cmp(&b.at.index)));
        broken
    }

    /// Bonds that softened in the block and did not break, at its `end`, sorted by index.
    pub fn softened(&self, world: &World, end: &State) -> Vec<BreakInStep> {
        if self.softening.is_empty() {
            return Vec::new();
        }
        let strains: Vec<f32> = self.device.read(&self.strains);
        let of = |(ends, place): &([u32; 2], usize)| softened(world, *ends, f64::from(strains[*place]), end);
        self.softening.iter().filter_map(of).collect()
    }
}

/// Bytes of `Events` of the shader before the list.
const HEADER: usize = 16;

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Slots(pairs) => Self::TooManyPairs(pairs),
            Fault::Passing(particle) => Self::MayPass(particle),
            Fault::Travel => unreachable!("such steps are repeated"),
        }
    }
}
