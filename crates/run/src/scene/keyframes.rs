//! Slips of motions by keyframes.

use bdem_core::geometry::Vec3;

use super::check::At;
use super::source::Source;
use super::usual::{Slip, short};
use super::{SceneKey, SceneMotion};

/// Minimum speed (m/s) of a motion between two keys that counts as a jump. A particle leaves such a wall at twice this speed, for
/// which no step is short enough.
const JUMP: f64 = 1e4;

/// The first jump between two keys of a motion, an error.
pub(super) fn jump(keys: &[SceneKey], at: &At) -> Option<Slip> {
    let speed = |pair: &[SceneKey]| {
        let way = Vec3::from(pair[1].position) - Vec3::from(pair[0].position);
        way.norm() / (pair[1].time - pair[0].time)
    };
    let first = keys.windows(2).position(|pair| speed(pair) > JUMP)?;
    let [from, to] = [&keys[first], &keys[first + 1]];
    let message = format!(
        "the motion jumps: from {} s to {} s it moves at {} m/s, and walls may at {} m/s",
        short(from.time),
        short(to.time),
        short(speed(&keys[first..first + 2])),
        short(JUMP)
    );
    let help = "give it more time: times are in seconds, positions in metres";
    Some(Slip { fault: at.key(first + 1).key("position").wrong(message).help(help), is_error: true })
}

/// Slip of rotations about the world's origin, the default pivot, of an object that is elsewhere.
pub(super) fn pivot(motion: &SceneMotion, position: [f64; 3], source: &Source, at: &At) -> Option<Slip> {
    let SceneMotion::Keyframes { keys, .. } = motion else { return None };
    let turns = keys.iter().any(|key| key.rotation.degrees != 0.0);
    let at = at.key("keyframes");
    if !turns || position == [0.0; 3] || source.has(&at.key("pivot")) {
        return None;
    }
    let message = format!(
        "it turns about the world's origin, {} m from its own: keyframes have no pivot",
        short(Vec3::from(position).norm())
    );
    let help = format!("pivot = {position:?} turns it about its own origin; pivot = [0.0, 0.0, 0.0] means the world's");
    Some(Slip::warning(at.wrong(message).help(help)))
}
