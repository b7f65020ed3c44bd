use nalgebra::{SMatrix, SVector};

/// Eigenvalues of a symmetric matrix, and its eigenvectors as the columns of a rotation, by Jacobi's rotations. Bits are the same
/// on every machine. Each rotation is by at most 45 degrees, so that a diagonal matrix keeps its axes and their order.
pub(super) fn symmetric_eigen<const N: usize>(mut a: SMatrix<f64, N, N>) -> (SVector<f64, N>, SMatrix<f64, N, N>) {
    /// Sweeps, of which five are enough for rounding.
    const SWEEPS: usize = 12;
    let mut vectors = SMatrix::<f64, N, N>::identity();
    let pairs = (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q)));
    for (p, q) in std::iter::repeat_n(pairs, SWEEPS).flatten() {
        if a[(p, q)] == 0.0 {
            continue;
        }
        let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let mut turn = SMatrix::<f64, N, N>::identity();
        (turn[(p, p)], turn[(q, q)], turn[(p, q)], turn[(q, p)]) = (c, c, t * c, -t * c);
        a = turn.transpose() * a * turn;
        vectors *= turn;
    }
    (a.diagonal(), vectors)
}
