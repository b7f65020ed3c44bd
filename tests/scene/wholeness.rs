//! Pieces of bodies at the start, and whole walls.

use bdem_run::scene::{Scene, Wholeness};

use crate::scene::parse;

/// A vase with walls of 5.57 mm.
const VASE: &str = "{ revolve = { profile = [[0, 0], [0.03, 0], [0.05, 0.05], [0.03, 0.1], [0.035, 0.12], \
                    [0.029, 0.12], [0.024, 0.1], [0.044, 0.05], [0.026, 0.006], [0, 0.006]] } }";

/// Thickness of its walls, m.
const WALL: f64 = 0.00557;

/// A scene of one body, with these lines in it.
fn body(lines: &str) -> Scene {
    let scene = format!(
        "[scene]\nname = \"one\"\n[time]\nframe_rate = 24.0\nframes = 1\n[materials.clay]\ndensity = 1000.0\n\
         young_modulus = 1e7\npoisson_ratio = 0.2\n[[bodies]]\nname = \"one\"\nmaterial = \"clay\"\n\
         position = [0.1, 0.2, 0.3]\nrotation = {{ axis = [1, 2, 3], degrees = 40 }}\n{lines}"
    );
    parse(&scene).unwrap_or_else(|error| panic!("{error}"))
}

/// A vase packed like this, of particles of this radius (m).
fn vase(radius: f64, packing: &str) -> Scene {
    body(&format!("particle_radius = {radius:?}\nshape = {VASE}\npacking = {packing}"))
}

fn wholeness(scene: &Scene) -> Vec<Wholeness> {
    let (world, state) = scene.build().unwrap_or_else(|error| panic!("{error}"));
    scene.wholeness(&world, &state)
}

const FILLED: &str = "{ shell = { fill = true } }";

/// The body of a scene that fills its walls by layers, and its coordination number.
fn filled(scene: &Scene) -> (Wholeness, f64) {
    let (world, state) = scene.build().expect("it is packed");
    let (mut whole, filling) = (scene.wholeness(&world, &state), scene.fillings(&world));
    assert!(scene.estimated_particles() as usize >= whole[0].particles, "{whole:?}");
    (whole.remove(0), filling[0].coordination)
}

#[test]
fn walls_of_a_vase_are_whole_where_layers_fill_them() {
    for (radius, fewest_bonds) in [(0.0026, 4.5), (0.0022, 4.5), (0.0018, 5.0), (0.0015, 7.0)] {
        let (whole, coordination) = filled(&vase(radius, FILLED));
        assert_eq!((whole.pieces, whole.connected), (1, whole.particles), "{radius}");
        assert!((whole.across() * 2.0 * radius / WALL - 1.0).abs() < 0.03, "{radius}: {}", whole.across());
        assert!(coordination > fewest_bonds, "{radius}: {coordination}");
    }
}

#[test]
fn plates_of_any_thickness_are_whole_where_layers_fill_them() {
    for layers in [1, 2] {
        for thickness in [2.0, 2.5, 3.0, 3.6, 4.0, 4.5, 5.0, 5.3, 6.0, 7.0, 8.5, 10.0] {
            let packing = format!("{{ shell = {{ layers = {layers}, fill = true }} }}");
            let size = [0.03, 0.025, 0.001 * thickness];
            let shape = format!("shape = {{ box = {{ size = {size:?} }} }}");
            let (whole, coordination) =
                filled(&body(&format!("particle_radius = 0.001\n{shape}\npacking = {packing}")));
            assert_eq!((whole.pieces, whole.connected), (1, whole.particles), "{thickness}, {layers}");
            assert!(coordination > 4.0, "{thickness}, {layers}: {coordination}");
        }
    }
}

