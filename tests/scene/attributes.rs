//! Charges from attributes of files, and errors that name file, attribute and line.

use std::fs;

use bdem_core::model::{State, World};
use bdem_run::scene::{Scene, SceneError};
use tempfile::tempdir;

use crate::scene::PLATE;

/// The plate and `body`, whose packing has the file `name` with this `content`, and charges from its attribute `charge`.
fn scene(body: &str, name: &str, content: &str) -> Result<Scene, SceneError> {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join(name), content).expect("space");
    let text = format!(
        "{PLATE}\n[[bodies]]\nname = \"read\"\nposition = [0.0, 0.0, 1.0]\n{body}\n\
         [[charges]]\nbody = \"read\"\nattribute = \"charge\"\n"
    );
    Scene::parse(&folder.path().join("scene.toml"), &text, &[])
}

/// Body of particles in the file `name`.
fn particles(name: &str) -> String {
    format!("material = \"ceramic\"\nbonded = false\npacking = {{ particles = {{ file = \"{name}\" }} }}")
}

/// Body of springs along the edges of the mesh `name`.
fn springs(name: &str) -> String {
    format!(
        "springs = {{ stiffness = 10.0, mass = 0.1 }}\npacking = {{ edges = {{ file = \"{name}\", scale = 0.1 }} }}"
    )
}

/// The x (m) of the charged particles, and their charges, C.
fn charged((world, state): (World, State)) -> Vec<[f64; 2]> {
    let mut charges = Vec::new();
    world.electrostatics.charges_at(0.5, &mut charges);
    let places = world.electrostatics.particles().iter().map(|&i| state.p[i as usize].x);
    places.zip(charges).map(|(x, charge)| [x, charge]).collect()
}

/// Particles are sorted by their places, and their charges with them.
#[test]
fn charges_come_from_particle_files() {
    let csv = "x,y,z,radius,charge\n0.3,0,0,0.01,3e-6\n# none\n0.1,0,0,0.01,1e-6\n0.2,0,0,0.01,-2e-6\n";
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double charge\nproperty float x\nproperty float y\n\
               property float z\nproperty float radius\nend_header\n3e-6 0.75 0 0 0.01\n1e-6 0.25 0 0 0.01\n-2e-6 0.5 0 0 0.01\n";
    for (name, content, x) in [("three.csv", csv, [0.1, 0.2, 0.3]), ("three.PLY", ply, [0.25, 0.5, 0.75])] {
        let built = scene(&particles(name), name, content).and_then(|scene| scene.build());
        let charged = charged(built.unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(charged, [[x[0], 1e-6], [x[1], -2e-6], [x[2], 3e-6]], "{name}");
    }
}

/// A square of 4 m in two triangles. Its first vertex belongs to none.
const SHEET: &str = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                     property uchar flag\nproperty TYPE charge\nelement face 2\nproperty list uchar int vertex_indices\n\
                     end_header\n9 9 9 1 9\n0 0 0 1 1\n4 1 0 2 -2\n3 4 0 3 3\n1 4 0 4 0\n3 1 2 3\n3 1 3 4\n";

/// Numbers of any type, at the vertices that have triangles.
#[test]
fn charges_come_from_meshes_of_springs() {
    for kind in ["double", "float", "int", "char"] {
        let content = SHEET.replace("TYPE", kind);
        let built = scene(&springs("sheet.ply"), "sheet.ply", &content).and_then(|scene| scene.build());
        let charged = charged(built.unwrap_or_else(|error| panic!("{error}")));
        let expected = [[0.0, 1.0], [0.4, -2.0], [0.3, 3.0], [0.1, 0.0]];
        let is_near = |([x, q], [x0, q0]): (&[f64; 2], &[f64; 2])| (x - x0).abs() < 1e-15 && q == q0;
        assert!(charged.len() == 4 && charged.iter().zip(&expected).all(is_near), "{kind}: {charged:?}");
    }
}

/// Charges of several coulombs are microcoulombs.
#[test]
fn large_attributes_are_warned_of() {
    let scene = scene(&springs("sheet.ply"), "sheet.ply", &SHEET.replace("TYPE", "double")).expect("a scene");
    let warnings = scene.warnings().join("\n");
    assert!(warnings.contains("attribute is 3 C") && warnings.contains("3e-6 for microcoulombs?"), "{warnings}");
}

#[test]
fn errors_name_file_attribute_and_line() {
    let sheet = |from: &str, to: &str| SHEET.replace("TYPE", "double").replace(from, to);
    let head = "x,y,z,radius";
    let wrong = [
        ("p.csv", format!("{head}\n0,0,0,0.01\n"), "p.csv: it has no column \"charge\", but x, y, z, radius"),
        ("p.csv", format!("{head},charge\n0,0,0,0.01,\n"), "p.csv: particle 0: charge is \"\", but must be a number"),
        ("p.csv", format!("{head},charge\n0,0,0,0.01,inf\n"), "p.csv: vertex or row 0 (the first is 0): charge is inf"),
        ("s.ply", sheet("charge", "q"), "s.ply: its vertices have no number \"charge\", but x, y, z, flag, q"),
        ("s.ply", sheet("4 1 0 2 -2", "4 1 0 2 1e400"), "s.ply: vertex or row 2 (the first is 0): charge is inf"),
        ("s.ply", sheet("4 1 0 2 -2", "4 1 0 2 -2e10"), "from -1000000000.0 to 1000000000.0 C"),
        ("s.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned(), "s.obj: only PLY and CSV files have attributes"),
    ];
    for (name, content, message) in wrong {
        let body = if name.starts_with('p') { particles(name) } else { springs(name) };
        let error = scene(&body, name, &content).expect_err(message).to_string();
        assert!(error.contains(message), "{message}: {error}");
        assert!(error.lines().any(|line| line.contains("attribute = \"charge\"")), "{error}");
    }
}
