//! Blocks on a slope and on a belt.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{
    BLOCK_RADIUS, Case, Conditions, Finding, G, Setting, Target, block, find_all, floor, half_space, mean, wall,
    without_hold, without_rigid_bodies, without_rigid_hold,
};

pub(super) const CASES: [Case; 4] = [
    Case {
        name: "rigid block on a slope below the angle of friction",
        source: "v = 0 where tan(a) < mu",
        weakness: "the settling in the first half of a second",
        has_friction: true,
        cannot: without_rigid_hold,
        run: rigid_creep,
    },
    Case {
        name: "bonded block on a slope below the angle of friction",
        source: "v = 0 where tan(a) < mu",
        weakness: "the settling in the first half of a second",
        has_friction: true,
        cannot: without_hold,
        run: bonded_creep,
    },
    Case {
        name: "rigid block on a slope above the angle of friction",
        source: "dv/dt = g (sin(a) - mu cos(a))",
        weakness: "the tangential spring, which stays at its limit",
        has_friction: true,
        cannot: without_rigid_bodies,
        run: acceleration,
    },
    Case {
        name: "rigid block on a belt",
        source: "v = mu g t until t = V/(mu g), then V",
        weakness: "a belt that changes its speed",
        has_friction: true,
        cannot: without_rigid_bodies,
        run: belt,
    },
];

/// Restitution of blocks, the default of scenes: contacts that stick have little damping.
const RESTITUTION: f64 = 0.7;

/// Conditions on a slope of an angle (degrees): gravity is turned, and the floor is level.
fn slope(degrees: f64, friction: f64) -> Conditions {
    let a = degrees.to_radians();
    let gravity = Vec3::new(libm::sin(a), 0.0, -libm::cos(a)) * G;
    Conditions { gravity, friction, restitution: RESTITUTION, frame_rate: 24.0, ..Conditions::level() }
}

fn rigid_creep(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    creep(setting, slope(25.0, 0.5), true)
}

fn bonded_creep(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    creep(setting, slope(30.0, 0.8), false)
}

/// Bound on the creep of a block at rest, radii a second: a hundredth of a radius in ten seconds.
const CREEP: f64 = 1e-3;

/// Mean speed of a block down the slope in the second half of a second, radii a second.
fn creep(setting: &Setting, conditions: Conditions, rigid: bool) -> Result<Vec<Finding>, RunError> {
    let objects = block(setting, rigid)? + &floor();
    let places = conditions.lasting(1.0).trace(setting, &objects, |at| mean(&at.state.p).x);
    let speed = places.map(|x| (x[24] - x[12]) / (0.5 * BLOCK_RADIUS));
    Ok(vec![Target::of("creep", "radii/s", 0.0, CREEP).find(speed)?])
}

fn acceleration(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (degrees, friction) = (35.0_f64, 0.5);
    let a = degrees.to_radians();
    let right = G * (libm::sin(a) - friction * libm::cos(a));
    let conditions = slope(degrees, friction).lasting(0.5);
    let speeds = conditions.trace(setting, &(block(setting, true)? + &floor()), |at| mean(&at.state.v).x);
    let found = speeds.map(|v| (v[12] - v[6]) * conditions.frame_rate / 6.0);
    Ok(vec![Target::of("dv/dt, 35 degrees, mu 0.5", "m/s2", right, 0.01 * right).find(found)?])
}

fn belt(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (speed, friction) = (1.0, 0.5);
    // ten frames until the block has the belt's speed
    let frame_rate = 10.0 * friction * G / speed;
    let conditions = Conditions { friction, frame_rate, frames: 20, ..Conditions::level() };
    let motion = format!("motion = {{ velocity = [{speed:?}, 0.0, 0.0] }}");
    let objects = block(setting, true)? + &wall(&half_space(&Vec3::z()), &motion);
    let speeds = conditions.trace(setting, &objects, |at| mean(&at.state.v).x / speed);
    let targets =
        [Target::ratio("v/V at half of the time", 0.5, 0.01), Target::ratio("v/V at twice the time", 1.0, 0.005)];
    find_all(targets, speeds.map(|v| [v[5], v[20]]))
}
