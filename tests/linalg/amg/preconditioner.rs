use bdem_core::internals::linalg::amg::{Amg, AmgSettings};
use bdem_core::internals::linalg::vector::{dot, norm};
use bdem_core::internals::linalg::{BlockMatrix, Cg, CgStop, Operator, Preconditioner, Vec6};
use bdem_core::interrupt::Interrupt;

use crate::linalg::beam::{Beam, noise};
use crate::linalg::{limits, on_threads};

fn build(beam: &Beam, matrix: &BlockMatrix<f32>) -> Amg {
    Amg::build(matrix, &beam.positions, &beam.lengths(), &beam.held, &AmgSettings::default(), &Interrupt::default())
}

/// Iterations to a relative residual of 1e-8, which is checked, and the answer.
fn solve(
    matrix: &BlockMatrix<f64>,
    b: &[Vec6<f64>],
    preconditioner: &mut impl Preconditioner<f64>,
) -> (usize, Vec<Vec6<f64>>) {
    let mut x = vec![Vec6::ZERO; b.len()];
    let outcome = Cg::default().solve(matrix, preconditioner, b, &mut x, limits(1e-8, 1500));
    assert_eq!(outcome.stop, CgStop::Converged, "{outcome:?}");
    let mut r = x.clone();
    matrix.residual(b, &x, &mut r);
    assert!(norm(&r) <= 1.01e-8 * norm(b), "{}", norm(&r) / norm(b));
    (outcome.iterations, x)
}

fn amg_iterations(beam: &Beam, periods: f64) -> usize {
    let matrix = beam.matrix(periods);
    let single = matrix.cast();
    let mut amg = build(beam, &single);
    let taken = solve(&matrix, &beam.load(), &mut amg.on(&single)).0;
    println!("{periods} T: {taken} iterations\n{}", amg.summary());
    taken
}

#[test]
fn amg_takes_at_most_25_iterations_from_20_periods_to_static() {
    let beam = Beam::peers();
    for periods in [20.0, 100.0, 600.0, f64::INFINITY] {
        let taken = amg_iterations(&beam, periods);
        assert!(taken <= 25, "{periods} T: {taken}");
    }
}

#[test]
fn a_body_that_only_inertia_holds_is_as_easy() {
    let beam = Beam::new(0.01, [0.6, 0.2, 0.2]).free();
    for periods in [20.0, 100.0, 600.0, 2000.0] {
        let taken = amg_iterations(&beam, periods);
        assert!(taken <= 25, "{periods} T: {taken}");
    }
}

#[test]
fn two_bodies_are_as_easy_as_one() {
    let one = Beam::new(0.01, [0.4, 0.2, 0.2]);
    let (single, double) = (amg_iterations(&one, 600.0), amg_iterations(&one.with_twin(0.5), 600.0));
    assert!(double <= single + 3, "{single} {double}");
}

#[test]
fn particles_without_bonds_and_crumbs_do_no_harm() {
    // A sixth of the particles lose all bonds; what is left falls into pieces of all sizes.
    let bonded = |i: u32| !i.is_multiple_of(6);
    let beam = Beam::new(0.01, [0.4, 0.2, 0.2]).without(|k, [i, j]| !bonded(i) || !bonded(j) || k % 3 == 0);
    for periods in [20.0, 600.0] {
        let taken = amg_iterations(&beam, periods);
        assert!(taken <= 40, "{periods} T: {taken}");
    }
    let dust = Beam::new(0.01, [0.4, 0.2, 0.2]).without(|_, _| true);
    assert!(amg_iterations(&dust, 20.0) <= 30);
}

