//! What lies still goes on lying still.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;

use crate::common::scenes;

const RADIUS: f64 = 0.005;

/// Radii a second that nothing drifts by.
const DRIFT: f64 = 1e-4;

/// A box of bonded particles.
struct Block {
    /// m.
    size: [f64; 3],
    position: [f64; 3],
    axis: [f64; 3],
    degrees: f64,
}

/// Bodies on a floor.
fn scene(bodies: &[Block], integrator: &str) -> Scene {
    let mut text =
        "[scene]\nname = \"rest\"\n[time]\nframe_rate = 50.0\nframes = 200\n[materials.m]\ndensity = 2000.0\ndensity_of = \"grains\"\n\
                    young_modulus = 1e7\npoisson_ratio = 0.25\nfriction = 0.6\nrolling_friction = 0.05\ndamping = 0.2\n\
                    [[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }\n"
            .to_owned();
    for (k, Block { size, position, axis, degrees }) in bodies.iter().enumerate() {
        text += &format!(
            "[[bodies]]\nname = \"b{k}\"\nmaterial = \"m\"\nparticle_radius = {RADIUS}\npacking = {{ hexagonal = {{ fit = false }} }}\nshape = {{ box = {{ size = {size:?} }} }}\n\
             position = {position:?}\nrotation = {{ axis = {axis:?}, degrees = {degrees:?} }}\n"
        );
    }
    scenes::scene(&text, &[&format!("time.integrator={integrator}"), "time.step=auto"])
}

/// How far anything drifts, radii a second, in so many frames after so many others.
fn drift(scene: &Scene, [settling, watched]: [u32; 2]) -> f64 {
    let mut simulation = scenes::simulated(scene);
    let mut progress = Progress::default();
    let mut advance = |simulation: &mut Simulation, frames: u32| {
        for _ in 0..frames * simulation.plan.per_frame {
            simulation.advance(&mut progress).expect("it holds");
        }
    };
    advance(&mut simulation, settling);
    let before: Vec<Vec3> = simulation.state.p.clone();
    let start = simulation.state.time;
    advance(&mut simulation, watched);
    let farthest = before.iter().zip(&simulation.state.p).map(|(from, to)| (to - from).norm()).fold(0.0, f64::max);
    farthest / RADIUS / (simulation.state.time - start)
}

#[test]
fn a_tower_of_blocks_stands() {
    let block = |x: f64, y: f64, z: f64| Block {
        size: [0.06, 0.06, 0.03],
        position: [x, y, z],
        axis: [0.0, 0.0, 1.0],
        degrees: 0.0,
    };
    let tower = [block(0.0, 0.0, 0.0155), block(0.003, 0.0, 0.047), block(0.0, 0.003, 0.0785)];
    for integrator in ["auto", "implicit-bdf2", "explicit-verlet"] {
        let drift = drift(&scene(&tower, integrator), [30, 10]);
        assert!(drift < DRIFT, "{integrator}: {drift:.1e} radii a second");
    }
}

/// Seven blocks that fall onto each other, each with a `shift` (m) from the one before.
fn heap(shift: f64) -> Vec<Block> {
    let places = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.3, 0.3]];
    let block = |k: usize| {
        let ([x, y], z, k) = (places[k], (k / 3) as f64, k as f64);
        let position = [0.046 * x + 0.004 * z + shift * k, 0.05 * y + 0.003 * z, 0.03 + 0.045 * z];
        let axis = [1.0 + k % 3.0, k % 2.0 + 0.5, 0.3];
        Block { size: [0.032, 0.04, 0.022], position, axis, degrees: 17.0 * k + 20.0 }
    };
    (0..places.len()).map(block).collect()
}

#[test]
fn a_heap_lies_still() {
    let cases = [("explicit-verlet", 0.0), ("auto", 0.0), ("auto", 1e-3), ("auto", -7e-4), ("auto", 1.4e-3)];
    for (integrator, shift) in cases {
        let drift = drift(&scene(&heap(shift), integrator), [100, 10]);
        println!("{integrator}, {shift}: {drift:.1e} radii a second");
        assert!(drift < DRIFT, "{integrator}, {shift}: {drift:.1e} radii a second");
    }
}
