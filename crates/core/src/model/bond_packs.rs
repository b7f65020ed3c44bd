//! Bonds in the layout of vector kernels: packs of eight, particles in chunks.

use std::ops::Range;

use super::{Bond, BondModel, Criterion, Modes};
use crate::parallel::Halo;

/// Bonds of a pack.
pub(crate) const PACK: usize = 8;

/// A number for each of eight bonds, in a cache line.
pub(crate) type Eight = [f64; PACK];

/// Eight bonds whose first particles are in one chunk. A partial pack ends with copies of its last bond without
/// stiffness.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct BondPack {
    /// Rest directions: all x, all y, all z.
    pub d0: [Eight; 3],
    /// First particles.
    pub i: [u32; PACK],
    /// Second particles.
    pub j: [u32; PACK],
    /// Row of particle j in the chunk's sums: see [`PackChunk`].
    pub to_j: [u32; PACK],
}

/// Size and stiffness of one bond (`T` a number) or of eight.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffness<T> {
    /// Rest length, m.
    pub l0: T,
    /// Mean radius, m.
    pub r0: T,
    /// Stiffnesses of the four modes: stretch, shear, twist, bend.
    pub k: [T; 4],
    /// Viscous coefficients of the four modes.
    pub c: [T; 4],
}

/// Strengths of eight bonds as lengths, for comparison with strains by the criterion of `energy/strength.rs`.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct LimitPack {
    /// sigma_c l0/E, m.
    pub sigma: Eight,
    /// tau_c l0/G, m.
    pub tau: Eight,
}

/// Terms of the criterion of eight bonds, in the same lengths.
#[repr(C, align(64))]
#[derive(Clone, Debug, Default)]
pub struct CriterionPack {
    /// Share of bending and twisting.
    pub moment_share: Eight,
    /// Lateral length by which a stretch of 1 weakens the bond: friction E/G.
    pub friction: Eight,
}

/// Stiffnesses of a chunk's bonds. In a packing of equal spheres nearly all packs share one, which stays in the cache.
#[derive(Clone, Debug, Default)]
pub struct Stiffnesses {
    /// The first is that of eight bonds like the chunk's first, followed by those of packs that differ.
    kinds: Vec<Stiffness<Eight>>,
    /// Index of each pack's stiffness.
    of_pack: Vec<u32>,
}

/// A range of particles, and the bonds whose first particle is in it.
#[derive(Clone, Debug)]
pub struct PackChunk {
    /// Particles of the chunk, and the rows of its bonds' sums.
    pub(crate) halo: Halo,
    /// Indices of its bonds in the world.
    pub bonds: Range<usize>,
    /// Its packs, in [`BondPacks::packs`].
    pub packs: Range<usize>,
    /// Models of its bonds, ascending, with the stiffnesses of all its bonds: zeros for bonds of another model.
    pub laws: Vec<(&'static BondModel, Stiffnesses)>,
}

/// All bonds of a world, packed.
#[derive(Clone, Debug, Default)]
pub struct BondPacks {
    /// Chunks of particles.
    pub chunks: Vec<PackChunk>,
    /// Particles of each chunk except the last.
    pub chunk_len: usize,
    /// Packs of all chunks, in their order.
    pub packs: Vec<BondPack>,
    /// Strengths of each pack if any bond can break, else empty.
    pub limits: Vec<LimitPack>,
    /// Criterion of each pack if any bond's has a term of its own, else empty.
    pub criteria: Vec<CriterionPack>,
}

/// Particles per chunk for a number of particles: few enough for an even share, enough that few bonds leave a chunk.
fn chunk_len(particles: usize) -> usize {
    particles.div_ceil(64).clamp(384, 4096)
}

impl BondPacks {
    /// Packs `bonds`, sorted by `(i, j)`, of `particles` particles.
    pub(crate) fn new(particles: usize, bonds: &[Bond]) -> Self {
        let len = chunk_len(particles);
        let is_breakable = bonds.iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
        let has_criteria = is_breakable && bonds.iter().any(|b| b.criterion != Criterion::default());
        let mut all = Self { chunk_len: len, ..Self::default() };
        // one partial pack a chunk
        let most = bonds.len() / PACK + particles.div_ceil(len);
        all.packs.reserve_exact(most);
        all.limits.reserve_exact(if is_breakable { most } else { 0 });
        all.criteria.reserve_exact(if has_criteria { most } else { 0 });
        let mut bond = 0;
        for first in (0..particles).step_by(len) {
            let own = first..(first + len).min(particles);
            let count = bonds[bond..].partition_point(|b| (b.i as usize) < own.end);
            let of_chunk = bond..bond + count;
            bond = of_chunk.end;
            let halo = Halo::new(own, bonds[of_chunk.clone()].iter().map(|bond| bond.j));
            let start = all.packs.len();
            for eight in bonds[of_chunk.clone()].chunks(PACK) {
                all.packs.push(BondPack::new(eight, |j| halo.row_of(j)));
                all.limits.extend(is_breakable.then(|| LimitPack::new(eight)));
                all.criteria.extend(has_criteria.then(|| CriterionPack::new(eight)));
            }
            let packs = start..all.packs.len();
            let laws = laws_of(&bonds[of_chunk.clone()]);
            all.chunks.push(PackChunk { halo, bonds: of_chunk, packs, laws });
        }
        Halo::link(&mut all.chunks, len, |chunk| &mut chunk.halo);
        all
    }

