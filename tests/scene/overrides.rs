use bdem_core::simulate::{IntegratorKind, StepSize};

use crate::scene::{PLATE, parse, parse_with};

#[test]
fn every_kind_of_value_can_be_set() {
    let scene = parse_with(&[
        "time.frames = 7",
        "time.integrator=explicit-verlet",
        "time.step.periods=100",
        "bodies.0.velocity=[1, 2, 3]",
        "bodies.ball.position.2=0.25",
        "bodies.ball.shape.sphere.radius=0.02",
        "materials.ceramic.tensile_strength=inf",
        "solver.amg.sweeps=2",
        "contact.stiffness=0.5",
    ])
    .unwrap();
    assert_eq!((scene.time.frames, scene.time.integrator), (7, IntegratorKind::ExplicitVerlet));
    assert_eq!(scene.time.step, Some(StepSize::Periods(100.0)));
    assert_eq!((scene.bodies[0].velocity, scene.bodies[1].position), ([1.0, 2.0, 3.0], [0.0, 0.0, 0.25]));
    assert_eq!(scene.materials["ceramic"].tensile_strength, f64::INFINITY);
    assert_eq!((scene.solver.amg.sweeps, scene.contact.stiffness), (2, 0.5));
}

#[test]
fn errors_name_the_override() {
    let cases = [
        ("time.frames=0", "frames is 0, but must be at least 1"),
        ("time.frames=many", "invalid type: string \"many\", expected a whole number"),
        ("time.frame=3", "unknown key `frame`, expected one of"),
        ("time.integrator=explicit-verlt", "did you mean `explicit-verlet`?"),
        ("bodies.ball.velocity=[0, nan, 0]", "velocity is [0.0, NaN, 0.0]"),
        ("bodies.cup.velocity=[0, 0, 0]", "there is no cup: expected a name, or an index from 0 and below 2"),
        ("bodies.2.velocity=[0, 0, 0]", "there is no 2"),
        ("time.frames", "expected key.path=value"),
        ("time..frames=3", "no key left empty"),
        ("=3", "no key left empty"),
        ("scene.gravity=[0, 0", "the value is not TOML"),
        ("scene.gravity=", "the value is not TOML"),
        ("time.frames=3\nvalve = 2", "expected one value"),
        ("materials.steel.density=7800", "missing key `young_modulus`"),
        ("bodies.ball.position=[0, 0, 0.05]", "body \"ball\" overlaps body \"plate\""),
    ];
    for (set, message) in cases {
        let error = parse_with(&["scene.seed=1", set]).and_then(|scene| scene.build()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        // An overlap has no single culprit: it points at the body.
        assert!(error.starts_with(&format!("--set {set}: ")) || message.contains("overlaps"), "{error}");
    }
}

#[test]
fn errors_in_the_file_still_name_their_line() {
    let text = PLATE.replace("every = 2", "every = 0");
    let path = std::path::Path::new("scene.toml");
    let error = bdem_run::scene::Scene::parse(path, &text, &["time.frames=3".to_owned()]).unwrap_err().to_string();
    assert!(error.starts_with("scene.toml:51:9: every is 0"), "{error}");
    assert!(parse(PLATE).is_ok());
}
