use std::path::Path;

use bdem_run::scene::{Scene, SceneError};

use crate::scene::{PLATE, edited, parse};

/// The good scene with the ball's shape and radius replaced by other keys, as lines.
fn with_ball(keys: &str) -> String {
    edited("particle_radius = 0.005\nshape = { sphere = { radius = 0.03 } }\n", keys)
}

const SPHERE: &str = "shape = { sphere = { radius = 0.03 } }\n";

/// How many particles and bonds the ball has, and whether the resolved scene says the same again.
fn built(keys: &str) -> (usize, usize) {
    let scene = parse(&with_ball(keys)).unwrap_or_else(|error| panic!("{error}"));
    let again = parse(&scene.resolved_toml()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.resolved_toml(), scene.resolved_toml());
    let (world, state) = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.build().unwrap().1, state);
    let mine = |i: usize| world.particles.body[i] == 1;
    let particles = (0..state.len()).filter(|&i| mine(i)).count();
    (particles, world.bonds().iter().filter(|bond| mine(bond.i as usize)).count())
}

#[test]
fn packings_go_by_name_or_table() {
    let usual = built(&format!("particle_radius = 0.005\n{SPHERE}"));
    assert_eq!(built(&format!("particle_radius = 0.005\n{SPHERE}packing = \"hexagonal\"\n")), usual);
    let turned = "packing = { hexagonal = { rotation = { axis = [1, 2, 0], degrees = 20 } } }\n";
    assert!(built(&format!("particle_radius = 0.005\n{SPHERE}{turned}")).0 > 80);
    for packing in ["\"random\"", "{ random = { gap = 0.2 } }", "\"shell\"", "{ shell = { layers = 2 } }"] {
        let (particles, bonds) = built(&format!("particle_radius = 0.003\n{SPHERE}packing = {packing}\n"));
        assert!(particles > 80 && bonds > 2 * particles, "{packing}: {particles}, {bonds}");
    }
    let range = "packing = { random = { radius_range = [0.002, 0.004] } }\n";
    assert!(built(&format!("{SPHERE}{range}")).0 > 200);
}

#[test]
fn ropes_and_cloth_have_no_shape() {
    let rope = "particle_radius = 0.002\npacking = { rope = { length = 0.1, strands = 3, yarns = 2, turns = 10 } }\n";
    let (particles, bonds) = built(rope);
    assert_eq!(particles - bonds, 6);
    let cloth = "particle_radius = 0.001\npacking = { woven = { size = [0.05, 0.04], spacing = 0.006 } }\n";
    let (particles, bonds) = built(cloth);
    assert_eq!(particles - bonds, 8 + 7);
}

#[test]
fn granules_are_packed_and_not_bonded() {
    let (particles, bonds) = built(&format!("particle_radius = 0.005\n{SPHERE}bonded = false\n"));
    assert!(particles > 80 && bonds == 0);
}

#[test]
fn rigid_bodies_are_free_unless_a_constraint_moves_them() {
    let ball = with_ball(&format!("particle_radius = 0.005\n{SPHERE}rigid = true\n"));
    let free = parse(&ball).unwrap().build().unwrap().0;
    let driven = format!("{ball}\n[[constraints]]\nbody = \"ball\"\nmotion = {{ velocity = [0.0, 0.0, -1.0] }}\n");
    let driven = parse(&driven).unwrap().build().unwrap().0;
    for (world, is_free) in [(free, true), (driven, false)] {
        let [body] = &world.rigid[..] else { panic!("one body is rigid") };
        assert!(body.is_free == is_free && body.particles.len() > 80);
        assert!(world.bonds().iter().all(|bond| !body.particles.contains(&(bond.i as usize))));
    }
}

#[test]
fn macroscopic_moduli_need_a_shape() {
    let rope = "particle_radius = 0.005\npacking = { rope = { length = 0.1, strands = 1, yarns = 1, turns = 0.0 } }\n";
    let text = with_ball(rope).replace("young_modulus", "moduli = \"macroscopic\"\nyoung_modulus");
    let error = parse(&text).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has macroscopic moduli or strengths, or a fracture energy, but this packing fills no shape"),
        "{error}"
    );
}

