//! Sums over pairs against the matrices of blocks that they stand for.

use bdem_core::internals::linalg::vector::{dot, norm};
use bdem_core::internals::linalg::{Block, NodeTerm, Operator, PairOperator, RowSource, Vec6};
use bdem_core::simd::InstructionSet;
use nalgebra::Vector3;
use proptest::prelude::*;

use crate::linalg::beam::{Beam, noise};
use crate::linalg::on_threads;

fn sample(nodes: usize, seed: usize) -> Vec<Vec6<f32>> {
    (0..nodes).map(|i| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| noise(seed + 6 * i + k) as f32))).collect()
}

fn product(operator: &impl Operator<f32>, x: &[Vec6<f32>]) -> Vec<Vec6<f32>> {
    let mut y = sample(x.len(), 99);
    operator.apply(x, &mut y);
    y
}

fn assert_close(got: &[Vec6<f32>], want: &[Vec6<f32>], relative: f64) {
    let off: Vec<_> = got.iter().zip(want).map(|(a, b)| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| a[k] - b[k]))).collect();
    assert!(norm(&off) <= relative * norm(want), "{:e}", norm(&off) / norm(want));
}

/// Zero where particles are held: the matrix couples those to themselves by more than the operator does.
fn cleared(mut x: Vec<Vec6<f32>>, held: &[bool]) -> Vec<Vec6<f32>> {
    x.iter_mut().zip(held).filter(|(_, held)| **held).for_each(|(x, _)| *x = Vec6::ZERO);
    x
}

#[test]
fn a_product_is_the_matrix_s() {
    for beam in [Beam::small(), Beam::small().free(), Beam::new(0.01, [0.9, 0.3, 0.3]), Beam::peers()] {
        for periods in [5.0, 100.0, f64::INFINITY] {
            let matrix = beam.matrix(periods).cast::<f32>();
            let x = cleared(sample(beam.nodes(), 3), &beam.held);
            let operator = beam.operator(periods);
            assert_close(&product(&operator, &x), &product(&matrix, &x), 1e-6);
            let (mut r, mut want) = (x.clone(), x.clone());
            let b = sample(beam.nodes(), 8);
            operator.residual(&b, &x, &mut r);
            matrix.residual(&b, &x, &mut want);
            assert_close(&r, &want, 1e-6);
        }
    }
}

#[test]
fn broken_beams_and_dust_are_no_exception() {
    for beam in [Beam::small().without(|k, _| noise(k) < 0.3), Beam::small().without(|_, _| true)] {
        let x = cleared(sample(beam.nodes(), 3), &beam.held);
        assert_close(&product(&beam.operator(9.0), &x), &product(&beam.matrix(9.0).cast::<f32>(), &x), 1e-6);
    }
    let empty = PairOperator::new(&[], &[], Vec::new());
    assert!(product(&empty, &[]).is_empty());
}

/// The product by rows that are worked out one by one.
fn product_by_rows(operator: &PairOperator, x: &[Vec6<f32>]) -> Vec<Vec6<f32>> {
    let mut diagonal = Vec::new();
    operator.diagonal(&mut diagonal);
    let source = operator.rows(&diagonal);
    let cuts = [0, x.len() / 3, x.len() / 2, x.len()];
    let mut product = Vec::new();
    for ends in cuts.windows(2) {
        let rows = source.rows(ends[0]..ends[1]);
        for i in rows.range() {
            let columns: Vec<usize> = rows.row(i).map(|(j, _)| j).collect();
            assert!(columns.is_sorted_by(|a, b| a < b) && columns.contains(&i), "{columns:?}");
            let terms = rows.row(i).map(|(j, block)| block.times(&x[j]).to_array());
            product.push(Vec6::new(terms.fold([0.0; 6], |sum, term| std::array::from_fn(|k| sum[k] + term[k]))));
        }
    }
    product
}

#[test]
fn rows_are_those_of_the_product() {
    for beam in [Beam::small(), Beam::small().free(), Beam::small().without(|k, _| noise(k) < 0.3), Beam::peers()] {
        let x = sample(beam.nodes(), 3);
        let operator = beam.operator(20.0);
        assert_close(&product_by_rows(&operator, &x), &product(&operator, &x), 1e-6);
    }
}

#[test]
fn registers_and_plain_rust_give_the_same_bits() {
    let beam = Beam::new(0.01, [0.9, 0.3, 0.3]);
    let x = sample(beam.nodes(), 5);
    let at = |instructions| {
        let (operator, mut diagonal) = (beam.operator(20.0).at(instructions), Vec::new());
        operator.diagonal(&mut diagonal);
        (product(&operator, &x), diagonal)
    };
    let plain = at(InstructionSet::Plain);
    assert!(InstructionSet::available().into_iter().all(|instructions| at(instructions) == plain));
}

#[test]
fn every_bit_is_the_same_on_any_number_of_threads() {
    let beam = Beam::new(0.01, [0.9, 0.3, 0.3]);
    let x = sample(beam.nodes(), 5);
    let run = |threads| {
        on_threads(threads, || {
            let operator = beam.operator(20.0);
            let mut diagonal = Vec::new();
            operator.diagonal(&mut diagonal);
            (product(&operator, &x), diagonal)
        })
    };
    let alone = run(1);
    assert!(run(2) == alone && run(16) == alone);
}

