//! Maps on the meshes of bodies: strengths and directions of grain by colours of vertices and by textures.

use std::fs;

use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, State, World};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::{BodyGrain, Scene};

type Colour = [f64; 3];

const X: Colour = [1.0, 0.5, 0.5];
const Z: Colour = [0.5, 0.5, 1.0];
const GREY: Colour = [0.5; 3];

/// Factors lambda of stiffness and strength.
const LAMBDA: [f64; 2] = [4.0, 9.0];

/// Corners of a bar along x, cm, in faces of four.
const FACES: [[usize; 4]; 6] = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn corners() -> Vec<[f64; 3]> {
    let ends = [-5.0, 5.0].into_iter();
    ends.flat_map(|x| [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[y, z]| [x, y, z])).collect()
}

/// OBJ of the bar with a colour at each end, and texture coordinates along x.
fn obj(low: Colour, high: Colour) -> String {
    let line = |p: &[f64; 3]| {
        let colour = if p[0] < 0.0 { low } else { high };
        let words: Vec<String> = p.iter().chain(&colour).map(f64::to_string).collect();
        format!("v {}\n", words.join(" "))
    };
    let mut text: String = corners().iter().map(line).collect();
    text += "vt 0.1 0.5\nvt 0.9 0.5\n";
    for face in FACES {
        let words: Vec<String> = face.iter().map(|k| format!("{}/{}", k + 1, k / 4 + 1)).collect();
        text += &format!("f {}\n", words.join(" "));
    }
    text
}

/// PLY of the bar with a colour of this type at each end.
fn ply(low: Colour, high: Colour, format: &str, kind: &str) -> Vec<u8> {
    let number = |value: f64, kind: &str| match (format, kind) {
        ("ascii", _) => format!("{value} ").into_bytes(),
        (_, "uchar") => vec![value as u8],
        ("binary_little_endian", "ushort") => (value as u16).to_le_bytes().to_vec(),
        ("binary_little_endian", "float") => (value as f32).to_le_bytes().to_vec(),
        ("binary_little_endian", _) => (value as i32).to_le_bytes().to_vec(),
        (_, "ushort") => (value as u16).to_be_bytes().to_vec(),
        (_, "float") => (value as f32).to_be_bytes().to_vec(),
        (_, _) => (value as i32).to_be_bytes().to_vec(),
    };
    let white = match kind {
        "uchar" => 255.0,
        "ushort" => 65535.0,
        _ => 1.0,
    };
    let mut bytes = format!(
        "ply\nformat {format} 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nproperty {kind} red\n\
         property {kind} green\nproperty {kind} blue\nproperty {kind} alpha\nelement face 6\n\
         property list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    let end: &[u8] = if format == "ascii" { b"\n" } else { b"" };
    for p in corners() {
        let colour = if p[0] < 0.0 { low } else { high };
        p.iter().for_each(|x| bytes.extend(number(*x, "float")));
        let scaled = |part: f64| if white == 1.0 { part } else { (part * white).round() };
        colour.iter().chain(&[1.0]).for_each(|part| bytes.extend(number(scaled(*part), kind)));
        bytes.extend(end);
    }
    for face in FACES {
        bytes.extend(number(4.0, "uchar"));
        face.iter().for_each(|k| bytes.extend(number(*k as f64, "int")));
        bytes.extend(end);
    }
    bytes
}

/// PNG of one row.
fn png(colour: png::ColorType, depth: png::BitDepth, width: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, 1);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

fn rgb(data: &[u8]) -> Vec<u8> {
    png(png::ColorType::Rgb, png::BitDepth::Eight, data.len() as u32 / 3, data)
}

/// Bar of this mesh, with a grain of the material and other keys.
fn load(mesh: &str, files: &[(&str, &[u8])], direction: [f64; 3], more: &str) -> Result<(Scene, World, State), String> {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, content)| fs::write(folder.path().join(name), content).unwrap());
    let text = format!(
        "[scene]\nname = \"bar\"\ngravity = [0.0, 0.0, 0.0]\n[time]\nframe_rate = 1000.0\nframes = 40\n\
         integrator = \"explicit-verlet\"\nstep = \"auto\"\n[materials.wood]\ndensity = 600.0\nyoung_modulus = 1e8\n\
         poisson_ratio = 0.2\ntensile_strength = 1e6\nshear_strength = 2e6\ndamping = 0.2\n\
         grain = {{ direction = {direction:?}, stiffness = {:?}, strength = {:?} }}\n[[bodies]]\nname = \"bar\"\n\
         material = \"wood\"\nparticle_radius = 0.0025\nshape = {{ mesh = {{ {mesh}, scale = 0.01 }} }}\n{more}",
        LAMBDA[0], LAMBDA[1]
    );
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(&path).map_err(|error| error.to_string())?;
    let (world, state) = scene.build().map_err(|error| error.to_string())?;
    Ok((scene, world, state))
}