#[test]
fn bonds_know_both_radii() {
    let text =
        with_ball(&format!("{SPHERE}packing = {{ random = {{ radius_range = [0.002, 0.004], gap = 0.05 }} }}\n"));
    let (world, state) = parse(&text).unwrap().build().unwrap();
    let radius = &world.particles.radius;
    for bond in world.bonds().iter().filter(|bond| world.particles.body[bond.i as usize] == 1) {
        let (i, j) = (bond.i as usize, bond.j as usize);
        assert_eq!(bond.r0, 0.5 * (radius[i] + radius[j]));
        assert!(((state.p[j] - state.p[i]).norm() - bond.l0).abs() < 1e-12);
        assert!((2.0 * bond.r0..2.051 * bond.r0).contains(&(bond.l0 * (1.0 + 1e-12))));
    }
}

#[test]
fn random_packings_are_reported() {
    let text = with_ball(&format!("particle_radius = 0.002\n{SPHERE}packing = \"random\"\n"));
    let scene = parse(&text).unwrap();
    let (world, _) = scene.build().unwrap();
    let [filling] = &scene.fillings(&world)[..] else { panic!("one body is packed at random") };
    assert_eq!(filling.body, "ball");
    assert!((0.5..0.62).contains(&filling.solid_fraction), "{filling:?}");
    assert!((7.0..8.5).contains(&filling.coordination), "{filling:?}");
    assert!(parse(PLATE).unwrap().fillings(&world).is_empty());
}

/// What is in the place of the ball's radius and shape, the text that the error underlines, and a part of its message.
const WRONG: &[(&str, &str, &str)] = &[
    ("particle_radius = 0.005\n", "[[bodies]]", "missing key `shape`"),
    ("shape = { sphere = { radius = 0.03 } }\n", "[[bodies]]", "missing key `particle_radius`"),
    ("packing = \"rope\"\n", "\"rope\"", "this name needs values"),
    ("packing = \"dense\"\n", "\"dense\"", "unknown name `dense`, expected one of `hexagonal`, `random`"),
    ("packing = { random = { gaps = 0.1 } }\n", "gaps", "did you mean `gap`?"),
    ("packing = { random = { gap = 1.5 } }\n", "1.5", "gap is 1.5, but must be from 0 to 1"),
    ("packing = { random = { radius_range = [0.002, 0.001] } }\n", "[0.002, 0.001]", "[smallest, largest] in metres"),
    ("packing = { random = { radius_range = [0.001, 0.1] } }\n", "[0.001, 0.1]", "at most 20 times more"),
    (
        "particle_radius = 0.1\npacking = { random = { radius_range = [0.001, 0.002] } }\n",
        "0.1",
        "the packing has radii of its own",
    ),
    ("packing = { shell = { layers = 6 } }\n", "6", "layers is 6, but must be at most 5"),
    (
        "particle_radius = 0.007\nshape = { sphere = { radius = 0.03 } }\npacking = { shell = { layers = 3 } }\n",
        "3",
        "fewer, or the shape at least 0.07",
    ),
    (
        "particle_radius = 0.007\nshape = { sphere = { radius = 0.03 } }\npacking = { rope = { length = 1 } }\n",
        "{ sphere = { radius = 0.03 } }",
        "this packing fills no shape",
    ),
    ("packing = { rope = { length = 0 } }\n", "0", "length is 0.0, but must be a positive"),
    ("packing = { rope = { length = 1, strands = 50, yarns = 30 } }\n", "30", "yarns is 30, but must be at most 20"),
    ("particle_radius = 0.01\npacking = { rope = { length = 0.01 } }\n", "0.01", "at least a particle's diameter"),
    (
        "particle_radius = 0.01\npacking = { rope = { length = 1, turns = 50 } }\n",
        "50",
        "yarns would lie across the rope",
    ),
    (
        "particle_radius = 0.01\npacking = { woven = { size = [1, 0.02] } }\n",
        "[1, 0.02]",
        "large enough for crossing yarns",
    ),
    ("packing = { woven = { size = [1, 1], spacing = -1 } }\n", "-1", "spacing is -1.0"),
];

