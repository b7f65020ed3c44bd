use bdem_core::geometry::Vec3;
use bdem_core::model::{self, Ease, Keyframes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AxisAngle;
use super::check::{At, Fault, Quantity};
use super::files::Files;
use super::key_file;
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
    /// Motion from each key to the next, at rest before the first and after the last. Only differences between keys count.
    Keyframes {
        /// Centre of the rotations at time 0, m.
        #[serde(default)]
        pivot: [f64; 3],
        /// Keys in the order of their times, one at least. Give either these or `file`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(length(min = 1))]
        keys: Vec<SceneKey>,
        /// CSV file of keys, relative to the scene's folder: columns `time` (s), `x`, `y`, `z` (m), and for rotations the quaternion
        /// `qw`, `qx`, `qy`, `qz`, or the angles `rx`, `ry`, `rz` (degrees) about the fixed axes x, then y, then z.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Progress from each key to the next, of keys without their own.
        #[serde(default, skip_serializing_if = "SceneEase::is_default")]
        ease: SceneEase,
    },
}

/// Progress from a key to the next over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Ease")]
pub enum SceneEase {
    /// Uniform.
    #[default]
    Linear,
    /// From rest: Bezier [0.42, 0, 1, 1].
    EaseIn,
    /// To rest: Bezier [0, 0, 0.58, 1].
    EaseOut,
    /// From rest to rest: Bezier [0.42, 0, 0.58, 1].
    EaseInOut,
    /// Cubic Bezier curve from 0, 0 to 1, 1 with the control points x1, y1 and x2, y2: x is time and y is progress, as of CSS.
    Bezier([f64; 4]),
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
    /// Progress from this key to the next. Without it that of all keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ease: Option<SceneEase>,
}

impl SceneEase {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn check(&self, at: &At) -> Result<(), Fault> {
        let Self::Bezier(points @ [x1, _, x2, _]) = self else { return Ok(()) };
        let at = at.key("bezier");
        let is_good = points.iter().all(|x| x.is_finite()) && [x1, x2].iter().all(|x| (0.0..=1.0).contains(*x));
        at.expect(is_good, points, "four numbers [x1, y1, x2, y2], with x1 and x2 from 0 to 1")
    }

    fn model(self) -> Option<Ease> {
        let points = match self {
            Self::Linear => return None,
            Self::EaseIn => [0.42, 0.0, 1.0, 1.0],
            Self::EaseOut => [0.0, 0.0, 0.58, 1.0],
            Self::EaseInOut => [0.42, 0.0, 0.58, 1.0],
            Self::Bezier(points) => points,
        };
        Some(Ease { points })
    }

    /// Highest speed over the mean one.
    fn max_rate(self) -> f64 {
        self.model().map_or(1.0, |ease| ease.max_rate())
    }
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
            Self::Keyframes { pivot, keys, file, ease } => {
                let at = at.key("keyframes");
                at.key("pivot").vector_of(pivot, Quantity::LENGTH)?;
                ease.check(&at.key("ease"))?;
                if file.is_some() {
                    let wrong = at.wrong("keyframes have either keys, or a file of them");
                    return Err(wrong.help(
                        "write keys = [{ time = 0.0, position = [0.0, 0.0, 0.0] }, ..], or file = \"keys.csv\"",
                    ));
                }
                check_keys(keys, *ease, &at.key("keys"))
            }
        }
    }

    /// Reads the keys of a file in its place.
    pub(super) fn read(&mut self, files: &mut Files, at: &At) -> Result<(), Fault> {
        let Self::Keyframes { keys, file, ease, .. } = self else { return Ok(()) };
        let Some(name) = file.as_ref().filter(|_| keys.is_empty()) else { return Ok(()) };
        let at = at.key("keyframes").key("file");
        let read = key_file::keys(&files.read(name, &at)?).map_err(|why| at.wrong(format!("{name}: {why}")))?;
        check_keys(&read, *ease, &At::root()).map_err(|fault| {
            let row = fault.at.first().and_then(|row| row.parse::<usize>().ok()).map_or(0, |row| row + 1);
            Fault { help: fault.help, ..at.wrong(format!("{name}: key {row}: {}", fault.message)) }
        })?;
        (*keys, *file) = (read, None);
        Ok(())
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
            Self::Keyframes { keys, ease, .. } => {
                keys.windows(2).map(|keys| fastest(&keys[0], &keys[1], *ease)).fold(0.0, f64::max)
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
            Self::Keyframes { pivot, keys, ease, .. } => {
                let keys = keys.iter().map(|key| key.model(*ease)).collect();
                model::Motion::Keyframes(Keyframes { pivot: (*pivot).into(), keys })
            }
        }
    }
}

impl SceneKey {
    fn model(&self, ease: SceneEase) -> model::Key {
        let ease = self.ease.unwrap_or(ease).model();
        model::Key { time: self.time, position: self.position.into(), turn: self.rotation.vector(), ease }
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

fn check_keys(keys: &[SceneKey], ease: SceneEase, at: &At) -> Result<(), Fault> {
    at.times(keys.iter().map(|key| key.time))?;
    for (i, key) in keys.iter().enumerate() {
        let at = at.key(i);
        at.key("position").vector_of(&key.position, Quantity::LENGTH)?;
        key.rotation.check(&at.key("rotation"))?;
        key.ease.iter().try_for_each(|ease| ease.check(&at.key("ease")))?;
    }
    let mut pairs = keys.windows(2).zip(1..);
    pairs.try_for_each(|(pair, i)| check_speed(&pair[0], &pair[1], ease, &at.key(i).key("position")))
}

/// Highest speed from a key to the next, m/s; of `ease` where the key has none of its own.
fn fastest(from: &SceneKey, to: &SceneKey, ease: SceneEase) -> f64 {
    let way = (Vec3::from(to.position) - Vec3::from(from.position)).norm();
    if way == 0.0 { 0.0 } else { from.ease.unwrap_or(ease).max_rate() * way / (to.time - from.time) }
}

/// Check that a motion does not jump from one key to the next.
fn check_speed(from: &SceneKey, to: &SceneKey, ease: SceneEase, at: &At) -> Result<(), Fault> {
    /// Speed (m/s) of a jump. A particle leaves such a wall at twice this speed, for which no step is short enough.
    const JUMP: f64 = 1e4;
    let speed = fastest(from, to, ease);
    if speed <= JUMP {
        return Ok(());
    }
    let [start, end, speed, most] = [from.time, to.time, speed, JUMP].map(short);
    let message =
        format!("the motion jumps: from {start} s to {end} s it moves at {speed} m/s, and walls may at {most} m/s");
    Err(at.wrong(message).help("give it more time: times are in seconds, positions in metres"))
}
