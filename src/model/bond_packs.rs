//! Bonds in the layout that vector kernels stream: eight side by side, particles in chunks.

use std::ops::Range;

use super::{Bond, Modes};

/// Bonds of a pack.
pub const PACK: usize = 8;

/// Numbers of eight bonds, in a cache line.
pub type Eight = [f64; PACK];

/// Eight bonds whose first particles are in one chunk. A pack that is not full ends with copies of its last bond that bear
/// nothing.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct BondPack {
    /// Particles i and j.
    pub i: [u32; PACK],
    pub j: [u32; PACK],
    /// Where what is added to j goes: see [`PackChunk`].
    pub to_j: [u32; PACK],
    /// Rest directions: all x, all y, all z.
    pub d0: [Eight; 3],
    /// Lengths at rest, m.
    pub l0: Eight,
    /// Stiffnesses of the four modes: stretch, shear, twist, bend.
    pub k: [Eight; 4],
}

/// What eight bonds need beyond [`BondPack`] where they are damped: viscous coefficients of the four modes.
pub type DampingPack = [Eight; 4];

/// What eight bonds can bear, as lengths that strains are compared with: sigma > sigma_c is
/// `|l - l0| + r0 |bend| > sigma_c l0/E`, and tau > tau_c is `theta l0^2/l + r0 |twist| > tau_c l0/G`.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct LimitPack {
    /// Mean radii, m.
    pub r0: Eight,
    /// sigma_c l0/E, m.
    pub sigma: Eight,
    /// tau_c l0/G, m.
    pub tau: Eight,
}

/// A run of particles, and the bonds whose first particle is one of them.
///
/// Sums over bonds go into an array of the chunk's own: first an entry for each of its particles, then one for each particle of
/// other chunks that its bonds reach, the `halo`. When all chunks are done, each adds up what the others' halos hold of its
/// particles. No bond is worked out twice, and the order of every sum depends on the bonds alone.
#[derive(Clone, Debug, Default)]
pub struct PackChunk {
    pub particles: Range<usize>,
    /// Indices of its bonds in the world.
    pub bonds: Range<usize>,
    /// Its packs, in [`BondPacks::packs`].
    pub packs: Range<usize>,
    /// Particles of later chunks, ascending.
    pub halo: Vec<u32>,
    /// Parts of earlier chunks' halos that are particles of this chunk: chunk, and entries of its halo.
    pub incoming: Vec<(u32, Range<u32>)>,
}

impl PackChunk {
    /// Entries of the chunk's sums.
    pub fn slots(&self) -> usize {
        self.particles.len() + self.halo.len()
    }

    /// The particles of the halo, and what the chunk's sums hold for them.
    pub fn halo_of<'a, T>(&'a self, sums: &'a [T]) -> (&'a [u32], &'a [T]) {
        (&self.halo, &sums[self.particles.len()..])
    }
}

/// All bonds of a world, packed.
#[derive(Clone, Debug, Default)]
pub struct BondPacks {
    pub chunks: Vec<PackChunk>,
    /// Particles of each chunk but the last.
    pub chunk_len: usize,
    pub packs: Vec<BondPack>,
    /// One a pack if any bond is damped, else none.
    pub damping: Vec<DampingPack>,
    /// One a pack if any bond can break, else none.
    pub limits: Vec<LimitPack>,
}

/// Particles a chunk, by how many there are: enough for a thread's cache, few enough to share out.
fn chunk_len(particles: usize) -> usize {
    particles.div_ceil(64).clamp(1024, 4096)
}

impl BondPacks {
    /// Packs `bonds`, which are sorted by `(i, j)`, of `particles` particles.
    pub fn new(particles: usize, bonds: &[Bond]) -> Self {
        let len = chunk_len(particles);
        let is_damped = bonds.iter().any(|b| b.c != Modes::default());
        let is_breakable = bonds.iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
        let mut all = Self { chunk_len: len, ..Self::default() };
        let mut slot_of = vec![u32::MAX; particles];
        let mut bond = 0;
        for first in (0..particles).step_by(len) {
            let own = first..(first + len).min(particles);
            let count = bonds[bond..].partition_point(|b| (b.i as usize) < own.end);
            let of_chunk = bond..bond + count;
            bond = of_chunk.end;
            let halo = halo_of(&bonds[of_chunk.clone()], own.end);
            halo.iter().zip(own.len() as u32..).for_each(|(&particle, slot)| slot_of[particle as usize] = slot);
            let slot = |j: u32| if (j as usize) < own.end { j - first as u32 } else { slot_of[j as usize] };
            let start = all.packs.len();
            for eight in bonds[of_chunk.clone()].chunks(PACK) {
                all.packs.push(BondPack::new(eight, slot));
                all.damping.extend(is_damped.then(|| damping_of(eight)));
                all.limits.extend(is_breakable.then(|| LimitPack::new(eight)));
            }
            let packs = start..all.packs.len();
            all.chunks.push(PackChunk { particles: own, bonds: of_chunk, packs, halo, incoming: Vec::new() });
        }
        all.link(len);
        all
    }