fn assert_underlines(error: &SceneError, mark: &str, message: &str) {
    let SceneError::Wrong { excerpt, .. } = error else { panic!("{error}") };
    assert!(error.to_string().contains(message), "{error}");
    let [_, _, shown, marked] = excerpt.split('\n').collect::<Vec<_>>()[..] else { panic!("{excerpt}") };
    let start = marked.find('^').unwrap();
    assert_eq!(&shown[start..start + marked.matches('^').count()], mark, "{error}");
}

#[test]
fn what_is_wrong_with_a_packing_is_underlined() {
    for (keys, mark, message) in WRONG {
        let error = parse(&with_ball(keys)).err().unwrap_or_else(|| panic!("{keys} is accepted"));
        assert_underlines(&error, mark, message);
    }
}

/// The good scene with the ball's particles from a file of this name and content, in a folder of their own.
fn from_file(name: &str, content: &[u8]) -> Result<(usize, usize), SceneError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    let text = with_ball(&format!("packing = {{ particles = {{ file = \"{name}\" }} }}\n"));
    let scene = Scene::parse(&folder.path().join("scene.toml"), &text, &[])?;
    let (world, _) = scene.build()?;
    let mine = |i: usize| world.particles.body[i] == 1;
    assert!(scene.estimated_particles() as usize >= world.particles.len());
    let bonds = world.bonds().iter().filter(|bond| mine(bond.i as usize)).count();
    Ok(((0..world.particles.len()).filter(|&i| mine(i)).count(), bonds))
}

const ASCII_PLY: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                         property uchar red\nproperty float pscale\nend_header\n0 0 0 255 0.01\n0.02 0 0 7 0.01\n";

#[test]
fn particles_are_read_from_csv_and_ply() {
    let csv = "# from elsewhere\nid, radius, x, y, z\n0, 0.01, 0, 0, 0\n1, 0.02, 3.05e-2, 0, 0\n2, 0.01, 0, 0.1, 0\n";
    assert_eq!(from_file("p.csv", csv.as_bytes()).unwrap(), (3, 1));
    assert_eq!(from_file("p.PLY", ASCII_PLY.as_bytes()).unwrap(), (2, 1));
    let mut binary = ASCII_PLY.split("0 0 0 255").next().unwrap().replace("ascii", "binary_little_endian").into_bytes();
    for x in [0.0f32, 0.025] {
        [x, 0.0, 0.0].iter().for_each(|x| binary.extend(x.to_le_bytes()));
        binary.push(3);
        binary.extend(0.01f32.to_le_bytes());
    }
    assert_eq!(from_file("p.ply", &binary).unwrap(), (2, 0));
}

/// Spreadsheets of some countries write semicolons and decimal commas, and every program its own header.
#[test]
fn dialects_of_csv_are_read() {
    let tables = [
        "X,Y,Z,RADIUS\n0,0,0,0.01\n0.02,0,0,0.01\n",
        "x;y;z;radius\r\n0;0;0;0.01\r\n0.02;0;0;.01\r\n",
        "X;Y;Z;Radius\n0,0;0;0;0,01\n0,02;0;0;0,01\n",
        "x\ty\tz\tradius\n0\t0\t0\t0.01\n0.02\t0\t0\t0.01\n",
        "\u{feff}x,y,z,radius\n0,0,0,0.01\n\n2.e-2,0,0,0.01\n",
        "id,X,x,y,z,radius\n1,9,0,0,0,0.01\n2,9,0.02,0,0,0.01\n",
    ];
    for table in tables {
        let read = from_file("p.csv", table.as_bytes()).unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_eq!(read, (2, 1), "{table}");
    }
}

