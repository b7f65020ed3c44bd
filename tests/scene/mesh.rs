use std::fs;
use std::path::PathBuf;

use bdem_core::geometry::Vec3;
use bdem_run::mesh::Triangles;
use bdem_run::scene::{Scene, SceneError};
use tempfile::TempDir;

use crate::common::solids::{cube, obj, sphere, together};
use crate::scene::edited;

/// A folder with the scene, whose ball is the mesh, and the mesh's file; both in folders of their own.
struct Place {
    folder: TempDir,
}

const FILE: &str = "meshes/ball.obj";

impl Place {
    fn new(mesh: &str, bytes: &[u8]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path("meshes")).unwrap();
        fs::write(place.path(FILE), bytes).unwrap();
        fs::write(place.path("scene.toml"), edited("{ sphere = { radius = 0.03 } }", mesh)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn load(&self) -> Result<Scene, SceneError> {
        Scene::load(&self.path("scene.toml"))
    }
}

/// A ball of 60 mm in millimetres.
fn ball() -> Triangles {
    sphere(30.0, 24)
}

const MESH: &str = "{ mesh = { file = \"meshes/ball.obj\", scale = 1e-3 } }";

#[test]
fn a_mesh_is_packed_where_it_is() {
    let (world, state) = Place::new(MESH, obj(&ball()).as_bytes()).load().unwrap().build().unwrap();
    let places: Vec<Vec3> = (0..state.len()).filter(|&i| world.particles.body[i] == 1).map(|i| state.p[i]).collect();
    assert!(places.len() > 50, "{}", places.len());
    assert!(places.iter().all(|p| (p - Vec3::z() * 0.2).norm() <= 0.025));
}

/// Its distances are those of a ball of 30 mm, to a share of the grid's spacing.
#[test]
fn a_mesh_is_a_wall() {
    let place = Place::new("{ sphere = { radius = 0.03 } }", obj(&sphere(30.0, 80)).as_bytes());
    let text = fs::read_to_string(place.path("scene.toml")).unwrap();
    let wall = format!("\n[[colliders]]\nshape = {MESH}\nposition = [0.0, 0.0, 0.6]\n");
    fs::write(place.path("scene.toml"), text + &wall).unwrap();
    let (world, _) = place.load().unwrap().build().unwrap();
    let wall = world.walls.last().unwrap();
    for (x, z) in [(0.033, 0.0), (0.0, 0.031), (0.02, -0.024), (0.05, 0.05)] {
        let off = Vec3::new(x, 0.0, z);
        let distance = wall.at(0.0).distance(&(Vec3::z() * 0.6 + off));
        assert!((distance - (off.norm() - 0.03)).abs() < 2e-4, "{off}: {distance}");
    }
    let (gap, normal) = wall.at(0.0).touch(&Vec3::new(0.031, 0.0, 0.6), 0.005).unwrap();
    assert!((gap + 0.004).abs() < 2e-4 && (normal - Vec3::x()).norm() < 0.05, "{gap} {normal}");
    assert!(wall.at(0.0).touch(&Vec3::new(0.036, 0.0, 0.6), 0.005).is_none());
}

#[test]
fn y_becomes_z_where_it_is_up() {
    let (mut corners, faces) = cube(20.0);
    corners.iter_mut().for_each(|p| *p += Vec3::new(0.0, 30.0, 10.0));
    let up = MESH.replace("1e-3", "1e-3, up = \"y\"");
    let place = Place::new(&up, obj(&(corners, faces)).as_bytes());
    let (world, state) = place.load().unwrap().build().unwrap();
    for i in (0..state.len()).filter(|&i| world.particles.body[i] == 1) {
        let p = state.p[i] - Vec3::new(0.0, -0.01, 0.23);
        assert!(p.amax() <= 0.005 + 1e-9, "{p}");
    }
}

#[test]
fn the_resolved_scene_finds_its_meshes_from_anywhere() {
    let combined = format!("{{ union = [{MESH}, {{ moved = {{ shape = {MESH}, position = [0.01, 0, 0] }} }}] }}");
    for mesh in [MESH, &combined] {
        let place = Place::new(mesh, obj(&ball()).as_bytes());
        let scene = place.load().unwrap();
        let resolved = place.path("meshes/resolved.toml");
        fs::write(&resolved, scene.resolved_toml()).unwrap();
        let again = Scene::load(&resolved).unwrap();
        assert_eq!(again.resolved_toml(), scene.resolved_toml());
        assert_eq!(again.build().unwrap().1, scene.build().unwrap().1);
    }
}

#[test]
fn the_digest_is_of_the_mesh_too() {
    let [one, same, other] = [24, 24, 25].map(|n| {
        let place = Place::new(MESH, obj(&sphere(30.0, n)).as_bytes());
        place.load().unwrap().digest()
    });
    assert_eq!(one, same);
    assert_ne!(one, other);
}

#[test]
fn what_is_wrong_with_a_mesh_is_told_with_its_file_and_what_to_do() {
    let good = obj(&ball());
    let (corners, faces) = ball();
    let half = obj(&(corners, faces[..faces.len() / 2].to_vec()));
    let thin = MESH.replace("1e-3", "1e-4");
    let cases: [(&str, &[u8], &[&str]); 8] = [
        (
            &MESH.replace("ball", "bell"),
            good.as_bytes(),
            &["bell.obj: cannot be read: ", "relative to the scene's folder"],
        ),
        (&MESH.replace("/ball.obj", ""), good.as_bytes(), &["meshes: cannot be read: is a directory"]),
        (&MESH.replace("ball.obj", "../scene.toml"), good.as_bytes(), &["ends in \"toml\"", "to OBJ, STL or PLY"]),
        (MESH, b"no mesh", &["ball.obj: the mesh has no triangles"]),
        (
            MESH,
            b"v 0 0 0\nf 1 2 3",
            &["ball.obj: the mesh cannot be read: line 2: face vertex index out of bounds", "export it again"],
        ),
        (MESH, &[0xff; 100], &["ball.obj: the mesh has no triangles", "export its faces too"]),
        (MESH, half.as_bytes(), &["ball.obj: the mesh is open: 24 edges", "close its holes"]),
        (&thin, good.as_bytes(), &["the shape is 0.00", " m thick, thinner than one particle: no particle fits"]),
    ];
    for (mesh, bytes, parts) in cases {
        let place = Place::new(mesh, bytes);
        let error = place.load().unwrap_err().to_string();
        assert!(error.contains("scene.toml:32:"), "{error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}, not {parts:?}");
    }
    let scale = Place::new(&MESH.replace("1e-3", "0"), good.as_bytes()).load().unwrap_err().to_string();
    assert!(scale.contains("scale is 0.0, but must be a positive number"), "{scale}");
}

#[test]
fn a_mesh_inside_out_is_turned_with_a_warning() {
    let (corners, faces) = ball();
    let inverted = (corners, faces.iter().map(|[a, b, c]| [*a, *c, *b]).collect());
    let [good, turned] = [ball(), inverted].map(|mesh| Place::new(MESH, obj(&mesh).as_bytes()).load().unwrap());
    assert!(good.warnings().is_empty());
    let [warning] = turned.warnings() else { panic!("{:?}", turned.warnings()) };
    let parts = ["scene.toml:32:", "ball.obj: 1 of the mesh's 1 shells faced inwards", "flip their normals"];
    assert!(parts.iter().all(|part| warning.contains(part)), "{warning}");
    assert_eq!(turned.build().unwrap().1.len(), good.build().unwrap().1.len());
}

#[test]
fn particles_larger_than_the_walls_of_a_mesh_are_refused() {
    // a shell of 8 mm: a ball in a ball that is inside out
    let (outer, mut inner) = (ball(), sphere(22.0, 24));
    inner.1.iter_mut().for_each(|face| face.swap(1, 2));
    let shell = together(outer, inner, Vec3::zeros());
    let error = Place::new(MESH, obj(&shell).as_bytes()).load().unwrap_err().to_string();
    assert!(error.contains("the shape is 0.008") && error.contains("no particle fits"), "{error}");
}
