use bdem_core::internals::linalg::vector::{dot, xpay};
use bdem_core::internals::linalg::{BlockJacobi, BlockMatrix, Eigenvalue, Vec6, largest_eigenvalue};
use nalgebra::DMatrix;

use crate::linalg::beam::Beam;
use crate::linalg::limits;

fn estimate(matrix: &BlockMatrix<f64>, tolerance: f64) -> Eigenvalue {
    estimate_in(1.0, matrix, tolerance)
}

/// The same with an inner product in another unit.
fn estimate_in(unit: f64, matrix: &BlockMatrix<f64>, tolerance: f64) -> Eigenvalue {
    let mass = BlockJacobi::new(matrix);
    let divided = |x: &[Vec6<f64>]| {
        let mut y = vec![Vec6::ZERO; x.len()];
        mass.multiply(x, &mut y);
        y
    };
    let subtract_from = |x: &[Vec6<f64>], y: &mut [Vec6<f64>]| {
        let mut product = vec![Vec6::ZERO; x.len()];
        matrix.multiply(&divided(x), &mut product);
        xpay(&product, -1.0, y);
    };
    largest_eigenvalue(matrix.nodes(), subtract_from, |x, y| unit * dot(&divided(x), y), limits(tolerance, 500))
}

/// Its roots would round otherwise in units of odd powers.
#[test]
fn units_by_powers_of_two_give_the_same_bits() {
    let matrix = Beam::new(0.01, [0.15, 0.08, 0.08]).matrix(50.0);
    let found = estimate(&matrix, 0.003);
    for power in [-7, 1, 2] {
        assert_eq!(estimate_in(f64::powi(2.0, power), &matrix, 0.003), found, "units of 2^{power}");
    }
}

#[test]
fn the_largest_eigenvalue_is_found_from_below() {
    let matrix = Beam::new(0.01, [0.15, 0.08, 0.08]).matrix(50.0);
    let dense = matrix.to_csmat().to_dense();
    let dense = DMatrix::from_fn(dense.nrows(), dense.ncols(), |i, j| dense[(i, j)]);
    let mut root = DMatrix::zeros(dense.nrows(), dense.ncols());
    for i in 0..matrix.nodes() {
        let factor = matrix.diagonal(i).to_matrix().cholesky().expect("positive definite").l();
        root.fixed_view_mut::<6, 6>(6 * i, 6 * i).copy_from(&factor.try_inverse().expect("regular"));
    }
    let exact = (&root * dense * root.transpose()).symmetric_eigenvalues().max();
    for tolerance in [0.03, 0.003] {
        let found = estimate(&matrix, tolerance);
        assert!(found.bound <= tolerance * found.value, "{found:?}");
        assert!(found.value < exact * (1.0 + 1e-12) && found.value > exact * (1.0 - tolerance), "{found:?} {exact}");
    }
    assert!((estimate(&matrix, 1e-6).value / exact - 1.0).abs() < 1e-6);
}

#[test]
fn a_tolerance_of_two_thousandths_is_kept_on_the_peers_beam() {
    let matrix = Beam::peers().matrix(20.0);
    let (found, exact) = (estimate(&matrix, 2e-3), estimate(&matrix, 1e-6).value);
    assert!(found.value > exact * 0.998 && found.value <= exact && found.iterations < 60, "{found:?} {exact}");
}

#[test]
fn small_and_empty_problems_end() {
    let matrix = BlockMatrix::<f64>::from_pairs(2, std::iter::empty()).0;
    assert_eq!(estimate(&matrix, 1e-3).value, 0.0);
    let none = BlockMatrix::<f64>::from_pairs(0, std::iter::empty()).0;
    assert_eq!(estimate(&none, 1e-3).iterations, 0);
}
