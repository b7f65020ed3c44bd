//! Strengths of bonds by cuts and maps, and softer materials.

use std::fs;

use bdem_core::fracture::Pieces;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;

use crate::common::scenes;

const BAR: &str = r#"[scene]
name = "bar"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 1000.0
frames = 40
integrator = "explicit-verlet"
step = "auto"
[materials.stone]
density = 2600.0
young_modulus = 1e8
poisson_ratio = 0.2
tensile_strength = 1e6
shear_strength = 2e6
damping = 0.2
[[bodies]]
name = "bar"
material = "stone"
particle_radius = 0.0025
"#;

const BOX: &str = "shape = { box = { size = [0.1, 0.02, 0.02] } }\n";

/// Square of the plane x = 1 cm, in centimetres.
const CUT: &str = "v 1 -2 -2\nv 1 2 -2\nv 1 2 2\nv 1 -2 2\nf 1 2 3 4\n";

/// Bar as a mesh in centimetres with texture coordinates along x, and colours that are white where x > 0.
fn bar_obj() -> String {
    let mut text = String::new();
    for x in [-5, 5] {
        for (y, z) in [(-1, -1), (1, -1), (1, 1), (-1, 1)] {
            let colour = if x > 0 { "1 1 1" } else { "0 0 0" };
            text += &format!("v {x} {y} {z} {colour}\n");
        }
    }
    text += "vt 0 0.5\nvt 1 0.5\n";
    for face in ["4/1 3/1 2/1 1/1", "5/2 6/2 7/2 8/2"] {
        text += &format!("f {face}\n");
    }
    for (a, b) in [(1, 2), (2, 3), (3, 4), (4, 1)] {
        text += &format!("f {a}/1 {b}/1 {}/2 {}/2\n", b + 4, a + 4);
    }
    text
}

/// PNG of two pixels: black and white.
fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&[0, 255]).unwrap();
    bytes
}

fn load(more: &str) -> Result<(Scene, World, State), String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cut.obj"), CUT).unwrap();
    fs::write(folder.path().join("bar.obj"), bar_obj()).unwrap();
    fs::write(folder.path().join("map.png"), picture()).unwrap();
    fs::write(folder.path().join("scene.toml"), format!("{BAR}{more}")).unwrap();
    let scene = Scene::load(&folder.path().join("scene.toml")).map_err(|error| error.to_string())?;
    let (world, state) = scene.build().map_err(|error| error.to_string())?;
    Ok((scene, world, state))
}

fn cut(strength: f64) -> String {
    format!("{BOX}cuts = {{ file = \"cut.obj\", scale = 0.01, strength = {strength:?} }}\n")
}

#[test]
fn bonds_across_a_cut_have_its_factor() {
    let (_, world, state) = load(&cut(0.25)).unwrap();
    let x = |i: u32| state.p[i as usize].x;
    let is_across = |i: u32, j: u32| (x(i) >= 0.01) != (x(j) >= 0.01);
    let across = world.bonds().iter().filter(|bond| is_across(bond.i, bond.j)).count();
    assert!(across > 20, "{across}");
    for bond in world.bonds() {
        let factor = if is_across(bond.i, bond.j) { 0.25 } else { 1.0 };
        assert_eq!(bond.strength, [1e6 * factor, 2e6 * factor]);
    }
    // without bonds it is in two pieces, which is no error
    let (scene, world, state) = load(&cut(0.0)).unwrap();
    let pieces = Pieces::of(&world).of_particle;
    assert!(world.bonds().iter().all(|bond| !is_across(bond.i, bond.j)));
    assert!((0..state.len()).all(|i| (pieces[i] == pieces[0]) == (state.p[i].x < 0.01)));
    assert_eq!(scene.check_whole(&scene.wholeness(&world, &state)).unwrap().len(), 0);
}