    /// Tells each chunk where its particles are in others' halos.
    fn link(&mut self, len: usize) {
        for from in 0..self.chunks.len() {
            let halo = std::mem::take(&mut self.chunks[from].halo);
            let mut start = 0;
            while start < halo.len() {
                let to = halo[start] as usize / len;
                let end = start + halo[start..].partition_point(|&particle| particle as usize / len == to);
                self.chunks[to].incoming.push((from as u32, start as u32..end as u32));
                start = end;
            }
            self.chunks[from].halo = halo;
        }
    }

    /// Pack and lane of the world's bond `index`.
    pub fn place(&self, index: usize) -> (usize, usize) {
        let chunk = self.chunks.partition_point(|chunk| chunk.bonds.end <= index);
        let within = index - self.chunks[chunk].bonds.start;
        (self.chunks[chunk].packs.start + within / PACK, within % PACK)
    }

    /// The bond at `index` bears nothing from now on.
    pub fn retire(&mut self, index: usize) {
        let (pack, lane) = self.place(index);
        self.packs[pack].k.iter_mut().for_each(|k| k[lane] = 0.0);
        if let Some(damping) = self.damping.get_mut(pack) {
            damping.iter_mut().for_each(|c| c[lane] = 0.0);
        }
        if let Some(limits) = self.limits.get_mut(pack) {
            (limits.sigma[lane], limits.tau[lane]) = (f64::INFINITY, f64::INFINITY);
        }
    }
}

/// Particles from `end` on that `bonds` reach, ascending.
fn halo_of(bonds: &[Bond], end: usize) -> Vec<u32> {
    let mut halo: Vec<u32> = bonds.iter().map(|b| b.j).filter(|&j| j as usize >= end).collect();
    halo.sort_unstable();
    halo.dedup();
    halo
}

/// The number that `of` has for each of up to eight bonds, and for the places behind them the last's.
fn eight<T>(bonds: &[Bond], of: impl Fn(&Bond) -> T) -> [T; PACK] {
    std::array::from_fn(|lane| of(&bonds[lane.min(bonds.len() - 1)]))
}

/// The same, with `rest` behind them.
fn eight_or(bonds: &[Bond], rest: f64, of: impl Fn(&Bond) -> f64) -> Eight {
    std::array::from_fn(|lane| bonds.get(lane).map_or(rest, &of))
}

fn modes(bonds: &[Bond], of: impl Fn(&Bond) -> Modes) -> [Eight; 4] {
    [
        eight_or(bonds, 0.0, |b| of(b).n),
        eight_or(bonds, 0.0, |b| of(b).s),
        eight_or(bonds, 0.0, |b| of(b).t),
        eight_or(bonds, 0.0, |b| of(b).b),
    ]
}

fn damping_of(bonds: &[Bond]) -> DampingPack {
    modes(bonds, |b| b.c)
}

impl BondPack {
    fn new(bonds: &[Bond], slot: impl Fn(u32) -> u32) -> Self {
        Self {
            i: eight(bonds, |b| b.i),
            j: eight(bonds, |b| b.j),
            to_j: eight(bonds, |b| slot(b.j)),
            d0: [0, 1, 2].map(|axis| eight(bonds, |b| b.d0[axis])),
            l0: eight(bonds, |b| b.l0),
            k: modes(bonds, |b| b.k),
        }
    }
}

impl LimitPack {
    fn new(bonds: &[Bond]) -> Self {
        let area = |b: &Bond| b.area();
        Self {
            r0: eight(bonds, |b| b.r0),
            // k_n = E S/l0 and k_s = G S l0
            sigma: eight_or(bonds, f64::INFINITY, |b| limit(b.strength[0], b.k.n / area(b))),
            tau: eight_or(bonds, f64::INFINITY, |b| limit(b.strength[1], b.k.s / (area(b) * b.l0 * b.l0))),
        }
    }
}

/// `strength/stiffness`; infinite for a bond that has broken and has neither.
fn limit(strength: f64, stiffness: f64) -> f64 {
    if strength.is_finite() { strength / stiffness } else { f64::INFINITY }
}
