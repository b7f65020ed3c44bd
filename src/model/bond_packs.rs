//! Bonds in the layout that vector kernels stream: eight side by side, particles in chunks.

use std::ops::Range;

use super::{Bond, BondModel, Modes};

/// Bonds of a pack.
pub const PACK: usize = 8;

/// Numbers of eight bonds, in a cache line.
pub type Eight = [f64; PACK];

/// Eight bonds whose first particles are in one chunk. A pack that is not full ends with copies of its last bond that bear
/// nothing.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct BondPack {
    /// Rest directions: all x, all y, all z.
    pub d0: [Eight; 3],
    /// Particles i and j.
    pub i: [u32; PACK],
    pub j: [u32; PACK],
    /// Where what is added to j goes: see [`PackChunk`].
    pub to_j: [u32; PACK],
}

/// Size and stiffness, of one bond (`T` a number) or of eight.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffness<T> {
    /// Length at rest, m.
    pub l0: T,
    /// Mean radius, m.
    pub r0: T,
    /// Stiffnesses of the four modes: stretch, shear, twist, bend.
    pub k: [T; 4],
    /// Viscous coefficients of the four modes.
    pub c: [T; 4],
}

/// What eight bonds can bear, as lengths that strains are compared with: sigma > sigma_c is
/// `|l - l0| + r0 |bend| > sigma_c l0/E`, and tau > tau_c is `theta l0^2/l + r0 |twist| > tau_c l0/G`.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct LimitPack {
    /// sigma_c l0/E, m.
    pub sigma: Eight,
    /// tau_c l0/G, m.
    pub tau: Eight,
}

/// Stiffnesses of a chunk's bonds. In a packing of equal spheres nearly all packs have the same, which stays in the cache.
#[derive(Clone, Debug, Default)]
pub struct Stiffnesses {
    /// First that of eight bonds like the chunk's first one, then those of packs with any other.
    kinds: Vec<Stiffness<Eight>>,
    /// Which of them each pack has.
    of_pack: Vec<u32>,
}

/// A run of particles, and the bonds whose first particle is one of them.
///
/// Sums over bonds go into an array of the chunk's own: first an entry for each of its particles, then one for each particle of
/// other chunks that its bonds reach, the `halo`. When all chunks are done, each adds up what the others' halos hold of its
/// particles. No bond is worked out twice, and the order of every sum depends on the bonds alone.
#[derive(Clone, Debug)]
pub struct PackChunk {
    pub particles: Range<usize>,
    /// Indices of its bonds in the world.
    pub bonds: Range<usize>,
    /// Its packs, in [`BondPacks::packs`].
    pub packs: Range<usize>,
    /// The models of its bonds, ascending, with the stiffnesses of all of them: zeros for those of another model.
    pub laws: Vec<(BondModel, Stiffnesses)>,
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
    /// One a pack if any bond can break, else none.
    pub limits: Vec<LimitPack>,
}

/// Particles a chunk, by how many there are: few enough to share out evenly, enough that few bonds leave a chunk.
fn chunk_len(particles: usize) -> usize {
    particles.div_ceil(64).clamp(384, 4096)
}

impl BondPacks {
    /// Packs `bonds`, which are sorted by `(i, j)`, of `particles` particles.
    pub fn new(particles: usize, bonds: &[Bond]) -> Self {
        let len = chunk_len(particles);
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
                all.limits.extend(is_breakable.then(|| LimitPack::new(eight)));
            }
            let packs = start..all.packs.len();
            let laws = laws_of(&bonds[of_chunk.clone()]);
            all.chunks.push(PackChunk { particles: own, bonds: of_chunk, packs, laws, halo, incoming: Vec::new() });
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

    /// Chunk and pack of the world's bond `index`, and its lane; the pack as the chunk counts its own.
    fn locate(&self, index: usize) -> (usize, usize, usize) {
        let chunk = self.chunks.partition_point(|chunk| chunk.bonds.end <= index);
        let within = index - self.chunks[chunk].bonds.start;
        (chunk, within / PACK, within % PACK)
    }

    /// Pack, in [`Self::packs`], and lane of the world's bond `index`.
    pub fn pack_of(&self, index: usize) -> (usize, usize) {
        let (chunk, pack, lane) = self.locate(index);
        (self.chunks[chunk].packs.start + pack, lane)
    }

