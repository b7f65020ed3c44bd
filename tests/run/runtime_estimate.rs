//! Estimates of a run's time. No test depends on the clock.

use std::path::Path;

use bdem_run::run::FrameTime;
use bdem_run::run::runtime_estimate::{Flight, ImpactOutcome, Phase, Span, TrialRun, duration};
use bdem_run::scene::Scene;

/// Materials, and a floor where one is asked for.
fn scene(gravity: f64, bodies: &[&str], rest: &str) -> Scene {
    let bodies: String =
        bodies.iter().enumerate().map(|(i, body)| format!("{BODY}\nname = \"b{i}\"\n{body}\n")).collect();
    let text = format!(
        "[scene]\nname = \"flight\"\ngravity = [0.0, 0.0, {gravity}]\n[time]\nframe_rate = 100.0\nframes = 100\n\
         [materials.rubber]\ndensity = 1100.0\nyoung_modulus = 1e7\npoisson_ratio = 0.25\n{bodies}\n{rest}"
    );
    Scene::parse(Path::new("flight.toml"), &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A single sphere.
const BODY: &str =
    "[[bodies]]\nmaterial = \"rubber\"\nparticle_radius = 0.01\nshape = { sphere = { radius = 0.0101 } }";
const FLOOR: &str = "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }";

/// End of the flight within a second, s.
fn end(scene: &Scene) -> Option<f64> {
    let (world, state) = scene.build().expect("a scene that can be built");
    Flight::new(&world, &state).end(1.0)
}

#[track_caller]
fn assert_at(found: Option<f64>, time: f64) {
    assert!(found.is_some_and(|found| (found - time).abs() < 1e-9), "{found:?}, not {time}");
}

#[test]
fn a_ball_falls_until_it_touches() {
    // 0.19 m below it at 2 m/s: v t + g t^2/2 = h
    let (v, g, h) = (2.0, 9.81, 0.19);
    let time = f64::sqrt(v * v + 2.0 * g * h) / g - v / g;
    let ball = "position = [0.0, 0.0, 0.2]\nvelocity = [0.0, 0.0, -2.0]";
    assert_at(end(&scene(-9.81, &[ball], FLOOR)), time);
}

#[test]
fn a_ball_that_is_thrown_up_comes_back() {
    let (v, g) = (1.0, 9.81);
    let time = (v + f64::sqrt(v * v + 2.0 * g * 0.19)) / g;
    let ball = "position = [0.0, 0.0, 0.2]\nvelocity = [0.3, 0.0, 1.0]";
    let found = end(&scene(-9.81, &[ball], FLOOR));
    assert!(found.is_some_and(|found| (found - time).abs() < 1e-6), "{found:?}, not {time}");
}

#[test]
fn two_that_fly_at_each_other_meet_half_way() {
    // gravity pulls both alike; 0.3 m between the centres, 0.28 m between the surfaces
    let left = "position = [-0.1, 0.0, 0.5]\nvelocity = [3.0, 0.0, 0.0]";
    let right = "position = [0.2, 0.0, 0.5]\nvelocity = [-1.0, 0.0, 0.0]";
    assert_at(end(&scene(-9.81, &[left, right], "")), 0.28 / 4.0);
}

#[test]
fn what_is_held_is_hit_too() {
    let anvil = "position = [0.0, 0.0, 0.1]";
    let ball = "position = [0.0, 0.0, 0.3]\nvelocity = [0.0, 0.0, -2.0]";
    let held = "[[constraints]]\nbody = \"b0\"\nmotion = \"fixed\"";
    let time = f64::sqrt(4.0 + 2.0 * 9.81 * 0.18) / 9.81 - 2.0 / 9.81;
    assert_at(end(&scene(-9.81, &[anvil, ball], held)), time);
}

#[test]
fn what_rests_on_the_floor_touches_at_once() {
    assert_at(end(&scene(-9.81, &["position = [0.0, 0.0, 0.01]"], FLOOR)), 0.0);
}

#[test]
fn where_nothing_is_in_the_way_flight_never_ends() {
    assert_eq!(end(&scene(-9.81, &["velocity = [0.0, 0.0, -5.0]"], "")), None);
    let apart = ["position = [-0.1, 0.0, 0.0]\nvelocity = [-1.0, 0.0, 0.0]", "position = [0.1, 0.0, 0.0]"];
    assert_eq!(end(&scene(-9.81, &apart, "")), None);
    // below the horizon: it would take longer than the second that is asked for
    assert_eq!(end(&scene(0.0, &["position = [0.0, 0.0, 2.0]\nvelocity = [0.0, 0.0, -1.0]"], FLOOR)), None);
}

#[test]
fn in_flight_all_is_where_it_is_thrown() {
    let scene = scene(-9.81, &["position = [0.0, 0.0, 0.2]\nvelocity = [1.0, 0.0, -2.0]"], FLOOR);
    let (world, start) = scene.build().expect("a scene that can be built");
    let state = Flight::new(&world, &start).at(0.1);
    let (fallen, moved) = (0.2 + 0.5 * 9.81 * 0.01, state.p[0] - start.p[0]);
    assert!((moved.x - 0.1).abs() < 1e-15 && (moved.z + fallen).abs() < 1e-15, "{moved}");
    assert!((state.v[0].z + 2.0 + 0.981).abs() < 1e-15 && state.time == 0.1, "{}", state.v[0]);
}

#[test]
fn a_trial_tells_its_later_pace() {
    // ten steps of cheap flight, then an impact
    let flight = (0..=10).map(|k| [f64::from(k), 0.02 * f64::from(k)]);
    let impact = (1..=4).map(|k| [10.0 + 0.1 * f64::from(k), 0.2 + 0.5 * f64::from(k)]);
    let trial = TrialRun::of(&flight.chain(impact).collect::<Vec<_>>());
    assert!((trial.simulated - 10.4).abs() < 1e-12 && (trial.seconds - 2.2).abs() < 1e-12, "{trial:?}");
    assert!((trial.seconds_per_second - 5.0).abs() < 1e-9, "{trial:?}");
    // a single step takes all the time
    assert_eq!(
        TrialRun::of(&[[0.0, 0.0], [0.5, 2.0]]),
        TrialRun { simulated: 0.5, seconds: 2.0, seconds_per_second: 4.0 }
    );
    assert_eq!(TrialRun::of(&[[0.0, 0.0]]), TrialRun::default());
    // the first step, with the setup of the others, does not count
    let trial = TrialRun::of(&[[0.0, 0.0], [1.0, 3.0], [2.0, 3.1], [3.0, 3.2], [4.0, 3.3]]);
    assert!((trial.seconds_per_second - 0.1).abs() < 1e-9, "{trial:?}");
}

#[test]
fn a_phase_is_what_was_tried_and_the_rest() {
    let trial = TrialRun { simulated: 0.5, seconds: 3.0, seconds_per_second: 10.0 };
    let phase = Phase::new(&trial, 2.5, 4.0, Span { low: 0.5, high: 2.0 });
    assert_eq!((phase.frames, phase.tried, phase.a_frame), (10.0, 2.0, Span { low: 1.25, high: 5.0 }));
    assert_eq!(phase.whole(), Span { low: 3.0 + 8.0 * 1.25, high: 3.0 + 8.0 * 5.0 });
    // a step may go beyond the end
    let all = Phase::new(&TrialRun { simulated: 0.6, ..trial }, 0.5, 4.0, Span { low: 0.5, high: 2.0 });
    assert_eq!(all.whole(), Span::of(3.0));
}

#[test]
fn a_span_is_one_figure_or_a_range() {
    let span = |low, high| Span { low, high }.to_string();
    assert_eq!(span(40.0, 180.0), "40 s to 3.0 min");
    assert_eq!(span(30.0, 60.0), "about 42 s");
    assert_eq!(span(0.0, 0.0), "about 0.0 ms");
    assert_eq!((Span::of(1.0) + Span { low: 1.0, high: 5.0 } * 2.0).to_string(), "3.0 s to 11 s");
    let units = [0.0123, 0.4567, 1.0, 59.7, 600.0, 7200.0, 1e6].map(duration);
    assert_eq!(units, ["12 ms", "457 ms", "1.0 s", "60 s", "10 min", "2.0 h", "12 days"]);
}

#[test]
fn the_time_left_follows_the_last_frames() {
    let mut frame_time = FrameTime::default();
    assert_eq!(frame_time.left(40.0, 0.0, 0.0), None);
    // half of a first frame is known
    assert_eq!(frame_time.left(40.0, 0.5, 1.0), Some(79.0));
    [0.01; 3].iter().for_each(|&seconds| frame_time.frame(seconds));
    assert!(frame_time.left(37.0, 0.0, 0.0).is_some_and(|left| (left - 0.37).abs() < 1e-12));
    // the impact: after three frames of 1 s the flight has little weight
    [1.0; 3].iter().for_each(|&seconds| frame_time.frame(seconds));
    assert!(frame_time.left(34.0, 0.0, 0.0).is_some_and(|left| (left - 34.0 * (1.0 - 0.99 / 8.0)).abs() < 1e-12));
    // a frame takes no less than its time so far, and its completed share is not left
    assert_eq!(frame_time.left(10.0, 0.5, 4.0), Some(38.0));
}

/// The strikes of a scene file within its frames: body, speed (m/s), ratio of strength to wave stress and outcome.
fn strikes(scene: &Scene) -> Vec<(String, f64, f64, ImpactOutcome)> {
    let (world, state) = scene.build().expect("a scene that can be built");
    let until = f64::from(scene.time.frames) / scene.time.frame_rate;
    let strikes = Flight::new(&world, &state).strikes(until).into_iter();
    strikes.map(|s| (scene.bodies[s.body].name.clone(), s.speed, s.ratio(), s.outcome())).collect()
}

fn scene_file(name: &str, set: &[&str]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).with_extension("toml");
    let set: Vec<String> = set.iter().map(|&set| set.to_owned()).collect();
    Scene::load_with(&path, &set).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn strength_over_the_impacts_wave_tells_a_burst_from_a_break() {
    let found = |name: &str, set: &[&str]| {
        let strikes = strikes(&scene_file(name, set));
        println!("{name} {set:?}: {strikes:?}");
        assert_eq!(strikes.len(), 1, "{name}: {strikes:?}");
        let (_, speed, ratio, outcome) = strikes[0].clone();
        (speed, ratio, outcome)
    };
    // thrown at 5 m/s from just above the floor: rho c v = sqrt(1e9 2600) 5 m/s
    let (speed, ratio, outcome) = found("slab", &[]);
    assert!((5.0..5.1).contains(&speed), "{speed}");
    assert!((ratio - 2e6 / (f64::sqrt(2.6e12) * speed)).abs() < 0.01 * ratio, "{ratio}");
    assert_eq!(outcome, ImpactOutcome::Bursts);
    assert_eq!(found("plate", &[]).2, ImpactOutcome::Breaks);
    assert_eq!(found("pot", &[]).2, ImpactOutcome::Breaks);
    assert_eq!(found("chocolate", &[]).2, ImpactOutcome::Breaks);
    assert_eq!(found("plate", &["materials.ceramic.tensile_strength=1.2e7"]).2, ImpactOutcome::Chips);
}

#[test]
fn a_pane_is_struck_as_fast_as_the_ball_flies() {
    let strikes = strikes(&scene_file("window", &[]));
    let [(body, speed, ratio, outcome)] = &strikes[..] else { panic!("{strikes:?}") };
    assert_eq!((body.as_str(), *outcome), ("pane", ImpactOutcome::Breaks));
    assert!((speed - 12.0).abs() < 1e-9 && (ratio - 0.93).abs() < 0.02, "{speed} {ratio}");
}

#[test]
fn what_is_not_one_impact_has_no_strike() {
    // a scripted press; a pull; and a slab that never lands
    for (name, set) in [
        ("three_point_bending", &[][..]),
        ("beam_stretch", &["bodies.beam.particle_radius=0.04"]),
        ("slab", &["colliders=[]"]),
        ("slab", &["bodies.slab.position=[0, 0, 5]"]),
    ] {
        assert_eq!(strikes(&scene_file(name, set)), [], "{name} {set:?}");
    }
}

#[test]
fn the_limits_of_outcomes() {
    let outcomes = [0.3, 0.49, 0.5, 1.0, 1.49, 1.5, 1.6].map(ImpactOutcome::of);
    let (bursts, breaks, chips) = (ImpactOutcome::Bursts, ImpactOutcome::Breaks, ImpactOutcome::Chips);
    assert_eq!(outcomes, [bursts, bursts, breaks, breaks, breaks, chips, chips]);
}
