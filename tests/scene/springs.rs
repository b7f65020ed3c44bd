//! Bodies of springs: their vertices, masses and springs, what they touch, and wrong ones.

use std::fs;

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{BondModel, State, World};
use bdem_run::scene::{Scene, SceneError};

use crate::common::solids::{cube, obj, sphere};

/// A square of 2 m by 1 m in four triangles about its middle, and a vertex without a face.
const OPEN: &str = "v 9 9 9\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 1 0.5 0\nf 2 3 6\nf 3 4 6\nf 4 5 6\nf 5 2 6\n";

/// A sheet of springs above a floor.
const SHEET: &str = r#"[scene]
name = "sheet"

[time]
frame_rate = 24.0
frames = 2

[materials.rubber]
density = 1000.0
density_of = "grains"
young_modulus = 1e6
poisson_ratio = 0.3

[[bodies]]
name = "sheet"
packing = { edges = { file = "mesh.obj" } }
springs = { stiffness = 10.0, mass = 0.1 }
position = [0.0, 0.0, 1.0]

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
"#;

/// The scene `text` beside a `mesh` in OBJ.
fn load(text: &str, mesh: &str) -> Result<Scene, SceneError> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mesh.obj"), mesh).expect("a file");
    fs::write(folder.path().join("scene.toml"), text).expect("a file");
    Scene::load(&folder.path().join("scene.toml"))
}

fn build(text: &str, mesh: &str) -> Result<(World, State), SceneError> {
    load(text, mesh)?.build()
}

/// [`SHEET`] with one piece of text replaced.
fn edited(from: &str, to: &str) -> String {
    assert_eq!(SHEET.matches(from).count(), 1, "{from}");
    SHEET.replace(from, to)
}

#[test]
fn edges_of_an_open_mesh_become_springs() {
    let (world, state) = build(SHEET, OPEN).expect("a sheet");
    assert_eq!((state.len(), world.bonds().len()), (5, 8), "the vertex without a face is left out");
    assert_eq!(world.particles.mass, [0.1; 5]);
    assert_eq!(world.particles.radius, [0.5; 5], "half of the shortest edge");
    for bond in world.bonds() {
        let length = (state.p[bond.j as usize] - state.p[bond.i as usize]).norm();
        assert!(bond.model == BondModel::AXIAL && bond.k.n == 10.0 && (bond.l0 - length).abs() < 1e-15);
    }
}

/// Two square metres of 0.3 kg/m2. Triangles of 0.5 m2 at the long sides, and of the same at the short ones.
#[test]
fn density_of_area_is_lumped_to_vertices() {
    let (world, _) = build(&edited("mass = 0.1", "density = 0.3"), OPEN).expect("a sheet");
    let mut mass = world.particles.mass;
    mass.sort_by(f64::total_cmp);
    assert!((mass.iter().sum::<f64>() - 0.6).abs() < 1e-14);
    for (mass, share) in mass.iter().zip([1.0, 1.0, 1.0, 1.0, 2.0]) {
        assert!((mass - 0.1 * share).abs() < 1e-14, "{mass}");
    }
}

/// Bonds of any packing become springs; the density of particles is that of a material.
#[test]
fn packings_become_springs() {
    let solid = |matter: &str, packing: &str| {
        let text = edited("packing = { edges = { file = \"mesh.obj\" } }\n", &format!("packing = {packing}\n"));
        let text = text.replace("springs = { stiffness = 10.0, mass = 0.1 }\n", matter);
        build(&text, OPEN).expect("a block")
    };
    let radius = "particle_radius = 0.05\nshape = { box = { size = [0.6, 0.5, 0.4] } }\n";
    let springs = format!("{radius}springs = {{ stiffness = 10.0, density = 1000.0 }}\n");
    for packing in ["\"hexagonal\"", "\"random\"", "\"shell\""] {
        let (bonded, _) = solid(&format!("{radius}material = \"rubber\"\n"), packing);
        let (sprung, _) = solid(&springs, packing);
        let ends = |world: &World| world.bonds().iter().map(|bond| [bond.i, bond.j]).collect::<Vec<_>>();
        assert_eq!(ends(&bonded), ends(&sprung), "{packing}");
        assert_eq!(bonded.particles.mass, sprung.particles.mass, "{packing}");
    }
    let (rope, _) = solid(
        "particle_radius = 0.05\nsprings = { stiffness = 10.0, mass = 1.0 }\n",
        "{ rope = { length = 3.0, strands = 1, yarns = 1, turns = 0.0 } }",
    );
    assert!(rope.bonds().iter().all(|bond| bond.model == BondModel::AXIAL) && rope.bonds().len() > 20);
}