#[test]
fn a_hierarchy_outlives_bonds() {
    let (whole, periods) = (Beam::new(0.01, [0.6, 0.2, 0.2]), 100.0);
    let (before, b) = (whole.matrix(periods).cast(), whole.load());
    let mut amg = build(&whole, &before);
    let cracked = whole.without(|k, _| noise(k).abs() < 0.02);
    let matrix = cracked.matrix(periods);
    let single = matrix.cast();
    let fresh = solve(&matrix, &b, &mut build(&cracked, &single).on(&single)).0;
    amg.smoother_mut().update(&single);
    let stale = solve(&matrix, &b, &mut amg.on(&single)).0;
    println!("{stale} stale, {fresh} fresh");
    assert!(stale <= fresh + 15, "{stale} stale, {fresh} fresh");
}

#[test]
fn a_hierarchy_turns_with_its_body() {
    let beam = Beam::new(0.01, [0.6, 0.2, 0.2]);
    let mut amg = build(&beam, &beam.matrix(100.0).cast());
    let rotation = nalgebra::Rotation3::new(nalgebra::Vector3::new(0.3, -0.9, 0.6));
    let mut turned =
        Beam { radius: beam.radius, held: beam.held.clone(), pairs: beam.pairs.clone(), positions: Vec::new() };
    turned.positions.extend(beam.positions.iter().map(|x| rotation * x));
    let (matrix, b) = (turned.matrix(100.0), beam.load());
    let single = matrix.cast();
    let fresh = solve(&matrix, &b, &mut build(&turned, &single).on(&single)).0;
    amg.smoother_mut().update(&single);
    let stale = solve(&matrix, &b, &mut amg.on(&single)).0;
    amg.turn(vec![rotation.matrix().cast(); beam.nodes()]);
    let corotated = solve(&matrix, &b, &mut amg.on(&single)).0;
    println!("{fresh} fresh, {stale} stale, {corotated} corotated");
    assert!(corotated <= fresh + 1 && stale > 2 * fresh, "{fresh} fresh, {stale} stale, {corotated} corotated");
}

#[test]
fn a_cycle_is_symmetric_and_positive_whatever_the_sweeps() {
    let beam = Beam::small();
    let matrix = beam.matrix(100.0).cast();
    let r: Vec<_> = beam.load().iter().map(Vec6::<f64>::cast::<f32>).collect();
    let s: Vec<_> = (0..r.len()).map(|i| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| noise(7 * i + k) as f32))).collect();
    for sweeps in 1..4 {
        let settings = AmgSettings { sweeps, ..AmgSettings::default() };
        let mut amg =
            Amg::build(&matrix, &beam.positions, &beam.lengths(), &beam.held, &settings, &Interrupt::default());
        let [mut mr, mut ms] = [r.clone(), s.clone()];
        amg.on(&matrix).apply(&r, &mut mr);
        amg.on(&matrix).apply(&s, &mut ms);
        let size = (dot(&r, &mr) * dot(&s, &ms)).sqrt();
        assert!(size > 0.0 && (dot(&s, &mr) - dot(&r, &ms)).abs() < 1e-4 * size);
    }
}

#[test]
fn every_bit_is_the_same_on_any_number_of_threads() {
    let beam = Beam::new(0.01, [0.9, 0.3, 0.3]);
    let (matrix, b) = (beam.matrix(100.0), beam.load());
    let single = matrix.cast();
    let run = |threads| on_threads(threads, || solve(&matrix, &b, &mut build(&beam, &single).on(&single)));
    let alone = run(1);
    assert!(run(2) == alone && run(5) == alone);
}

#[test]
fn settings_shape_the_hierarchy() {
    let beam = Beam::new(0.01, [0.6, 0.2, 0.2]);
    let matrix = beam.matrix(100.0).cast();
    let build = |settings| {
        Amg::build(&matrix, &beam.positions, &beam.lengths(), &beam.held, &settings, &Interrupt::default()).summary()
    };
    let smoother_only = build(AmgSettings { levels: 1, ..AmgSettings::default() });
    assert!(smoother_only.levels.len() == 1 && !smoother_only.direct);
    let direct = build(AmgSettings { dense_size: 100_000, ..AmgSettings::default() });
    assert!(direct.levels.len() == 2 && direct.direct);
    let deep = build(AmgSettings { dense_size: 6, ..AmgSettings::default() });
    assert!(deep.levels.len() > 2);
    assert!(direct.to_string().contains("operator complexity"), "{direct}");
}