/// Bonds of the bar of one file with this map, all of them.
fn bonds(file: &str, content: &[u8], direction: [f64; 3], more: &str) -> (Vec<Bond>, State, Vec<BodyGrain>) {
    let mesh = format!("file = {file:?}");
    let (scene, world, state) =
        load(&mesh, &[(file, content)], direction, more).unwrap_or_else(|error| panic!("{error}"));
    let grains = scene.grains(&world, &state);
    (world.bonds().to_vec(), state, grains)
}

/// Stiffnesses, viscous coefficients and strengths.
fn numbers(bonds: &[Bond]) -> Vec<[f64; 10]> {
    let of = |bond: &Bond| {
        let ([k, c], [s, t]) = ([&bond.k, &bond.c], bond.strength);
        [k.n, k.s, k.t, k.b, c.n, c.s, c.t, c.b, s, t]
    };
    bonds.iter().map(of).collect()
}

const COLOURS: &str = "grain_map = { colours = true }\n";

/// Kinds of PLY files with colours: format, and type of the colours.
fn ply_kinds() -> impl Iterator<Item = [&'static str; 2]> {
    let formats = ["ascii", "binary_little_endian", "binary_big_endian"];
    formats.into_iter().flat_map(|format| ["uchar", "ushort", "float"].map(|kind| [format, kind]))
}

/// A bond between ends along x and z has 1 + lambda (m . d)^4 with their mean m, whatever the sign of either.
#[test]
fn bonds_have_the_mean_direction_of_their_ends() {
    let (all, state, grains) = bonds("bar.obj", obj(X, Z).as_bytes(), [0.0, 1.0, 0.0], COLOURS);
    let [x, y, z] = grains[0].squares;
    assert!((x - z).abs() < 0.1 && y == 0.0 && (x + z - 1.0).abs() < 1e-12 && grains[0].grey == 0.0, "{grains:?}");
    let direction = |i: u32| {
        let share = 0.5 + state.p[i as usize].x / 0.1;
        Vec3::new(1.0 - share, 0.0, share).normalize()
    };
    // near the ends the nearest face is that of the end
    let is_inside = |bond: &&Bond| [bond.i, bond.j].iter().all(|i| state.p[*i as usize].x.abs() < 0.035);
    let inside: Vec<&Bond> = all.iter().filter(is_inside).collect();
    assert!(inside.len() > 100);
    for bond in inside {
        let along = (direction(bond.i) + direction(bond.j)).normalize().dot(&bond.d0).powi(4);
        let [stiffer, stronger] = LAMBDA.map(|lambda| 1.0 + lambda * along);
        assert!((bond.strength[0] / (1e6 * stronger) - 1.0).abs() < 1e-9, "{bond:?}");
        assert!((bond.k.n * bond.l0 / (1e8 * bond.area() * stiffer) - 1.0).abs() < 1e-9, "{bond:?}");
    }
    // the opposite of z is z, and grey the material's own
    let opposite = bonds("bar.obj", obj(X, [0.5, 0.5, 0.0]).as_bytes(), [0.0, 1.0, 0.0], COLOURS);
    let own = bonds("bar.obj", obj(X, GREY).as_bytes(), [0.0, 0.0, -3.0], COLOURS);
    assert!(own.2[0].grey > 0.0 && own.2[0].grey < 0.3, "{:?}", own.2);
    for (a, b) in numbers(&all).iter().zip(numbers(&opposite.0).iter().zip(&numbers(&own.0))) {
        assert!((0..10).all(|k| (a[k] - b.0[k]).abs() <= 1e-12 * a[k] && (a[k] - b.1[k]).abs() <= 1e-12 * a[k]));
    }
}

