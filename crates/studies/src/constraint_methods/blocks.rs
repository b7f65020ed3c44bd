use nalgebra::{SMatrix, SVector};

/// Symmetric block matrix with N unknowns for each particle.
#[derive(Clone, Debug)]
pub struct SymmetricBlocks<const N: usize> {
    /// Diagonal block of each particle.
    pub diagonal: Vec<SMatrix<f64, N, N>>,
    /// Row, column and block of each entry above the diagonal.
    pub pairs: Vec<([usize; 2], SMatrix<f64, N, N>)>,
}

impl<const N: usize> SymmetricBlocks<N> {
    /// Product A x.
    pub fn times(&self, x: &[SVector<f64, N>]) -> Vec<SVector<f64, N>> {
        let mut y: Vec<_> = self.diagonal.iter().zip(x).map(|(block, x)| block * x).collect();
        for ([i, j], block) in &self.pairs {
            y[*i] += block * x[*j];
            y[*j] += block.tr_mul(&x[*i]);
        }
        y
    }

    /// Congruence M A M^T, where M is block-diagonal with the blocks `maps`.
    pub(crate) fn mapped<const K: usize>(&self, maps: &[SMatrix<f64, K, N>]) -> SymmetricBlocks<K> {
        let diagonal = self.diagonal.iter().zip(maps).map(|(block, map)| map * block * map.transpose()).collect();
        let pair =
            |([i, j], block): &([usize; 2], SMatrix<f64, N, N>)| ([*i, *j], maps[*i] * block * maps[*j].transpose());
        SymmetricBlocks { diagonal, pairs: self.pairs.iter().map(pair).collect() }
    }
}

/// Product M v, with M as in [`SymmetricBlocks::mapped`].
pub(super) fn mapped<const K: usize, const N: usize>(
    maps: &[SMatrix<f64, K, N>],
    v: &[SVector<f64, N>],
) -> Vec<SVector<f64, K>> {
    maps.iter().zip(v).map(|(map, v)| map * v).collect()
}

/// Product M^T v.
pub(super) fn mapped_back<const K: usize, const N: usize>(
    maps: &[SMatrix<f64, K, N>],
    v: &[SVector<f64, K>],
) -> Vec<SVector<f64, N>> {
    maps.iter().zip(v).map(|(map, v)| map.tr_mul(v)).collect()
}

pub(super) fn dot<const N: usize>(a: &[SVector<f64, N>], b: &[SVector<f64, N>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

pub(super) fn norm<const N: usize>(a: &[SVector<f64, N>]) -> f64 {
    dot(a, a).sqrt()
}

/// Sum a + s b.
pub(super) fn plus<const N: usize>(a: &[SVector<f64, N>], s: f64, b: &[SVector<f64, N>]) -> Vec<SVector<f64, N>> {
    a.iter().zip(b).map(|(a, b)| a + b * s).collect()
}

pub(super) fn scaled<const N: usize>(a: &[SVector<f64, N>], s: f64) -> Vec<SVector<f64, N>> {
    a.iter().map(|a| a * s).collect()
}