    /// Chunk, pack within the chunk, and lane of the world's bond `index`.
    fn locate(&self, index: usize) -> (usize, usize, usize) {
        let chunk = self.chunks.partition_point(|chunk| chunk.bonds.end <= index);
        let within = index - self.chunks[chunk].bonds.start;
        (chunk, within / PACK, within % PACK)
    }

    /// Pack, in [`Self::packs`], and lane of the world's bond `index`.
    pub(crate) fn pack_of(&self, index: usize) -> (usize, usize) {
        let (chunk, pack, lane) = self.locate(index);
        (self.chunks[chunk].packs.start + pack, lane)
    }

    /// Sets stiffness and strength of the bond at `index` to those of `bond`.
    pub(crate) fn set(&mut self, index: usize, bond: &Bond) {
        let (chunk, pack, lane) = self.locate(index);
        let chunk = &mut self.chunks[chunk];
        for (model, stiffness) in &mut chunk.laws {
            if *model == bond.model {
                stiffness.set(pack, lane, &Stiffness::from(bond));
            }
        }
        if let Some(limits) = self.limits.get_mut(chunk.packs.start + pack) {
            (limits.sigma[lane], limits.tau[lane]) = limits_of(bond);
        }
    }
}

/// See [`PackChunk::laws`].
fn laws_of(bonds: &[Bond]) -> Vec<(&'static BondModel, Stiffnesses)> {
    let mut models: Vec<&'static BondModel> = bonds.iter().map(|bond| bond.model).collect();
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
    /// Stiffnesses of `bonds`, zeros for those not of `model`.
    fn new(bonds: &[Bond], model: &BondModel) -> Self {
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

    /// Stiffnesses of a pack.
    #[inline(always)]
    pub(crate) fn of(&self, pack: usize) -> &Stiffness<Eight> {
        &self.kinds[self.of_pack[pack] as usize]
    }

    /// Sets the stiffness of the bond in this pack and lane.
    fn set(&mut self, pack: usize, lane: usize, bond: &Stiffness<f64>) {
        let kind = &mut self.of_pack[pack];
        if *kind == 0 {
            *kind = self.kinds.len() as u32;
            self.kinds.push(self.kinds[0]);
        }
        let eight = &mut self.kinds[*kind as usize];
        for mode in 0..4 {
            (eight.k[mode][lane], eight.c[mode][lane]) = (bond.k[mode], bond.c[mode]);
        }
    }
}

impl Stiffness<f64> {
    /// Whether both are equal up to rounding of distances between centres.
    fn is_nearly(&self, other: &Self) -> bool {
        /// Relative rounding of stiffnesses.
        const ROUNDING: f64 = 1e-12;
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING * b.abs();
        let all = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).all(|(a, b)| near(*a, *b));
        near(self.l0, other.l0) && near(self.r0, other.r0) && all(&self.k, &other.k) && all(&self.c, &other.c)
    }
}

impl Stiffness<Eight> {
    /// Packs up to eight, padded by the last size without stiffness.
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

/// The number `of` for each of up to eight bonds, padded by the last.
fn eight<T>(bonds: &[Bond], of: impl Fn(&Bond) -> T) -> [T; PACK] {
    std::array::from_fn(|lane| of(&bonds[lane.min(bonds.len() - 1)]))
}

/// The number `of` for each of up to eight bonds, padded by `rest`.
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
    /// Limits of up to eight bonds.
    pub(crate) fn new(bonds: &[Bond]) -> Self {
        Self {
            sigma: eight_or(bonds, f64::INFINITY, |b| limits_of(b).0),
            tau: eight_or(bonds, f64::INFINITY, |b| limits_of(b).1),
        }
    }
}

impl CriterionPack {
    /// Terms of up to eight bonds.
    pub(crate) fn new(bonds: &[Bond]) -> Self {
        let friction = |bond: &Bond| {
            let lateral = bond.k.s / (bond.l0 * bond.l0);
            if lateral > 0.0 { bond.criterion.friction * bond.k.n / lateral } else { 0.0 }
        };
        Self { moment_share: eight(bonds, |b| b.criterion.moment_share), friction: eight(bonds, friction) }
    }
}

/// Strengths of a bond as lengths, m: k_n = E S/l0 and k_s = G S l0.
fn limits_of(bond: &Bond) -> (f64, f64) {
    let (k, l0, area) = (&bond.k, bond.l0, bond.area());
    let [sigma, tau] = bond.strength;
    (limit(sigma, k.n / area), limit(tau, k.s / (area * l0 * l0)))
}

/// `strength/stiffness`; infinite for a broken bond, which has neither.
fn limit(strength: f64, stiffness: f64) -> f64 {
    if strength.is_finite() { strength / stiffness } else { f64::INFINITY }
}
