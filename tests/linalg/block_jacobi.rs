use bdem_core::internals::linalg::{Block, BlockJacobi, BlockMatrix};
use nalgebra::Matrix6;

use crate::linalg::beam::{Beam, noise};

/// The inverse that block Jacobi has for a matrix of one block.
fn inverse(block: Matrix6<f64>) -> Matrix6<f64> {
    let mut matrix = BlockMatrix::from_pairs(1, std::iter::empty()).0;
    *matrix.diagonal_mut(0) = Block::from(&block);
    BlockJacobi::<f64>::new(&matrix).inverse(0).to_matrix()
}

#[test]
fn diagonal_blocks_are_inverted() {
    let matrix = Beam::small().matrix(20.0);
    let jacobi = BlockJacobi::new(&matrix);
    for node in 0..matrix.nodes() {
        let product = jacobi.inverse(node).to_matrix() * matrix.diagonal(node).to_matrix();
        assert!((product - Matrix6::identity()).norm() < 1e-12, "{product}");
    }
}

#[test]
fn any_block_at_all_has_a_positive_definite_inverse() {
    let noisy = Matrix6::from_fn(|i, j| noise(6 * i + j));
    let symmetric = noisy + noisy.transpose();
    let rank_one = Matrix6::from_fn(|i, j| ((i + 1) * (j + 1)) as f64);
    for block in [symmetric, -Matrix6::identity(), rank_one, Matrix6::zeros(), Matrix6::repeat(f64::NAN)] {
        let inverse = inverse(block);
        assert!(inverse.iter().all(|value| value.is_finite()));
        assert!(inverse.symmetric_eigenvalues().min() > 0.0, "{block} {inverse}");
    }
}

#[test]
fn single_precision_is_enough_or_left() {
    let noisy = |seed: usize| Matrix6::from_fn(|i, j| noise(seed + 6 * i + j));
    let definite = |seed: usize| noisy(seed) * noisy(seed).transpose() + Matrix6::identity() * 0.1;
    let mut blocks: Vec<Matrix6<f64>> = (0..21).map(|k| definite(100 * k) * 1e5).collect();
    blocks[4] = noisy(3) + noisy(3).transpose();
    blocks[13] = Matrix6::zeros();
    blocks[17] = Matrix6::repeat(f64::NAN);
    blocks[20] = Matrix6::from_fn(|i, j| ((i + 1) * (j + 1)) as f64);
    let blocks: Vec<Block<f32>> = blocks.iter().map(Block::from).collect();
    let (mut single, mut double) = (BlockJacobi::<f32>::default(), BlockJacobi::<f32>::default());
    single.update_single(|to| to.clone_from(&blocks));
    double.update_with(blocks.len(), |node| blocks[node]);
    for k in 0..blocks.len() {
        let (got, want) = (single.inverse(k).to_matrix(), double.inverse(k).to_matrix());
        assert!((got - want).norm() < 1e-4 * want.norm(), "{k}: {got} {want}");
        assert_eq!(got, got.transpose());
    }
}
