use std::fs;

use sprs::CsMat;

use crate::cli::Workplace;

/// A small beam that hangs from one end.
const BEAM: &str = r#"[scene]
name = "beam"

[time]
frame_rate = 60.0
frames = 2
step = { periods = 20 }

[materials.rubber]
density = 2600.0
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

fn free(scene: &str) -> String {
    scene[..scene.find("[[constraints]]").expect("constraints")].to_owned()
}

struct System {
    hessian: CsMat<f64>,
    rhs: Vec<f64>,
    modes: Vec<Vec<f64>>,
}

impl System {
    fn read(place: &Workplace) -> Self {
        let hessian: CsMat<f64> =
            sprs::io::read_matrix_market(place.path("out/beam/hessian.mtx")).expect("Matrix Market").to_csr();
        let column = |file: &str| -> Vec<f64> {
            let text = place.read(&format!("out/beam/{file}"));
            let mut lines = text.lines().filter(|line| !line.starts_with('%'));
            let size: Vec<usize> = lines.next().expect("a size").split(' ').map(|n| n.parse().expect("n")).collect();
            let values: Vec<f64> = lines.map(|line| line.parse().expect("a number")).collect();
            assert_eq!((size[0], values.len()), (hessian.rows(), size[0] * size[1]));
            values
        };
        let (rhs, modes) = (column("rhs.mtx"), column("rigid_modes.mtx"));
        Self { modes: modes.chunks(hessian.rows()).map(<[f64]>::to_vec).collect(), hessian, rhs }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        sprs::prod::mul_acc_mat_vec_csr(self.hessian.view(), x, &mut y[..]);
        y
    }
}

fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(f64::abs).fold(0.0, f64::max)
}

#[test]
fn rigid_modes_cost_a_free_body_nothing() {
    let place = Workplace::with(&free(BEAM));
    let ended = place.run(&["export", "scene.toml", "--static"]);
    ended.expect(0);
    let system = System::read(&place);
    assert_eq!(system.modes.len(), 6);
    let stiffness = greatest(system.hessian.data().iter().copied());
    for (mode, x) in system.modes.iter().enumerate() {
        assert!(greatest(system.times(x)) < 1e-12 * stiffness * greatest(x.iter().copied()), "mode {mode}");
    }
    let text = place.read("out/beam/hessian.mtx");
    assert!(text.starts_with("%%MatrixMarket matrix coordinate real symmetric\n"));
    for comment in ["% scene: beam", "% scene digest: ", "% frame: 0", "% step: static", "radius times world rotation"]
    {
        assert!(text.contains(comment), "no {comment:?}");
    }
}

#[test]
fn the_right_hand_side_is_the_weight() {
    let place = Workplace::with(&free(BEAM));
    place.run(&["export", "scene.toml", "--static", "--quiet"]).expect(0);
    let system = System::read(&place);
    let work = |mode: usize| system.modes[mode].iter().zip(&system.rhs).map(|(m, f)| m * f).sum::<f64>();
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
    let place = Workplace::with(&free(BEAM));
    place.run(&["export", "scene.toml", "--frame", "1"]).expect(0);
    let system = System::read(&place);
    assert!(greatest(system.rhs.iter().copied()) < 1e-6, "{}", greatest(system.rhs.iter().copied()));
}

#[test]
fn particles_that_are_held_are_left_out() {
    let place = Workplace::with(BEAM);
    place.run(&["export", "scene.toml", "--frame", "1", "-o", "out/beam"]).expect(0);
    let system = System::read(&place);
    let info = place.run(&["check", "scene.toml"]);
    let particles: usize =
        info.out.lines().find_map(|l| l.strip_prefix("particles")).expect("so many").trim().parse().expect("n");
    let rows = system.hessian.rows();
    assert!(rows < 6 * particles && rows.is_multiple_of(6), "{rows} rows, {particles} particles");
    // positive definite: every rigid mode costs energy
    for (mode, x) in system.modes.iter().enumerate() {
        let energy: f64 = x.iter().zip(system.times(x)).map(|(x, y)| x * y).sum();
        assert!(energy > 0.0, "mode {mode}");
    }
    let files = fs::read_dir(place.path("out/beam")).expect("a folder").count();
    assert_eq!(files, 3);
}

#[test]
fn exports_that_fail_say_why() {
    let place = Workplace::with(BEAM);
    let ended = place.run(&["export", "scene.toml", "-o", "scene.toml/system"]);
    ended.expect(5);
    ended.expect_error(&["cannot make the folder scene.toml/system"]);
}