#[test]
fn nothing_to_solve_is_no_harm() {
    let empty = BlockMatrix::from_pairs(0, std::iter::empty()).0;
    let mut amg = Amg::build(&empty, &[], &[], &[], &AmgSettings::default(), &Interrupt::default());
    amg.on(&empty).apply(&[] as &[Vec6<f32>], &mut []);
    let beam = Beam::small();
    let matrix = beam.matrix(20.0);
    let single = matrix.cast();
    let skip = vec![true; beam.nodes()];
    let mut amg =
        Amg::build(&single, &beam.positions, &beam.lengths(), &skip, &AmgSettings::default(), &Interrupt::default());
    let _ = solve(&matrix, &beam.load(), &mut amg.on(&single));
}

#[test]
fn a_matrix_that_is_not_finite_is_named_and_ends() {
    let beam = Beam::small();
    let mut matrix = beam.matrix(20.0);
    matrix.diagonal_mut(50)[(1, 2)] = f64::NAN;
    matrix.blocks_mut()[7][(3, 3)] = f64::INFINITY;
    let single = matrix.cast();
    let (b, mut x) = (beam.load(), vec![Vec6::ZERO; beam.nodes()]);
    let outcome = Cg::default().solve(&matrix, &mut build(&beam, &single).on(&single), &b, &mut x, limits(1e-8, 10));
    assert_eq!((outcome.stop, outcome.iterations), (CgStop::NotFinite, 0));
    assert_eq!(norm(&x), 0.0);
}

/// By way of bytes, as on a disk.
fn saved_and_restored(amg: &Amg, nodes: usize, settings: &AmgSettings) -> Option<Amg> {
    let bytes = postcard::to_stdvec(&amg.save()).expect("plain numbers");
    Amg::restore(postcard::from_bytes(&bytes).expect("what was saved"), nodes, settings)
}

#[test]
fn a_hierarchy_that_was_saved_cycles_to_the_same_bits() {
    let beam = Beam::new(0.01, [0.6, 0.2, 0.2]);
    let matrix: BlockMatrix<f32> = beam.matrix(100.0).cast();
    for settings in [AmgSettings::default(), AmgSettings { dense_size: 60, ..AmgSettings::default() }] {
        let mut amg =
            Amg::build(&matrix, &beam.positions, &beam.lengths(), &beam.held, &settings, &Interrupt::default());
        let mut restored = saved_and_restored(&amg, matrix.nodes(), &settings).expect("it makes sense");
        restored.smoother_mut().update(&matrix);
        assert_eq!(amg.summary(), restored.summary());
        let six = |node: usize| Vec6::new(std::array::from_fn(|k| noise(6 * node + k) as f32));
        let r: Vec<_> = (0..matrix.nodes()).map(six).collect();
        let [mut z, mut again] = [r.clone(), r.clone()];
        amg.on(&matrix).apply(&r, &mut z);
        restored.on(&matrix).apply(&r, &mut again);
        assert_eq!(z, again);
    }
}

#[test]
fn a_hierarchy_of_another_size_is_not_restored() {
    let beam = Beam::new(0.01, [0.2, 0.1, 0.1]);
    let matrix: BlockMatrix<f32> = beam.matrix(100.0).cast();
    let amg = build(&beam, &matrix);
    let settings = AmgSettings::default();
    assert!(saved_and_restored(&amg, matrix.nodes(), &settings).is_some());
    assert!(saved_and_restored(&amg, matrix.nodes() + 1, &settings).is_none());
    let none = AmgSettings { dense_size: 0, ..settings };
    assert!(saved_and_restored(&amg, matrix.nodes(), &none).is_none(), "a dense matrix too large for the settings");
}
