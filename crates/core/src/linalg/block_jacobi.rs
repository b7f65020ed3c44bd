//! Inverse of the diagonal blocks: a preconditioner by itself, and the multigrid smoother.

use nalgebra::Matrix6;

use super::block::Block;
use super::block_matrix::BlockMatrix;
use super::inverse::invert_eight;
use super::operator::Preconditioner;
use super::vector::{LANES, Real, Vec6};
use crate::parallel::{SERIAL_BELOW, SERIAL_ROWS, for_each_chunk, sum_chunks_mut};

/// `D^-1`, D the 6x6 diagonal blocks of a matrix.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi<T> {
    inverse: Vec<Block<T>>,
}

impl<T: Real> BlockJacobi<T> {
    /// The inverse of the diagonal blocks of `matrix`; see [`Self::update`].
    pub fn new(matrix: &BlockMatrix<T>) -> Self {
        Self::of(matrix.nodes(), |node| *matrix.diagonal(node))
    }

    /// The inverse of the diagonal blocks `diagonal(node)`; see [`Self::update`].
    pub(crate) fn of(nodes: usize, diagonal: impl Fn(usize) -> Block<T> + Sync) -> Self {
        let mut jacobi = Self::default();
        jacobi.update_with(nodes, diagonal);
        jacobi
    }

    /// Updates the inverse after the matrix changed. A diagonal block that is not positive definite has its eigenvalues
    /// replaced by their absolute values, zeros by the largest. So the result is positive definite for any matrix.
    pub fn update(&mut self, matrix: &BlockMatrix<T>) {
        self.update_with(matrix.nodes(), |node| *matrix.diagonal(node));
    }

    /// [`Self::update`] from the diagonal blocks `diagonal(node)` of an operator without matrix.
    pub fn update_with(&mut self, nodes: usize, diagonal: impl Fn(usize) -> Block<T> + Sync) {
        self.inverse.resize(nodes, Block::ZERO);
        for_each_chunk(&mut self.inverse, SERIAL_ROWS, |first, inverse| {
            for (node, inverse) in (first..).zip(inverse) {
                *inverse = invert(&diagonal(node));
            }
        });
    }

    /// Number of blocks.
    pub(crate) fn nodes(&self) -> usize {
        self.inverse.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.inverse[..])
    }

    /// The inverse of a diagonal block.
    #[inline(always)]
    pub fn inverse(&self, node: usize) -> &Block<T> {
        &self.inverse[node]
    }

    /// `z = D^-1 r`.
    pub fn multiply(&self, r: &[Vec6<T>], z: &mut [Vec6<T>]) {
        self.for_each(r, z, |z, correction| *z = correction);
    }

    /// `z = omega D^-1 r`: a damped Jacobi sweep from zero.
    pub(crate) fn sweep_from_zero(&self, omega: f64, r: &[Vec6<T>], z: &mut [Vec6<T>]) {
        let omega = T::from_f64(omega);
        self.for_each(r, z, |z, correction| z.0 = correction.0.map(|value| omega * value));
    }

    /// `z += omega D^-1 r`: a damped Jacobi sweep, `r` the residual at `z`.
    pub(crate) fn sweep(&self, omega: f64, r: &[Vec6<T>], z: &mut [Vec6<T>]) {
        let omega = T::from_f64(omega);
        self.for_each(r, z, |z, correction| (0..LANES).for_each(|lane| z.0[lane] += omega * correction.0[lane]));
    }

    /// Calls `put(z_i, D_i^-1 r_i)` for every node.
    #[inline(always)]
    fn for_each(&self, r: &[Vec6<T>], z: &mut [Vec6<T>], put: impl Fn(&mut Vec6<T>, Vec6<T>) + Sync) {
        assert_eq!((r.len(), z.len()), (self.nodes(), self.nodes()));
        for_each_chunk(z, SERIAL_BELOW, |first, z| {
            let nodes = first..first + z.len();
            for ((z, r), inverse) in z.iter_mut().zip(&r[nodes.clone()]).zip(&self.inverse[nodes]) {
                put(z, inverse.times(r));
            }
        });
    }
}

impl BlockJacobi<f32> {
    /// [`Self::update_with`] in single precision where that suffices: a tenth of the time. `fill` writes the diagonal blocks,
    /// which are inverted in place.
    pub fn update_single(&mut self, fill: impl FnOnce(&mut Vec<Block<f32>>)) {
        fill(&mut self.inverse);
        for_each_chunk(&mut self.inverse, SERIAL_ROWS, |_, blocks| {
            for blocks in blocks.chunks_mut(LANES) {
                let eight = std::array::from_fn(|lane| blocks[lane.min(blocks.len() - 1)]);
                let (inverses, fine) = invert_eight(&eight);
                for (lane, block) in blocks.iter_mut().enumerate() {
                    *block = if fine[lane] { inverses[lane] } else { invert(block) };
                }
            }
        });
    }
}

impl<T: Real> Preconditioner<T> for BlockJacobi<T> {
    fn apply(&mut self, r: &[Vec6<T>], z: &mut [Vec6<T>]) {
        self.multiply(r, z);
    }

    fn apply_and_dot(&mut self, r: &[Vec6<T>], z: &mut [Vec6<T>]) -> f64 {
        assert_eq!((r.len(), z.len()), (self.nodes(), self.nodes()));
        sum_chunks_mut(z, SERIAL_BELOW, |first, z| {
            let nodes = first..first + z.len();
            let mut sums = [0.0; LANES];
            for ((z, r), inverse) in z.iter_mut().zip(&r[nodes.clone()]).zip(&self.inverse[nodes]) {
                *z = inverse.times(r);
                (0..LANES).for_each(|lane| sums[lane] += r.0[lane].to_f64() * z.0[lane].to_f64());
            }
            sums.iter().sum()
        })
    }
}

/// The inverse of a symmetric block, or its absolute inverse where it is indefinite; in double precision.
fn invert<T: Real>(block: &Block<T>) -> Block<T> {
    let block = block.cast::<f64>();
    block.inverse().unwrap_or_else(|| absolute_inverse(&block)).cast_without_rounding()
}

/// `|A|^-1` of a symmetric block, with zero eigenvalues replaced by the largest. The identity for a block that is zero
/// or not finite.
fn absolute_inverse(block: &Block<f64>) -> Block<f64> {
    /// Smallest eigenvalue, relative to the largest, above rounding.
    const MIN_EIGENVALUE: f64 = 1e-10;
    let size = block.norm_squared();
    if !(size > 0.0 && size.is_finite()) {
        return Block::diagonal(1.0);
    }
    let matrix = block.to_matrix();
    let eigen = ((matrix + matrix.transpose()) * 0.5).symmetric_eigen();
    let greatest = eigen.eigenvalues.amax();
    let sizes =
        eigen.eigenvalues.map(|value| if value.abs() > MIN_EIGENVALUE * greatest { value.abs() } else { greatest });
    let inverse = Matrix6::from_diagonal(&sizes.map(f64::recip));
    Block::from(&(eigen.eigenvectors * inverse * eigen.eigenvectors.transpose()))
}
