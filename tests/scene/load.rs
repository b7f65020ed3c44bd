use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_run::scene::{BondColumn, BondOutput, Look, LookPreset, Region, Scene, SceneError, SceneMotion};

use crate::scene::{PLATE, edited, parse, parse_with};

#[test]
fn defaults_are_filled_in() {
    let scene = parse(PLATE).unwrap();
    assert_eq!((scene.name(), scene.general.gravity, scene.general.seed), ("plate", [0.0, 0.0, -9.81], 0));
    assert_eq!((scene.time.integrator, scene.time.step), (IntegratorKind::Auto, None));
    let ceramic = &scene.materials["ceramic"];
    assert_eq!((ceramic.shear_strength, ceramic.damping), (f64::INFINITY, 0.0));
    assert_eq!((scene.bodies[1].rotation.degrees, scene.bodies[1].angular_velocity), (0.0, [0.0; 3]));
    assert_eq!((scene.contact.stiffness, scene.output.every, scene.output.bonds.is_on()), (1.0, 2, false));
    assert!(matches!(scene.constraints[0].motion, Some(SceneMotion::Fixed)));
    assert!(matches!(scene.constraints[0].region, Some(Region::Box { min: [-0.2, -0.2, -1.0], .. })));
}

#[test]
fn bonds_of_frames_are_a_switch_or_a_list() {
    let bonds = |value: &str| parse_with(&[&format!("output.bonds={value}")]).map(|scene| scene.output.bonds);
    assert_eq!(bonds("true").unwrap(), BondOutput::Ends(true));
    let columns = bonds("[\"moment\", \"stress\"]").unwrap();
    assert!(columns.is_on() && columns.has_id() && columns.has(BondColumn::Moment) && !columns.has(BondColumn::Force));
    for (value, word) in [("1", "a list such as"), ("forces", "a list such as"), ("[\"forces\"]", "`force`")] {
        let wrong = bonds(value).unwrap_err().to_string();
        assert!(wrong.contains(word), "{wrong}");
    }
    let wrong = parse_with(&["output.particles=[\"strain\"]"]).unwrap_err().to_string();
    assert!(wrong.contains("`displacement`"), "{wrong}");
}

#[test]
fn a_step_has_five_forms() {
    let step =
        |value: &str| parse(&edited("frames = 120", &format!("frames = 120\nstep = {value}"))).unwrap().time.step;
    assert_eq!(step("\"auto\""), Some(StepSize::Auto));
    assert_eq!(step("1e-5"), Some(StepSize::Seconds(1e-5)));
    assert_eq!(step("1"), Some(StepSize::Seconds(1.0)));
    assert_eq!(step("{ periods = 100 }"), Some(StepSize::Periods(100.0)));
    assert_eq!(step("{ periods_2021 = 0.5 }"), Some(StepSize::Periods2021(0.5)));
    assert_eq!(step("{ limit = 0.95 }"), Some(StepSize::Limit(0.95)));
}

#[test]
fn the_resolved_scene_says_the_same_again() {
    let every_form = ["time.step={ periods = 0.2 }", "scene.seed=18446744073709551615", "fracture.axial=tension"];
    let more = ["time.step=auto", "constraints.0.motion={ velocity = [1, 0, 0] }", "colliders.0.friction=0.1"];
    let box_of_one = ["time.step={ periods_2021 = 0.4 }", "bodies.0.shape={ box = { size = [0.2, 0.2, 0.06] } }"];
    let combined = [
        "bodies.0.shape={ difference = [{ box = { size = [0.2, 0.2, 0.06] } }, { half_space = { normal = [1, 0, 0], offset = -0.05 } }] }",
        "bodies.1.shape={ union = [{ sphere = { radius = 0.02 } }, { moved = { shape = { sphere = { radius = 0.02 } }, position = [0, 0, 0.01] } }] }",
    ];
    for overrides in [&[][..], &every_form, &more, &box_of_one, &combined] {
        let resolved = parse_with(overrides).unwrap().resolved_toml();
        let again = parse(&resolved).unwrap_or_else(|e| panic!("{e}\n{resolved}"));
        assert_eq!(again.resolved_toml(), resolved);
        let [first, second] = [parse_with(overrides).unwrap(), again].map(|scene| scene.build().unwrap().1);
        assert_eq!(first, second);
    }
    assert!(parse(PLATE).unwrap().resolved_toml().contains("newton_tolerance"));
}

#[test]
fn the_digest_is_of_the_text_and_the_overrides() {
    let scene = parse(&edited("frames = 120", "frames = 121")).unwrap();
    let plain = parse(PLATE).unwrap();
    assert_eq!(plain.digest().len(), 64);
    assert_eq!(plain.digest(), parse(PLATE).unwrap().digest());
    assert_ne!(plain.digest(), scene.digest());
    assert_ne!(plain.digest(), parse_with(&["time.frames=121"]).unwrap().digest());
}

#[test]
fn files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plate.toml");
    let unreadable = Scene::load(&path).unwrap_err();
    assert!(matches!(unreadable, SceneError::Unreadable { .. }));
    assert!(unreadable.to_string().contains("plate.toml: cannot be read"));

    std::fs::write(&path, PLATE).unwrap();
    assert_eq!(Scene::load(&path).unwrap().digest(), parse(PLATE).unwrap().digest());

    std::fs::write(&path, b"[scene]\nname = \"\xff\"\n").unwrap();
    let wrong = Scene::load(&path).unwrap_err().to_string();
    assert!(wrong.contains("plate.toml:2:9: this is not UTF-8 text"), "{wrong}");
}

#[test]
fn the_estimate_is_a_little_more_than_the_truth() {
    let scene = parse(PLATE).unwrap();
    let (world, state) = scene.build().unwrap();
    let particles = scene.estimated_particles();
    assert!((state.len() as u64..3 * state.len() as u64).contains(&particles));
    // half of twelve neighbours a particle
    assert!(6 * particles >= world.bonds().len() as u64);
}

#[test]
fn materials_have_looks_that_change_no_result() {
    let look = |edit: &str| {
        let scene = parse(&edited("friction = 0.5", &format!("friction = 0.5\n{edit}"))).expect("a good scene");
        (scene.look(&scene.bodies[0]), scene.physics_digest())
    };
    let (of_name, digest) = look("");
    assert_eq!(of_name, LookPreset::Ceramic.look(), "the preset of the material's name");
    let (preset, same) = look("look = \"glass\"");
    assert_eq!((preset, &same), (LookPreset::Glass.look(), &digest));
    let (table, same) = look("look = { outside = [1, 0, 0], roughness = 0.1 }");
    assert_eq!((table, &same), (Look { outside: [1.0, 0.0, 0.0], roughness: 0.1, ..Look::default() }, &digest));
}
