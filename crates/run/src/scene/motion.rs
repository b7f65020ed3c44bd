use bdem_core::geometry::Vec3;
use bdem_core::model::{self, Keyframes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AxisAngle;
use super::check::{At, Fault, Quantity};
use super::usual::short;

/// Prescribed motion, independent of forces.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Motion")]
pub enum SceneMotion {
    /// No motion.
    #[default]
    Fixed,
    /// Constant velocity, m/s.
    Velocity([f64; 3]),
    /// Rotation about an axis.
    Rotation {
        /// Point of the axis, m.
        point: [f64; 3],
        /// Direction of the axis, of any length but zero.
        axis: [f64; 3],
        /// Angular velocity, rad/s.
        rate: f64,
    },
    /// Rotation about an axis while advancing along it, as of a drill.
    Screw {
        /// Point of the axis, m.
        point: [f64; 3],
        /// Direction of the axis, of any length but zero.
        axis: [f64; 3],
        /// Angular velocity, rad/s.
        rate: f64,
        /// Velocity along the axis, m/s.
        velocity: f64,
    },
    /// Steady motion from each key to the next, at rest before the first and after the last. Only differences between
    /// keys count.
    Keyframes {
        /// Centre of the rotations at time 0, m.
        #[serde(default)]
        pivot: [f64; 3],
        /// Keys in the order of their times, one at least.
        #[schemars(length(min = 1))]
        keys: Vec<SceneKey>,
    },
}

/// Pose at a time, relative to that at time 0.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Key")]
pub struct SceneKey {
    /// Time, s.
    pub time: f64,
    /// Displacement of the pivot, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the pivot. Keys about one axis may differ by more than half a turn; others go the shortest way.
    #[serde(default)]
    pub rotation: AxisAngle,
}

impl SceneMotion {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        match self {
            Self::Fixed => Ok(()),
            Self::Velocity(velocity) => at.key("velocity").vector_of(velocity, Quantity::SPEED),
            Self::Rotation { point, axis, rate } => check_axis(point, axis, *rate, &at.key("rotation")),
            Self::Screw { point, axis, rate, velocity } => {
                check_axis(point, axis, *rate, &at.key("screw"))?;
                at.key("screw").key("velocity").quantity(*velocity, Quantity::SPEED)
            }
            Self::Keyframes { pivot, keys } => {
                at.key("keyframes").key("pivot").vector_of(pivot, Quantity::LENGTH)?;
                check_keys(keys, &at.key("keyframes").key("keys"))
            }
        }
    }

    /// Displacement without rotation, up to a factor. `None` without one.
    pub(super) fn way(&self) -> Option<[f64; 3]> {
        let way = match self {
            Self::Velocity(velocity) => Vec3::from(*velocity),
            Self::Keyframes { keys, .. } => Vec3::from(keys.last()?.position) - Vec3::from(keys.first()?.position),
            Self::Fixed | Self::Rotation { .. } | Self::Screw { .. } => return None,
        };
        (way != Vec3::zeros()).then(|| way.into())
    }

    /// Highest speed without rotation, m/s.
    pub(super) fn fastest(&self) -> f64 {
        match self {
            Self::Velocity(velocity) => Vec3::from(*velocity).norm(),
            Self::Keyframes { keys, .. } => {
                let speed = |keys: &[SceneKey]| {
                    let [from, to] = [0, 1].map(|k| Vec3::from(keys[k].position));
                    (to - from).norm() / (keys[1].time - keys[0].time)
                };
                keys.windows(2).map(speed).fold(0.0, f64::max)
            }
            Self::Fixed | Self::Rotation { .. } | Self::Screw { .. } => 0.0,
        }
    }

    pub(super) fn model(&self) -> model::Motion {
        match self {
            Self::Fixed => model::Motion::Fixed,
            Self::Velocity(velocity) => model::Motion::Velocity((*velocity).into()),
            Self::Rotation { point, axis, rate } => screw(point, axis, *rate, 0.0),
            Self::Screw { point, axis, rate, velocity } => screw(point, axis, *rate, *velocity),
            Self::Keyframes { pivot, keys } => {
                let keys = keys.iter().map(SceneKey::model).collect();
                model::Motion::Keyframes(Keyframes { pivot: (*pivot).into(), keys })
            }
        }
    }
}

impl SceneKey {
    fn model(&self) -> model::Key {
        model::Key { time: self.time, position: self.position.into(), turn: self.rotation.vector() }
    }
}

fn screw(point: &[f64; 3], axis: &[f64; 3], rate: f64, velocity: f64) -> model::Motion {
    model::Motion::Screw { point: (*point).into(), axis: Vec3::from(*axis).normalize(), rate, velocity }
}

fn check_axis(point: &[f64; 3], axis: &[f64; 3], rate: f64, at: &At) -> Result<(), Fault> {
    at.key("point").vector_of(point, Quantity::LENGTH)?;
    at.key("axis").direction(axis)?;
    let turns = rate.is_finite() && rate != 0.0;
    at.key("rate").expect(turns, rate, "a finite number other than 0 (for no motion, write \"fixed\")")?;
    at.key("rate").quantity(rate, Quantity::SPIN)
}

fn check_keys(keys: &[SceneKey], at: &At) -> Result<(), Fault> {
    at.times(keys.iter().map(|key| key.time))?;
    for (i, key) in keys.iter().enumerate() {
        let at = at.key(i);
        at.key("position").vector_of(&key.position, Quantity::LENGTH)?;
        key.rotation.check(&at.key("rotation"))?;
    }
    keys.windows(2).zip(1..).try_for_each(|(pair, i)| check_speed(&pair[0], &pair[1], &at.key(i).key("position")))
}

/// Check that a motion does not jump from one key to the next.
fn check_speed(from: &SceneKey, to: &SceneKey, at: &At) -> Result<(), Fault> {
    /// Speed (m/s) of a jump. A particle leaves such a wall at twice this speed, for which no step is short enough.
    const JUMP: f64 = 1e4;
    let speed = (Vec3::from(to.position) - Vec3::from(from.position)).norm() / (to.time - from.time);
    if speed <= JUMP {
        return Ok(());
    }
    let [start, end, speed, most] = [from.time, to.time, speed, JUMP].map(short);
    let message =
        format!("the motion jumps: from {start} s to {end} s it moves at {speed} m/s, and walls may at {most} m/s");
    Err(at.wrong(message).help("give it more time: times are in seconds, positions in metres"))
}
