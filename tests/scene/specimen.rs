//! Dimensions of specimens from their bodies, and loads that are too fast.

use bdem_run::scene::{MaterialTest, Scene, Specimen};

use crate::common::scenes::{owned, scene};

const HEAD: &str = r#"
[scene]
name = "specimen"
[time]
frame_rate = 1000.0
frames = 1000
[materials.stone]
density = 2000.0
young_modulus = 1e10
poisson_ratio = 0.2
tensile_strength = 1e7
[[bodies]]
name = "body"
material = "stone"
particle_radius = 0.002
"#;

const PLATENS: &str = r#"
[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.2 } }
[[colliders]]
name = "press"
shape = { half_space = { normal = [0.0, 0.0, -1.0], offset = -0.2 } }
motion = { velocity = [0.0, 0.0, -0.01] }
"#;

const ROLLERS: &str = r#"
[[colliders]]
shape = { sphere = { radius = 0.01 } }
position = [-0.05, 0.0, -0.1]
[[colliders]]
shape = { sphere = { radius = 0.01 } }
position = [0.05, 0.0, -0.1]
[[colliders]]
name = "press"
shape = { sphere = { radius = 0.01 } }
position = [0.0, 0.0, 0.1]
motion = { keyframes = { keys = [{ time = 0.0 }, { time = 1.0, position = [0.0, 0.0, -0.01] }] } }
"#;

fn specimen(shape: &str, rest: &str, test: &str) -> String {
    format!("{HEAD}shape = {shape}\n{rest}\n[specimen]\nload = \"press\"\ntest = {{ {test} }}\n")
}

/// Test of the specimen, as the resolved scene has it.
fn test_of(scene: &Scene) -> MaterialTest {
    assert_eq!(scene.warnings(), &[] as &[String]);
    Specimen::of_resolved(&scene.resolved_toml()).expect("a specimen").test
}

const BOX: &str = "{ box = { size = [0.02, 0.03, 0.05] } }";
const BEAM: &str = "{ box = { size = [0.14, 0.02, 0.03] } }";
const DISC: &str = "{ moved = { shape = { cylinder = { radius = 0.025, height = 0.016 } }, \
                    rotation = { axis = [1.0, 0.0, 0.0], degrees = 90.0 } } }";
const NOTCHED: &str = "{ difference = [{ box = { size = [0.14, 0.02, 0.03] } }, \
                       { moved = { shape = { box = { size = [0.004, 0.1, 0.024] } }, position = [0.0, 0.0, -0.015] } }] }";

#[test]
fn dimensions_that_are_left_out_are_the_bodys() {
    for (shape, rest, given, expected) in [
        (BOX, PLATENS, "compression = {}", vec![6e-4, 0.05]),
        ("{ cylinder = { radius = 0.02, height = 0.05 } }", PLATENS, "compression = {}", vec![1.2566e-3, 0.05]),
        (DISC, PLATENS, "brazilian = {}", vec![0.05, 0.016]),
        (BEAM, ROLLERS, "bending3 = {}", vec![0.1, 0.02, 0.03]),
        (NOTCHED, ROLLERS, "notched-bending = {}", vec![0.1, 0.02, 0.03, 0.012]),
        (NOTCHED, ROLLERS, "notched-bending = { span = 0.102 }", vec![0.102, 0.02, 0.03, 0.012]),
    ] {
        let found = match test_of(&scene(&specimen(shape, rest, given), &[])) {
            MaterialTest::Compression { area, length, .. } => vec![area, length.expect("a length")],
            MaterialTest::Brazilian { diameter, thickness } => vec![diameter, thickness],
            MaterialTest::Bending3 { span, width, height } => vec![span, width, height],
            MaterialTest::NotchedBending { span, width, height, notch } => vec![span, width, height, notch],
            other => panic!("{other}"),
        };
        let near = found.iter().zip(&expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-3);
        assert!(near && found.len() == expected.len(), "{given}: {found:?} and not {expected:?}");
    }
}