#[test]
fn files_of_particles_that_cannot_be_are_refused() {
    let wrong = |name: &str, content: &str, message: &str| {
        let error = from_file(name, content.as_bytes()).err().unwrap_or_else(|| panic!("{content} is accepted"));
        assert_underlines(&error, &format!("\"{name}\""), message);
    };
    wrong("p.csv", "x,y,z\n0,0,0\n", "there is no column \"radius\"");
    wrong("p.csv", "", "there is no column \"x\"");
    wrong("p.csv", "a,b;c,radius\n0,0,1\n", "there is no column \"x\", but a, b;c, radius");
    wrong("p.csv", "x,y,z,radius\n", "it holds no particles");
    wrong("p.csv", "x,y,z,radius\n0,0,0,1\n1,nan,0,1\n", "particle 1: y is NaN, but must be a finite number");
    wrong("p.csv", "x,y,z,radius\n0,0,far,1\n", "particle 0: \"far\" is not a number");
    wrong("p.csv", "x,y,z,radius\n0,0,0,0\n", "particle 0: radius is 0.0, but must be positive");
    wrong("p.csv", "x,y,z,radius\n0,0,0,1\n0,0,0,1\n", "particles 0 and 1 overlap by 2.000e0 m");
    // all in one place: there are more pairs than memory
    let heap = format!("x,y,z,radius\n{}", "0,0,0,1\n".repeat(300_000));
    wrong("p.csv", &heap, "particles 0 and 1 overlap by 2.000e0 m");
    // neighbours of the smallest would be looked for as far away as those of the largest
    wrong("p.csv", "x,y,z,radius\n0,0,0,1\n9,0,0,0.04\n", "its radii go from 0.04 to 1.0, but may differ by 20 times");
    wrong("p.csv", "x,y,z,radius\n0,0,0\n", "found record with 3 fields");
    wrong("p.dat", "x,y,z,radius\n0,0,0,1\n", "must end in .csv, .ply, .txt or .data");
    wrong("p.txt", "x,y,z,radius\n0,0,0,1\n", "line 1: \"x,y,z,radius\" is not a number");
    wrong("p.txt", "# x y z r\n0 0 0 1\n\n0 0 4\n", "line 4: there is no r, but x y z r is needed");
    wrong("p.txt", "#format x_y_r\n0 0 1\n", "line 1: the format has no column \"z\"");
    wrong("p.txt", "0 0 0 -1\n", "particle 0: radius is -1.0");
    wrong("p.txt", "# nothing\n", "it holds no particles");
    wrong("p.ply", "x,y,z,radius\n0,0,0,1\n", "not a PLY file: line 1 makes no sense");
    wrong("p.ply", &ASCII_PLY.replace("pscale", "size"), "there is no column \"radius\"");
    wrong("p.ply", &ASCII_PLY.replace("vertex 2", "vertex 99999999"), "it is too short for 99999999 particles");
    wrong("p.ply", &ASCII_PLY.replace("vertex 2", "vertex 3"), "end of file");
    wrong("p.ply", &ASCII_PLY.replace("element vertex", "element face"), "its first element must be vertex");
    let text = with_ball("packing = { particles = { file = \"gone.csv\" } }\n");
    let gone = Scene::parse(Path::new("nowhere/scene.toml"), &text, &[]).unwrap_err();
    assert_underlines(&gone, "\"gone.csv\"", "gone.csv: cannot be read");
}

/// `yade.export.text` separates by tabulators.
#[test]
fn particles_are_read_from_text_of_yade() {
    for text in [
        "#format x_y_z_r\n0\t0\t0\t0.01\n0.02\t0\t0\t0.01\n",
        "#format id_x_y_z_r_matId\n# a comment\n7 0 0 0 0.01 0\n9 2e-2 0 0 0.01 0\n",
        "0 0 0 0.01 17 # more columns\r\n  0.02   0 0 0.01\r\n",
    ] {
        let read = from_file("p.txt", text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, (2, 1), "{text}");
    }
}

