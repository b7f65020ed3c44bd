//! Bonded blocks at rest on a slope.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, G, Setting, Target, floor, mean};

pub(super) const CASES: [Case; 2] = [
    Case { has_friction: true, ..Case::new("bonded block at 28 degrees", "v = 0 where tan(a) < mu", SETTLING, at_28) },
    Case { has_friction: true, ..Case::new("soft block at 35 degrees", "v = 0 where tan(a) < mu", SETTLING, at_35) },
];

const SETTLING: &str = "the settling in the first second and a half";

/// Bound on the creep of a block at rest, m/s.
const CREEP: f64 = 5e-5;

/// Mean speed down the slope over the last half of two seconds.
fn creep(setting: &Setting, degrees: f64, young: f64, friction: f64) -> Result<Vec<Finding>, RunError> {
    let a = degrees.to_radians();
    let gravity = Vec3::new(libm::sin(a), 0.0, -libm::cos(a)) * G;
    let conditions = Conditions {
        gravity,
        friction,
        young,
        restitution: 0.7,
        damping: 0.1,
        frame_rate: 24.0,
        ..Conditions::default()
    };
    let block = "[[bodies]]\nname = \"block\"\nmaterial = \"m\"\nparticle_radius = 0.005\n\
                 shape = { box = { size = [0.07, 0.06, 0.03] } }\nposition = [0.0, 0.0, 0.0149]\n";
    let places = conditions.lasting(2.0).trace(setting, &(block.to_owned() + &floor()), |at| mean(&at.state.p).x);
    let speed = places.map(|x| (x[48] - x[36]) / 0.5);
    Ok(vec![Target::of("creep", "m/s", 0.0, CREEP).find(speed)?])
}

fn at_28(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    creep(setting, 28.0, 3e7, 0.7)
}

fn at_35(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    creep(setting, 35.0, 1e7, 0.9)
}
