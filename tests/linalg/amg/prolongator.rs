use bdem::linalg::amg::{Aggregates, Frame, aggregate, coupling_graph, smoothed, tentative};
use bdem::linalg::{BlockCsr, BlockJacobi, Vec6};
use nalgebra::Vector3;

use crate::beam::{Beam, noise};

struct Setting {
    fine: Frame,
    coarse: Frame,
    aggregates: Aggregates,
    tentative: BlockCsr<f32>,
}

fn setting(beam: &Beam) -> Setting {
    let aggregates = aggregate(&coupling_graph(&beam.matrix(20.0).cast(), &beam.held));
    let lengths = (0..beam.nodes()).map(|i| beam.radius * (1.0 + 0.5 * noise(i))).collect();
    let fine = Frame { positions: beam.positions.clone(), lengths };
    let coarse = fine.of_aggregates(&aggregates);
    let tentative = tentative(&fine, &coarse, &aggregates);
    Setting { fine, coarse, aggregates, tentative }
}

/// The motion of every node when all of space turns by `turn` about `centre` and then moves by `shift`.
fn rigid_motion(frame: &Frame, shift: &Vector3<f64>, turn: &Vector3<f64>, centre: &Vector3<f64>) -> Vec<Vec6<f32>> {
    let motion = |(x, length): (&Vector3<f64>, &f64)| {
        let (t, w) = (shift + turn.cross(&(x - centre)), turn * *length);
        Vec6::new([t.x, t.y, t.z, w.x, w.y, w.z].map(|value| value as f32))
    };
    frame.positions.iter().zip(&frame.lengths).map(motion).collect()
}

#[test]
fn rigid_motions_are_prolonged_exactly() {
    let beam = Beam::small();
    let Setting { fine, coarse, aggregates, tentative } = setting(&beam);
    let (shift, turn, centre) =
        (Vector3::new(0.3, -0.2, 0.5), Vector3::new(-3.0, 1.0, 2.0), Vector3::new(0.1, 0.2, 0.3));
    let mut prolonged = vec![Vec6::ZERO; beam.nodes()];
    tentative.multiply(&rigid_motion(&coarse, &shift, &turn, &centre), &mut prolonged);
    for (i, exact) in rigid_motion(&fine, &shift, &turn, &centre).iter().enumerate() {
        let expected = if aggregates.of[i].is_some() { exact.to_array() } else { [0.0; 6] };
        for (one, other) in prolonged[i].to_array().into_iter().zip(expected) {
            assert!((one - other).abs() < 1e-6, "{i}: {:?} {exact:?}", prolonged[i]);
        }
    }
}

#[test]
fn smoothing_and_galerkin_agree_with_dense_products() {
    let beam = Beam::new(0.01, [0.16, 0.07, 0.07]);
    let Setting { tentative, .. } = setting(&beam);
    let matrix = beam.matrix(20.0).cast::<f32>();
    let inverse = BlockJacobi::new(&matrix);
    let prolongator = smoothed(&matrix, &inverse, 0.7, &tentative);
    let dense = |matrix: &BlockCsr<f32>| matrix.to_csmat().to_dense();

    let mut scaled = dense(matrix.rows());
    for i in 0..matrix.nodes() {
        let block = inverse.inverse(i).to_matrix();
        let rows: Vec<_> = (0..6).map(|k| scaled.row(6 * i + k).to_owned()).collect();
        for k in 0..6 {
            let row = (0..6).fold(&rows[0] * 0.0, |sum, l| sum + &rows[l] * block[(k, l)]);
            scaled.row_mut(6 * i + k).assign(&row);
        }
    }
    let mut exact = dense(&tentative) - scaled.dot(&dense(&tentative)) * 0.7;
    for i in (0..matrix.nodes()).filter(|&i| tentative.slots(i).is_empty()) {
        (0..6).for_each(|k| exact.row_mut(6 * i + k).fill(0.0));
    }
    let error = dense(&prolongator) - &exact;
    assert!(error.iter().all(|e| e.abs() < 1e-5));

    let coarse = prolongator.transpose().product(&matrix.rows().product(&prolongator));
    let exact = exact.t().dot(&dense(matrix.rows())).dot(&exact);
    let greatest = exact.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
    assert!((dense(&coarse) - &exact).iter().all(|e| e.abs() < 1e-5 * greatest));
}

#[test]
fn an_aggregate_of_one_node_is_regular() {
    let fine = Frame { positions: vec![Vector3::new(1.0, 2.0, 3.0)], lengths: vec![0.01] };
    let aggregates = Aggregates { of: vec![Some(0)], count: 1 };
    let coarse = fine.of_aggregates(&aggregates);
    let block = tentative(&fine, &coarse, &aggregates).blocks()[0].to_matrix();
    assert!((block.determinant() - 1.0).abs() < 1e-6, "{block}");
}