    /// The bond at `index` bears nothing from now on.
    pub fn mark_broken(&mut self, index: usize) {
        let (chunk, pack, lane) = self.locate(index);
        let chunk = &mut self.chunks[chunk];
        chunk.laws.iter_mut().for_each(|(_, stiffness)| stiffness.mark_broken(pack, lane));
        if let Some(limits) = self.limits.get_mut(chunk.packs.start + pack) {
            (limits.sigma[lane], limits.tau[lane]) = (f64::INFINITY, f64::INFINITY);
        }
    }
}

/// See [`PackChunk::laws`].
fn laws_of(bonds: &[Bond]) -> Vec<(BondModel, Stiffnesses)> {
    let mut models: Vec<BondModel> = bonds.iter().map(|bond| bond.model).collect();
    models.sort_unstable();
    models.dedup();
    models.into_iter().map(|model| (model, Stiffnesses::new(bonds, model))).collect()
}

impl From<&Bond> for Stiffness<f64> {
    fn from(bond: &Bond) -> Self {
        let modes = |of: &Modes| [of.n, of.s, of.t, of.b];
        Self { l0: bond.l0, r0: bond.r0, k: modes(&bond.k), c: modes(&bond.c) }
    }
}

impl Stiffnesses {
    /// Those of `bonds`, zeros for all that are not of `model`.
    fn new(bonds: &[Bond], model: BondModel) -> Self {
        let of = |bond: &Bond| match Stiffness::from(bond) {
            own if bond.model == model => own,
            other => Stiffness { k: [0.0; 4], c: [0.0; 4], ..other },
        };
        let Some(first) = bonds.first().map(of) else { return Self::default() };
        let mut all = Self { kinds: vec![Stiffness::pack([first; PACK].into_iter())], of_pack: Vec::new() };
        for eight in bonds.chunks(PACK) {
            let is_first = eight.len() == PACK && eight.iter().all(|bond| of(bond).is_nearly(&first));
            all.of_pack.push(if is_first { 0 } else { all.kinds.len() as u32 });
            if !is_first {
                all.kinds.push(Stiffness::pack(eight.iter().map(of)));
            }
        }
        all
    }

    /// Those of a pack.
    #[inline(always)]
    pub fn of(&self, pack: usize) -> &Stiffness<Eight> {
        &self.kinds[self.of_pack[pack] as usize]
    }

    /// The bond in this pack and lane bears nothing from now on.
    fn mark_broken(&mut self, pack: usize, lane: usize) {
        let kind = &mut self.of_pack[pack];
        if *kind == 0 {
            *kind = self.kinds.len() as u32;
            self.kinds.push(self.kinds[0]);
        }
        let eight = &mut self.kinds[*kind as usize];
        eight.k.iter_mut().chain(&mut eight.c).for_each(|of_mode| of_mode[lane] = 0.0);
    }
}

impl Stiffness<f64> {
    /// Whether the two are the same but for the rounding of distances between centres.
    fn is_nearly(&self, other: &Self) -> bool {
        const ROUNDING: f64 = 1e-12;
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING * b.abs();
        let all = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).all(|(a, b)| near(*a, *b));
        near(self.l0, other.l0) && near(self.r0, other.r0) && all(&self.k, &other.k) && all(&self.c, &other.c)
    }
}

impl Stiffness<Eight> {
    /// Up to eight, and behind them bonds of the last's size that bear nothing.
    fn pack(bonds: impl Iterator<Item = Stiffness<f64>>) -> Self {
        let mut all = Self::default();
        for (lane, one) in bonds.enumerate() {
            all.l0[lane..].fill(one.l0);
            all.r0[lane..].fill(one.r0);
            for mode in 0..4 {
                all.k[mode][lane] = one.k[mode];
                all.c[mode][lane] = one.c[mode];
            }
        }
        all
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

impl BondPack {
    fn new(bonds: &[Bond], slot: impl Fn(u32) -> u32) -> Self {
        Self {
            d0: [0, 1, 2].map(|axis| eight(bonds, |b| b.d0[axis])),
            i: eight(bonds, |b| b.i),
            j: eight(bonds, |b| b.j),
            to_j: eight(bonds, |b| slot(b.j)),
        }
    }
}

impl LimitPack {
    fn new(bonds: &[Bond]) -> Self {
        let area = |b: &Bond| b.area();
        Self {
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
