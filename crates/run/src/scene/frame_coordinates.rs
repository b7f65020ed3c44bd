//! Coordinates of frames, which are numbers of single precision.

use std::path::Path;

use bdem_core::geometry::Vec3;

use super::body::Matter;
use super::check::{At, Fault};
use super::usual::short;
use super::{Scene, SceneBody, SceneError};

/// Largest rounding of an `f32`, as a share of the number.
const ROUNDING: f64 = 0.5 * f32::EPSILON as f64;

/// Rounding over a radius beyond which a scene is warned of: distances of neighbours are off by as much.
const WARNED: f64 = 1e-3;

/// Rounding over a radius beyond which a scene is refused: particles take each other's places in a frame.
const REFUSED: f64 = 0.5;

/// Warning of a body far from the origin of the frames, whose positions they round.
///
/// # Errors
/// Where they round by more than half of a radius.
pub(super) fn slip(scene: &Scene, body: &SceneBody, matter: &Matter, at: &At) -> Result<Option<Fault>, Fault> {
    let origin = Vec3::from(scene.output.origin.unwrap_or_default());
    let Some((reach, radius)) = size(body, matter) else { return Ok(None) };
    let farthest = (Vec3::from(body.position) - origin).amax() + reach;
    let rounding = ROUNDING * farthest;
    if rounding <= WARNED * radius {
        return Ok(None);
    }
    let message = format!(
        "body {:?} reaches {} m from the origin of the frames, where their numbers of single precision round positions by {} m, \
         {} of a particle's radius",
        body.name,
        short(farthest),
        short(rounding),
        short(rounding / radius)
    );
    let help = format!("output.origin = {:?} keeps them: positions in frames are relative to it", body.position);
    let fault = at.key("position").wrong(message).help(help);
    if rounding > REFUSED * radius { Err(fault) } else { Ok(Some(fault)) }
}

/// Distance (m) from a body's origin to its farthest part, and the smallest radius (m) of its particles.
fn size(body: &SceneBody, matter: &Matter) -> Option<(f64, f64)> {
    let farthest = |points: &[Vec3]| points.iter().map(Vec3::norm).fold(0.0, f64::max);
    let radius = body.radii().map(|[low, _]| low);
    match matter {
        Matter::Solid(solid) => {
            let (low, high) = solid.shape.bounds();
            Some((low.abs().sup(&high.abs()).norm(), radius?))
        }
        Matter::Spheres(spheres) => {
            Some((farthest(&spheres.centres), spheres.radii.iter().copied().fold(f64::INFINITY, f64::min)))
        }
        Matter::Edges(edges) => Some((farthest(&edges.vertices), radius.unwrap_or_else(|| 0.5 * edges.shortest()))),
        Matter::Yarns => Some((body.packing.reach(), radius?)),
    }
}

impl Scene {
    /// Scene that a run has written, with its walls and camera in the coordinates of the run's frames: relative to
    /// `output.origin`.
    ///
    /// # Errors
    /// As of [`Self::load_resolved`].
    pub fn load_in_frames(path: &Path) -> Result<Self, SceneError> {
        let mut scene = Self::load_resolved(path)?;
        let Some(origin) = scene.output.origin else { return Ok(scene) };
        let shift = |place: &mut [f64; 3]| *place = (Vec3::from(*place) - Vec3::from(origin)).into();
        if let Some(camera) = &mut scene.camera {
            shift(&mut camera.position);
            shift(&mut camera.target);
        }
        let (mut walls, mut files) = (Vec::new(), scene.files.clone());
        for (index, collider) in scene.colliders.iter_mut().enumerate() {
            collider.shift(shift);
            let at = At::root().key("colliders").key(index);
            walls.push(collider.load(&mut files, &at).map_err(|fault| scene.source.locate(fault))?);
        }
        scene.walls = walls;
        Ok(scene)
    }
}
