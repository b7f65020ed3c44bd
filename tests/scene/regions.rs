//! Groups of a mesh's faces as regions, and initial velocities of parts of a body.

use std::fs;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_run::scene::Scene;

/// Box of 4 cm with an object and groups: its lid is of the material "red", its left side of the group "grip left".
const BOX: &str = "o crate
v -2 -2 -2\nv 2 -2 -2\nv 2 2 -2\nv -2 2 -2\nv -2 -2 2\nv 2 -2 2\nv 2 2 2\nv -2 2 2
g rest
usemtl grey
f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7
usemtl red
f 5 6 7 8
usemtl grey
g grip left
f -8 -4 -1 -5
";

const SCENE: &str = r#"[scene]
name = "regions"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 100.0
frames = 1
[materials.stone]
density = 2600.0
young_modulus = 1e8
poisson_ratio = 0.25
[[bodies]]
name = "crate"
material = "stone"
particle_radius = 0.002
shape = { mesh = { file = "crate.obj", scale = 0.01 } }
position = [1.0, 2.0, 3.0]
rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }
velocity = [1.0, 0.0, 0.0]
"#;

/// Scene with more text, beside its mesh.
fn load(more: &str) -> Result<(Scene, World, State), String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("crate.obj"), BOX).unwrap();
    fs::write(folder.path().join("scene.toml"), format!("{SCENE}{more}")).unwrap();
    let scene = Scene::load(&folder.path().join("scene.toml")).map_err(|error| error.to_string())?;
    let (world, state) = scene.build().map_err(|error| error.to_string())?;
    Ok((scene, world, state))
}

/// Indices of the particles for which this holds.
fn all(state: &State, holds: impl Fn(&Vec3) -> bool) -> Vec<u32> {
    (0..state.len() as u32).filter(|&i| holds(&state.p[i as usize])).collect()
}

#[test]
fn a_group_is_the_outer_layer_at_its_faces() {
    let held = |name: &str| {
        load(&format!("[[constraints]]\nbody = \"crate\"\nregion = {{ group = \"{name}\" }}\nmotion = \"fixed\"\n"))
    };
    let (_, world, state) = held("red").unwrap();
    let lid = all(&state, |p| p.z > 3.02 - 0.004);
    assert_eq!(world.constraints[0].particles, lid);
    assert!(lid.len() > 50 && lid.len() < state.len() / 5, "{} of {}", lid.len(), state.len());
    // the body's -x is the world's -y; words of a group count each and together
    for name in ["left", "grip left"] {
        let (_, world, state) = held(name).unwrap();
        assert_eq!(world.constraints[0].particles, all(&state, |p| p.y < 2.0 - 0.02 + 0.004 + 1e-9), "{name}");
    }
    let (_, world, state) = held("crate").unwrap();
    let inner = |p: &Vec3| (p - Vec3::new(1.0, 2.0, 3.0)).amax() < 0.016 - 1e-9;
    assert_eq!(world.constraints[0].particles, all(&state, |p| !inner(p)));
}

#[test]
fn a_group_that_is_not_there_is_named() {
    let error = load("[[constraints]]\nregion = { group = \"blue\" }\nmotion = \"fixed\"\n").unwrap_err();
    assert!(error.contains("no object, group or material \"blue\""), "{error}");
    assert!(error.contains("the mesh has crate, grey, grip, grip left, left, red, rest"), "{error}");
    let error = load("[[bodies]]\nname = \"b\"\nmaterial = \"stone\"\nparticle_radius = 0.002\nshape = { sphere = { radius = 0.01 } }\n\
                      [[constraints]]\nbody = \"b\"\nregion = { group = \"red\" }\nmotion = \"fixed\"\n")
    .unwrap_err();
    assert!(error.contains("give a body whose shape is the mesh of an OBJ file"), "{error}");
}

#[test]
fn parts_start_with_their_own_velocities() {
    let parts = "[[bodies.start]]\nregion = { group = \"red\" }\nvelocity = [0.0, 0.0, 3.0]\n\
                 [[bodies.start]]\nregion = { sphere = { centre = [1.0, 2.0, 3.0], radius = 0.01 } }\nangular_velocity = [0.0, 0.0, 5.0]\n";
    let (scene, _, state) = load(parts).unwrap();
    let spins = all(&state, |p| (p - Vec3::new(1.0, 2.0, 3.0)).norm() <= 0.01);
    let centre = spins.iter().map(|&i| state.p[i as usize]).sum::<Vec3>() / spins.len() as f64;
    for (i, p) in state.p.iter().enumerate() {
        let wanted = if spins.contains(&(i as u32)) {
            Vec3::z().cross(&(p - centre)) * 5.0
        } else if p.z > 3.016 {
            Vec3::z() * 3.0
        } else {
            Vec3::x()
        };
        assert!((state.v[i] - wanted).norm() < 1e-12, "{p:?}: {:?} {wanted:?}", state.v[i]);
    }
    assert!(scene.resolved_toml().contains("group = \"red\""));
    let nothing = "[[bodies.start]]\nregion = { sphere = { centre = [9.0, 0.0, 0.0], radius = 0.01 } }\n";
    let error = load(nothing).unwrap_err();
    assert!(error.contains("no particle of body \"crate\" lies in this region"), "{error}");
    let error = load("rigid = true\n[[bodies.start]]\nregion = { group = \"red\" }\n").unwrap_err();
    assert!(error.contains("is rigid, and moves as a whole"), "{error}");
}
