//! A grain that slides, rolls and spins on a floor, and on a turntable.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{
    Ball, Case, Conditions, Finding, G, RADIUS, Setting, Stop, Target, find_all, floor, half_space, never, wall,
    without_torque,
};

pub(super) const CASES: [Case; 7] = [
    Case {
        name: "sliding grain that begins to roll",
        source: "v = v_0 - mu g t until t = 2 v_0/(7 mu g), then 5/7 v_0",
        weakness: "a rolling resistance",
        has_friction: true,
        cannot: without_torque,
        run: sliding_to_rolling,
    },
    Case {
        name: "grain with backspin",
        source: "v' = (5 v - 2 r w)/7",
        weakness: "the way there",
        has_friction: true,
        cannot: without_torque,
        run: backspin,
    },
    Case {
        name: "grain that rolls down a slope",
        source: "dv/dt = 5/7 g sin(a)",
        weakness: "the friction limit",
        has_friction: true,
        cannot: without_torque,
        run: downhill,
    },
    Case {
        name: "rolling grain with rolling friction",
        source: "J w' + r m v' = -mu_r m g r, v = r w: dv/dt = -5/7 mu_r g",
        weakness: "spin about the normal",
        has_friction: true,
        cannot: without_torque,
        run: rolling_decay,
    },
    Case {
        name: "spinning grain with rolling friction",
        source: "J dw/dt = -mu_r m g r: dw/dt = -5/2 mu_r g/r",
        weakness: "the axis: the code's rolling friction does not distinguish rolling from spinning",
        has_friction: false,
        cannot: never,
        run: spinning_decay,
    },
    Case {
        name: "grain on the axis of a turntable, rolling friction",
        source: "w = W: no relative motion remains",
        weakness: "the rate at which it gets there",
        has_friction: false,
        cannot: never,
        run: turntable,
    },
    Case {
        name: "grain that rolls on a turntable",
        source: "circles at 2/7 of its rate; Weltner 1979",
        weakness: "sliding",
        has_friction: true,
        cannot: without_torque,
        run: circle,
    },
];

/// Speed at the start, m/s.
const SPEED: f64 = 1.0;
/// Coefficient of sliding friction.
const FRICTION: f64 = 0.3;

/// Grain that touches the floor, with a velocity (m/s) and an angular velocity (rad/s).
fn ball(v: Vec3, w: Vec3) -> Ball {
    Ball { w, ..Ball::new(Vec3::z() * RADIUS, v) }
}

/// Speed along x and r w about y, m/s, at all frames of a grain on the floor.
fn rolls(setting: &Setting, conditions: &Conditions, v: f64, spin: f64) -> Result<Vec<[f64; 2]>, Stop> {
    let ball = ball(Vec3::x() * v, Vec3::y() * (spin / RADIUS));
    let of = |v: &[Vec3], w: &[Vec3]| [v[0].x, RADIUS * w[0].y];
    conditions.trace(setting, &(ball.text("ball") + &floor()), |at| of(&at.state.v, &at.state.w))
}

/// Time (s) until a contact point that slides at `slip` (m/s) stops: the slip decreases by 7/2 mu g.
fn sliding_time(slip: f64) -> f64 {
    2.0 * slip / (7.0 * FRICTION * G)
}

/// Conditions in which a contact point that slides at `slip` (m/s) stops after ten of twenty frames.
fn until_rolling(slip: f64) -> Conditions {
    Conditions { friction: FRICTION, frame_rate: 10.0 / sliding_time(slip), frames: 20, ..Conditions::level() }
}

/// Speed over that at the start of a sliding grain, over the time in units of that after which it rolls.
pub(super) fn sliding_curve(setting: &Setting) -> Result<Vec<(f64, f64)>, Stop> {
    let speeds = rolls(setting, &until_rolling(SPEED), SPEED, 0.0)?;
    Ok(speeds.iter().enumerate().map(|(k, at)| (0.1 * k as f64, at[0] / SPEED)).collect())
}

/// Right speed of it.
pub(super) fn right_sliding(time: f64) -> f64 {
    1.0 - 2.0 / 7.0 * time.min(1.0)
}

fn sliding_to_rolling(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let found = rolls(setting, &until_rolling(SPEED), SPEED, 0.0);
    let targets = [
        Target::ratio("v/v_0 at half of the time", 6.0 / 7.0, 0.01),
        Target::ratio("v/v_0 at twice the time", 5.0 / 7.0, 0.01),
        Target::ratio("r w/v_0 at twice the time", 5.0 / 7.0, 0.01),
    ];
    find_all(targets, found.map(|at| [at[5][0], at[20][0], at[20][1]].map(|value| value / SPEED)))
}