/// Data file of LAMMPS: three atoms in a row, which its bonds join in another order than that of their numbers.
const DATA: &str = "a title, 9 atoms\n\n3 atoms\n2 bonds\n1 atom types\n1 bond types\n-1 1 xlo xhi # the box\n\nMasses\n\n1 1.0\n\n\
                    Atoms # bpm/sphere\n\n4 1 1 0.02 2600.0 0.04 0 0 0 0 0\n2 1 1 0.02 2600.0 0 0 0 0 0 0\n\
                    9 1 1 0.02 2600.0 0.02 0 0 0 0 0\n\nVelocities\n\n2 1 0 0 0 0 5\n9 0 0 -2 0 0 0\n\nBonds\n\n1 1 4 9\n2 1 9 2\n\n\
                    Bond Coeffs # bpm/rotational\n\n1 1 1 1\n";

/// Scene in which the ball is the atoms of a data file.
fn with_data(data: &str, keys: &str) -> Result<Scene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.data"), data).unwrap();
    let packing = format!("packing = {{ particles = {{ file = \"p.data\" }} }}\n{keys}");
    Scene::parse(&folder.path().join("scene.toml"), &with_ball(&packing), &[])
}

#[test]
fn atoms_bonds_and_velocities_are_read_from_data_of_lammps() {
    let turned = "rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }\n";
    let (world, state) = with_data(DATA, turned).unwrap().build().unwrap();
    let first = (0..world.particles.len()).find(|&i| world.particles.body[i] == 1).unwrap();
    assert_eq!(world.particles.len() - first, 3);
    let bonds = world.bonds().iter().filter(|bond| bond.i as usize >= first);
    assert_eq!(bonds.map(|bond| [bond.i, bond.j].map(|i| i as usize - first)).collect::<Vec<_>>(), [[0, 1], [1, 2]]);
    // in the body's frame the first moves along x and turns about z
    let own = |v: &bdem_core::geometry::Vec3| [v.x, v.y, v.z].map(|x| (x * 1e9).round() / 1e9 + 0.0);
    let before = with_data(&DATA.replace("Velocities", "Other"), turned).unwrap().build().unwrap().1;
    let gained = |k: usize| own(&(state.v[first + k] - before.v[first + k]));
    assert_eq!([gained(0), gained(1), gained(2)], [[0.0, 1.0, 0.0], [0.0, 0.0, -2.0], [0.0; 3]]);
    assert_eq!(own(&(state.w[first] - before.w[first])), [0.0, 0.0, 5.0]);
    // atoms of the style sphere have no molecule, and bonds between those that touch
    let sphere = "\n\n2 atoms\n\nAtoms # sphere\n\n1 1 0.02 2600 0 0 0\n2 1 0.02 2600 0.02 0 0\n";
    assert_eq!(from_file("p.data", sphere.as_bytes()).unwrap(), (2, 1));
    assert_eq!(from_file("p.LMP", sphere.replace("# sphere", "").as_bytes()).unwrap(), (2, 1));
}

