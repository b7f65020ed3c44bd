use bdem_core::energy::Curvature;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::simulate::{CgTolerance, Predictor, SolverSettings};

use crate::common::golden::{self, list, number, vec3, vec3s};
use crate::common::system::{assert_close, at_rest, bonded, from_golden, material, no_contacts, state};

/// Settings that go on until rounding ends it.
pub(super) fn to_the_last_digit(predictor: Predictor) -> SolverSettings {
    SolverSettings {
        newton_tolerance: 1e-11,
        newton_relative_tolerance: 1e-9,
        cg_tolerance: CgTolerance::Fixed(1e-5),
        newton_iterations: 200,
        hessian: Curvature::Exact,
        predictor,
        ..Default::default()
    }
}

fn predictor_of(run: &serde_json::Value) -> Predictor {
    match run["predictor"].as_str() {
        Some("paper") => Predictor::Paper,
        Some("geodesic") => Predictor::Geodesic,
        other => panic!("predictor {other:?}"),
    }
}

#[test]
fn golden_implicit_euler_quaternion_bond() {
    let file = golden::load("integrator_implicit_euler");
    let runs = list(&file, "runs").iter().filter(|r| r["system"]["kind"] == "bond_quaternion");
    let mut count = 0;
    for run in runs {
        let system = &run["system"];
        let rest = vec3s(&system["rest_p"]);
        let mut world = from_golden(system, &rest);
        world.gravity = vec3(&system["gravity"]);
        let mut x = state(&run["initial"]);
        let mut contacts = no_contacts(&world, &x);
        let mut euler = Implicit::new(TimeRule::Euler, &world, &to_the_last_digit(predictor_of(run)));
        for step in list(run, "steps") {
            euler.step(&world, &mut contacts, &mut x, number(system, "dt")).expect("a step");
            let name = format!("{} {} T, step {}", run["predictor"], run["dt_over_T"], step["step"]);
            assert_close(&name, &x, &state(step), 1e-7);
        }
        count += 1;
    }
    assert!(count >= 2, "both predictors are there");
}

/// With q_n + dt/2 (w,0) q_n, which leans by atan(|w| dt/2) where the spin turns by |w| dt/2, as where it points to.
#[test]
fn the_rods_predictor_loses_a_third_of_what_the_papers_does() {
    let world = bonded(material(1e7, 4e6, 1000.0), &[Vec3::zeros()], &[0.01], &[]);
    let mut x = at_rest(vec![Vec3::zeros()]);
    let (mut spin, dt) = (40.0, 1e-3);
    x.w[0] = Vec3::z() * spin;
    let mut contacts = no_contacts(&world, &x);
    let mut euler = Implicit::new(TimeRule::Euler, &world, &to_the_last_digit(Predictor::Rod));
    for _ in 0..10 {
        euler.step(&world, &mut contacts, &mut x, dt).expect("a step");
        spin = (0.5 * dt * spin).atan() / (0.5 * dt);
        assert!((x.w[0] - Vec3::z() * spin).norm() < 1e-9 * spin, "{} {spin}", x.w[0].z);
    }
}

#[test]
fn golden_free_spin() {
    let file = golden::load("integrator_free_spin");
    for case in list(&file, "cases") {
        for (predictor, name) in [(Predictor::Paper, "paper"), (Predictor::Geodesic, "geodesic")] {
            let world = bonded(material(1e7, 4e6, 1000.0), &[Vec3::zeros()], &[0.01], &[]);
            let mut x = at_rest(vec![Vec3::zeros()]);
            x.q[0] = golden::quat(&case["q0"]);
            x.w[0] = vec3(&case["w0"]);
            let spin = x.w[0].norm();
            let mut contacts = no_contacts(&world, &x);
            let mut euler = Implicit::new(TimeRule::Euler, &world, &to_the_last_digit(predictor));
            for want in golden::numbers(&case[format!("{name}_w_over_w0")]) {
                euler.step(&world, &mut contacts, &mut x, number(case, "dt")).expect("a step");
                let got = x.w[0].norm() / spin;
                assert!((got - want).abs() < 1e-7, "{name}: {got} of the spin is left, reference {want}");
            }
            let want = golden::quat(&case[format!("{name}_q_final")]);
            let off = rotation::rotation_between(&want, &x.q[0]).norm();
            assert!(off < 1e-7, "{name}: {off:e} rad off the reference");
        }
    }
}
