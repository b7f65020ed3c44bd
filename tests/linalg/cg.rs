use bdem_core::internals::linalg::{
    BlockJacobi, BlockMatrix, Cg, CgStop, Operator, Preconditioner, Vec6, vector::norm,
};

use crate::linalg::beam::Beam;
use crate::linalg::limits;

/// The identity times a number.
struct Scale(f64);

impl Preconditioner<f64> for Scale {
    fn apply(&mut self, r: &[Vec6<f64>], z: &mut [Vec6<f64>]) {
        r.iter().zip(z).for_each(|(r, z)| *z = Vec6::new(r.to_array().map(|value| self.0 * value)));
    }
}

fn system() -> (BlockMatrix<f64>, Vec<Vec6<f64>>) {
    let beam = Beam::small();
    (beam.matrix(20.0), beam.load())
}

fn solve(matrix: &BlockMatrix<f64>, preconditioner: &mut impl Preconditioner<f64>, b: &[Vec6<f64>]) -> (CgStop, f64) {
    let mut x = vec![Vec6::ZERO; b.len()];
    let outcome = Cg::default().solve(matrix, preconditioner, b, &mut x, limits(1e-10, 2000));
    let mut r = x.clone();
    matrix.residual(b, &x, &mut r);
    (outcome.stop, norm(&r) / norm(b))
}

#[test]
fn the_true_residual_is_as_small_as_asked_for() {
    let (matrix, b) = system();
    let (stop, residual) = solve(&matrix, &mut BlockJacobi::new(&matrix), &b);
    assert_eq!(stop, CgStop::Converged);
    assert!(residual < 1.1e-10, "{residual}");
}

#[test]
fn a_good_first_guess_needs_no_iteration_and_a_short_solve_says_so() {
    let (matrix, b) = system();
    let mut jacobi = BlockJacobi::new(&matrix);
    let mut x = vec![Vec6::ZERO; b.len()];
    let mut cg = Cg::default();
    let short = cg.solve(&matrix, &mut jacobi, &b, &mut x, limits(1e-10, 3));
    assert_eq!((short.stop, short.iterations), (CgStop::NotConverged, 3));
    assert!(cg.solve(&matrix, &mut jacobi, &b, &mut x, limits(1e-10, 2000)).converged());
    let again = cg.solve(&matrix, &mut jacobi, &b, &mut x, limits(1e-9, 2000));
    assert!(again.converged() && again.iterations == 0);
}

#[test]
fn no_load_has_no_answer_but_zero() {
    let (matrix, b) = system();
    let mut x = b.clone();
    let outcome = Cg::default().solve(&matrix, &mut Scale(1.0), &vec![Vec6::ZERO; b.len()], &mut x, limits(1e-10, 10));
    assert!(outcome.converged() && norm(&x) == 0.0);
}

#[test]
fn what_is_not_positive_is_named() {
    let (mut matrix, mut b) = system();
    assert_eq!(solve(&matrix, &mut Scale(-1.0), &b).0, CgStop::IndefinitePreconditioner);
    matrix.diagonal_mut(77)[(0, 0)] *= -1.0;
    assert_eq!(solve(&matrix, &mut BlockJacobi::new(&matrix), &b).0, CgStop::NegativeCurvature);
    b[5][2] = f64::NAN;
    assert_eq!(solve(&matrix, &mut Scale(1.0), &b).0, CgStop::NotFinite);
}
