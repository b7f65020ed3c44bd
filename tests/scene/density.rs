use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_run::scene::Scene;

use crate::common::scenes::scene;

const DENSITY: f64 = 2000.0;

/// A body of these keys, turned and moved, without gravity.
fn body(keys: &str) -> String {
    format!(
        "[scene]\nname = \"body\"\n[time]\nframe_rate = 100.0\nframes = 1\n\
         [materials.m]\ndensity = {DENSITY:?}\nyoung_modulus = 1e9\npoisson_ratio = 0.2\n\
         [[bodies]]\nname = \"body\"\nmaterial = \"m\"\nposition = [1.0, 2.0, 3.0]\n\
         rotation = {{ axis = [1.0, 1.0, 0.0], degrees = 40.0 }}\n{keys}"
    )
}

/// Mass (kg) of the body, and the trace of its moment of inertia about its centre of mass (kg m2).
fn mass_and_trace(world: &World, state: &State) -> [f64; 2] {
    let particles = &world.particles;
    let mass: f64 = particles.mass.iter().sum();
    let mean = state.p.iter().zip(&particles.mass).map(|(p, m)| p * *m).sum::<Vec3>() / mass;
    let orbital: f64 = state.p.iter().zip(&particles.mass).map(|(p, m)| 2.0 * m * (p - mean).norm_squared()).sum();
    [mass, orbital + 3.0 * particles.inertia.iter().sum::<f64>()]
}

fn built(keys: &str, set: &[&str]) -> (Scene, World, State) {
    let scene = scene(&body(keys), set);
    let (world, state) = scene.build().expect("a scene to build");
    (scene, world, state)
}

const PACKINGS: [&str; 4] = ["\"hexagonal\"", "\"random\"", "\"random-loose\"", "{ shell = { fill = true } }"];

/// Shapes with their volume (m3) and trace of the moment of inertia over the mass (m2): 2 mean(r^2).
fn shapes() -> [(&'static str, f64, f64); 4] {
    let pi = std::f64::consts::PI;
    [
        ("box = { size = [0.1, 0.06, 0.08] }", 0.1 * 0.06 * 0.08, (0.01 + 0.0036 + 0.0064) / 6.0),
        ("sphere = { radius = 0.05 }", 4.0 / 3.0 * pi * 0.05f64.powi(3), 6.0 / 5.0 * 0.0025),
        ("cylinder = { radius = 0.05, height = 0.1 }", pi * 0.0025 * 0.1, 0.0025 + 0.01 / 6.0),
        ("tube = { radius = 0.05, inner_radius = 0.03, height = 0.1 }", pi * 0.0016 * 0.1, 0.0034 + 0.01 / 6.0),
    ]
}

#[test]
fn a_body_weighs_and_turns_as_the_solid() {
    for (shape, volume, trace) in shapes() {
        for packing in PACKINGS {
            let keys = format!("particle_radius = 0.004\nshape = {{ {shape} }}\npacking = {packing}\n");
            let (scene, world, state) = built(&keys, &[]);
            let [mass, moment] = mass_and_trace(&world, &state);
            assert!((mass / (DENSITY * volume) - 1.0).abs() < 1e-12, "{shape}, {packing}: {mass} kg");
            let error = moment / (mass * trace) - 1.0;
            assert!(error.abs() < 0.01, "{shape}, {packing}: the moment of inertia is off by {error}");
            let measures = scene.measures(&world, &state)[0];
            assert!((measures.bulk_density.unwrap() / DENSITY - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn grains_weigh_their_spheres() {
    let keys = "particle_radius = 0.004\nshape = { box = { size = [0.1, 0.06, 0.08] } }\n";
    for set in [&["materials.m.density_of=grains"][..], &["bodies.body.bonded=false"]] {
        let (_, world, _) = built(keys, set);
        let sphere = 4.0 / 3.0 * std::f64::consts::PI * 0.004f64.powi(3) * DENSITY;
        assert!(world.particles.mass.iter().all(|m| (m / sphere - 1.0).abs() < 1e-12), "{set:?}");
    }
    let (_, world, _) = built(keys, &["bodies.body.bonded=false", "materials.m.density_of=solid"]);
    assert!((world.particles.mass.iter().sum::<f64>() / (DENSITY * 0.00048) - 1.0).abs() < 1e-12);
}

/// A hollow shell weighs its layers, and a mesh what its triangles bound.
#[test]
fn shells_and_meshes_weigh_what_they_fill() {
    let keys = "particle_radius = 0.002\nshape = { sphere = { radius = 0.05 } }\npacking = \"shell\"\n";
    let (_, world, _) = built(keys, &[]);
    let layer = 4.0 / 3.0 * std::f64::consts::PI * (0.05f64.powi(3) - 0.046f64.powi(3));
    assert!((world.particles.mass.iter().sum::<f64>() / (DENSITY * layer) - 1.0).abs() < 0.02);
}

/// Sides of the body's spheres, m.
fn size(keys: &str, set: &[&str]) -> Vec3 {
    let (scene, world, state) = built(keys, set);
    scene.measures(&world, &state)[0].size
}

#[test]
fn layers_reach_the_faces() {
    for radius in ["0.003", "0.0041", "0.0058"] {
        let keys = |shape: &str| format!("particle_radius = {radius}\nshape = {{ {shape} }}\n");
        let r: f64 = radius.parse().unwrap();
        let cube = size(&keys("box = { size = [0.1, 0.06, 0.08] }"), &[]);
        assert!((cube - Vec3::new(0.1, 0.06, 0.08)).amax() < 0.05 * r, "{cube}");
        let cylinder = size(&keys("cylinder = { radius = 0.025, height = 0.1 }"), &[]);
        assert!((cylinder.z - 0.1).abs() < 0.05 * r, "{cylinder}");
    }
    // five layers of a cylinder of 100 mm end at 85 mm
    let five = "particle_radius = 0.01\nshape = { cylinder = { radius = 0.05, height = 0.1 } }\n";
    assert!((size(five, &[]).z - 0.1).abs() < 1e-9);
    let touching = size(five, &["bodies.body.packing.hexagonal.fit=false"]);
    assert!((touching.z - 0.0853).abs() < 1e-4, "{touching}");
}

/// The bonds of moved layers are those of touching spheres, longer by as much.
#[test]
fn moved_layers_keep_their_bonds() {
    let keys = "particle_radius = 0.01\nshape = { cylinder = { radius = 0.05, height = 0.1 } }\n";
    let [(_, fitted, _), (_, touching, _)] =
        [&[][..], &["bodies.body.packing.hexagonal.fit=false"]].map(|set| built(keys, set));
    assert_eq!(fitted.bonds().len(), touching.bonds().len());
    for (long, short) in fitted.bonds().iter().zip(touching.bonds()) {
        assert_eq!((long.i, long.j), (short.i, short.j));
        assert!((1.0 - 1e-9..1.25).contains(&(long.l0 / short.l0)), "{} {}", long.l0, short.l0);
    }
}
