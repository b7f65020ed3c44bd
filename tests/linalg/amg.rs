use bdem::linalg::amg::{Amg, AmgSettings};
use bdem::linalg::{BlockJacobi, BlockMatrix, Cg, CgStop, Operator, Preconditioner, Vec6, vector::norm};

use crate::beam::{Beam, noise};
use crate::on_threads;

/// Steps in T: from where the multigrid begins to pay, to static.
const STEPS: [f64; 4] = [20.0, 100.0, 600.0, f64::INFINITY];

fn build(beam: &Beam, matrix: &BlockMatrix<f32>) -> Amg {
    Amg::build(matrix, &beam.positions, &beam.lengths(), &beam.held, &AmgSettings::default())
}

/// Iterations to a relative residual of 1e-8, which is checked.
fn iterations(matrix: &BlockMatrix<f64>, b: &[Vec6<f64>], preconditioner: &mut impl Preconditioner<f64>) -> usize {
    let mut x = vec![Vec6::ZERO; b.len()];
    let outcome = Cg::default().solve(matrix, preconditioner, b, &mut x, 1e-8, 1500);
    assert_eq!(outcome.stop, CgStop::Converged, "{outcome:?}");
    let mut r = x.clone();
    matrix.residual(b, &x, &mut r);
    assert!(norm(&r) <= 1.01e-8 * norm(b), "{}", norm(&r) / norm(b));
    outcome.iterations
}

fn amg_iterations(beam: &Beam, periods: f64) -> usize {
    let matrix = beam.matrix(periods);
    let single = matrix.cast();
    let mut amg = build(beam, &single);
    println!("{}", amg.summary());
    iterations(&matrix, &beam.load(), &mut amg.on(&single))
}

#[test]
fn amg_takes_at_most_25_iterations_from_20_periods_to_static() {
    let beam = Beam::peers();
    let taken = STEPS.map(|periods| amg_iterations(&beam, periods));
    println!("{taken:?}");
    assert!(taken.into_iter().all(|taken| taken <= 25), "{taken:?}");
}

#[test]
fn block_jacobi_takes_hundreds() {
    let beam = Beam::peers();
    let matrix = beam.matrix(f64::INFINITY);
    let taken = iterations(&matrix, &beam.load(), &mut BlockJacobi::new(&matrix));
    println!("{taken}");
    assert!(taken > 500);
}
