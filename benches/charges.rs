//! The field of charges by method: pairs a second, and the time of 100 thousand like charges in a box.
//!
//! `cargo bench --bench charges [THREADS]`: one thread unless told. Minimum of several runs in turns.

use std::time::Instant;

use bdem_core::charge::{
    Charges, DdefSettings, Field, FieldWorkspace, Method, field_into, field_with, gradient_bounds,
};
use bdem_core::geometry::{Vec3, keyed};
use bdem_core::simd::InstructionSet;

fn cloud(n: usize) -> (Vec<Vec3>, Vec<f64>) {
    let u = |k: usize| keyed::uniform(1, k as u64);
    ((0..n).map(|i| Vec3::new(u(3 * i), u(3 * i + 1), u(3 * i + 2))).collect(), vec![1e-6; n])
}

/// Global and median relative errors.
fn errors(field: &Field, exact: &Field) -> [f64; 2] {
    let off: Vec<[f64; 2]> =
        field.e.iter().zip(&exact.e).map(|(e, exact)| [(e - exact).norm(), exact.norm()]).collect();
    let norm = |k: usize| off.iter().map(|off| off[k] * off[k]).sum::<f64>().sqrt();
    let mut each: Vec<f64> = off.iter().map(|[off, all]| off / all).collect();
    each.sort_by(f64::total_cmp);
    [norm(0) / norm(1), each[each.len() / 2]]
}

/// Best time of `runs`, s, and the field.
fn best(runs: usize, charges: &Charges, instructions: InstructionSet, method: &Method) -> (f64, Field) {
    let mut least = f64::INFINITY;
    let mut field = Field::default();
    for _ in 0..runs {
        let start = Instant::now();
        field = field_with(instructions, charges, method).expect("random points are apart");
        least = least.min(start.elapsed().as_secs_f64());
    }
    (least, field)
}

/// Best time of `runs` in the same arrays, s.
fn best_kept(runs: usize, charges: &Charges, method: &Method) -> f64 {
    let (mut work, mut field, mut least) = (FieldWorkspace::default(), Field::default(), f64::INFINITY);
    for _ in 0..runs {
        let start = Instant::now();
        field_into(charges, method, &mut work, &mut field).expect("random points are apart");
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

fn main() {
    let threads = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    println!("threads: {threads}");
    fields();
}

/// Seconds of a call, and its result.
fn timed<A>(of: impl FnOnce() -> A) -> (f64, A) {
    let start = Instant::now();
    let result = of();
    (start.elapsed().as_secs_f64(), result)
}

fn fields() {
    let (x, q) = cloud(16_384);
    let charges = Charges::new(&x, &q, 0.0).expect("finite");
    for instructions in InstructionSet::available() {
        let (time, _) =
            best(if instructions == InstructionSet::Plain { 1 } else { 5 }, &charges, instructions, &Method::Exact);
        println!("exact, {instructions}: {:.3e} ordered pairs/s", (x.len() * x.len()) as f64 / time);
    }
    for n in [100, 1000, 2000, 3000, 4000, 8000] {
        let (x, q) = cloud(n);
        let charges = Charges::new(&x, &q, 0.0).expect("finite");
        let [exact, tree] = [Method::Exact, Method::Tree { tolerance: 1e-3 }]
            .map(|method| 1e3 * best(20, &charges, InstructionSet::best(), &method).0);
        let [exact_kept, tree_kept] =
            [Method::Exact, Method::Tree { tolerance: 1e-3 }].map(|method| 1e3 * best_kept(20, &charges, &method));
        println!(
            "{n} charges: exact {exact:.3} ms, tree {tree:.3} ms; in kept arrays {exact_kept:.3} ms, {tree_kept:.3} ms"
        );
    }
    let (x, q) = cloud(100_000);
    let charges = Charges::new(&x, &q, 0.0).expect("finite");
    println!("bounds on the gradients: {:.3} s", timed(|| gradient_bounds(&charges)).0);
    let (time, exact) = best(2, &charges, InstructionSet::best(), &Method::Exact);
    println!("{} charges, exact: {time:.3} s", x.len());
    let trees = [1e-2, 1e-3, 1e-6, 1e-9].map(|tolerance| (5, Method::Tree { tolerance }));
    for (runs, method) in [(1, Method::Ddef(DdefSettings::default()))].into_iter().chain(trees) {
        let (time, field) = best(runs, &charges, InstructionSet::best(), &method);
        let [global, median] = errors(&field, &exact);
        println!("{method:?}: {time:.4} s, global error {global:.2e}, median {median:.2e}");
    }
}
