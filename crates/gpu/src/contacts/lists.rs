//! Lists of near pairs, which the card builds by a grid of cells.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::TangentialSpring;
use bdem_core::model::{State, World};
use bdem_core::simd::traced::NotRecordable;
use bytemuck::{Pod, Zeroable};

use crate::device::Device;

use super::{BlockStart, Fault, Shared, surface_functions, tables};

/// Gap up to which a pair is near, over the greatest radius. At twice of it lists are built half as often, and have 1.5 times the
/// pairs.
const SKIN: f64 = 0.4;

/// Parameters of the lists: `Grid` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Grid {
    particles: u32,
    slots: u32,
    pad: u32,
    cell: u32,
    mask: [u32; 3],
    skin: f32,
}

/// First number of slots of a particle.
const MIN_SLOTS: usize = 24;

/// Bits of a slot: see the shader.
const OTHER: u32 = (1 << 29) - 1;
const TOUCHES: u32 = 1 << 31;

/// Lists of near pairs on a card: slot s of particle i is at `s n + i`.
pub(super) struct Lists {
    pipelines: [wgpu::ComputePipeline; 3],
    particles: usize,
    slots: usize,
    h: f64,
    /// Gap up to which a pair is near, and edge of a cell, m.
    skin: f64,
    edge: f64,
    cells: usize,
    heads: wgpu::Buffer,
    chain: wgpu::Buffer,
    short_bonds: wgpu::Buffer,
    pairs: wgpu::Buffer,
    springs: wgpu::Buffer,
    new: [wgpu::Buffer; 2],
    anchors: wgpu::Buffer,
    /// Bindings of each pipeline, for each of both pose buffers.
    groups: Vec<[wgpu::BindGroup; 2]>,
}

pub(super) fn pipelines(device: &Device, world: &World) -> Result<[wgpu::ComputePipeline; 3], NotRecordable> {
    let parts = [include_str!("../state.wgsl"), include_str!("../grid.wgsl"), &surface_functions(world)?];
    Ok(["clear", "link", "list"].map(|entry| device.pipeline(&parts.join("\n"), entry)))
}

/// Cells over particles.
const CELLS: usize = 2;

impl Lists {
    pub(super) fn new(
        device: &Device,
        pipelines: [wgpu::ComputePipeline; 3],
        world: &World,
        h: f64,
        slots: usize,
    ) -> Self {
        let particles = world.particles.len();
        let slots = slots.max(MIN_SLOTS);
        let largest = world.particles.contact_radius.iter().copied().fold(0.0, f64::max);
        let skin = SKIN * largest;
        let cells = (CELLS * particles).next_power_of_two().max(64);
        let rows = || device.room(16 * slots * particles);
        Self {
            pipelines,
            particles,
            slots,
            h,
            skin,
            edge: 2.0 * largest + skin,
            cells,
            heads: device.room(4 * cells),
            chain: device.room(4 * particles),
            short_bonds: device.storage(&tables::short_bonds(world, h)),
            new: [rows(), rows()],
            pairs: rows(),
            springs: rows(),
            anchors: device.room(16 * particles),
            groups: Vec::new(),
        }
    }

    /// Starts a block with these springs.
    pub(super) fn begin(
        &mut self,
        device: &Device,
        start: &BlockStart,
        shared: &Shared,
        (surfaces, status): (&wgpu::Buffer, &wgpu::Buffer),
    ) -> Result<(), Fault> {
        let (n, mut counts) = (self.particles, vec![0; self.particles]);
        let mut place = |i: u32| {
            counts[i as usize] += 1;
            (counts[i as usize] - 1) * n + i as usize
        };
        let both = |&([i, j], spring): &([u32; 2], TangentialSpring)| [(place(i), j, spring), (place(j), i, spring)];
        let known: Vec<_> = start.springs.pairs.iter().flat_map(both).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        if most > self.slots {
            return Err(Fault::Slots(most));
        }
        let (mut pairs, mut rows) = (vec![[0u32; 4]; most * n], vec![[0f32; 4]; most * n]);
        for (place, other, spring) in known {
            pairs[place][0] = other | TOUCHES;
            rows[place] = row(&spring);
        }
        let anchors: Vec<[i32; 4]> = counts.iter().map(|&count| [0, 0, 0, count as i32]).collect();
        device.write(&self.pairs, &pairs);
        device.write(&self.springs, &rows);
        device.write(&self.anchors, &anchors);
        let uniform = &device.uniform(&self.grid(start.state));
        let group = |k: usize, now: usize| {
            let [new_pairs, new_springs] = &self.new;
            let mut buffers = vec![uniform, shared.poses[now], surfaces, &self.heads, &self.chain];
            if k == 2 {
                buffers.extend([shared.bonds, &self.short_bonds, &self.pairs, &self.springs, new_pairs, new_springs]);
                buffers.extend([&self.anchors, status, shared.slices, shared.broken]);
            }
            let all = (0..).zip(buffers);
            device.some_bindings(&self.pipelines[k], all.filter(|(at, _)| k > 0 || *at == 3))
        };
        self.groups = (0..3).map(|k| [0, 1].map(|now| group(k, now))).collect();
        Ok(())
    }

