use bdem_core::geometry::Vec3;
use bdem_core::spring::{Spring, SpringError, SpringSystem, Springs, StepSettings, Stepper};

use super::random_system;

#[test]
fn invalid_systems_are_refused() {
    let spring = Spring { ends: [0, 1], stiffness: 1.0, rest_length: 1.0, damping: 0.0 };
    let refused = |list: Vec<Spring>| Springs::new(2, list).expect_err("invalid").to_string();
    assert_eq!(
        refused(vec![spring, Spring { ends: [0, 2], ..spring }]),
        "spring 1 ends at vertex 2: give one of the 2 vertices, from 0"
    );
    assert_eq!(
        refused(vec![Spring { ends: [1, 1], ..spring }]),
        "both ends of spring 0 are vertex 1: give two vertices"
    );
    assert_eq!(
        refused(vec![Spring { stiffness: -1.0, ..spring }]),
        "the stiffness of spring 0 is -1 N/m: give a finite number of at least 0"
    );
    let springs = Springs::new(2, vec![spring]).expect("springs");
    let error = SpringSystem::new(springs.clone(), vec![1.0, 0.0], vec![0.0; 2]).expect_err("no mass");
    assert_eq!(error.to_string(), "the mass of vertex 1 is 0 kg: give a finite number above 0");
    let system = SpringSystem::new(springs, vec![1.0; 2], vec![1e-6; 2]).expect("a system");
    let error = system.state(vec![Vec3::zeros(); 2], vec![Vec3::zeros(); 2]).expect_err("singular");
    assert!(matches!(error, SpringError::Field(_)), "{error}");
    let (system, state) = random_system(5, 0.0);
    let step = Stepper::new(&system, &state, StepSettings::new(-1.0)).step(&system, &state, None);
    assert_eq!(step.expect_err("negative").to_string(), "the step is -1 s: give a finite number above 0");
}

/// Each edge once, also where triangles share it or the mesh is open; vertices out of range are refused.
#[test]
fn edges_of_triangles() {
    let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
    let springs = Springs::of_triangles(&x, &[[0, 1, 2], [2, 1, 3]], 3.0, 0.5).expect("springs");
    assert_eq!(springs.edges(), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    assert!((springs.list()[2].rest_length - 2f64.sqrt()).abs() < 1e-15 && springs.energy(&x) < 1e-30);
    let error = Springs::of_triangles(&x, &[[0, 1, 7]], 3.0, 0.5).expect_err("no vertex 7");
    assert!(matches!(error, SpringError::Vertex { vertex: 7, vertices: 4, .. }), "{error}");
}