#[test]
fn a_lattice_that_leaves_walls_in_pieces_is_refused_with_a_radius_that_does() {
    let scene = vase(0.002, "\"hexagonal\"");
    let [whole] = &wholeness(&scene)[..] else { panic!("one body") };
    assert!(whole.pieces > 10 && whole.parts == 1, "{whole:?}");
    let error = scene.check_whole(std::slice::from_ref(whole)).expect_err("it is in pieces").to_string();
    assert!(error.starts_with("scene.toml:16:9: body \"one\" is in "), "{error}");
    assert!(error.contains("particles of radius 0.001") && error.contains("fill = true"), "{error}");
    let radius: f64 = error
        .split("particles of radius ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("a radius")
        .parse()
        .expect("a number");
    let whole = wholeness(&vase(radius, "\"hexagonal\""));
    assert!(whole[0].is_whole(), "{radius}: {whole:?}");
}

#[test]
fn loose_particles_are_a_warning_if_they_are_more_than_a_random_packing_has() {
    let scene = vase(0.002, "\"hexagonal\"");
    let mut whole = wholeness(&scene).remove(0);
    for (loose, warnings) in [(1, 0), (whole.particles / 50, 1)] {
        whole.connected = whole.particles - loose;
        assert_eq!(scene.check_whole(&[whole.clone()]).expect("it is whole enough").len(), warnings);
    }
}

#[test]
fn a_filled_shell_in_pieces_is_not_told_to_become_one() {
    for (packing, is_told) in [(FILLED, false), ("\"random\"", true), ("\"shell\"", true)] {
        let scene = vase(0.0022, packing);
        let mut whole = wholeness(&vase(0.0022, FILLED)).remove(0);
        (whole.pieces, whole.connected) = (2, whole.particles * 9 / 10);
        let warning = scene.check_whole(&[whole]).expect("it is whole enough").remove(0).to_string();
        assert!(warning.contains("particles of radius") && warning.contains("fill = true") == is_told, "{warning}");
    }
}

#[test]
fn parts_of_a_shape_are_no_pieces_of_it() {
    let ball =
        |x: f64| format!("{{ moved = {{ shape = {{ sphere = {{ radius = 0.02 }} }}, position = [{x}, 0, 0] }} }}");
    let balls = |gap: f64| (0..3).map(|k| ball(f64::from(k) * (0.04 + gap))).collect::<Vec<_>>().join(", ");
    for gap in [1e-4, 0.01, 0.2] {
        let scene = body(&format!("particle_radius = 0.004\nshape = {{ union = [{}] }}", balls(gap)));
        let [whole] = &wholeness(&scene)[..] else { panic!("one body") };
        assert_eq!((whole.pieces, whole.parts, whole.is_whole()), (3, 3, true), "{gap}: {whole:?}");
    }
}

#[test]
fn grains_yarns_and_rigid_bodies_are_not_expected_to_be_whole() {
    let ball = "particle_radius = 0.004\nshape = { sphere = { radius = 0.02 } }\n";
    for lines in [
        &format!("{ball}bonded = false")[..],
        &format!("{ball}rigid = true"),
        "particle_radius = 0.004\npacking = { woven = { size = [0.1, 0.1] } }",
        "particle_radius = 0.004\npacking = { rope = { length = 0.1, strands = 3 } }",
    ] {
        assert_eq!(wholeness(&body(lines)), [], "{lines}");
    }
    assert_eq!(wholeness(&body(ball)).len(), 1);
}

/// A radius that fits in a corner of the foot only.
#[test]
fn particles_larger_than_the_walls_are_refused() {
    let scene = format!("particle_radius = 0.0031\nshape = {VASE}\npacking = {FILLED}");
    let text = format!(
        "[scene]\nname = \"one\"\n[time]\nframe_rate = 24.0\nframes = 1\n[materials.clay]\ndensity = 1000.0\n\
         young_modulus = 1e7\npoisson_ratio = 0.2\n[[bodies]]\nname = \"one\"\nmaterial = \"clay\"\n{scene}"
    );
    let error = parse(&text).expect_err("no particle fits").to_string();
    for part in ["m thick, thinner than one particle: few particles fit", "make it at least 0.0062 m thick", "0.0027"] {
        assert!(error.contains(part), "{error}");
    }
}