#[test]
fn data_of_lammps_that_cannot_be_is_refused() {
    let wrong = |from: &str, to: &str, message: &str| {
        assert!(DATA.contains(from), "{from}");
        let error = with_data(&DATA.replace(from, to), "").err().unwrap_or_else(|| panic!("{to} is accepted"));
        assert_underlines(&error, "\"p.data\"", message);
    };
    wrong("3 atoms", "4 atoms", "its header says 4 atoms, but it lists 3");
    wrong("3 atoms", "three atoms", "its header has no number of atoms");
    wrong("3 atoms", "3.5 atoms", "line 3: \"3.5\" is no number of atoms");
    wrong("2 bonds", "1 bonds", "its header says 1 bonds, but it lists 2");
    wrong("# bpm/sphere", "# atomic", "line 13: the atom style is \"atomic\", but only bpm/sphere and sphere");
    wrong("# bpm/sphere", "# sphere", "line 15: an atom with 11 columns, but expected are atom-ID");
    wrong("0.04 0 0 0 0 0", "0.04 0 0 0 0 1", "line 15: atom 4 has the image flag 1: unwrap");
    wrong("0.04 0 0 0 0 0", "0.04 far 0 0 0 0", "line 15: \"far\" is not a finite number");
    wrong("0.04 0 0 0 0 0", "inf 0 0 0 0 0", "line 15: \"inf\" is not a finite number");
    wrong("4 1 1 0.02", "4 1 1 0.0", "line 15: the diameter of atom 4 is 0.0, but must be positive");
    wrong("4 1 1 0.02", "2 1 1 0.02", "line 16: atom 2 is in line 15 already");
    wrong("2 1 0 0 0 0 5", "2 1 0 0", "line 21: a velocity with 4 columns, but expected are atom-ID vx");
    wrong("2 1 0 0 0 0 5", "3 1 0 0 0 0 5", "line 21: there is no atom 3");
    wrong("2 1 0 0 0 0 5", "2 1e300 0 0 0 0 5", "a vector of at most");
    wrong("1 1 4 9", "1 1 4 5", "line 26: there is no atom 5");
    wrong("1 1 4 9", "1 1 9 9", "line 26: atom 9 cannot be bonded to itself");
    wrong("1 1 4 9", "1 1 2 9", "line 27: atoms 9 and 2 are bonded already, in line 26");
    wrong("1 1 4 9", "1 1 4 9 2", "line 26: a bond with 5 columns, but expected are bond-ID");
    wrong("Masses", "Bonds", "line 24: the file has a section Bonds already");
    for (keys, message) in
        [("bonded = false\n", "is not bonded"), ("rigid = true\n", "is rigid, but its file has velocities")]
    {
        let error = with_data(DATA, keys).unwrap_err();
        assert_underlines(&error, "\"p.data\"", message);
    }
}

/// Scene in which the ball is these particles, with these bonds.
fn with_bonds(particles: [&str; 2], bonds: [&str; 2], keys: &str) -> Result<Scene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    for [name, content] in [particles, bonds] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let packing =
        format!("packing = {{ particles = {{ file = \"{}\", bonds = \"{}\" }} }}\n{keys}", particles[0], bonds[0]);
    Scene::parse(&folder.path().join("scene.toml"), &with_ball(&packing), &[])
}

/// Four spheres in a row, from the last to the first. Neighbours touch.
const ROW: [&str; 2] = ["p.csv", "x,y,z,radius\n0.06,0,0,0.01\n0.04,0,0,0.01\n0.02,0,0,0.01\n0,0,0,0.01\n"];

/// Numbers are those of the file, while the particles of a body are sorted by their places.
#[test]
fn listed_pairs_are_bonded_and_no_others() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nelement edge 2\nproperty int vertex1\n\
               property int vertex2\nproperty float sigma\nend_header\n0\n0\n0\n0\n0 3 7\n2 1 8\n";
    for bonds in [["b.csv", "# from elsewhere\nj,k,i\n3,9,0\n1,9,2\n"], ["b.csv", "I;J\n0;3\n2,0;1\n"], ["b.ply", ply]]
    {
        let scene = with_bonds(ROW, bonds, "").unwrap_or_else(|error| panic!("{bonds:?}: {error}"));
        let (world, state) = scene.build().unwrap();
        let mine = |i: u32| world.particles.body[i as usize] == 1;
        let first = (0..world.particles.len() as u32).find(|&i| mine(i)).unwrap();
        let pairs: Vec<[u32; 2]> =
            world.bonds().iter().filter(|bond| mine(bond.i)).map(|bond| [bond.i - first, bond.j - first]).collect();
        assert_eq!(pairs, [[0, 3], [1, 2]], "{bonds:?}");
        let long = world.bonds().iter().find(|bond| bond.i == first).unwrap();
        assert!((long.l0 - 0.06).abs() < 1e-12 && state.len() == world.particles.len());
        assert!(scene.resolved_toml().contains(&format!("/{}\"", bonds[0])), "an absolute path");
    }
}

