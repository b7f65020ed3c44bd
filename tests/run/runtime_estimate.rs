//! Estimates of a run's time. No test depends on the clock.

use bdem_run::run::FrameTime;
use bdem_run::run::runtime_estimate::{ImpactOutcome, RuntimeEstimate, Span, Striker, TrialRun, duration};
use bdem_run::scene::Scene;

use super::load;
use crate::common::scenes::{self, FLOOR};

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
        TrialRun { simulated: 0.5, seconds: 2.0, seconds_per_second: 4.0, ..TrialRun::default() }
    );
    assert_eq!(TrialRun::of(&[[0.0, 0.0]]), TrialRun::default());
    // the first step, with the setup of the others, does not count
    let trial = TrialRun::of(&[[0.0, 0.0], [1.0, 3.0], [2.0, 3.1], [3.0, 3.2], [4.0, 3.3]]);
    assert!((trial.seconds_per_second - 0.1).abs() < 1e-9, "{trial:?}");
}

#[test]
fn an_estimate_is_what_was_tried_and_the_rest() {
    let trial = TrialRun { simulated: 0.5, seconds: 3.0, seconds_per_second: 10.0, ..TrialRun::default() };
    let estimate = RuntimeEstimate::of(trial.clone(), 10.0, 4.0, Span { low: 0.5, high: 2.0 });
    assert_eq!((estimate.tried, estimate.a_frame), (2.0, Span { low: 1.25, high: 5.0 }));
    assert_eq!(estimate.whole(), Span { low: 3.0 + 8.0 * 1.25, high: 3.0 + 8.0 * 5.0 });
    // a step may go beyond the end
    let all = RuntimeEstimate::of(TrialRun { simulated: 0.6, ..trial }, 2.0, 4.0, Span { low: 0.5, high: 2.0 });
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

/// Cubes of 8 cm that break, and a floor where one is asked for.
fn scene(gravity: f64, bodies: &[&str], rest: &str) -> Scene {
    let cube = "[[bodies]]\nmaterial = \"clay\"\nparticle_radius = 0.01\npacking = { hexagonal = { fit = false } }\nshape = { box = { size = [0.08, 0.08, 0.08] } }";
    let body = |(i, body): (usize, &&str)| format!("{cube}\nname = \"b{i}\"\n{body}\n");
    let bodies: String = bodies.iter().enumerate().map(body).collect();
    let text = format!(
        "[scene]\nname = \"flight\"\ngravity = [0.0, 0.0, {gravity}]\n[time]\nframe_rate = 100.0\nframes = 100\n\
         [materials.clay]\ndensity = 2000.0\nyoung_modulus = 1e9\npoisson_ratio = 0.25\ntensile_strength = 1e7\n\
         shear_strength = 1e7\n{bodies}\n{rest}"
    );
    scenes::scene(&text, &[])
}

/// First impacts of a scene before `until` (s): body, speed (m/s), ratio of strength to wave stress and outcome.
fn impacts(scene: &Scene, until: f64) -> Vec<(String, f64, f64, ImpactOutcome)> {
    let mut simulation = scenes::simulated(scene);
    let trial = TrialRun::run(&mut simulation, until, f64::INFINITY).expect("no step fails");
    println!("{trial:?}");
    trial
        .impacts
        .iter()
        .map(|met| (scene.bodies[met.body].name.clone(), met.speed, met.ratio(), met.outcome()))
        .collect()
}

/// The same, the bodies and speeds alone.
fn speeds(scene: &Scene, until: f64) -> Vec<(String, f64)> {
    impacts(scene, until).into_iter().map(|(body, speed, ..)| (body, speed)).collect()
}

#[track_caller]
fn assert_speeds(found: &[(String, f64)], expected: &[(&str, f64)]) {
    let is_near = |(found, expected): (&(String, f64), &(&str, f64))| {
        found.0 == expected.0 && (found.1 / expected.1 - 1.0).abs() < 0.01
    };
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_near), "{found:?}, not {expected:?}");
}

#[test]
fn a_fall_ends_at_its_speed() {
    // the lowest spheres are 0.16 m above the floor
    let (v, g, h) = (2.0, 9.81, 0.16);
    let speed = f64::sqrt(v * v + 2.0 * g * h);
    let body = "position = [0.0, 0.0, 0.2]\nvelocity = [1.0, 0.0, -2.0]";
    assert_speeds(&speeds(&scene(-g, &[body], FLOOR), 0.1), &[("b0", speed)]);
    // it comes back
    let thrown = "position = [0.0, 0.0, 0.2]\nvelocity = [0.0, 0.0, 2.0]";
    assert_speeds(&speeds(&scene(-g, &[thrown], FLOOR), 0.6), &[("b0", speed)]);
}

