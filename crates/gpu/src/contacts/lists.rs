//! Lists of near pairs, which the card builds by a grid of cells.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::{ContactState, TangentialSpring};
use bdem_core::model::{State, World};
use bytemuck::{Pod, Zeroable};

use crate::device::Device;

use super::{GROUP, Shared, tables};

/// Gap up to which a pair is near, over the greatest radius. At twice of it lists are built half as often, and have 1.5 times the
/// pairs.
const SKIN: f64 = 0.4;

/// Parameters of the lists: `Grid` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Grid {
    particles: u32,
    slots: u32,
    bond_slots: u32,
    cell: u32,
    mask: [u32; 3],
    skin: f32,
}

/// Least number of slots of a particle.
const MIN_SLOTS: usize = 16;

/// Bits of a slot: see the shader.
const INDEX: u32 = 0xff_ffff;
const TOUCHES: u32 = 1 << 31;

/// Lists of near pairs on a card: slot s of particle i is at `s n + i`.
pub(super) struct Lists {
    pipelines: [wgpu::ComputePipeline; 3],
    grid: Grid,
    heads: wgpu::Buffer,
    chain: wgpu::Buffer,
    short_bonds: wgpu::Buffer,
    pairs: wgpu::Buffer,
    springs: wgpu::Buffer,
    new: [wgpu::Buffer; 2],
    anchors: wgpu::Buffer,
    /// Bindings of each pipeline, from each of both pose buffers, for each of both clocks.
    groups: Vec<[[wgpu::BindGroup; 2]; 2]>,
}

impl Lists {
    pub(super) fn new(
        device: &Device,
        world: &World,
        state: &State,
        springs: &ContactState,
        (shared, surfaces, status, clocks): (&Shared, &wgpu::Buffer, &wgpu::Buffer, &[wgpu::Buffer; 2]),
    ) -> Self {
        let (n, h) = (state.len(), shared.h);
        let known = known(world, springs);
        let slots = known.iter().map(Vec::len).max().unwrap_or(0).max(MIN_SLOTS + shared.bond_slots);
        let grid = grid(world, state, slots, shared);
        let (mut pairs, mut rows, mut anchors) = (vec![[0u32; 4]; slots * n], vec![[0f32; 4]; slots * n], Vec::new());
        for (i, list) in known.iter().enumerate() {
            for (s, (other, spring)) in list.iter().enumerate() {
                pairs[s * n + i][0] = other | TOUCHES;
                rows[s * n + i] = row(spring);
            }
            anchors.push([0, 0, 0, list.len() as i32]);
        }
        let cells = grid.mask.iter().map(|mask| mask + 1).product::<u32>();
        let mut lists = Self {
            pipelines: ["clear", "link", "list"].map(|entry| device.pipeline(&shader(), entry)),
            grid,
            heads: device.storage(&vec![0u32; cells as usize]),
            chain: device.storage(&vec![0u32; n]),
            short_bonds: device.storage(&tables::short_bonds(world, h)),
            new: [device.storage(&pairs), device.storage(&rows)],
            pairs: device.storage(&pairs),
            springs: device.storage(&rows),
            anchors: device.storage(&anchors),
            groups: Vec::new(),
        };
        lists.bind(device, shared, (surfaces, status, clocks));
        lists
    }

    /// Buffers that change in steps.
    pub(super) fn changing(&self) -> [wgpu::Buffer; 3] {
        [&self.pairs, &self.springs, &self.anchors].map(Clone::clone)
    }

    /// Makes room for this number of pairs of a particle. Slots that there were keep their places.
    pub(super) fn enlarge(
        &mut self,
        device: &Device,
        slots: usize,
        shared: &Shared,
        buffers: (&wgpu::Buffer, &wgpu::Buffer, &[wgpu::Buffer; 2]),
    ) {
        let size = slots * self.grid.particles as usize;
        self.grid.slots = slots as u32;
        let [new_pairs, new_springs] = &mut self.new;
        for of in [&mut self.pairs, &mut self.springs, new_pairs, new_springs] {
            *of = device.enlarged(of, 16 * size as u64);
        }
        self.bind(device, shared, buffers);
    }