/// Force at which the first bond breaks, over the last of a slow ramp, and where.
fn force_at_break(strength: f64) -> (f64, f64) {
    let grips = "[[constraints]]\nregion = { box = { min = [-1, -1, -1], max = [-0.045, 1, 1] } }\nmotion = \"fixed\"\n\
                 [[constraints]]\nregion = { box = { min = [0.045, -1, -1], max = [1, 1, 1] } }\nforce = [400.0, 0.0, 0.0]\n\
                 keyframes = [{ time = 0.0, factor = 0.0 }, { time = 0.04, factor = 1.0 }]\n";
    let (scene, world, state) = load(&format!("{}{grips}", cut(strength))).unwrap();
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let mut progress = Progress::default();
    while progress.broken.is_empty() {
        assert!(simulation.state.time < 0.04, "nothing breaks");
        simulation.advance(&mut progress).unwrap();
    }
    let event = &progress.broken[0];
    println!("{strength}: {event:?}");
    (event.time / 0.04, event.x)
}

#[test]
fn a_bar_breaks_at_its_cut_at_the_factor_of_the_force() {
    let [(half, at_half), (quarter, at_quarter)] = [0.5, 0.25].map(force_at_break);
    assert!((at_half - 0.01).abs() < 0.003 && (at_quarter - 0.01).abs() < 0.003, "{at_half} {at_quarter}");
    assert!((half / quarter - 2.0).abs() < 0.05, "{half} {quarter}");
}

/// Brightness between the centres of a black pixel at 0 and of a white one at 1, of a picture that repeats.
fn folded(place: f64) -> f64 {
    if place > 1.0 { 2.0 - place } else { place.abs() }
}

#[test]
fn a_map_weakens_where_it_is_dark() {
    let mesh = "shape = { mesh = { file = \"bar.obj\", scale = 0.01 } }\n";
    for map in ["colours = true", "texture = \"map.png\""] {
        let (_, world, state) = load(&format!("{mesh}strength_map = {{ {map}, low = 0.2, high = 0.8 }}\n")).unwrap();
        let mut checked = 0;
        for bond in world.bonds() {
            let x = 0.5 * (state.p[bond.i as usize].x + state.p[bond.j as usize].x);
            let share = if map.starts_with('c') { 0.5 + x / 0.1 } else { folded((0.5 + x / 0.1) * 2.0 - 0.5) };
            // near the ends the nearest face is that of the end
            if x.abs() < 0.035 {
                let wanted = 0.2 + 0.6 * share;
                assert!((bond.strength[0] / 1e6 - wanted).abs() < 1e-6, "{map} {x}: {:?} {wanted}", bond.strength);
                checked += 1;
            }
        }
        assert!(checked > 100);
    }
}

#[test]
fn wrong_cuts_and_maps_are_refused() {
    let mesh = "shape = { mesh = { file = \"bar.obj\", scale = 0.01 } }\n";
    let cases = [
        (format!("{BOX}cuts = {{ file = \"none.obj\" }}"), "none.obj: cannot be read"),
        (format!("{BOX}cuts = {{ file = \"map.png\" }}"), "map.png"),
        (
            format!("{BOX}cuts = {{ file = \"cut.obj\", strength = -1.0 }}"),
            "strength is -1.0, but must be a number of at least 0",
        ),
        (format!("{BOX}rigid = true\ncuts = {{ file = \"cut.obj\" }}"), "has no bonds that break"),
        (format!("{BOX}strength_map = {{ colours = true }}"), "only the mesh of a file has colours"),
        (format!("{mesh}strength_map = {{ low = 0.5 }}"), "either colours = true, or a texture"),
        (format!("{mesh}strength_map = {{ texture = \"cut.obj\" }}"), "cut.obj: "),
        (format!("{mesh}strength_map = {{ colours = true, low = nan }}"), "low is NaN"),
    ];
    for (more, wanted) in cases {
        let error = load(&more).expect_err(&more);
        assert!(error.contains(wanted), "{more}: {error}");
    }
}

