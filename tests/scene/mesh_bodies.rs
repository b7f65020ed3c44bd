use std::fmt::Write;
use std::fs;

use bdem_core::fracture::Pieces;
use bdem_run::scene::Scene;
use tempfile::TempDir;

use crate::common::solids::cube;

/// Three bricks of 40 mm along x with joints of 2 mm, the last 100 mm away from them: objects of a file in centimetres.
fn bricks() -> String {
    let (corners, faces) = cube(4.0);
    let mut text = String::new();
    for (k, (name, x)) in [("left.1", 0.0), ("mid dle", 4.2), ("right", 18.2)].into_iter().enumerate() {
        let group = if k == 1 { "inner" } else { "outer" };
        writeln!(text, "o {name}\ng {group}").unwrap();
        corners.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x + x, p.y, p.z).unwrap());
        let first = 8 * k as u32 + 1;
        faces.iter().for_each(|[a, b, c]| writeln!(text, "f {} {} {}", first + a, first + b, first + c).unwrap());
    }
    text
}

const WALL: &str = r#"[scene]
name = "wall"
[time]
frame_rate = 100.0
frames = 1
[materials.clay]
density = 2000.0
young_modulus = 1e8
poisson_ratio = 0.25
[[bodies]]
name = "wall"
material = "clay"
particle_radius = 0.005
position = [0.0, 0.0, 1.0]
shape = { mesh = { file = "bricks.obj", scale = 0.01, bodies = "objects" } }
mortar = { material = "concrete", gap = 0.6 }
[[bodies]]
name = "last"
material = "clay"
particle_radius = 0.005
shape = { sphere = { radius = 0.02 } }
"#;

/// Folder with the file of the bricks.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bricks.obj"), bricks()).unwrap();
    folder
}

fn load(folder: &TempDir, text: &str) -> Result<Scene, String> {
    fs::write(folder.path().join("scene.toml"), text).unwrap();
    Scene::load(&folder.path().join("scene.toml")).map_err(|error| error.to_string())
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

#[test]
fn objects_and_groups_are_bodies_with_mortar_between_those_that_touch() {
    let folder = folder();
    let scene = load(&folder, WALL).expect("a scene");
    assert_eq!(names(&scene), ["wall_left_1", "wall_mid_dle", "wall_right", "last"]);
    let (world, state) = scene.build().expect("a world");
    assert_eq!(Pieces::of(&world).count, 3, "the first two are one");
    for body in 0..3 {
        let x = (0..state.len()).filter(|&i| world.particles.body[i] == body).map(|i| state.p[i].x);
        let middle = [0.0, 0.042, 0.182][usize::from(body)];
        assert!(x.clone().count() > 20 && x.into_iter().all(|x| (x - middle).abs() < 0.0151), "{body}");
    }
    // what a run writes is the same scene
    let again = load(&folder, &scene.resolved_toml()).expect("a scene");
    assert_eq!(again.resolved_toml(), scene.resolved_toml());
    assert_eq!(again.build().expect("a world").1.p, state.p);
    let groups = WALL.replace("\"objects\"", "\"groups\"").replace("gap = 0.6", "gap = 0.7");
    assert_eq!(names(&load(&folder, &groups).expect("a scene")), ["wall_outer", "wall_inner", "last"]);
    let one = WALL.replace("bodies = \"objects\"", "object = \"mid dle\"");
    let one = one.replace("mortar = { material = \"concrete\", gap = 0.6 }\n", "");
    assert_eq!(names(&load(&folder, &one).expect("a scene")), ["wall", "last"]);
}

#[test]
fn parts_that_cannot_be_bodies_are_refused() {
    let folder = folder();
    let no_name = bricks().replace("o left.1\n", "");
    let twice = bricks().replace("o right", "o left.1");
    let alike = bricks().replace("o right", "o left_1");
    for (name, text) in [("no_name", no_name), ("twice", twice), ("alike", alike)] {
        fs::write(folder.path().join(format!("{name}.obj")), text).unwrap();
    }
    fs::write(folder.path().join("none.obj"), "v 0 0 0\n").unwrap();
    fs::write(folder.path().join("bricks.stl"), "solid\n").unwrap();
    for (from, to, expected) in [
        ("bodies = \"objects\"", "bodies = \"pieces\"", "unknown name `pieces`"),
        ("bricks.obj", "brick.obj", "brick.obj: cannot be read"),
        ("bricks.obj", "bricks.stl", "has no objects: those are of OBJ files"),
        ("bricks.obj", "none.obj", "none.obj: it has no objects with faces"),
        ("bricks.obj", "no_name.obj", "a face before the first object (o)"),
        ("bricks.obj", "twice.obj", "a second object \"left.1\""),
        ("bricks.obj", "alike.obj", "\"left.1\" and \"left_1\" would both be the body \"wall_left_1\""),
        ("bodies = \"objects\"", "object = \"top\"", "mortar joins the bodies of one mesh"),
        (
            "shape = { sphere",
            "shape = { mesh = { file = 'bricks.obj', object = 'x' } } #",
            "no object \"x\", but left.1, mid dle",
        ),
        ("shape = { sphere", "shape = { mesh = { file = 'bricks.obj', object = 'x', group = 'y' } } #", "given both"),
        (
            "shape = { sphere",
            "shape = { moved = { shape = { mesh = { file = 'bricks.obj', bodies = 'objects' } } } } #",
            "only a mesh that is the shape of a body",
        ),
        ("gap = 0.6", "gab = 0.6", "unknown key `gab`"),
        ("gap = 0.6", "gap = 6.0", "gap is 6.0, but must be at"),
        ("\"concrete\"", "\"mud\"", "there is no material \"mud\""),
        ("name = \"last\"", "name = \"wall_right\"", "two bodies have the name \"wall_right\""),
    ] {
        let text = WALL.replacen(from, to, 1);
        assert!(text != WALL, "{from}");
        let error = load(&folder, &text).expect_err(to);
        assert!(error.contains(expected), "{to}: {error}");
    }
    let apart = load(&folder, &WALL.replace("gap = 0.6", "gap = 0.0")).expect("a scene");
    let error = apart.build().expect_err("no bond").to_string();
    let line = "scene.toml:16";
    let expected = "\"wall_left_1\" and \"wall_mid_dle\" are too far apart";
    assert!(error.contains(expected) && error.contains(line), "{error}");
}
