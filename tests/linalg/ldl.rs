use bdem_core::geometry::{Mat3, Vec3, keyed};
use bdem_core::internals::linalg::ldl::{Elimination, Entry, Factor};

fn u(k: usize) -> f64 {
    keyed::uniform(17, k as u64) - 0.5
}

/// Right side from a solution: the sum of entries and vectors.
fn product<E: Entry>(edges: &[[u32; 2]], diagonal: &[E], off: &[E], x: &[Vec3]) -> Vec<Vec3> {
    let mut b: Vec<Vec3> = diagonal.iter().zip(x).map(|(entry, x)| entry.times(x)).collect();
    for (&[i, j], entry) in edges.iter().zip(off) {
        let (i, j) = (i as usize, j as usize);
        b[i] += entry.times(&x[j]);
        b[j] += entry.transposed().times(&x[i]);
    }
    b
}

/// Grid of nodes with diagonals, and some edges twice, in both directions.
fn grid(side: u32) -> (Vec<Vec3>, Vec<[u32; 2]>) {
    let node = |i: u32, j: u32| i * side + j;
    let cells = (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
    let x = cells.clone().map(|(i, j)| Vec3::new(f64::from(i), f64::from(j), u(node(i, j) as usize))).collect();
    let mut edges = Vec::new();
    for (i, j) in cells.filter(|(i, j)| i + 1 < side && j + 1 < side) {
        let at = node(i, j);
        edges.extend([[at, node(i + 1, j)], [node(i, j + 1), at], [at, node(i + 1, j + 1)]]);
    }
    edges.extend([[0, 1], [1, 0], [side, 0]]);
    (x, edges)
}

fn expect_solution<E: Entry>(side: u32, diagonal: impl Fn(usize) -> E, off: impl Fn(usize) -> E) {
    let (places, edges) = grid(side);
    let n = places.len();
    let elimination = Elimination::new(&places, &edges);
    let diagonal: Vec<E> = (0..n).map(diagonal).collect();
    let off: Vec<E> = (0..edges.len()).map(off).collect();
    let x: Vec<Vec3> = (0..n).map(|k| Vec3::new(u(3 * k), u(3 * k + 1), u(3 * k + 2))).collect();
    let mut b = product(&edges, &diagonal, &off, &x);
    let factor = Factor::new(&elimination, &diagonal, &off).expect("regular");
    factor.solve(&elimination, &mut b);
    let error = b.iter().zip(&x).map(|(b, x)| (b - x).norm()).fold(0.0, f64::max);
    assert!(error < 1e-13, "{error}");
}

#[test]
fn numbers_and_blocks_are_solved() {
    for side in [2, 7, 30] {
        expect_solution(side, |_| 8.0, u);
        let block = |k: usize| Mat3::from_fn(|i, j| u(9 * k + 3 * i + j));
        expect_solution(side, |k| Mat3::identity() * 16.0 + block(k) + block(k).transpose(), block);
    }
}

/// n log(n) entries on a surface: George's bound is 31/4 n log2(n).
#[test]
fn dissection_leaves_few_entries() {
    let (places, edges) = grid(100);
    let entries = Elimination::new(&places, &edges).entries() as f64;
    let n = places.len() as f64;
    assert!(entries < 31.0 / 4.0 * n * n.log2(), "{entries}");
}

#[test]
fn a_singular_matrix_has_no_factor() {
    let elimination = Elimination::new(&[Vec3::zeros(), Vec3::x()], &[[0, 1]]);
    assert!(Factor::new(&elimination, &[1.0, 1.0], &[-1.0]).is_none());
}
