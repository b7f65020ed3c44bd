//! Implicit Euler steps of 100 thousand masses on springs: a `World`'s Newton with multigrid beside the sparse factorisations of
//! `spring`, at equal residuals.
//!
//! `cargo bench --bench springs [THREADS] [VERTICES]`: one thread and 100 thousand vertices unless told. A torus of 3 m on
//! springs of 10 N/m with 0.1 kg a vertex, stretched by 5 % along x. The first step of a `World` builds its hierarchy; times of
//! the others are means of three.

use std::f64::consts::TAU;
use std::time::Instant;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Edges;
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Neighbours;
use bdem_core::model::{AxialSpring, State, World};
use bdem_core::simulate::SolverSettings;
use bdem_core::spring::{Rule, Solver, SpringState, SpringSystem, Springs, StepObjective, StepSettings, Stepper};

const MASS: f64 = 0.1;
const STIFFNESS: f64 = 10.0;
const STEPS: usize = 4;

/// Torus about z of n by n vertices.
fn torus(n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |k: u32| {
        let [a, t] = [k / n, k % n].map(|k| TAU * f64::from(k) / f64::from(n));
        let across = 3.0 + libm::cos(t);
        Vec3::new(across * libm::cos(a), across * libm::sin(a), libm::sin(t))
    };
    let index = |around: u32, tube: u32| around % n * n + tube % n;
    let faces = (0..n * n).flat_map(|k| {
        let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(on, up)| index(k / n + on, k % n + up));
        [[a, b, c], [a, c, d]]
    });
    ((0..n * n).map(at).collect(), faces.collect())
}

fn stretched(rest: &[Vec3]) -> Vec<Vec3> {
    rest.iter().map(|p| Vec3::new(1.05 * p.x, p.y, p.z)).collect()
}

/// A step: its time, s, iterations of Newton or solutions, and residual by the measure of `spring`.
struct Row {
    seconds: f64,
    iterations: usize,
    inner: usize,
    residual: f64,
}

/// Steps of a `World` at `tolerance`, with residuals by `system`.
fn of_world(edges: &Edges, system: &SpringSystem, dt: f64, tolerance: f64) -> Vec<Row> {
    let mut builder = World::builder();
    let (spring, radius) = (AxialSpring::elastic(STIFFNESS), 0.5 * edges.shortest());
    let material = builder.material(spring.material("springs", radius, MASS));
    for &p in &edges.vertices {
        let particle = builder.particle(p, radius, material);
        builder.without_contacts(particle);
    }
    for &[i, j] in &edges.pairs {
        builder.spring(i, j, spring);
    }
    let (world, mut state) = builder.build().expect("a torus");
    state.p = stretched(&edges.vertices);
    let settings = SolverSettings {
        newton_tolerance: tolerance,
        newton_relative_tolerance: 1.0,
        newton_iterations: 200,
        ..SolverSettings::default()
    };
    let mut euler = Implicit::new(TimeRule::Euler, &world, &settings);
    let mut contacts = Neighbours::new(&world, &state);
    let step = |_| {
        let (before, start) = (state.clone(), Instant::now());
        let report = euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        let seconds = start.elapsed().as_secs_f64();
        let (iterations, inner) = (report.newton_iterations as usize, report.cg_iterations as usize);
        Row { seconds, iterations, inner, residual: residual(system, &before, &state, dt) }
    };
    (0..STEPS).map(step).collect()
}

/// Gradient over its terms, of the step between two states.
fn residual(system: &SpringSystem, before: &State, after: &State, dt: f64) -> f64 {
    let state = system.state(before.p.clone(), before.v.clone()).expect("no charges");
    let objective = StepObjective::new(system, &state, dt, [before.p.clone(), before.v.clone()]);
    let squares: f64 = objective.gradient(&after.p).iter().map(Vec3::norm_squared).sum();
    squares.sqrt() / objective.scale()
}

/// Steps of `spring` to a residual of `tolerance`.
fn of_springs(system: &SpringSystem, start: &SpringState, dt: f64, solver: Solver, tolerance: f64) -> Vec<Row> {
    let mut state = start.clone();
    let settings = StepSettings { rule: Rule::ImplicitEuler, solver, tolerance, ..StepSettings::new(dt) };
    let mut stepper = Stepper::new(system, start, settings);
    let step = |_| {
        let start = Instant::now();
        let step = stepper.step(system, &state, None).expect("no charges");
        let seconds = start.elapsed().as_secs_f64();
        state = step.state;
        Row { seconds, iterations: step.iterations, inner: 0, residual: step.residual }
    };
    (0..STEPS).map(step).collect()
}

fn print(what: &str, dt: f64, rows: &[Row]) {
    let later = &rows[1..];
    let mean = |of: fn(&Row) -> f64| later.iter().map(of).sum::<f64>() / later.len() as f64;
    let worst = rows.iter().map(|row| row.residual).fold(0.0, f64::max);
    println!(
        "h {dt} s, {what}: first {:.3} s, then {:.3} s a step, {:.1} iterations ({:.1} inner), residual {worst:.1e}",
        rows[0].seconds,
        mean(|row| row.seconds),
        mean(|row| row.iterations as f64),
        mean(|row| row.inner as f64),
    );
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let threads = numbers.first().copied().unwrap_or(1);
    let vertices = numbers.get(1).copied().unwrap_or(100_000) as f64;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    let (corners, faces) = torus(vertices.sqrt().round() as u32);
    let edges = Edges::new(&corners, &faces).expect("a torus");
    let springs = Springs::of_triangles(&corners, &faces, STIFFNESS, 0.0).expect("a torus");
    let count = corners.len();
    println!("threads: {threads}; {count} vertices, {} springs", edges.pairs.len());
    let system = SpringSystem::new(springs, vec![MASS; count], vec![0.0; count]).expect("masses");
    let start = system.state(stretched(&corners), vec![Vec3::zeros(); count]).expect("no charges");
    for dt in [0.015, 0.15] {
        for tolerance in [1e-6, 1e-9] {
            let rows = of_world(&edges, &system, dt, tolerance);
            print(&format!("world, Newton tolerance {tolerance:e}"), dt, &rows);
            let worst = rows.iter().map(|row| row.residual).fold(0.0, f64::max);
            for solver in [Solver::Newton, Solver::LocalGlobal] {
                print(&format!("{solver:?} of spring"), dt, &of_springs(&system, &start, dt, solver, worst));
            }
        }
    }
}
