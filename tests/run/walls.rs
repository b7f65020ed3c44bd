//! Scenes with walls that move.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::Simulation;
use bdem_run::run::advance_to;
use bdem_run::scene::Scene;

use super::INTEGRATORS;
use crate::common::scenes;

/// A block just above whatever `walls` says.
fn scene(integrator: &str, walls: &str) -> Scene {
    let text = format!(
        r#"
        [scene]
        name = "walls"
        [time]
        frame_rate = 20.0
        frames = 10
        integrator = "{integrator}"
        [materials.rubber]
        density = 1100.0
        young_modulus = 1e6
        poisson_ratio = 0.25
        damping = 0.1
        [[bodies]]
        name = "block"
        material = "rubber"
        particle_radius = 0.01
        shape = {{ box = {{ size = [0.08, 0.08, 0.05] }} }}
        position = [0.0, 0.0, 0.0251]
        {walls}
    "#
    );
    scenes::scene(&text, &[])
}

fn end(scene: &Scene, frames: u32) -> Simulation {
    advance_to(scene, frames, true).expect("no step fails")
}

fn mean(values: &[Vec3]) -> Vec3 {
    values.iter().sum::<Vec3>() / values.len() as f64
}

/// Friction of 0.5 brings it to 0.4 m/s within 0.1 s.
#[test]
fn a_conveyor_carries_what_lies_on_it() {
    let belt = "[[colliders]]\nfriction = 0.5\nmotion = { velocity = [0.4, 0, 0] }\n\
                shape = { half_space = { normal = [0, 0, 1], offset = 0 } }";
    for integrator in INTEGRATORS {
        let v = mean(&end(&scene(integrator, belt), 10).state.v);
        assert!((v - Vec3::x() * 0.4).norm() < 0.04, "{integrator}: {v}");
    }
}

/// A press comes down by 10 cm within 0.2 s and stops: the block flies on before it.
#[test]
fn a_press_pushes_what_is_before_it() {
    let press = "[[colliders]]\nshape = { box = { size = [0.2, 0.2, 0.1] } }\nposition = [0, 0, 0.15]\n\
                 motion = { keyframes = { keys = [{ time = 0 }, { time = 0.2, position = [0, 0, -0.1] }] } }";
    for integrator in INTEGRATORS {
        let mut scene = scene(integrator, press);
        scene.general.gravity = [0.0; 3];
        let simulation = end(&scene, 5);
        let highest = simulation.state.p.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
        let v = mean(&simulation.state.v);
        // the press ends at z = 0
        assert!(highest < 0.0 && v.z < -0.45 && v.z > -1.05, "{integrator}: {highest} {v}");
    }
}
