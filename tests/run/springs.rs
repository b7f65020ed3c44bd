//! Bodies of springs beside bonded ones: under every integrator they tear, keep the account, and are taken up to the bit.

use std::fmt::Write;
use std::fs;

use bdem_core::model::{BondModel, World};
use bdem_run::run::advance_to;
use bdem_run::scene::Scene;

use super::INTEGRATORS;
use super::resume::goes_on_alike;
use crate::common::scenes::{built, simulated};

/// A sheet of springs, held at two sides, with a bonded weight glued to it and a bonded ball that is thrown onto it.
const SCENE: &str = r#"
[scene]
name = "sheet"

[time]
frame_rate = 500.0
frames = 10

[materials.rubber]
density = 1500.0
young_modulus = 2e5
poisson_ratio = 0.3
friction = 0.4

[[bodies]]
name = "sheet"
packing = { edges = { file = "sheet.obj" } }
springs = { stiffness = 400.0, mass = 0.005, damping = 0.05, breaking_strain = 0.15, contact = true, friction = 0.3 }

[[bodies]]
name = "weight"
material = "rubber"
particle_radius = 0.02
shape = { sphere = { radius = 0.06 } }
position = [0.2, 0.2, -0.09]

[[bodies]]
name = "ball"
material = "rubber"
particle_radius = 0.02
shape = { sphere = { radius = 0.08 } }
position = [0.0, 0.0, 0.14]
velocity = [0.0, 0.0, -12.0]

[[glue]]
bodies = ["sheet", "weight"]
material = "rubber"
gap = 0.5

[[constraints]]
body = "sheet"
region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.33, 1.0, 1.0] } }
motion = "fixed"

[[constraints]]
body = "sheet"
region = { box = { min = [0.33, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
motion = { velocity = [0.5, 0.0, 0.0] }
"#;

/// A square grid of `n` by `n` vertices, 0.05 m apart, about the origin.
fn grid(n: u32) -> String {
    let mut text = String::new();
    let at = |k: u32| (f64::from(k) - 0.5 * f64::from(n - 1)) * 0.05;
    (0..n * n).for_each(|k| writeln!(text, "v {} {} 0", at(k / n), at(k % n)).expect("a string takes all"));
    for (i, j) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j))) {
        let a = i * n + j + 1;
        writeln!(text, "f {} {} {} {}", a, a + n, a + n + 1, a + 1).expect("a string takes all");
    }
    text
}

fn scene(integrator: &str) -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sheet.obj"), grid(15)).expect("a file");
    fs::write(folder.path().join("sheet.toml"), SCENE).expect("a file");
    let set = format!("time.integrator={integrator}");
    Scene::load_with(&folder.path().join("sheet.toml"), &[set]).expect("a good scene")
}

#[test]
fn springs_tear_and_the_account_closes_under_every_integrator() {
    for integrator in INTEGRATORS {
        let scene = scene(integrator);
        let count = |world: &World| world.whole_bonds().filter(|bond| bond.model == BondModel::AXIAL).count();
        let first = count(&built(&scene).0);
        let simulation = advance_to(&scene, 10, true).unwrap_or_else(|why| panic!("{integrator}: {why}"));
        let torn = first - count(&simulation.world);
        println!("{integrator}: {torn} of {first} springs torn, {:?}", simulation.balance);
        assert!(torn > 5, "{integrator}: {torn} springs torn");
        assert!(simulation.balance.imbalance() < 0.01, "{integrator}: {:?}", simulation.balance);
    }
}

#[test]
fn runs_of_springs_are_taken_up_to_the_bit() {
    for integrator in INTEGRATORS {
        println!("{integrator}");
        goes_on_alike(|| simulated(&scene(integrator)), 60, 7);
    }
}