/// A grip of a body that is turned, and the two halves of a shear box.
#[test]
fn areas_are_across_the_load() {
    let turned = "position = [1.0, 2.0, 3.0]\nrotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }\n";
    let grip = "[[constraints]]\nname = \"press\"\nbody = \"body\"\n";
    for (motion, test, expected) in [
        ("motion = { velocity = [0.0, 0.01, 0.0] }", "tension = { length = 0.01 }", 1.5e-3),
        (
            "motion = { velocity = [0.01, 0.0, 0.0] }\ndrive = { axis = [0.0, 0.0, 1.0], force = 10.0 }",
            "shear = {}",
            6e-4,
        ),
    ] {
        let found = test_of(&scene(&specimen(BOX, &format!("{turned}{grip}{motion}\n"), test), &[]));
        let (MaterialTest::Tension { area, .. } | MaterialTest::Shear { area, .. }) = found else { panic!("{found}") };
        assert!((area / expected - 1.0).abs() < 1e-9, "{test}: {area} and not {expected} m2");
    }
}

#[test]
fn a_dimension_that_is_not_the_bodys_is_warned_of() {
    let warnings =
        |shape: &str, test: &str, set: &[&str]| scene(&specimen(shape, PLATENS, test), set).warnings().join("\n");
    assert_eq!(warnings(BOX, "compression = { area = 6.2e-4, length = 0.05 }", &[]), "");
    let warned = warnings(BOX, "compression = { area = 6e-2 }", &[]);
    assert!(warned.contains("area is 0.06, but 600e-6 by the shape") && warned.contains("leave area out"), "{warned}");
    let set = warnings(BOX, "compression = {}", &["specimen.test.compression.length=0.5"]);
    assert!(set.contains("length is 0.5, but 0.05 by the shape"), "{set}");
}

#[test]
fn a_dimension_that_no_body_shows_is_missing() {
    let two = format!(
        "{PLATENS}[[bodies]]\nname = \"other\"\nmaterial = \"stone\"\nparticle_radius = 0.002\nshape = {BEAM}\n"
    );
    let text = specimen(BOX, &two, "compression = {}");
    let parse = |text: &str| Scene::parse("test.toml".as_ref(), text, &owned(&[])).map_err(|error| error.to_string());
    let missing = parse(&text).expect_err("two bodies");
    assert!(missing.contains("missing key `area`") && missing.contains("name the specimen's body"), "{missing}");
    parse(&text.replace("load = \"press\"", "load = \"press\"\nbody = \"body\"")).expect("its body is named");
    let plain = parse(&specimen(BEAM, ROLLERS, "notched-bending = {}")).expect_err("no notch");
    assert!(plain.contains("missing key `notch`"), "{plain}");
    let grip = "[[constraints]]\nname = \"press\"\nbody = \"body\"\nmotion = { velocity = [0.01, 0.0, 0.0] }\n";
    let length = parse(&specimen(BOX, grip, "tension = {}")).expect_err("no length");
    assert!(length.contains("missing key `length`") && length.contains("gauge"), "{length}");
}

/// A fiftieth of 1e7 Pa/sqrt(2000 kg/m3 1e10 Pa) is 0.0447 m/s.
#[test]
fn a_load_that_is_too_fast_is_warned_of() {
    let fast = |velocity: &str| {
        let set = format!("colliders.press.motion.velocity=[0,0,{velocity}]");
        scene(&specimen(DISC, PLATENS, "brazilian = {}"), &[&set]).warnings().join("\n")
    };
    assert_eq!(fast("-0.044"), "");
    let warned = fast("-0.1");
    assert!(warned.contains("motion = {"), "{warned}");
    assert!(warned.contains("moves at 0.1 m/s") && warned.contains("make it 0.044 m/s or slower"), "{warned}");
}