#[test]
fn a_softer_material_keeps_the_ratio_of_strength_to_impact() {
    let soft = |softness: &str| {
        let text = format!("{BAR}{BOX}").replace("damping", &format!("{softness}fracture_energy = 9.0\ndamping"));
        let scene = Scene::parse("bar.toml".as_ref(), &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let (world, _) = scene.build().unwrap();
        (world.materials[0].clone(), scene)
    };
    let ((hard, _), (softer, scene)) = (soft(""), soft("softness = 25.0\n"));
    assert!(softer.vibration_decay.is_infinite());
    assert!((softer.young_modulus - 4e6).abs() < 1e-6 && (softer.tensile_strength - 2e5).abs() < 1e-6);
    let ratio = |m: &bdem_core::model::Material| m.tensile_strength / (m.young_modulus * m.density).sqrt();
    let zone =
        |m: &bdem_core::model::Material| m.young_modulus * m.fracture_energy.unwrap() / m.tensile_strength.powi(2);
    assert!((ratio(&hard) / ratio(&softer) - 1.0).abs() < 1e-12 && (zone(&hard) / zone(&softer) - 1.0).abs() < 1e-12);
    // a run's own scene is the softer one, once
    let again = Scene::parse("run.toml".as_ref(), &scene.resolved_toml(), &[]).unwrap();
    assert_eq!(again.materials["stone"].young_modulus, 4e6);
    let text = format!("{BAR}{BOX}").replace("damping", "softness = 0.5\ndamping");
    let error = Scene::parse("bar.toml".as_ref(), &text, &[]).unwrap_err().to_string();
    assert!(error.contains("softness is 0.5, but must be a number from 1"), "{error}");
}

/// Bodies of similar packings: the energy of a crack a bond is as the square of the radius, and that which a bond holds as its cube.
#[test]
fn bonds_soften_below_the_radius_that_is_told() {
    let moduli = |radius: f64| {
        let shape =
            format!("shape = {{ box = {{ size = [{:?}, {:?}, {:?}] }} }}", 24.0 * radius, 12.0 * radius, 12.0 * radius);
        let text =
            format!("{BAR}{shape}\n").replace("damping", "weibull_modulus = 8.0\nfracture_energy = 9.0\ndamping");
        let scene = scenes::scene(&text, &[format!("bodies.bar.particle_radius={radius:?}").as_str()]);
        let (world, _) = scenes::built(&scene);
        let soft = world.bonds().iter().filter(|bond| bond.softening.is_some()).count();
        let moduli = scene.body_moduli(&world).remove(0);
        assert_eq!(moduli.softening.is_some(), soft > 0);
        (moduli.softens_below.expect("a fracture energy"), soft as f64 / world.bonds().len() as f64)
    };
    let (below, _) = moduli(0.01);
    let [(finer, more), (coarser, fewer)] = [0.99, 1.01].map(|factor| moduli(factor * below));
    assert!((finer / below - 1.0).abs() < 1e-6 && (coarser / below - 1.0).abs() < 1e-6, "{below} {finer} {coarser}");
    assert!((0.5..0.6).contains(&more) && (0.4..0.5).contains(&fewer), "{more} {fewer}");
}

/// It would damp a specimen between platens.
#[test]
fn presets_damp_vibrations_but_those_of_material_tests() {
    let glass = format!("{BAR}{BOX}")
        .replace("density = 2600.0\nyoung_modulus = 1e8\npoisson_ratio = 0.2\n", "preset = \"glass\"\n");
    let decay = |more: &str| {
        let scene = Scene::parse("bar.toml".as_ref(), &format!("{glass}{more}"), &[]);
        scene.unwrap_or_else(|error| panic!("{error}")).materials["stone"].vibration_decay
    };
    assert_eq!(decay(""), 5e-4);
    let platen = "[[colliders]]\nname = \"platen\"\nshape = { half_space = { normal = [1.0, 0.0, 0.0], offset = -1.0 } }\n\
                  [specimen]\nload = \"platen\"\ntest = { compression = { area = 1.0, length = 1.0 } }\n";
    assert!(decay(platen).is_infinite());
}

#[test]
fn presets_have_looks_and_rolling_friction() {
    for (name, _) in bdem_run::scene::material_presets() {
        let text = format!("{BAR}{BOX}")
            .replace("density = 2600.0\nyoung_modulus = 1e8\npoisson_ratio = 0.2\n", &format!("preset = \"{name}\"\n"));
        let scene = Scene::parse("bar.toml".as_ref(), &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let material = &scene.materials["stone"];
        assert_eq!(material.rolling_friction, 0.5, "{name}");
        assert_ne!(material.look("stone"), bdem_run::scene::Look::default(), "{name}");
    }
}