#[test]
fn lists_of_bonds_that_cannot_be_are_refused() {
    let wrong = |bonds: [&str; 2], message: &str| {
        let error = with_bonds(ROW, bonds, "").err().unwrap_or_else(|| panic!("{bonds:?} is accepted"));
        assert_underlines(&error, &format!("\"{}\"", bonds[0]), message);
        assert!(error.to_string().contains("rows of two particles in their file, from 0"), "{error}");
    };
    wrong(["b.csv", "i,k\n0,1\n"], "b.csv: there is no column \"j\", but i, k; i and j are needed");
    wrong(["b.csv", "i,j\n"], "b.csv: it holds no bonds");
    wrong(
        ["b.csv", "# c\ni,j\n0,1\n2,4\n"],
        "b.csv: line 4: 4.0 is no particle, but must be a whole number from 0 to 3",
    );
    wrong(["b.csv", "i,j\n-1,0\n"], "line 2: -1.0 is no particle");
    wrong(["b.csv", "i,j\n0,1.5\n"], "line 2: 1.5 is no particle");
    wrong(["b.csv", "i,j\n0,nan\n"], "line 2: NaN is no particle");
    wrong(["b.csv", "i,j\n0,one\n"], "line 2: \"one\" is not a number");
    wrong(["b.csv", "i,j\n0,1\n2,2\n"], "line 3: particle 2 cannot be bonded to itself");
    wrong(["b.csv", "i,j\n0,1\n2,1\n1,0\n"], "line 4: 0 and 1 are bonded already, in line 2");
    wrong(["b.txt", "i,j\n0,1\n"], "must end in .csv or .ply");
    wrong(["b.ply", ASCII_PLY], "it has no element edge");
    wrong(["b.ply", "i,j\n"], "not a PLY file: line 1 makes no sense");
    let edge = "ply\nformat ascii 1.0\nelement edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n0 3\n";
    wrong(["b.ply", &format!("{edge}1 9\n")], "edge 1: 9.0 is no particle");
    wrong(["b.ply", &edge.replace("edge 2", "edge 99999999")], "it is too short");
    for keys in ["bonded = false\n", "rigid = true\n"] {
        let error = with_bonds(ROW, ["b.csv", "i,j\n0,1\n"], keys).unwrap_err().to_string();
        assert!(
            error.contains("has a list of bonds, but is not bonded") && error.contains("leave bonds out"),
            "{error}"
        );
    }
}

/// Without a bond the contact would throw them apart.
#[test]
fn spheres_that_overlap_must_be_bonded() {
    let pressed = ["p.csv", "x,y,z,radius\n0,0,0,0.01\n0.0195,0,0,0.01\n0.0390,0,0,0.01\n"];
    assert!(with_bonds(pressed, ["b.csv", "i,j\n0,1\n1,2\n"], "").is_ok());
    let error = with_bonds(pressed, ["b.csv", "i,j\n0,1\n0,2\n"], "").unwrap_err().to_string();
    assert!(error.contains("particles 1 and 2 overlap") && error.contains("help: bond them"), "{error}");
}

/// Pairs in the file of the particles itself are read on request, and noticed otherwise.
#[test]
fn pairs_that_are_not_read_are_noticed() {
    let with_pairs = "x,y,z,radius,i,j\n0,0,0,0.01,0,1\n0.05,0,0,0.01,1,2\n0.1,0,0,0.01,0,2\n";
    let edges = ASCII_PLY
        .replace("end_header", "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header")
        + "0 1\n";
    for (name, content) in [("p.csv", with_pairs), ("p.ply", &edges)] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        let parsed = |packing: &str| {
            let text = with_ball(&format!("packing = {{ particles = {{ file = \"{name}\"{packing} }} }}\n"));
            Scene::parse(&folder.path().join("scene.toml"), &text, &[]).unwrap()
        };
        let warnings = parsed("").warnings().join("\n");
        assert!(warnings.contains("lists pairs of particles") && warnings.contains("bonds = \"FILE\""), "{warnings}");
        let scene = parsed(&format!(", bonds = \"{name}\""));
        assert!(!scene.warnings().join("\n").contains("lists pairs"));
    }
}