#[test]
fn two_that_fly_at_each_other_have_both_speeds() {
    let left = "position = [-0.1, 0.0, 0.5]\nvelocity = [3.0, 0.0, 0.0]";
    let right = "position = [0.1, 0.0, 0.5]\nvelocity = [-1.0, 0.0, 0.0]";
    assert_speeds(&speeds(&scene(-9.81, &[left, right], ""), 0.05), &[("b0", 4.0), ("b1", 4.0)]);
}

#[test]
fn what_is_held_is_hit_too() {
    let held = "[[constraints]]\nbody = \"b0\"\nmotion = \"fixed\"";
    let bodies = ["position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 0.19]\nvelocity = [0.0, 0.0, -2.0]"];
    assert_speeds(&speeds(&scene(0.0, &bodies, held), 0.03), &[("b0", 2.0), ("b1", 2.0)]);
}

#[test]
fn what_meets_nothing_has_no_impact() {
    // rests on the floor; flies off
    assert_eq!(speeds(&scene(-9.81, &["position = [0.0, 0.0, 0.0399]"], FLOOR), 0.02), []);
    assert_eq!(speeds(&scene(-9.81, &["velocity = [0.0, 0.0, -5.0]"], ""), 0.1), []);
}

/// Impacts of a trial of one step at least, of which those after it follow from prescribed motions: body, striker, speed and time.
fn foretold(scene: &Scene, until: f64) -> Vec<(usize, Striker, f64, f64)> {
    let mut simulation = scenes::simulated(scene);
    let trial = TrialRun::run(&mut simulation, until, 0.0).expect("no step fails");
    println!("{trial:?}");
    trial.impacts.iter().map(|met| (met.body, met.striker, met.speed, met.time)).collect()
}

#[track_caller]
fn assert_foretold(scene: &Scene, until: f64, striker: Striker, speed: f64, time: f64) {
    let found = foretold(scene, until);
    let [(0, by, at, when), ..] = found[..] else { panic!("{found:?}") };
    let is_near = (at / speed - 1.0).abs() < 0.03 && (when / time - 1.0).abs() < 0.02;
    assert!(by == striker && is_near, "{found:?}, not {striker:?} {speed} {time}");
}

#[test]
fn a_wall_that_moves_strikes_at_its_speed() {
    let wall = FLOOR.to_owned() + "motion = { velocity = [0.0, 0.0, 3.0] }";
    let body = "position = [0.0, 0.0, 0.05]";
    assert_speeds(&speeds(&scene(0.0, &[body], &wall), 0.01), &[("b0", 3.0)]);
    // from behind it overtakes what flies before it, and never what is as fast
    let flies = "position = [0.0, 0.0, 0.05]\nvelocity = [0.0, 0.0, 1.0]";
    assert_speeds(&speeds(&scene(0.0, &[flies], &wall), 0.02), &[("b0", 2.0)]);
    let flees = "position = [0.0, 0.0, 0.05]\nvelocity = [0.0, 0.0, 3.0]";
    assert_eq!(foretold(&scene(0.0, &[flees], &wall), 1.0), []);
}

/// A ball on keyframes comes from 1 m off after 0.1 s, and a hammer turns to the body: after the trial.
#[test]
fn colliders_on_their_way_are_foretold() {
    let body = "position = [0.0, 0.0, 0.0399]";
    let ball = "[[colliders]]\nname = \"ball\"\nshape = { sphere = { radius = 0.05 } }\nposition = [1.0, 0.0, 0.04]\n\
                motion = { keyframes = { keys = [{ time = 0.1, position = [0.0, 0.0, 0.0] }, { time = 0.2, position = \
                [-1.0, 0.0, 0.0] }] } }";
    let scene_of = |collider: &str| scene(-9.81, &[body], &format!("{FLOOR}\n{collider}"));
    // 10 m/s, over 1 m less the radius and half of the cube's width
    assert_foretold(&scene_of(ball), 1.0, Striker::Collider(1), 10.0, 0.1 + 0.1 * (1.0 - 0.05 - 0.04));
    let hammer = "[[colliders]]\nshape = { sphere = { radius = 0.05 } }\nposition = [0.0, 0.5, 0.54]\n\
                  motion = { rotation = { point = [0.0, 0.0, 0.54], axis = [1.0, 0.0, 0.0], rate = -10.0 } }";
    let angle = libm::acos(0.09 / 0.5) / 10.0;
    assert_foretold(&scene_of(hammer), 1.0, Striker::Collider(1), 5.0, angle);
    // away from the body, or past it
    let away = ball.replace("-1.0", "1.0");
    assert!(foretold(&scene_of(&away), 1.0).iter().all(|(.., speed, _)| *speed < 0.1));
    let past = ball.replace("0.04]\nmotion", "0.5]\nmotion");
    assert!(foretold(&scene_of(&past), 1.0).iter().all(|(.., speed, _)| *speed < 0.1));
}