#[test]
fn a_map_of_one_colour_is_the_material_s_grain() {
    let tilted = [1.0, 0.0, 0.5];
    for (colour, direction) in [(X, [1.0, 0.0, 0.0]), (tilted, [1.0, -1.0, 0.0])] {
        let plain = numbers(&bonds("bar.obj", obj(colour, colour).as_bytes(), direction, "").0);
        let same = |name: &str, content: &[u8]| {
            let (all, _, grains) = bonds(name, content, [0.0, 0.0, 1.0], COLOURS);
            assert!(numbers(&all) == plain, "{name} {direction:?}");
            assert!(grains[0].grey == 0.0 && grains[0].squares[2] == 0.0, "{grains:?}");
        };
        same("bar.obj", obj(colour, colour).as_bytes());
        same(
            "bar.obj",
            obj(colour.map(|part| (part * 255.0).floor()), colour.map(|part| (part * 255.0).ceil())).as_bytes(),
        );
        ply_kinds().for_each(|[format, kind]| same("bar.ply", &ply(colour, colour, format, kind)));
    }
    let plain = numbers(&bonds("bar.obj", obj(X, X).as_bytes(), [1.0, 0.0, 0.0], "").0);
    let opposite = [255, 127, 128, 0, 128, 127, 254, 128, 128];
    let wide: Vec<u8> = [0xffff_u16, 0x7fff, 0x8000].iter().flat_map(|part| part.to_be_bytes()).collect();
    let pictures = [
        rgb(&opposite[..3]),
        // the seam between opposite directions is none
        rgb(&opposite),
        png(png::ColorType::Rgb, png::BitDepth::Sixteen, 1, &wide),
        png(png::ColorType::Rgba, png::BitDepth::Eight, 1, &[255, 128, 128, 0]),
    ];
    for picture in pictures {
        let files = [("bar.obj", obj(X, X).into_bytes()), ("map.png", picture)];
        let files = files.each_ref().map(|(name, content)| (*name, &content[..]));
        let map = "grain_map = { texture = \"map.png\" }\n";
        let (_, world, _) = load("file = \"bar.obj\"", &files, [0.0, 0.0, 1.0], map).unwrap();
        assert!(numbers(world.bonds()) == plain);
    }
}

/// The bar with y up, its colours too.
#[test]
fn a_map_has_the_axes_of_its_file() {
    let tilted = [0.5, 1.0, 0.75];
    let upright = bonds("bar.obj", obj(X, tilted).as_bytes(), [0.0, 0.0, 1.0], COLOURS);
    // (x, y, z) of z up is (x, z, -y) of y up
    let turned = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["v", x, y, z, r, g, b] => {
            let [y, g] = [(y, 0.0), (g, 1.0)].map(|(word, sum)| sum - word.parse::<f64>().unwrap());
            format!("v {x} {z} {y} {r} {b} {g}\n")
        }
        _ => format!("{line}\n"),
    };
    let text: String = obj(X, tilted).lines().map(turned).collect();
    let mesh = "file = \"bar.obj\", up = \"y\"";
    let (_, world, _) = load(mesh, &[("bar.obj", text.as_bytes())], [0.0, 0.0, 1.0], COLOURS).unwrap();
    assert!(numbers(world.bonds()) == numbers(&upright.0));
    // a body that is turned takes its grain with it
    let placed =
        format!("{COLOURS}position = [0.3, 0.2, 0.1]\nrotation = {{ axis = [1.0, 2.0, 3.0], degrees = 70.0 }}\n");
    let turned = bonds("bar.obj", obj(X, tilted).as_bytes(), [0.0, 0.0, 1.0], &placed);
    assert!(numbers(&turned.0) == numbers(&upright.0));
    let squares = turned.2[0].squares.iter().zip(&upright.2[0].squares);
    assert!(squares.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{:?} {:?}", turned.2, upright.2);
}

#[test]
fn objects_of_a_mesh_have_the_colours_of_their_vertices() {
    let plain = |direction| numbers(&bonds("bar.obj", obj(X, X).as_bytes(), direction, "").0);
    // further bars along x, the last without colours
    let further = |index: usize, colour: &str| {
        let points = corners().into_iter().map(|[x, y, z]| format!("v {} {y} {z}{colour}\n", x + 20.0 * index as f64));
        let faces = FACES.map(|face| face.map(|k| k + 8 * index + 1));
        let faces = faces.iter().map(|[a, b, c, d]| format!("f {a} {b} {c} {d}\n"));
        points.chain(faces).collect::<String>()
    };
    let text = format!("o x\n{}o z\n{}o bare\n{}", obj(X, X), further(1, " 0.5 0.5 1"), further(2, ""));
    for (object, direction) in [("x", [1.0, 0.0, 0.0]), ("z", [0.0, 0.0, 1.0])] {
        let mesh = format!("file = \"two.obj\", object = {object:?}");
        let (_, world, _) = load(&mesh, &[("two.obj", text.as_bytes())], [0.0, 1.0, 0.0], COLOURS).unwrap();
        let all = numbers(world.bonds());
        let direct = plain(direction);
        assert_eq!(all.len(), direct.len());
        let strengths = |all: &[[f64; 10]]| all.iter().map(|bond| (bond[8] / 1e2).round()).sum::<f64>();
        assert_eq!(strengths(&all), strengths(&direct), "{object}");
    }
    let error =
        load("file = \"two.obj\", object = \"bare\"", &[("two.obj", text.as_bytes())], [0.0, 1.0, 0.0], COLOURS);
    let error = error.map(|_| ()).unwrap_err();
    assert!(error.contains("two.obj: its vertex at [0.35") && error.contains("m has no colour"), "{error}");
}