/// Springs break at their strain: strength over the section is k times the strain times the length.
#[test]
fn breaking_strain_is_a_strength() {
    let (world, _) = build(&edited("mass = 0.1", "mass = 0.1, breaking_strain = 0.2"), OPEN).expect("a sheet");
    for bond in world.bonds() {
        let force = bond.strength[0] * bond.area();
        assert!((force - 10.0 * 0.2 * bond.l0).abs() < 1e-12 && bond.strength[1] == f64::INFINITY);
    }
}

/// Without contacts they pass through each other and through walls; with contacts they do neither.
#[test]
fn contacts_are_off_unless_asked_for() {
    let ball = "[[bodies]]\nname = \"ball\"\nmaterial = \"rubber\"\nparticle_radius = 0.1\n\
                shape = { sphere = { radius = 0.3 } }\nposition = [1.0, 0.5, 1.0]\n";
    let through = edited("position = [0.0, 0.0, 1.0]\n", "") + ball;
    let (world, state) = build(&through, OPEN).expect("a sheet in the floor");
    let contacts = Contacts::new(&world, &state);
    assert!(contacts.pairs().iter().all(|pair| pair.i >= 5), "no pair with the sheet");
    let touching = through.replace("mass = 0.1", "mass = 0.1, contact = true");
    let error = build(&touching, OPEN).expect_err("in the floor").to_string();
    assert!(error.contains("body \"sheet\" is 5.000000e-1 m deep in collider 0"), "{error}");
    let above = edited("mass = 0.1", "mass = 0.1, contact = true, friction = 0.3");
    let (world, state) = build(&(above + &ball.replace("0.5, 1.0]", "0.5, 2.0]")), OPEN).expect("a sheet and a ball");
    assert!(Contacts::new(&world, &state).pairs().iter().any(|pair| pair.i < 5 && pair.j >= 5));
    assert!((world.contact_stiffness_of(0) - 10.0).abs() < 1e-12 && world.material_of(0).friction == 0.3);
}

/// Glue joins a vertex to a bonded body, with bonds of its own material.
#[test]
fn springs_are_glued_to_bonded_bodies() {
    let ball = "[[bodies]]\nname = \"ball\"\nmaterial = \"rubber\"\nparticle_radius = 0.1\n\
                shape = { sphere = { radius = 0.3 } }\nposition = [-0.6, 0.0, 1.0]\n\
                [[glue]]\nbodies = [\"sheet\", \"ball\"]\nmaterial = \"rubber\"\ngap = 0.5\n";
    let (world, _) = build(&(SHEET.to_owned() + ball), OPEN).expect("a sheet glued to a ball");
    let glue: Vec<_> = world.bonds().iter().filter(|bond| bond.i < 5 && bond.j >= 5).collect();
    assert!(!glue.is_empty() && glue.iter().all(|bond| bond.model == BondModel::QUATERNION && bond.k.s > 0.0));
}