#[test]
fn diagonal_blocks_are_the_matrix_s() {
    let beam = Beam::new(0.01, [0.9, 0.3, 0.3]);
    let (matrix, mut diagonal) = (beam.matrix(20.0), Vec::new());
    beam.operator(20.0).diagonal(&mut diagonal);
    for i in (0..beam.nodes()).filter(|&i| !beam.held[i]) {
        let want = matrix.diagonal(i).to_matrix();
        assert!((diagonal[i].to_matrix() - want).norm() < 1e-6 * want.norm(), "{i}");
    }
}

#[test]
fn held_nodes_are_coupled_to_nothing() {
    let beam = Beam::small();
    let x = sample(beam.nodes(), 5);
    let with = product(&beam.operator(20.0), &x);
    let without = product(&beam.operator(20.0), &cleared(x.clone(), &beam.held));
    let mass = product(&Beam::small().without(|_, _| true).operator(20.0), &x);
    for i in 0..beam.nodes() {
        assert_eq!(with[i], if beam.held[i] { mass[i] } else { without[i] });
    }
}

/// Rigid motions of all nodes at once cost nothing.
#[test]
fn rigid_motions_are_in_the_nullspace() {
    let beam = Beam::small().free();
    let mut operator = PairOperator::new(&beam.pairs, &beam.held, Vec::new());
    operator.fill(|k| beam.term(k), |_| NodeTerm::default());
    let (shift, turn) = (Vector3::new(0.3, -0.2, 0.5), Vector3::new(-0.6, 0.9, 0.4));
    let motion = |x: &Vector3<f64>| {
        let u = shift + turn.cross(&(x / beam.radius));
        Vec6::new([u.x, u.y, u.z, turn.x, turn.y, turn.z].map(|value| value as f32))
    };
    let rigid: Vec<_> = beam.positions.iter().map(motion).collect();
    let (still, moved) = (product(&operator, &rigid), product(&operator, &sample(beam.nodes(), 1)));
    assert!(norm(&still) / norm(&rigid) < 1e-5 * norm(&moved) / norm(&sample(beam.nodes(), 1)));
}

/// Nodes of different lengths: the same operator on vectors whose rotations are scaled.
#[test]
fn scales_change_the_unknowns_only() {
    let beam = Beam::small();
    let scales: Vec<f32> = (0..beam.nodes()).map(|i| 1.0 + 0.5 * noise(i) as f32).collect();
    let extra = |scale: f32, i: usize| {
        let n = [1.0, 0.5, noise(i) as f32, 0.3 * scale, -0.2 * scale, 0.7 * scale];
        (i % 9 == 2).then(|| Block::from_fn(|row, column| n[row] * n[column]))
    };
    let node = |scale: f32, i| NodeTerm { diagonal: [2.0, 3.0 * scale * scale], extra: extra(scale, i) };
    let mut scaled = PairOperator::new(&beam.pairs, &beam.held, scales.clone());
    scaled.fill(|k| beam.term(k), |i| node(scales[i], i));
    let mut same = PairOperator::new(&beam.pairs, &beam.held, Vec::new());
    same.fill(|k| beam.term(k), |i| node(1.0, i));

    let with = |x: &Vec6<f32>, s: f32| Vec6::new([x[0], x[1], x[2], s * x[3], s * x[4], s * x[5]]);
    let all = |x: &[Vec6<f32>]| x.iter().zip(&scales).map(|(x, &s)| with(x, s)).collect::<Vec<_>>();
    let x = sample(beam.nodes(), 4);
    assert_close(&product(&scaled, &x), &all(&product(&same, &all(&x))), 1e-6);
    assert_close(&product_by_rows(&scaled, &x), &product(&scaled, &x), 1e-6);

    let (mut diagonal, mut want) = (Vec::new(), Vec::new());
    scaled.diagonal(&mut diagonal);
    same.diagonal(&mut want);
    for (i, (got, want)) in diagonal.iter().zip(&want).enumerate() {
        let factor = |k: usize| if k < 3 { 1.0 } else { f64::from(scales[i]) };
        let want = nalgebra::Matrix6::from_fn(|r, c| want.to_matrix()[(r, c)] * factor(r) * factor(c));
        assert!((got.to_matrix() - want).norm() < 1e-6 * want.norm(), "{i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the stiffnesses, if none is negative.
    #[test]
    fn symmetric_and_positive_semidefinite(seed in 0usize..10_000, k in prop::array::uniform5(0f32..3.0)) {
        let beam = Beam::small();
        let [shear, geometric, axial, bend, twist] = k;
        let mut operator = PairOperator::new(&beam.pairs, &beam.held, Vec::new());
        let term = |k: usize| bdem_core::internals::linalg::PairTerm { shear, geometric, axial, bend, twist, ..beam.term(k) };
        operator.fill(term, |_| NodeTerm::default());
        let (x, y) = (sample(beam.nodes(), seed), sample(beam.nodes(), seed + 7));
        let (ax, ay) = (product(&operator, &x), product(&operator, &y));
        assert_close(&product_by_rows(&operator, &x), &ax, 1e-5);
        prop_assert!((dot(&ax, &y) - dot(&x, &ay)).abs() <= 1e-6 * norm(&ax).max(norm(&ay)) * norm(&x));
        prop_assert!(dot(&ax, &x) >= -1e-6 * norm(&ax) * norm(&x));
    }
}