/// Where the grain is along the pull a bar is stronger.
#[test]
fn a_bar_breaks_across_its_grain() {
    let pull = |files: &[(&str, &[u8])], axis: usize, side: f64| {
        let grip = |sign: f64| {
            let (mut low, mut high, mut velocity) = ([-1.0; 3], [1.0; 3], [0.0; 3]);
            (if sign > 0.0 { &mut low } else { &mut high })[axis] = sign * side;
            velocity[axis] = sign * 0.02;
            format!(
                "[[constraints]]\nregion = {{ box = {{ min = {low:?}, max = {high:?} }} }}\nmotion = {{ velocity = {velocity:?} }}\n"
            )
        };
        let more = format!("grain_map = {{ texture = \"map.png\" }}\n{}{}", grip(-1.0), grip(1.0));
        let (scene, world, state) = load("file = \"bar.obj\"", files, [0.0, 1.0, 0.0], &more).unwrap();
        let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
        let mut progress = Progress::default();
        while progress.broken.len() < 3 {
            assert!(simulation.state.time < 0.04, "nothing breaks");
            simulation.advance(&mut progress).unwrap();
        }
        progress.broken.iter().map(|event| event.x).collect::<Vec<_>>()
    };
    let half: Vec<u8> = (0..20).flat_map(|k| if k < 10 { [255, 128, 128] } else { [128, 128, 255] }).collect();
    let (bar, map) = (obj(X, X).into_bytes(), rgb(&half));
    let files = [("bar.obj", &bar[..]), ("map.png", &map[..])];
    let along = pull(&files, 0, 0.042);
    assert!(along.iter().all(|x| *x > -0.003), "{along:?}");
    let across = pull(&files, 2, 0.0045);
    assert!(across.iter().all(|x| *x < 0.003), "{across:?}");
}

/// Every type and form of colours is that of the OBJ file.
#[test]
fn strengths_are_read_from_colours_of_ply() {
    let map = "strength_map = { colours = true, low = 0.2 }\n";
    let strengths = |file: &str, content: &[u8], map: &str| {
        bonds(file, content, [1.0, 0.0, 0.0], map).0.iter().map(|bond| bond.strength[0]).collect::<Vec<_>>()
    };
    let plain = strengths("bar.obj", obj(X, X).as_bytes(), "");
    let wanted = strengths("bar.obj", obj([0.2; 3], [1.0, 0.8, 0.6]).as_bytes(), map);
    assert!(plain.iter().zip(&wanted).all(|(whole, factor)| (0.36 - 1e-9..0.84 + 1e-9).contains(&(factor / whole))));
    for [format, kind] in ply_kinds() {
        let read = strengths("bar.ply", &ply([0.2; 3], [1.0, 0.8, 0.6], format, kind), map);
        assert_eq!(read.len(), wanted.len());
        assert!(read.iter().zip(&wanted).all(|(a, b)| (a / b - 1.0).abs() < 1e-6), "{format} {kind}");
    }
    // a byte of 1 is nearly black, and a float a little above 1 is white
    let dark = strengths("bar.ply", &ply([1.0 / 255.0; 3], [0.0; 3], "ascii", "uchar"), map);
    assert!(plain.iter().zip(&dark).all(|(whole, factor)| factor / whole < 0.21));
    for white in [
        strengths("bar.ply", &ply([1.0 + 1e-6; 3], [1.0; 3], "binary_little_endian", "float"), map),
        strengths("bar.obj", obj([1.0 + 1e-6; 3], [1.0; 3]).as_bytes(), map),
    ] {
        assert_eq!(white, plain);
    }
}