fn backspin(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let spins = [("grain that stops", -2.5), ("grain that returns", -4.0)];
    let one = |(what, spin): (&str, f64)| {
        let found = rolls(setting, &until_rolling(1.0 - spin), SPEED, spin * SPEED);
        let right = (5.0 + 2.0 * spin) / 7.0;
        Target::ratio(format!("v'/v, {what}"), right, 0.01).find(found.map(|at| at[20][0] / SPEED))
    };
    spins.into_iter().map(one).collect()
}

fn downhill(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let a = 20.0_f64.to_radians();
    let gravity = Vec3::new(libm::sin(a), 0.0, -libm::cos(a)) * G;
    let conditions = Conditions { gravity, friction: 0.5, frame_rate: 24.0, frames: 12, ..Conditions::level() };
    let right = 5.0 / 7.0 * gravity.x;
    let found = rolls(setting, &conditions, 0.0, 0.0).map(|at| (at[12][0] - at[6][0]) * conditions.frame_rate / 6.0);
    Ok(vec![Target::of("dv/dt, 20 degrees, mu 0.5", "m/s2", right, 0.01 * right).find(found)?])
}

/// Coefficient of rolling friction.
const ROLLING: f64 = 0.05;

/// Conditions with rolling friction.
fn resisted(friction: f64) -> Conditions {
    Conditions { friction, rolling_friction: ROLLING, frame_rate: 10.0, ..Conditions::level() }
}

/// Time (s) after which a rolling grain stops: 7 v_0/(5 mu_r g), from dv/dt.
fn stopping_time() -> f64 {
    7.0 * SPEED / (5.0 * ROLLING * G)
}

/// Speed over that at the start of a rolling grain, over the time in units of that after which it stops. Ten points are before
/// it.
pub(super) fn rolling_curve(setting: &Setting) -> Result<Vec<(f64, f64)>, Stop> {
    let conditions = Conditions { frame_rate: 10.0 / stopping_time(), frames: 15, ..resisted(0.5) };
    let speeds = rolls(setting, &conditions, SPEED, SPEED)?;
    Ok(speeds.iter().enumerate().map(|(k, at)| (0.1 * k as f64, at[0] / SPEED)).collect())
}

/// Right speed of it.
pub(super) fn right_rolling(time: f64) -> f64 {
    1.0 - time.min(1.0)
}

fn rolling_decay(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let targets =
        [Target::ratio("v/v_0 at half of its time", 0.5, 0.01), Target::ratio("v/v_0 at 1.5 of its time", 0.0, 1e-3)];
    find_all(targets, rolling_curve(setting).map(|at| [at[5].1, at[15].1]))
}

fn spinning_decay(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let start = 100.0;
    let grain = ball(Vec3::zeros(), Vec3::z() * start);
    let objects = grain.text("ball") + &floor();
    let found = resisted(0.0).lasting(1.0).trace(setting, &objects, |at| at.state.w[0].z / start);
    let right = 1.0 - 2.5 * ROLLING * G * 0.4 / (RADIUS * start);
    let targets = [Target::ratio("w/w_0 after 0.4 s", right, 0.01), Target::ratio("w/w_0 after 1 s", 0.0, 1e-3)];
    find_all(targets, found.map(|at| [at[4], at[10]]))
}

/// Rate of the turntable W, rad/s.
const RATE: f64 = 7.0;

/// Turntable z = 0 about the z axis.
fn table() -> String {
    let motion =
        format!("motion = {{ rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], rate = {RATE:?} }} }}");
    wall(&half_space(&Vec3::z()), &motion)
}

fn turntable(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let from = |start: f64| {
        let objects = ball(Vec3::zeros(), Vec3::z() * start).text("ball") + &table();
        let end = resisted(0.0).lasting(0.5).run(setting, &objects, |_| ());
        Target::of(format!("w after 0.5 s, from {start}"), "rad/s", RATE, 0.01 * RATE)
            .find(end.map(|end| end.state.w[0].z))
    };
    [RATE, 0.0].map(from).into_iter().collect()
}

fn circle(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (place, v, seconds) = (Vec3::x() * 0.1, Vec3::y() * 0.1, 0.5);
    // no slip: v - r w x z = W z x p
    let w = Vec3::z().cross(&(v - RATE * Vec3::z().cross(&place))) / RADIUS;
    let mut ball = ball(v, w);
    ball.p += place;
    let conditions = Conditions { friction: 0.5, frame_rate: 48.0, ..Conditions::level() }.lasting(seconds);
    let end = conditions.run(setting, &(ball.text("ball") + &table()), |_| ()).map(|end| end.state.v[0]);
    let targets = [Target::ratio("rate/W", 2.0 / 7.0, 0.003), Target::ratio("v/v_0", 1.0, 0.01)];
    let rate = |end: &Vec3| libm::atan2(-end.x, end.y) / (seconds * RATE);
    find_all(targets, end.map(|end| [rate(&end), end.norm() / v.norm()]))
}
