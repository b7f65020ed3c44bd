//! Times the linear solver on the beam that the peers were measured on: `cargo bench --bench linalg`.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use bdem_core::internals::linalg::amg::{Amg, AmgSettings};
use bdem_core::internals::linalg::vector::{axpy, norm, scale_into};
use bdem_core::internals::linalg::{
    BlockJacobi, BlockMatrix, Cg, IterationLimits, NodeTerm, Operator, PairOperator, PairWorkspace, Preconditioner,
    Vec6,
};
use bdem_core::interrupt::Interrupt;
use beam::Beam;

#[allow(dead_code)]
#[path = "../tests/linalg/beam.rs"]
mod beam;

/// Limits without a request to stop.
fn limits(tolerance: f64, max_iterations: usize) -> IterationLimits<'static> {
    static NEVER: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);
    IterationLimits { tolerance, max_iterations, interrupt: &NEVER }
}

/// Prints the median time of `rounds` calls, and returns it in ms.
fn time<A>(what: &str, rounds: usize, mut work: impl FnMut() -> A) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what:32} {:9.3} ms (least {:.3})", times[rounds / 2], times[0]);
    times[rounds / 2]
}

fn run(beam: &Beam) {
    let matrix = beam.matrix(100.0);
    let single: BlockMatrix<f32> = matrix.cast();
    let (b, bonds) = (beam.load(), beam.pairs.len() as f64);
    let r: Vec<Vec6<f32>> = b.iter().map(Vec6::cast).collect();
    let (mut y, mut wide) = (r.clone(), b.clone());
    let product = time("product, f32", 101, || single.multiply(&r, &mut y));
    let wide_product = time("product, f64", 101, || matrix.multiply(&b, &mut wide));
    println!("{:32} {:9.1} and {:.1}", "  ns a bond", product * 1e6 / bonds, wide_product * 1e6 / bonds);
    let (mut operator, mut work) = (beam.operator(100.0), PairWorkspace::default());
    let free = time("product of pairs", 301, || operator.with(&mut work).apply(&r, &mut y));
    println!("{:32} {:9.2}, {} bytes", "  ns a bond", free * 1e6 / bonds, operator.bytes());
    let terms: Vec<_> = (0..beam.pairs.len()).map(|k| beam.term(k)).collect();
    time("fill of pairs", 21, || operator.fill(|k| terms[k], |_| NodeTerm::default()));
    let mut diagonal = Vec::new();
    let mut operator = beam.operator(100.0);
    time("diagonal of pairs", 21, || operator.diagonal_with(&mut work, &mut diagonal));
    time("pattern of pairs", 5, || operator = PairOperator::new(&beam.pairs, &beam.held, Vec::new()));
    let mut jacobi = BlockJacobi::new(&single);
    time("block Jacobi, update", 21, || jacobi.update(&single));
    operator = beam.operator(100.0);
    operator.diagonal(&mut diagonal);
    time("block Jacobi, update in f32", 21, || jacobi.update_single(|blocks| blocks.clone_from(&diagonal)));
    time("block Jacobi, apply", 101, || jacobi.apply(&r, &mut y));
    let (lengths, settings) = (beam.lengths(), AmgSettings::default());
    let build = || Amg::build(&single, &beam.positions, &lengths, &beam.held, &settings, limits(0.0, 0).interrupt);
    time("setup", 5, build);
    let build = || {
        Amg::build(
            &operator.rows(&diagonal),
            &beam.positions,
            &lengths,
            &beam.held,
            &settings,
            limits(0.0, 0).interrupt,
        )
    };
    time("setup from pairs", 5, build);
    let mut amg = build();
    time("V-cycle", 101, || amg.on(&single).apply(&r, &mut y));
    let cycle = time("V-cycle on pairs", 101, || amg.on(&operator.with(&mut work)).apply(&r, &mut y));
    println!("{:32} {:9.2}", "  ns a bond", cycle * 1e6 / bonds);
    println!("{}", amg.summary());
    for periods in [20.0, 100.0, 600.0, f64::INFINITY] {
        let matrix = beam.matrix(periods);
        let single: BlockMatrix<f32> = matrix.cast();
        let mut amg = Amg::build(&single, &beam.positions, &lengths, &beam.held, &settings, limits(0.0, 0).interrupt);
        let mut x = vec![Vec6::ZERO; b.len()];
        let start = Instant::now();
        let mut cg = Cg::default();
        let outcome = cg.solve(&matrix, &mut amg.on(&single), &b, &mut x, limits(1e-8, 200));
        println!("{periods:4} T: {:?}, {} iterations, {:.0?}", outcome.stop, outcome.iterations, start.elapsed());
        let operator = beam.operator(periods);
        let mut x = vec![Vec6::ZERO; b.len()];
        let start = Instant::now();
        let outcome = cg.solve(&matrix, &mut amg.on(&operator), &b, &mut x, limits(1e-8, 200));
        println!("     on pairs: {:?}, {} iterations, {:.0?}", outcome.stop, outcome.iterations, start.elapsed());
    }
}

/// Setup and solution of the static system to a residual of 1e-8 in double precision: conjugate gradients in single precision
/// on the sum over pairs, restarted from the residual of the assembled matrix until that is small enough.
fn solve_static(beam: &Beam) {
    let (matrix, operator, b) = (beam.matrix(f64::INFINITY), beam.operator(f64::INFINITY), beam.load());
    let single: BlockMatrix<f32> = matrix.cast();
    let (lengths, settings) = (beam.lengths(), AmgSettings::default());
    let start = Instant::now();
    let mut amg = Amg::build(&single, &beam.positions, &lengths, &beam.held, &settings, limits(0.0, 0).interrupt);
    let setup = start.elapsed();
    let (mut x, mut r) = (vec![Vec6::ZERO; b.len()], b.clone());
    let (mut small, mut step) = (vec![Vec6::ZERO; b.len()], vec![Vec6::ZERO; b.len()]);
    let (mut cg, mut iterations) = (Cg::<f32>::default(), 0);
    while norm(&r) > 1e-8 * norm(&b) {
        let size = norm(&r);
        scale_into(1.0 / size, &r, &mut small);
        step.fill(Vec6::ZERO);
        let goal = (0.9e-8 * norm(&b) / size).max(1e-4);
        iterations += cg.solve(&operator, &mut amg.on(&operator), &small, &mut step, limits(goal, 100)).iterations;
        let step: Vec<Vec6<f64>> = step.iter().map(Vec6::cast).collect();
        axpy(size, &step, &mut x);
        matrix.residual(&b, &x, &mut r);
    }
    let residual = norm(&r) / norm(&b);
    println!(
        "static to {residual:.1e}: setup {setup:.0?}, with solution {:.0?}, {iterations} iterations",
        start.elapsed()
    );
}

fn main() {
    let beam = Beam::peers();
    for threads in [1, 2] {
        println!("{} particles, {} bonds, {threads} threads", beam.nodes(), beam.pairs.len());
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool starts").install(|| {
            run(&beam);
            (0..5).for_each(|_| solve_static(&beam));
        });
    }
}