#[test]
fn wrong_maps_are_refused() {
    let bar = obj(X, Z);
    let first =
        |line: &str| line.split(' ').take(if line.starts_with("v ") { 4 } else { 5 }).collect::<Vec<_>>().join(" ");
    let bare: String = bar.lines().map(|line| first(line) + "\n").collect();
    let without_uv: String =
        bar.lines().filter(|line| !line.starts_with("vt")).map(|line| format!("{line}\n")).collect();
    let greys = rgb(&[0, 0, 0, 128, 127, 128, 255, 255, 255]);
    let folder: &[(&str, &[u8])] = &[
        ("bar.obj", bar.as_bytes()),
        ("bare.obj", bare.as_bytes()),
        ("vt.obj", bar.replace("vt 0.9 0.5", "vt 1e400 0.5").into_bytes().leak()),
        ("flat.obj", without_uv.as_bytes()),
        ("grey.obj", obj([0.2; 3], GREY).into_bytes().leak()),
        ("nan.obj", obj(X, [f64::NAN, 0.0, 0.0]).into_bytes().leak()),
        ("nan.ply", ply(X, [f64::NAN, 0.0, 0.0], "binary_little_endian", "float").leak()),
        ("bright.obj", obj(X, [1.7, 0.5, 0.5]).into_bytes().leak()),
        ("bright.ply", ply(X, [1.7, -0.5, 0.5], "binary_big_endian", "float").leak()),
        ("bytes.obj", obj([0.0, 128.0, 128.0], [300.0, 128.0, 128.0]).into_bytes().leak()),
        ("bar.stl", b"solid a\nendsolid a\n"),
        ("map.png", &rgb(&[255, 128, 128])),
        ("grey.png", &greys),
        ("broken.png", &greys[..40]),
    ];
    let cases = [
        ("bar.obj", "grain_map = { }", "the map has either colours = true, or a texture"),
        ("bar.obj", "grain_map = { colours = true, texture = \"map.png\" }", "the map has either colours = true, or"),
        ("bar.obj", "grain_map = { texture = \"none.png\" }", "none.png: cannot be read"),
        ("bar.obj", "grain_map = { texture = \"broken.png\" }", "broken.png: "),
        ("bar.obj", "grain_map = { texture = \"bar.obj\" }", "save the picture as PNG"),
        (
            "bar.obj",
            "grain_map = { texture = \"grey.png\" }",
            "grey.png: all of its colours are grey, which is no direction",
        ),
        ("grey.obj", COLOURS, "grey.obj: all of its colours are grey, which is no direction"),
        ("flat.obj", "grain_map = { texture = \"map.png\" }", "flat.obj has no texture coordinates"),
        ("vt.obj", "grain_map = { texture = \"map.png\" }", "vt.obj: line 10: vt 1e400 0.5: no texture coordinates"),
        ("bare.obj", COLOURS, "bare.obj: its vertices have no colours"),
        (
            "nan.obj",
            COLOURS,
            "nan.obj: its vertex at [0.05, -0.01, -0.01] m has the colour [NaN, 0.0, 0.0], where white is 1",
        ),
        (
            "nan.ply",
            COLOURS,
            "nan.ply: its vertex at [0.05, -0.01, -0.01] m has the colour [NaN, 0.0, 0.0], where white is 1",
        ),
        ("nan.ply", "strength_map = { colours = true }", "has the colour [NaN, 0.0, 0.0], where white is 1"),
        ("bright.obj", COLOURS, "has the colour [1.7, 0.5, 0.5], where white is 1"),
        ("bright.ply", COLOURS, "has the colour [1.7000000476837158, -0.5, 0.5], where white is 1"),
        ("bytes.obj", COLOURS, "has the colour [1.1764705882352942, "),
        ("bar.obj", "grain_map = { colours = true }\nrigid = true", "body \"bar\" has no bonds that break"),
        ("bar.obj", "grain_map = { colours = true }\nbonded = false", "body \"bar\" has no bonds that break"),
        ("bar.obj", "grain_map = { colours = true, low = 0.5 }", "unknown key `low`, expected `colours` or `texture`"),
    ];
    for (mesh, more, wanted) in cases {
        let error = load(&format!("file = {mesh:?}"), folder, [1.0, 0.0, 0.0], more).map(|_| ()).expect_err(more);
        assert!(error.contains(wanted) && error.contains("scene.toml:"), "{mesh} {more}: {error}");
    }
    let boxed = "[[bodies]]\nname = \"b\"\nmaterial = \"wood\"\nparticle_radius = 0.1\nposition = [9.0, 0.0, 0.0]\n\
                 shape = { box = { size = [1.0, 1.0, 1.0] } }\ngrain_map = { colours = true }\n";
    let mesh =
        boxed.replace("wood", "concrete").replace("box = { size = [1.0, 1.0, 1.0] }", "mesh = { file = \"bar.obj\" }");
    for (second, wanted) in [
        (boxed, "only the mesh of a file has colours"),
        (&mesh, "material \"concrete\" has no grain, whose factors the map needs"),
    ] {
        let error = load("file = \"bar.obj\"", folder, [1.0, 0.0, 0.0], second).map(|_| ()).expect_err(second);
        assert!(error.contains(wanted), "{error}");
    }
}
