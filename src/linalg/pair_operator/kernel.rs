//! What the pairs of eight nodes add to a product.

use super::lanes::{Lanes, Plain};
use super::pattern::Group;
use crate::linalg::Vec6;
use crate::linalg::vector::LANES;

type Three<L> = [L; 3];

#[inline(always)]
fn zip<L: Lanes>(a: Three<L>, b: Three<L>, operation: impl Fn(L, L) -> L) -> Three<L> {
    [operation(a[0], b[0]), operation(a[1], b[1]), operation(a[2], b[2])]
}

#[inline(always)]
fn times<L: Lanes>(scale: L, a: Three<L>) -> Three<L> {
    a.map(|a| scale.mul(a))
}

#[inline(always)]
fn dot<L: Lanes>(a: Three<L>, b: Three<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<L: Lanes>(a: Three<L>, b: Three<L>) -> Three<L> {
    let component = |k: usize, l: usize| a[k].mul(b[l]).sub(a[l].mul(b[k]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

#[inline(always)]
fn split<L: Lanes>([a, b, c, d, e, f]: [L; 6]) -> [Three<L>; 2] {
    [[a, b, c], [d, e, f]]
}

/// The product of eight pairs' blocks with the unknowns at their ends: what it is at i, and at j. In the notation of
/// [`super::PairTerm`].
#[inline(always)]
fn pair_product<L: Lanes>(group: &Group, at_i: [L; 6], at_j: [L; 6]) -> [[L; 6]; 2] {
    let ([u_i, psi_i], [u_j, psi_j]) = (split(at_i), split(at_j));
    let arm = [L::load(&group.arm[0]), L::load(&group.arm[1]), L::load(&group.arm[2])];
    let apart = zip(u_j, u_i, L::sub);
    let turn = zip(psi_i, psi_j, L::sub);
    let slip = zip(apart, cross(arm, zip(psi_i, psi_j, L::add)), L::add);

    let shear = times(L::load(&group.across), slip);
    let along = times(L::load(&group.along).mul(dot(arm, apart)), arm);
    let force = zip(zip(times(L::load(&group.plain), apart), along, L::add), shear, L::add);
    let moment = cross(shear, arm);
    let twist = times(L::load(&group.twist).mul(dot(arm, turn)), arm);
    let bend = zip(times(L::load(&group.bend), turn), twist, L::add);

    let zero = L::zero();
    let ([a, b, c], [d, e, f]) = (force.map(|f| zero.sub(f)), zip(moment, bend, L::add));
    let ([g, h, i], [j, k, l]) = (force, zip(moment, bend, L::sub));
    [[a, b, c, d, e, f], [g, h, i, j, k, l]]
}

/// Adds to `out` (a chunk's own nodes, then its halo) what the `groups` of the eight nodes that begin at `first` in the chunk
/// make of `x`; `own` are the nodes of the chunk in `x`.
#[inline(always)]
fn tile<L: Lanes>(groups: &[Group], first: usize, own: &[Vec6<f32>], x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
    const NONE: Vec6<f32> = Vec6::ZERO;
    let own = &own[first..];
    let at_i = L::gather(std::array::from_fn(|lane| own.get(lane).unwrap_or(&NONE)));
    let mut sum = [L::zero(); 6];
    for group in groups {
        let at_j = L::gather(group.read.map(|j| &x[j as usize]));
        let [to_i, to_j] = pair_product(group, at_i, at_j);
        (0..6).for_each(|k| sum[k] = sum[k].add(to_i[k]));
        let rows = L::to_rows(to_j);
        for lane in 0..LANES {
            L::add_row(rows[lane], &mut out[group.write[lane] as usize]);
        }
    }
    let rows = L::to_rows(sum);
    for (row, out) in rows.into_iter().zip(&mut out[first..first + own.len().min(LANES)]) {
        L::add_row(row, out);
    }
}

/// The tiles of a chunk: `starts` are where the groups of each begin in `groups`, and where the last ends.
#[inline(always)]
fn chunk<L: Lanes>(groups: &[Group], starts: &[u32], own: &[Vec6<f32>], x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
    for (k, ends) in starts.windows(2).enumerate() {
        tile::<L>(&groups[ends[0] as usize..ends[1] as usize], k * LANES, own, x, out);
    }
}

pub(super) type Kernel = fn(&[Group], &[u32], &[Vec6<f32>], &[Vec6<f32>], &mut [Vec6<f32>]);

/// The kernel in plain Rust.
pub(super) const PLAIN: Kernel = chunk::<Plain>;

/// The fastest kernel that the machine can run. All give the same bits.
pub(super) fn fastest() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the machine can.
            return |groups, starts, own, x, out| unsafe { x86::avx512(groups, starts, own, x, out) };
        }
        if is_x86_feature_detected!("avx") {
            // SAFETY: the machine can.
            return |groups, starts, own, x, out| unsafe { x86::avx(groups, starts, own, x, out) };
        }
    }
    PLAIN
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::lanes::Avx;
    use super::{Group, Vec6, chunk};

    #[target_feature(enable = "avx")]
    pub fn avx(groups: &[Group], starts: &[u32], own: &[Vec6<f32>], x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
        chunk::<Avx>(groups, starts, own, x, out);
    }

    /// The same with twice as many registers.
    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn avx512(groups: &[Group], starts: &[u32], own: &[Vec6<f32>], x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
        chunk::<Avx>(groups, starts, own, x, out);
    }
}
