//! The pendulum of \[RODR\] Fig 1 by its three maps, at steps that halve: `cargo bench --bench pendulum`. Prints the greatest error
//! of the energy, J, that of the attitude at the end, rad, and nanoseconds a step.

use std::time::Instant;

use bdem_core::geometry::{Quat, rotation};
use bdem_core::integrate::Map;
use pendulum::{END, run};

#[allow(dead_code, reason = "the integrators' tests use the rest")]
#[path = "../tests/common/pendulum.rs"]
mod pendulum;

/// s; so short that its error counts for nothing beside the others'.
const REFERENCE: f64 = 1e-4;

fn main() {
    let (_, exact) = run::<Map<25>>(REFERENCE);
    println!("| step, s | map 23: energy, attitude, time | map 25 | map 27 |\n|---|---|---|---|");
    for halvings in 0..8 {
        let h = 0.4 / f64::from(1 << halvings);
        let row = [run::<Map<23>>, run::<Map<25>>, run::<Map<27>>].map(|run| measure(run, h, &exact));
        println!("| {h} | {} |", row.join(" | "));
    }
}

fn measure(run: fn(f64) -> (f64, Quat), h: f64, exact: &Quat) -> String {
    const TIMES: usize = 20;
    let clock = Instant::now();
    let ends = [(); TIMES].map(|()| run(std::hint::black_box(h)));
    let (off, q) = ends[0];
    let each = clock.elapsed().as_nanos() as f64 / TIMES as f64 * h / END;
    format!("{off:.2e}, {:.2e}, {each:.0} ns", rotation::rotation_between(exact, &q).norm())
}
