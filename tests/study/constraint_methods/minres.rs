use bdem_studies::constraint_methods::{Jacobi, Minres, SymmetricBlocks, minres};
use nalgebra::{Matrix2, Vector2};

/// A chain of two unknowns a node, whose diagonal blocks are `diagonal`.
fn chain(diagonal: Matrix2<f64>, nodes: usize) -> SymmetricBlocks<2> {
    let across = Matrix2::new(-1.0, 0.3, -0.2, -0.7);
    SymmetricBlocks { diagonal: vec![diagonal; nodes], pairs: (1..nodes).map(|j| ([j - 1, j], across)).collect() }
}

fn effort(is_downhill: bool) -> Minres {
    Minres { tolerance: 1e-12, max_iterations: 1000, is_downhill }
}

fn right_hand_side(nodes: usize) -> Vec<Vector2<f64>> {
    (0..nodes).map(|i| Vector2::new(1.0, i as f64 * 0.1 - 0.7)).collect()
}

fn residual(matrix: &SymmetricBlocks<2>, x: &[Vector2<f64>], b: &[Vector2<f64>]) -> f64 {
    let off = matrix.times(x).iter().zip(b).map(|(ax, b)| (ax - b).norm_squared()).sum::<f64>().sqrt();
    off / b.iter().map(Vector2::norm_squared).sum::<f64>().sqrt()
}

#[test]
fn solves_definite_and_indefinite_systems() {
    for diagonal in [Matrix2::new(3.0, 0.1, 0.1, 4.0), Matrix2::new(1.5, 2.0, 2.0, 0.0)] {
        let (matrix, b) = (chain(diagonal, 20), right_hand_side(20));
        let (x, iterations) = minres(&matrix, &Jacobi::new(&matrix), &b, effort(false));
        let off = residual(&matrix, &x, &b);
        assert!(off < 1e-10, "{off:e} after {iterations}");
        // in exact arithmetic as many as unknowns
        assert!(iterations <= 80, "{iterations}");
    }
}

/// A system that says nothing of its second unknowns, and asks for nothing of them.
#[test]
fn solves_singular_systems_that_agree_with_themselves() {
    let mut matrix = chain(Matrix2::new(3.0, 0.0, 0.0, 0.0), 20);
    matrix.pairs.iter_mut().for_each(|(_, block)| *block = Matrix2::new(-1.0, 0.0, 0.0, 0.0));
    let b: Vec<_> = (0..20).map(|i| Vector2::new(1.0 + i as f64, 0.0)).collect();
    let (x, _) = minres(&matrix, &Jacobi::new(&matrix), &b, effort(true));
    assert!(residual(&matrix, &x, &b) < 1e-10);
    assert!(x.iter().all(|x| x.y == 0.0));
}

#[test]
fn stops_at_negative_curvature_and_goes_downhill() {
    let matrix = chain(Matrix2::new(1.0, 0.0, 0.0, 1.1), 20);
    let b = right_hand_side(20);
    let downhill = |x: &[Vector2<f64>]| x.iter().zip(&b).map(|(x, b)| x.dot(b)).sum::<f64>();
    let jacobi = Jacobi::new(&matrix);
    let (x, stopped) = minres(&matrix, &jacobi, &b, effort(true));
    let (_, solved) = minres(&matrix, &jacobi, &b, effort(false));
    assert!(downhill(&x) > 0.0 && stopped < solved, "{stopped} of {solved}");
}
