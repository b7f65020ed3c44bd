//! Contribution of the pairs of eight nodes to a product.

use super::pattern::{Chunk, Group};
use crate::linalg::Vec6;
use crate::linalg::vector::LANES;
use crate::simd::dispatch;
use crate::simd::{Lanes, Singles, Vec3x};

/// Product of eight pairs' blocks with the unknowns (u, psi) at their ends. The three vectors: the force at j (its
/// negative acts at i), the moments at i and at j. In the notation of [`super::PairTerm`].
#[inline(always)]
fn pair_product<S: Singles>(group: &Group, [u_i, psi_i]: [Vec3x<S>; 2], [u_j, psi_j]: [Vec3x<S>; 2]) -> [Vec3x<S>; 3] {
    let term = group.term::<S>();
    let [x, y, z] = term.arm;
    let arm = Vec3x::new(x, y, z);
    let apart = u_j - u_i;
    let turn = psi_i - psi_j;
    let slip = apart + arm.cross(psi_i + psi_j);

    let shear = slip * term.shear;
    let axial = arm * (term.axial * arm.dot(apart));
    let force = apart * term.geometric + axial + shear;
    let moment = shear.cross(arm);
    let twist = arm * (term.twist * arm.dot(turn));
    let bend = turn * term.bend + twist;
    [force, moment + bend, moment - bend]
}

/// Translations and rotations of eight nodes.
#[inline(always)]
fn columns<S: Singles>(rows: [&Vec6<f32>; LANES]) -> [Vec3x<S>; 2] {
    let [a, b, c, d, e, f, ..] = S::columns(rows.map(|row| &row.0));
    [Vec3x::new(a, b, c), Vec3x::new(d, e, f)]
}

#[inline(always)]
fn rows<S: Singles>([u, psi]: [Vec3x<S>; 2]) -> [S; LANES] {
    let zero = S::splat(0.0);
    S::rows([u.x, u.y, u.z, psi.x, psi.y, psi.z, zero, zero])
}

/// Adds to `out` (own nodes, then halo) the products of the chunk's tile `k` with `x`.
#[inline(always)]
fn tile<S: Singles>(chunk: &Chunk, k: usize, x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
    let at_i = columns::<S>(chunk.nodes_of(k).map(|i| &x[i]));
    let zero = S::splat(0.0);
    let mut sum = [Vec3x::new(zero, zero, zero); 2];
    for group in &chunk.groups[chunk.groups_of(k)] {
        let at_j = columns::<S>(group.read.map(|j| &x[j as usize]));
        let [force, moment_i, moment_j] = pair_product(group, at_i, at_j);
        sum = [sum[0] - force, sum[1] + moment_i];
        let rows = rows([force, moment_j]);
        for lane in 0..LANES {
            rows[lane].add_to(&mut out[group.write[lane] as usize].0);
        }
    }
    let own = &mut out[..chunk.halo.own.len()];
    for (row, out) in rows(sum).into_iter().zip(&mut own[k * LANES..]) {
        row.add_to(&mut out.0);
    }
}

#[inline(always)]
fn product_kernel<L: Lanes>(chunk: &Chunk, x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
    for k in chunk.tiles() {
        tile::<L::Singles>(chunk, k, x, out);
    }
}

dispatch! {
    /// Adds to `out` (own nodes, then halo) the products of the chunk's pairs with `x`.
    pub(super) fn product(chunk: &Chunk, x: &[Vec6<f32>], out: &mut [Vec6<f32>]) = product_kernel
}
