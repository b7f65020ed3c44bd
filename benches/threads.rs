//! What a second thread is worth: `cargo bench --bench threads [-- THREADS]`.
//!
//! Steps the peers' cantilever at 19 000 and 64 000 particles with both integrators, on one thread and on as many as asked for
//! (2 if nothing is said), in turns, so that a busy machine hits both; and a memory-stream test beside them, which no program
//! that streams memory can beat. Medians.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Rounds of one and many threads.
const ROUNDS: usize = 9;

fn main() {
    let threads = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(2);
    let pools = [1, threads].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads start"));
    println!("{:28} {:>14} {:>14}  gain", "", "1 thread", format!("{threads} threads"));
    stream(&pools);
    for (radius, name) in [(0.01, "19K"), (0.006_625, "64K")] {
        explicit(&pools, radius, name);
    }
    for (radius, name) in [(0.01, "19K"), (0.006_625, "64K")] {
        implicit(&pools, radius, name);
    }
}

/// The peers' cantilever, E = 1e7 Pa, with steps of so many periods.
fn cantilever(radius: f64, integrator: &str, periods: f64) -> Simulation {
    let text = format!(
        r#"
        [scene]
        name = "cantilever"
        [time]
        frame_rate = 1e5
        frames = 1
        integrator = "{integrator}"
        step = {{ periods = {periods} }}
        [materials.rubber]
        density = 2600.0
        young_modulus = 1e7
        poisson_ratio = 0.25
        [[bodies]]
        name = "beam"
        material = "rubber"
        particle_radius = {radius}
        shape = {{ box = {{ size = [1.25, 0.3, 0.3] }} }}
        [[constraints]]
        region = {{ box = {{ min = [-0.7, -0.2, -0.2], max = [-0.6, 0.2, 0.2] }} }}
        motion = "fixed"
    "#
    );
    // frames as long as one step, whatever the period
    let scene = Scene::parse(Path::new("cantilever.toml"), &text, &[]).expect("the scene is right");
    let period = scene.build().expect("it fits").0.period();
    let frame_rate = format!("time.frame_rate={}", 1.0 / (periods * period));
    let scene = Scene::parse(Path::new("cantilever.toml"), &text, &[frame_rate]).expect("the scene is right");
    let (world, state) = scene.build().expect("it fits");
    Simulation::new(world, state, &scene.simulation_settings())
}

/// Bytes a second that three arrays too large for any cache stream through: a = b + 3 c.
fn stream(pools: &[ThreadPool; 2]) {
    const NUMBERS: usize = 1 << 24;
    let (b, c) = (vec![1.0f64; NUMBERS], vec![2.0f64; NUMBERS]);
    let mut a = vec![0.0f64; NUMBERS];
    let seconds = interleaved(pools, || {
        let parts = a.par_chunks_mut(1 << 15).zip(b.par_chunks(1 << 15)).zip(c.par_chunks(1 << 15));
        parts.for_each(|((a, b), c)| a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + 3.0 * c));
        black_box(&a);
    });
    let rate = |seconds: f64| format!("{:.1} GB/s", 24e-9 * NUMBERS as f64 / seconds);
    row("memory stream", rate, seconds);
}

fn explicit(pools: &[ThreadPool; 2], radius: f64, name: &str) {
    const STEPS: usize = 40;
    let mut simulation = cantilever(radius, "explicit-verlet", 0.2);
    let bonds = simulation.world.bonds().len();
    let seconds = interleaved(pools, || (0..STEPS).for_each(|_| advance(&mut simulation)));
    let rate = |seconds: f64| format!("{:.1} ns/bond", 1e9 * seconds / (STEPS * bonds) as f64);
    row(&format!("explicit {name}, {bonds} bonds"), rate, seconds);
}

fn implicit(pools: &[ThreadPool; 2], radius: f64, name: &str) {
    for periods in [20.0, 100.0] {
        const STEPS: usize = 4;
        let mut simulation = cantilever(radius, "implicit-euler", periods);
        // the start, and the first hierarchy, are past
        (0..STEPS).for_each(|_| advance(&mut simulation));
        let seconds = interleaved(pools, || (0..STEPS).for_each(|_| advance(&mut simulation)));
        let rate = |seconds: f64| format!("{:.1} ms/step", 1e3 * seconds / STEPS as f64);
        row(&format!("implicit {name}, {periods} T"), rate, seconds);
    }
}

fn advance(simulation: &mut Simulation) {
    simulation.advance(&mut Progress::default()).expect("the step holds");
}

/// Median seconds of `work` in each pool, in turns.
fn interleaved(pools: &[ThreadPool; 2], mut work: impl FnMut() + Send) -> [f64; 2] {
    let mut seconds = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        for (pool, seconds) in pools.iter().zip(&mut seconds) {
            let start = Instant::now();
            pool.install(&mut work);
            if round > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
    }
    seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[ROUNDS / 2]
    })
}

fn row(name: &str, rate: impl Fn(f64) -> String, [one, many]: [f64; 2]) {
    println!("{name:28} {:>14} {:>14}  {:.2}", rate(one), rate(many), one / many);
}
