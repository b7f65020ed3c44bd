use std::fs;
use std::path::Path;

use bdem_run::scene::Scene;

use crate::common::solids::{cube, obj};
use crate::scene::PLATE;

/// What loading [`PLATE`] says, with a wall that is the mesh in this file beside the scene, and a mesh in `wall.obj`.
fn with_wall(file: &str) -> Result<Scene, String> {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("wall.obj"), obj(&cube(0.1))).unwrap();
    let wall = format!("\n[[colliders]]\nshape.mesh.file = {file}\nposition = [0, 0, 9]\n");
    fs::write(inner.join("scene.toml"), PLATE.to_owned() + &wall).unwrap();
    Scene::load(&inner.join("scene.toml")).map_err(|error| error.to_string())
}

#[test]
fn only_files_that_exist_can_be_named() {
    with_wall("'../wall.obj'").unwrap();
    let long = format!("'{}.obj'", "a".repeat(5000));
    let deep = format!("'{}wall.obj'", "inner/../".repeat(2000));
    let names = ["'wall.obj'", "'/nowhere/wall.obj'", "'../../wall.obj'", "''", "'.'", "'..'", "'/'", "'wall.obj/'"];
    for name in names.into_iter().chain(["\"../wall.obj\\u0000\"", "\"\\u0000\"", &long, &deep]) {
        let error = with_wall(name).expect_err(name);
        assert!(error.contains("scene.toml:") && error.contains(": cannot be read: "), "{name}: {error}");
    }
}

#[test]
fn scenes_larger_than_any_are_not_read_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, "#".repeat((1 << 24) + 1)).unwrap();
    let error = Scene::load(&path).unwrap_err().to_string();
    assert!(error.contains("scene.toml: cannot be read: larger than 16 MiB"), "{error}");
}

/// Nobody writes to the pipe, and the device has no end.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.obj");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for file in [pipe.to_str().unwrap(), "/dev/zero"] {
        let error = with_wall(&format!("'{file}'")).unwrap_err();
        assert!(error.contains("not a regular file"), "{error}");
    }
    let error = Scene::load(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(error.contains("/dev/zero: cannot be read: larger than 16 MiB"), "{error}");
}

/// Sampling a mesh takes a second: its walls share it.
#[test]
fn walls_of_one_mesh_are_loaded_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wall.obj"), obj(&cube(0.1))).unwrap();
    let wall = "\n[[colliders]]\nshape.mesh.file = 'wall.obj'\nposition = [0, 0, 9]\n";
    let text = PLATE.to_owned() + &wall.repeat(200);
    let scene = Scene::parse(&folder.path().join("scene.toml"), &text, &[]).unwrap();
    assert_eq!(scene.build().unwrap().0.walls.len(), 201);
}