/// STL repeats each vertex in each of its triangles.
#[test]
fn equal_vertices_of_stl_are_one() {
    let mut stl = String::from("solid a\n");
    let mut facet = |corners: [[f64; 2]; 3]| {
        stl += "facet normal 0 0 1\nouter loop\n";
        corners.iter().for_each(|[x, y]| stl += &format!("vertex {x} {y} 0\n"));
        stl += "endloop\nendfacet\n";
    };
    facet([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    facet([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    stl += "endsolid a\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mesh.stl"), stl).expect("a file");
    fs::write(folder.path().join("scene.toml"), SHEET.replace("mesh.obj", "mesh.stl")).expect("a file");
    let (world, state) = Scene::load(&folder.path().join("scene.toml")).and_then(|it| it.build()).expect("a sheet");
    assert_eq!((state.len(), world.bonds().len()), (4, 5));
}

/// Closed meshes have springs at their surface, and springs inside where they are filled.
#[test]
fn closed_meshes_have_edges_too() {
    let (corners, faces) = sphere(1.0, 12);
    let (world, state) =
        build(&edited("1.0]\n\n[[coll", "2.0]\n\n[[coll"), &obj(&(corners.clone(), faces.clone()))).expect("a ball");
    assert_eq!((state.len(), world.bonds().len()), (corners.len(), faces.len() * 3 / 2));
    assert!(state.p.iter().all(|p| ((p - Vec3::z() * 2.0).norm() - 1.0).abs() < 1e-3));
}

/// An edit of the good scene, the text that the error must underline, and a part of its message.
type Case = (&'static str, &'static str, &'static str, &'static str);

const WRONG: &[Case] = &[
    ("stiffness = 10.0", "stiffness = -1.0", "-1.0", "stiffness is -1.0, but must be a positive number (N/m)"),
    ("stiffness = 10.0", "stiffness = 1e20", "1e20", "at most 1000000000000000.0 N/m"),
    ("stiffness = 10.0, ", "", "{ mass = 0.1 }", "missing key `stiffness`"),
    ("mass = 0.1", "mas = 0.1", "mas", "did you mean `mass`?"),
    (", mass = 0.1", "", "{ stiffness = 10.0 }", "missing mass, or in its place density"),
    ("mass = 0.1", "mass = 0.1, density = 0.3", "0.3", "are both given"),
    ("mass = 0.1", "mass = 0.0", "0.0", "mass is 0.0, but must be a positive number (kg)"),
    ("mass = 0.1", "density = -0.3", "-0.3", "density is -0.3, but must be a positive number (kg/m2)"),
    ("mass = 0.1", "mass = 0.1, damping = -1.0", "-1.0", "damping is -1.0, but must be a number of at least 0"),
    ("mass = 0.1", "mass = 0.1, breaking_strain = 0.0", "0.0", "or inf for springs that never break"),
    ("mass = 0.1", "mass = 0.1, friction = 0.3", "0.3", "add contact = true, or leave friction out"),
    ("position", "rigid = true\nposition", "true", "a body of springs cannot be rigid"),
    ("position", "bonded = false\nposition", "false", "a body of springs cannot be granular"),
    ("position", "material = \"rubber\"\nposition", "\"rubber\"", "a body of springs has no material"),
    ("position", "shape = { sphere = { radius = 0.03 } }\nposition", "{ sphere", "this packing fills no shape"),
    (
        "springs = { stiffness = 10.0, mass = 0.1 }\n",
        "",
        "[[bodies]]",
        "missing key `material`, or in its place `springs`",
    ),
    (
        "springs = { stiffness = 10.0, mass = 0.1 }\n",
        "material = \"rubber\"\n",
        "{ edges",
        "the edges of a mesh are springs, and this body has a material",
    ),
    ("mesh.obj\" }", "mesh.obj\", scale = -1.0 }", "-1.0", "scale is -1.0, but must be a positive number"),
];

#[test]
fn wrong_springs_are_refused_at_their_line() {
    for &(from, to, underlined, message) in WRONG {
        let error = build(&edited(from, to), OPEN).expect_err(to).to_string();
        assert!(error.contains(message), "{to}: {error}");
        let SceneError::Wrong { excerpt, .. } = build(&edited(from, to), OPEN).expect_err(to) else { panic!("{to}") };
        let lines: Vec<&str> = excerpt.lines().collect();
        let marked = lines.iter().position(|line| line.contains('^')).map(|k| (lines[k - 1], lines[k].find('^')));
        let (line, start) = marked.expect("a mark");
        assert!(line[start.expect("a mark")..].starts_with(underlined), "{to}: {error}");
    }
}

#[test]
fn wrong_meshes_are_refused() {
    let of = |mesh: &str| build(SHEET, mesh).expect_err("a wrong mesh").to_string();
    let short = of("v 0 0 0\nv 1 0 0\nv 1 0 0\nf 1 2 3\n");
    assert!(
        short.contains(
            "vertices 1 and 2 of the mesh (the first is 0) are joined by an edge, and both at [1.0, 0.0, 0.0] m"
        ),
        "{short}"
    );
    assert!(short.contains("merge the two vertices"), "{short}");
    assert!(of("v 0 0 0\n").contains("the mesh has no triangles"));
    let volume = edited(
        "packing = { edges = { file = \"mesh.obj\" } }\n",
        "particle_radius = 0.1\nshape = { mesh = { file = \"mesh.obj\" } }\n",
    );
    let open = build(&volume, OPEN).expect_err("an open mesh").to_string();
    assert!(open.contains("the mesh is open") || open.contains("has no volume"), "{open}");
    assert!(build(&edited("1.0]\n\n[[coll", "2.0]\n\n[[coll"), &obj(&cube(1.0))).is_ok());
}

/// A triangle without area gives its vertices no mass.
#[test]
fn vertices_without_mass_are_refused() {
    let flat = "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n";
    let error = build(&edited("mass = 0.1", "density = 0.3"), flat).expect_err("no mass").to_string();
    assert!(error.contains("particle 0 of the body would have a mass of 0e0 kg"), "{error}");
}
