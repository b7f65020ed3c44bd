//! Small matrices written out in full.

use bdem_core::internals::linalg::BlockMatrix;
use nalgebra::DMatrix;

pub(crate) fn dense(matrix: &BlockMatrix<f64>) -> DMatrix<f64> {
    let sparse = matrix.to_csmat();
    let mut dense = DMatrix::zeros(sparse.rows(), sparse.cols());
    for (value, (row, column)) in &sparse {
        dense[(row, column)] = *value;
    }
    dense
}