    fn bind(
        &mut self,
        device: &Device,
        shared: &Shared,
        (surfaces, status, clocks): (&wgpu::Buffer, &wgpu::Buffer, &[wgpu::Buffer; 2]),
    ) {
        let uniform = device.uniform(&self.grid);
        let group = |k: usize, now: usize, clock: usize| {
            let [new_pairs, new_springs] = &self.new;
            let all = [
                &uniform,
                shared.poses[now],
                surfaces,
                &self.heads,
                &self.chain,
                shared.bonds,
                &self.short_bonds,
                &self.pairs,
                &self.springs,
                new_pairs,
                new_springs,
                &self.anchors,
                status,
                &clocks[clock],
            ];
            let used: &[u32] = [&[3][..], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]][k];
            device.some_bindings(&self.pipelines[k], used.iter().map(|&at| (at, all[at as usize])))
        };
        self.groups = (0..3).map(|k| [0, 1].map(|now| [0, 1].map(|clock| group(k, now, clock)))).collect();
    }

    /// Buffers of the contacts' kernel: pairs, springs and anchors.
    pub(super) fn buffers(&self) -> Vec<&wgpu::Buffer> {
        vec![&self.pairs, &self.springs, &self.anchors]
    }

    pub(super) fn build(&self, pass: &mut wgpu::ComputePass, now: usize, clock: usize) {
        /// Workgroups that clear the cells, each many times.
        const CLEARING: u32 = 1024;
        let each = self.grid.particles.div_ceil(GROUP);
        for (k, groups) in [CLEARING, each, each].into_iter().enumerate() {
            pass.set_pipeline(&self.pipelines[k]);
            pass.set_bind_group(0, &self.groups[k][now][clock], &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        }
    }

    /// Distance (h) of a particle from its place in the lists up to which they hold.
    pub(super) fn margin(&self) -> f32 {
        0.5 * self.grid.skin
    }

    /// Rows of the lists: particle, and its slot with the spring.
    pub(super) fn rows(&self, device: &Device) -> Vec<(u32, [u32; 4], [f32; 4])> {
        let (pairs, springs): (Vec<[u32; 4]>, Vec<[f32; 4]>) = (device.read(&self.pairs), device.read(&self.springs));
        let anchors: Vec<[i32; 4]> = device.read(&self.anchors);
        let n = anchors.len();
        let of = |i: usize| (0..anchors[i][3] as usize).map(move |s| s * n + i);
        (0..n).flat_map(|i| of(i).map(move |at| (i as u32, at))).map(|(i, at)| (i, pairs[at], springs[at])).collect()
    }

    /// Loaded springs, sorted, at a state.
    pub(super) fn springs(&self, device: &Device, world: &World, state: &State) -> Vec<([u32; 2], TangentialSpring)> {
        let rows = self.rows(device).into_iter().map(|(i, pair, row)| ([i, pair[0] & INDEX], row));
        let loaded = rows.filter(|([i, j], row)| i < j && row[3] != 0.0);
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

/// Loaded springs of each particle with others, sorted.
fn known(world: &World, springs: &ContactState) -> Vec<Vec<(u32, TangentialSpring)>> {
    let mut lists = vec![Vec::new(); world.particles.len()];
    for &([i, j], spring) in &springs.pairs {
        lists[i as usize].push((j, spring));
        lists[j as usize].push((i, spring));
    }
    lists.iter_mut().for_each(|list| list.sort_by_key(|(other, _)| *other));
    lists
}

/// Grid whose cells cover the particles' bounding box, and then repeat.
fn grid(world: &World, state: &State, slots: usize, shared: &Shared) -> Grid {
    /// Cells over particles at most.
    const MAX_CELLS: usize = 4;
    let largest = world.particles.contact_radius.iter().copied().fold(0.0, f64::max);
    let skin = SKIN * largest;
    let edge = 2.0 * largest + skin;
    let low = state.p.iter().fold(Vec3::repeat(f64::INFINITY), |low, p| low.inf(p));
    let high = state.p.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, p| high.sup(p));
    // neighbours of a cell differ from each other
    let mut count = [0, 1, 2].map(|k| (((high[k] - low[k]) / edge) as u64 + 2).next_power_of_two().clamp(4, 1 << 10));
    while count.iter().product::<u64>() > (MAX_CELLS * state.len()).max(64) as u64 {
        let most = (0..3).max_by_key(|&k| count[k]).unwrap_or(0);
        count[most] /= 2;
    }
    let keeps_contact = world.whole_bonds().any(|bond| bond.model.keeps_contact());
    Grid {
        particles: state.len() as u32,
        slots: slots as u32,
        bond_slots: if keeps_contact { 0 } else { shared.bond_slots as u32 },
        cell: ((edge / shared.h).ceil() as u32).max(1),
        mask: count.map(|count| count as u32 - 1),
        skin: (skin / shared.h) as f32,
    }
}

fn shader() -> String {
    [include_str!("../state.wgsl"), include_str!("../surfaces.wgsl"), include_str!("../grid.wgsl")].join("\n")
}
