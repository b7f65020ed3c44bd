use bdem_core::internals::linalg::amg::{
    Aggregates, NodeGeometry, Tentative, Transfer, aggregate, coarse_matrix, coupling_graph, smoothed,
};
use bdem_core::internals::linalg::{Block, BlockJacobi, BlockMatrix, Vec6};
use nalgebra::{DMatrix, Vector3};

use crate::linalg::beam::{Beam, noise};

struct Setting {
    fine: NodeGeometry,
    coarse: NodeGeometry,
    aggregates: Aggregates,
}

impl Setting {
    fn tentative(&self) -> Tentative<'_> {
        Tentative { fine: &self.fine, coarse: &self.coarse, aggregates: &self.aggregates }
    }
}

fn setting(beam: &Beam) -> Setting {
    let aggregates = aggregate(&coupling_graph(&beam.matrix(20.0).cast(), &beam.held));
    let lengths = (0..beam.nodes()).map(|i| beam.radius * (1.0 + 0.5 * noise(i))).collect();
    let fine = NodeGeometry { positions: beam.positions.clone(), lengths, skip: beam.held.clone() };
    let coarse = fine.of_aggregates(&aggregates);
    Setting { fine, coarse, aggregates }
}

/// The motion of every node when all of space turns by `turn` about `centre` and then moves by `shift`.
fn rigid_motion(
    geometry: &NodeGeometry,
    shift: &Vector3<f64>,
    turn: &Vector3<f64>,
    centre: &Vector3<f64>,
) -> Vec<Vec6<f32>> {
    let motion = |(x, length): (&Vector3<f64>, &f64)| {
        let (t, w) = (shift + turn.cross(&(x - centre)), turn * *length);
        Vec6::new([t.x, t.y, t.z, w.x, w.y, w.z].map(|value| value as f32))
    };
    geometry.positions.iter().zip(&geometry.lengths).map(motion).collect()
}

#[test]
fn rigid_motions_are_prolonged_exactly() {
    let beam = Beam::small();
    let setting = setting(&beam);
    let (shift, turn, centre) =
        (Vector3::new(0.3, -0.2, 0.5), Vector3::new(-3.0, 1.0, 2.0), Vector3::new(0.1, 0.2, 0.3));
    let coarse = rigid_motion(&setting.coarse, &shift, &turn, &centre);
    for (i, exact) in rigid_motion(&setting.fine, &shift, &turn, &centre).iter().enumerate() {
        let block = setting.tentative().block(i);
        assert_eq!(block.map(|(aggregate, _)| aggregate), setting.aggregates.of[i]);
        let Some((aggregate, block)) = block else { continue };
        let prolonged = block.times(&coarse[aggregate as usize]);
        for (one, other) in prolonged.to_array().into_iter().zip(exact.to_array()) {
            assert!((one - other).abs() < 1e-6, "{i}: {prolonged:?} {exact:?}");
        }
    }
}

/// A matrix of single numbers of the blocks `at(row)`.
fn dense<I: Iterator<Item = (u32, Block<f32>)>>(rows: usize, columns: usize, at: impl Fn(usize) -> I) -> DMatrix<f64> {
    let mut dense = DMatrix::zeros(6 * rows, 6 * columns);
    for i in 0..rows {
        for (j, block) in at(i) {
            dense.fixed_view_mut::<6, 6>(6 * i, 6 * j as usize).copy_from(&block.to_matrix());
        }
    }
    dense
}

fn dense_transfer(transfer: &Transfer, rows: usize) -> DMatrix<f64> {
    dense(rows, transfer.columns(), |i| transfer.row(i))
}

fn dense_matrix(matrix: &BlockMatrix<f32>) -> DMatrix<f64> {
    dense(matrix.nodes(), matrix.nodes(), |i| matrix.rows().row(i).map(|(j, block)| (j as u32, *block)))
}

