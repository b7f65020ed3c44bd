//! Tests of `crates/core/src/charge`.

mod ddef;
mod errors;
mod exact;
mod external;
mod gradient;
mod steps;
mod torus;
mod tree;
mod world;

use bdem_core::charge::{Charges, Field, Method, field};
use bdem_core::geometry::{Vec3, keyed};

/// Charges of a microcoulomb in a unit cube, all positive or by random signs.
fn cloud(n: usize, seed: u64, random_signs: bool) -> (Vec<Vec3>, Vec<f64>) {
    let u = |k: usize| keyed::uniform(seed, k as u64);
    let x = (0..n).map(|i| Vec3::new(u(4 * i), u(4 * i + 1), u(4 * i + 2))).collect();
    let charge = |i: usize| if random_signs && u(4 * i + 3) < 0.5 { -1e-6 } else { 1e-6 };
    (x, (0..n).map(charge).collect())
}

/// Field at the charges, which has no errors.
fn field_of(x: &[Vec3], q: &[f64], softening: f64, method: Method) -> Field {
    field(&Charges::new(x, q, softening).expect("charges"), &method).expect("a field")
}

/// Global and median relative errors of a field.
fn errors(e: &[Vec3], exact: &[Vec3]) -> [f64; 2] {
    let sum = |of: &dyn Fn(usize) -> f64| (0..e.len()).map(of).sum::<f64>();
    let global = (sum(&|i| (e[i] - exact[i]).norm_squared()) / sum(&|i| exact[i].norm_squared())).sqrt();
    let mut each: Vec<f64> = e.iter().zip(exact).map(|(e, exact)| (e - exact).norm() / exact.norm()).collect();
    each.sort_by(f64::total_cmp);
    [global, each[each.len() / 2]]
}

/// Runs `work` on `threads` threads.
fn on_threads<A: Send>(threads: usize, work: impl FnOnce() -> A + Send) -> A {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// The same bits on one and on three threads, and on every instruction set.
fn expect_same_bits(method: Method, n: usize) {
    let (x, q) = cloud(n, 3, true);
    let charges = Charges::new(&x, &q, 1e-3).expect("charges");
    let of = |instructions| bdem_core::charge::field_with(instructions, &charges, &method).expect("a field");
    let sets = bdem_core::simd::InstructionSet::available();
    let first = on_threads(1, || of(sets[0]));
    for &instructions in &sets {
        assert!(on_threads(3, || of(instructions)) == first, "{instructions}");
    }
}