    /// Parameters of cells that cover the particles' bounding box, and then repeat.
    fn grid(&self, state: &State) -> Grid {
        let low = state.p.iter().fold(Vec3::repeat(f64::INFINITY), |low, p| low.inf(p));
        let high = state.p.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, p| high.sup(p));
        // the neighbours of a cell differ from each other
        let wanted = |k: usize| ((high[k] - low[k]) / self.edge).min(1e6) as usize + 2;
        let mut count = [0, 1, 2].map(|k| wanted(k).next_power_of_two().max(4));
        while count.iter().product::<usize>() > self.cells {
            let most = (0..3).max_by_key(|&k| count[k]).expect("three axes");
            count[most] /= 2;
        }
        Grid {
            particles: self.particles as u32,
            slots: self.slots as u32,
            pad: 0,
            cell: ((self.edge / self.h).ceil() as u32).max(1),
            mask: count.map(|count| count as u32 - 1),
            skin: (self.skin / self.h) as f32,
        }
    }

    /// Buffers of the contacts' kernel, which change in steps: pairs, springs and anchors.
    pub(super) fn buffers(&self) -> [&wgpu::Buffer; 3] {
        [&self.pairs, &self.springs, &self.anchors]
    }

    pub(super) fn build(&self, device: &Device, pass: &mut wgpu::ComputePass, now: usize) {
        for (k, threads) in [self.cells, self.particles, self.particles].into_iter().enumerate() {
            pass.set_pipeline(&self.pipelines[k]);
            pass.set_bind_group(0, &self.groups[k][now], &[]);
            device.dispatch(pass, threads);
        }
    }

    /// Distance (h) of a particle from its place in the lists up to which they hold.
    pub(super) fn margin(&self) -> f32 {
        (0.5 * self.skin / self.h) as f32
    }

    /// Loaded springs, sorted, at a state.
    pub(super) fn springs(&self, device: &Device, world: &World, state: &State) -> Vec<([u32; 2], TangentialSpring)> {
        let n = self.particles;
        let counts: Vec<usize> =
            device.read_first(&self.anchors, n).iter().map(|row: &[i32; 4]| row[3] as usize & 0xffff).collect();
        let rows = counts.iter().copied().max().unwrap_or(0) * n;
        let pairs: Vec<[u32; 4]> = device.read_first(&self.pairs, rows);
        let springs: Vec<[f32; 4]> = device.read_first(&self.springs, rows);
        let of = |i: usize| {
            let places = (0..counts[i]).map(move |s| s * n + i);
            places.map(|at| ([i as u32, pairs[at][0] & OTHER], springs[at])).collect::<Vec<_>>()
        };
        let loaded = (0..n).flat_map(of).filter(|([i, j], row)| i < j && row[3] != 0.0);
        loaded
            .map(|(ends @ [i, j], row)| {
                let branch = state.p[j as usize] - state.p[i as usize];
                let depth = 0.5 * (world.reach(ends) - branch.norm());
                (ends, spring(row, branch.normalize(), depth.max(0.0)))
            })
            .collect()
    }
}

/// Stretch of a spring, and its friction limit, negative if it slid.
pub(super) fn row(spring: &TangentialSpring) -> [f32; 4] {
    let limit = if spring.slides { -spring.limit } else { spring.limit };
    [spring.stretch.x, spring.stretch.y, spring.stretch.z, limit].map(|value| value as f32)
}

/// Spring of such a row.
pub(super) fn spring([x, y, z, limit]: [f32; 4], n: Vec3, depth: f64) -> TangentialSpring {
    let stretch = Vec3::new(x.into(), y.into(), z.into());
    TangentialSpring { stretch, slides: limit < 0.0, n, limit: f64::from(limit.abs()), depth }
}
