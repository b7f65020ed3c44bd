use bdem::linalg::{Block, BlockJacobi, BlockMatrix};
use nalgebra::Matrix6;

use crate::beam::{Beam, noise};

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