/// A body that a constraint moves strikes another, and one that flies the floor, after the trial.
#[test]
fn bodies_on_their_way_are_foretold() {
    let drawn = "[[constraints]]\nbody = \"b1\"\nmotion = { velocity = [-4.0, 0.0, 0.0] }";
    let bodies = ["position = [0.0, 0.0, 0.0]", "position = [1.0, 0.0, 0.0]"];
    assert_foretold(&scene(0.0, &bodies, drawn), 1.0, Striker::Body(1), 4.0, (1.0 - 0.08) / 4.0);
    let falls = ["position = [0.0, 0.0, 2.04]"];
    let (height, g): (f64, f64) = (2.0, 9.81);
    let (speed, time) = (f64::sqrt(2.0 * g * height), f64::sqrt(2.0 * height / g));
    assert_foretold(&scene(-g, &falls, FLOOR), 1.0, Striker::Collider(0), speed, time);
}

/// A grip that starts at a speed that breaks the body, and one that only goes on to pull it.
#[test]
fn a_grip_that_jolts_is_foretold() {
    let grip = |speed: f64| {
        let grip =
            "[[constraints]]\nregion = { box = { min = [-1.0, -1.0, 0.02], max = [1.0, 1.0, 1.0] } }\nstart = 0.01\n";
        scene(0.0, &["position = [0.0, 0.0, 0.0]"], &format!("{grip}motion = {{ velocity = [0.0, 0.0, {speed:?}] }}"))
    };
    assert_foretold(&grip(20.0), 1.0, Striker::Constraint(0), 20.0, 0.01);
    assert_eq!(foretold(&grip(0.1), 1.0), []);
}

#[test]
fn strength_over_the_impacts_wave_tells_what_shatters_from_what_breaks() {
    let found = |name: &str, frames: f64, set: &[&str]| {
        let scene = load(name, set);
        let impacts = impacts(&scene, frames / scene.time.frame_rate);
        assert_eq!(impacts.len(), 1, "{name}: {impacts:?}");
        let (_, speed, ratio, outcome) = impacts[0].clone();
        (speed, ratio, outcome)
    };
    // thrown at 5 m/s from just above the floor: rho c v = sqrt(1e9 2600) 5 m/s
    let (speed, ratio, outcome) = found("slab", 3.4, &[]);
    assert!((5.0..5.1).contains(&speed), "{speed}");
    assert!((ratio - 2e6 / (f64::sqrt(2.6e12) * speed)).abs() < 0.01 * ratio, "{ratio}");
    assert_eq!(outcome, ImpactOutcome::Shatters);
    // large particles: neither the bonds' strength nor the wave's stress depends on their size
    let of_bonds = |name: &str, frames: f64, material: &str, radius: &str, strength: f64| {
        let keys = ["moduli=bond".to_owned(), "strengths=bond".to_owned(), format!("tensile_strength={strength:?}")];
        let keys: Vec<String> = keys.iter().map(|key| format!("materials.{material}.{key}")).collect();
        found(name, frames, &[&keys[0], &keys[1], &keys[2], radius]).2
    };
    let plate = "bodies.plate.particle_radius=0.003";
    assert_eq!(of_bonds("plate", 4.3, "ceramic", plate, 6e6), ImpactOutcome::Breaks);
    assert_eq!(of_bonds("pot", 2.7, "clay", "bodies.pot.particle_radius=0.003", 6e6), ImpactOutcome::Breaks);
    assert_eq!(
        of_bonds("chocolate", 1.3, "chocolate", "bodies.bar.particle_radius=0.0027", 6e6),
        ImpactOutcome::Breaks
    );
    assert_eq!(of_bonds("plate", 4.3, "ceramic", plate, 1.2e7), ImpactOutcome::Chips);
}

#[test]
fn a_pane_is_struck_as_fast_as_the_ball_flies() {
    let impacts = impacts(&load("window", &["materials.glass.tensile_strength=2.5e7"]), 5e-4);
    let [(body, speed, ratio, outcome)] = &impacts[..] else { panic!("{impacts:?}") };
    assert_eq!((body.as_str(), *outcome), ("pane", ImpactOutcome::Breaks));
    assert!((speed - 12.0).abs() < 1e-3 && (ratio - 1.32).abs() < 0.02, "{speed} {ratio}");
}

#[test]
fn the_limits_of_outcomes() {
    let outcomes = [0.3, 0.49, 0.5, 1.0, 1.49, 1.5, 1.6].map(ImpactOutcome::of);
    let (shatters, breaks, chips) = (ImpactOutcome::Shatters, ImpactOutcome::Breaks, ImpactOutcome::Chips);
    assert_eq!(outcomes, [shatters, shatters, breaks, breaks, breaks, chips, chips]);
}
