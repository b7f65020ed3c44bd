use bdem_core::internals::linalg::{Block, BlockMatrix, Operator, Vec6};
use nalgebra::{DVector, Matrix6};

use crate::linalg::beam::{Beam, noise};
use crate::linalg::on_threads;

fn flat(x: &[Vec6<f64>]) -> DVector<f64> {
    DVector::from_iterator(6 * x.len(), x.iter().flat_map(|x| x.to_array()))
}

#[test]
fn slots_of_a_pair_are_where_its_blocks_are() {
    let pairs = [[0, 2], [0, 3], [1, 2], [2, 3]];
    let (matrix, slots) = BlockMatrix::<f64>::from_pairs(5, pairs.into_iter());
    let rows: Vec<_> = (0..5).map(|i| matrix.rows().row(i).map(|(j, _)| j).collect::<Vec<_>>()).collect();
    assert_eq!(rows, [vec![0, 2, 3], vec![1, 2], vec![0, 1, 2, 3], vec![0, 2, 3], vec![4]]);
    for ([i, j], [ij, ji]) in pairs.into_iter().zip(slots) {
        assert!(matrix.rows().slots(i as usize).contains(&(ij as usize)));
        assert!(matrix.rows().slots(j as usize).contains(&(ji as usize)));
        assert_eq!(matrix.rows().column_indices()[ij as usize], j);
        assert_eq!(matrix.rows().column_indices()[ji as usize], i);
    }
    for (i, &slot) in matrix.diagonal_slots().iter().enumerate() {
        assert_eq!(matrix.rows().column_indices()[slot as usize] as usize, i);
    }
}

#[test]
#[should_panic(expected = "sorted")]
fn pairs_out_of_order_are_refused() {
    let _ = BlockMatrix::<f64>::from_pairs(4, [[1, 2], [0, 3]].into_iter());
}

#[test]
fn row_ranges_split_the_blocks_between_them() {
    let mut matrix = Beam::small().matrix(20.0);
    let all = matrix.rows().blocks().to_vec();
    let starts = matrix.rows().row_starts().to_vec();
    let nodes = matrix.nodes();
    for part in matrix.rows_mut([0..100, 150..150, 200..nodes]) {
        let slots = starts[part.rows.start] as usize..starts[part.rows.end] as usize;
        assert_eq!((part.first_slot, &*part.blocks), (slots.start, &all[slots]));
    }
}

#[test]
fn products_agree_with_sprs_on_any_number_of_threads() {
    let beam = Beam::new(0.01, [0.6, 0.2, 0.2]);
    let matrix = beam.matrix(100.0);
    let (x, b) = (beam.load(), vec![Vec6::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]); beam.nodes()]);
    let mut oracle = DVector::zeros(6 * beam.nodes());
    sprs::prod::mul_acc_mat_vec_csr(matrix.to_csmat().view(), flat(&x).as_slice(), oracle.as_mut_slice());
    let run = |threads| {
        on_threads(threads, || {
            let (mut y, mut r) = (b.clone(), x.clone());
            matrix.multiply(&x, &mut y);
            matrix.residual(&b, &x, &mut r);
            (y, r)
        })
    };
    let (y, r) = run(1);
    assert!((flat(&y) - &oracle).norm() < 1e-14 * oracle.norm());
    assert!((flat(&r) - (flat(&b) - &oracle)).norm() < 1e-14 * oracle.norm());
    assert!(run(2) == (y.clone(), r.clone()) && run(5) == (y, r));
}

#[test]
fn blocks_multiply_as_matrices() {
    let [a, b] = [0, 40].map(|first| Matrix6::from_fn(|i, j| noise(first + 6 * i + j)));
    let mut product = Block::<f64>::diagonal(1.0);
    product.add_product(&Block::from(&a), &Block::from(&b));
    assert!((product.to_matrix() - Matrix6::identity() - a * b).norm() < 1e-14);
    assert_eq!(Block::<f64>::from(&a).transpose().to_matrix(), a.transpose());
}