/// Six motions, a column each, of all nodes together: three translations, and three rotations about the origin.
fn rigid_motions(geometry: &NodeGeometry) -> DMatrix<f64> {
    let mut motions = DMatrix::zeros(6 * geometry.positions.len(), 6);
    for k in 0..6 {
        let (mut shift, mut turn) = (Vector3::zeros(), Vector3::zeros());
        if k < 3 {
            shift[k] = 1.0
        } else {
            turn[k - 3] = 30.0
        }
        for (i, motion) in rigid_motion(geometry, &shift, &turn, &Vector3::zeros()).iter().enumerate() {
            (0..6).for_each(|row| motions[(6 * i + row, k)] = f64::from(motion[row]));
        }
    }
    motions
}

/// The greatest difference between two matrices, over the greatest entry of the second.
fn difference(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax() / b.amax()
}

#[test]
fn smoothing_and_galerkin_agree_with_dense_products() {
    let beam = Beam::new(0.01, [0.16, 0.07, 0.07]);
    let setting = setting(&beam);
    let (tentative, matrix) = (setting.tentative(), beam.matrix(20.0).cast::<f32>());
    let inverse = BlockJacobi::new(&matrix);
    let prolongator = smoothed(&matrix, &inverse, 0.7, &tentative);

    let (a, nodes) = (dense_matrix(&matrix), beam.nodes());
    let d = dense(nodes, nodes, |i| std::iter::once((i as u32, *inverse.inverse(i))));
    let rigid = dense(nodes, setting.aggregates.count, |i| tentative.block(i).into_iter());
    let mut exact = &rigid - d * &a * &rigid * 0.7;
    for i in (0..nodes).filter(|&i| setting.aggregates.of[i].is_none()) {
        exact.rows_mut(6 * i, 6).fill(0.0);
    }
    let p = dense_transfer(&prolongator, nodes);
    // a block's entries to half of 2/32767, its own aggregate's to what makes up for three such
    assert!((&p - &exact).amax() < 3e-4, "{}", (&p - &exact).amax());
    let rigid = rigid_motions(&setting.coarse);
    let off = (&p * &rigid - exact * &rigid).amax();
    assert!(off < 2e-6 * rigid.amax(), "{off}");
    assert_eq!(dense_transfer(&prolongator.transpose(), prolongator.columns()), p.transpose());

    let coarse = dense_matrix(&coarse_matrix(&matrix, &prolongator));
    let off = difference(&coarse, &(p.transpose() * a * p));
    assert!(off < 1e-6, "{off}");
    assert_eq!(coarse, coarse.transpose());
}

#[test]
fn a_transfer_multiplies_as_its_blocks_do() {
    let beam = Beam::peers();
    let setting = setting(&beam);
    let matrix = beam.matrix(20.0).cast::<f32>();
    let prolongator = smoothed(&matrix, &BlockJacobi::new(&matrix), 0.7, &setting.tentative());
    let x: Vec<Vec6<f32>> = rigid_motion(&setting.coarse, &Vector3::x(), &Vector3::new(3.0, 1.0, 2.0), &Vector3::y());
    let mut once = vec![Vec6::ZERO; beam.nodes()];
    prolongator.multiply(&x, &mut once);
    for (i, y) in once.iter().enumerate() {
        let mut sum = [0.0; 6];
        for (j, block) in prolongator.row(i) {
            let term = block.times(&x[j as usize]).to_array();
            sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
        }
        for (one, other) in y.to_array().into_iter().zip(sum) {
            assert!((one - other).abs() < 1e-5, "{i}: {y:?} {sum:?}");
        }
    }
    let mut twice = once.clone();
    prolongator.multiply_add(&x, &mut twice);
    for (twice, once) in twice.iter().zip(&once) {
        assert_eq!(twice.to_array(), once.to_array().map(|value| value + value));
    }
}

#[test]
fn an_aggregate_of_one_node_is_regular() {
    let fine = NodeGeometry { positions: vec![Vector3::new(1.0, 2.0, 3.0)], lengths: vec![0.01], skip: vec![false] };
    let aggregates = Aggregates { of: vec![Some(0)], count: 1 };
    let coarse = fine.of_aggregates(&aggregates);
    let tentative = Tentative { fine: &fine, coarse: &coarse, aggregates: &aggregates };
    let block = tentative.block(0).expect("it is in one").1.to_matrix();
    assert!((block.determinant() - 1.0).abs() < 1e-6, "{block}");
}
