//! Linear systems that `cargo bench --bench export` writes.

#[path = "../../benches/export/first_system.rs"]
mod first_system;
#[path = "../../benches/export/matrix_market.rs"]
mod matrix_market;

use bdem_core::energy::{Curvature, Potential};
use bdem_core::internals::optimize::{Assembly, Objective, Target};
use bdem_run::run::advance_to;
use bdem_run::scene::Scene;
use first_system::FirstSystem;
use sprs::CsMat;

use crate::common::scenes;

/// A small beam that hangs from one end.
const BEAM: &str = r#"[scene]
name = "beam"

[time]
frame_rate = 60.0
frames = 2
step = { periods = 20 }

[materials.rubber]
density = 2600.0
density_of = "grains"
young_modulus = 1e7
poisson_ratio = 0.25
damping = 0.02

[[bodies]]
name = "beam"
material = "rubber"
particle_radius = 0.02
shape = { box = { size = [0.3, 0.12, 0.12] } }

[[constraints]]
region = { box = { min = [-0.2, -0.1, -0.1], max = [-0.11, 0.1, 0.1] } }
motion = "fixed"
"#;

fn scene(text: &str) -> Scene {
    scenes::scene(text, &[])
}

/// The beam without what holds it.
fn free() -> Scene {
    scene(&BEAM[..BEAM.find("[[constraints]]").expect("constraints")])
}

/// System of the step from this frame on, or of the static problem.
fn system(scene: &Scene, frame: u32, is_static: bool) -> FirstSystem {
    let simulation = advance_to(scene, frame, true).expect("no step fails");
    let dt = if is_static { f64::INFINITY } else { simulation.plan.step };
    FirstSystem::new(simulation, dt)
}

fn times(matrix: &CsMat<f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    sprs::prod::mul_acc_mat_vec_csr(matrix.view(), x, &mut y[..]);
    y
}

fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(f64::abs).fold(0.0, f64::max)
}

#[test]
fn rigid_modes_cost_a_free_body_nothing() {
    let system = system(&free(), 0, true);
    let stiffness = greatest(system.hessian.data().iter().copied());
    for (mode, x) in system.rigid_modes.iter().enumerate() {
        let forces = greatest(times(&system.hessian, x));
        assert!(forces < 1e-12 * stiffness * greatest(x.iter().copied()), "mode {mode}");
    }
}

#[test]
fn the_right_hand_side_is_the_weight() {
    let system = system(&free(), 0, true);
    let work = |mode: usize| system.rigid_modes[mode].iter().zip(&system.rhs).map(|(m, f)| m * f).sum::<f64>();
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 0.02f64.powi(3) * 2600.0 * (system.rhs.len() / 6) as f64;
    assert!((work(2) / (-9.81 * mass) - 1.0).abs() < 1e-12);
    // at rest, and its weight acts in its mean
    for mode in [0, 1, 3, 4, 5] {
        assert!(work(mode).abs() < 1e-10 * mass, "mode {mode}");
    }
}

/// In free flight bonds bear nothing, so that the system is solved by the flight that is the first guess.
#[test]
fn free_flight_is_the_solution() {
    let system = system(&free(), 1, false);
    assert!(greatest(system.rhs.iter().copied()) < 1e-6, "{}", greatest(system.rhs.iter().copied()));
}

#[test]
fn the_system_is_the_assembled_one_without_held_particles() {
    let scene = scene(BEAM);
    let simulation = advance_to(&scene, 1, true).expect("no step fails");
    let (world, state) = (simulation.world.clone(), simulation.state.clone());
    let contacts = simulation.contacts.clone();
    let system = FirstSystem::new(simulation, f64::INFINITY);

    let target = Target { p: state.p.clone(), q: state.q.clone() };
    let held = world.always_held();
    let potential = Potential::new(&world, &contacts);
    let objective = Objective { potential, target: &target, dt: f64::INFINITY, period: world.period(), held: &held };
    let mut assembly = Assembly::<f64>::new(&objective);
    assembly.fill(&objective, &state, Curvature::Semidefinite);
    let whole = assembly.matrix.to_csmat();

    let free: Vec<usize> = (0..held.len()).filter(|&i| !held[i]).collect();
    assert_eq!(system.hessian.rows(), 6 * free.len());
    let old = |i: usize| 6 * free[i / 6] + i % 6;
    for (value, (row, column)) in &system.hessian {
        assert_eq!(whole.get(old(row), old(column)), Some(value));
        let mirrored = *system.hessian.get(column, row).expect("both triangles are there");
        assert!((value - mirrored).abs() <= 1e-9 * value.abs().max(1.0), "{value} {mirrored}");
    }
    // positive definite: every rigid mode costs energy
    for (mode, x) in system.rigid_modes.iter().enumerate() {
        let energy: f64 = x.iter().zip(times(&system.hessian, x)).map(|(x, y)| x * y).sum();
        assert!(energy > 0.0, "mode {mode}");
    }
}

#[test]
fn matrix_market_files_have_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let system = system(&free(), 0, true);
    let path = folder.path().join("hessian.mtx");
    let comments = ["N/m".to_owned()];
    matrix_market::write_symmetric(&path, &comments, &system.hessian).expect("space");
    let read: CsMat<f64> = sprs::io::read_matrix_market(&path).expect("Matrix Market").to_csr();
    let is_same = |(value, (row, column)): (&f64, (usize, usize))| {
        // the lower triangle stands for both
        *value == 0.0 || system.hessian.get(row.max(column), row.min(column)) == Some(value)
    };
    assert_eq!(read.rows(), system.hessian.rows());
    assert!(read.iter().all(is_same));

    let path = folder.path().join("rigid_modes.mtx");
    matrix_market::write_columns(&path, &comments, &system.rigid_modes).expect("space");
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix array real general"));
    let size = format!("{} 6", system.hessian.rows());
    assert_eq!([lines.next(), lines.next()], [Some("% N/m"), Some(&size[..])]);
    let numbers: Vec<f64> = lines.map(|line| line.parse().expect("a number")).collect();
    assert_eq!(numbers, system.rigid_modes.concat());
}
