use bdem_core::geometry::Vec3;

use super::camera::Camera;
use super::raster::Hit;
use super::spiral::Spiral;
use super::view::View;

/// Number of samples around a sample.
const TAPS: usize = 8;
/// Limit on the distance of these samples, in samples. It shortens the search near the eye.
const REACH: f64 = 128.0;
/// Darkness of a point whose sky is hidden.
const STRENGTH: f64 = 0.9;

/// Ambient occlusion: the share of the sky that a point sees (M. McGuire, M. Mara, D. Luebke: Scalable Ambient
/// Obscurance, 2012, eq. 8).
pub(super) struct Occlusion<'a> {
    pub camera: &'a Camera,
    pub hits: &'a [Hit],
    /// Range of occlusion, m.
    pub radius: f64,
    spiral: Spiral<TAPS>,
}

impl<'a> Occlusion<'a> {
    pub(super) fn new(camera: &'a Camera, hits: &'a [Hit], radius: f64) -> Self {
        Self { camera, hits, radius, spiral: Spiral::new() }
    }

    /// Visible share of the sky at `place` with this unit normal, as seen by the sample. Both are in the camera's
    /// axes.
    pub(super) fn open(&self, place: &Vec3, normal: &Vec3, [x, y]: [usize; 2]) -> f64 {
        let reach = (self.radius / (place.z * self.camera.step)).min(REACH);
        let hidden = |[dx, dy]: &[f32; 2]| {
            let at = [(x, dx, 0), (y, dy, 1)].map(|(from, d, axis)| {
                let at = from as f64 + reach * f64::from(*d) + 0.5;
                (at.max(0.0) as usize).min(self.camera.size()[axis] - 1)
            });
            self.hidden_by(place, normal, at)
        };
        let hidden = self.spiral.around(x, y).iter().map(hidden).sum::<f64>() / TAPS as f64;
        (1.0 - STRENGTH * hidden).max(0.0)
    }

    fn hidden_by(&self, place: &Vec3, normal: &Vec3, [x, y]: [usize; 2]) -> f64 {
        /// Height over the surface, as a share of the radius, below which nothing occludes.
        const BIAS: f64 = 0.02;
        let depth = f64::from(self.hits[y * self.camera.size()[0] + x].depth);
        // most are too far in front or behind
        if (depth - place.z).abs() >= self.radius {
            return 0.0;
        }
        let way = self.camera.ray(x, y) * depth - place;
        let square = way.norm_squared() / (self.radius * self.radius);
        // without a hit the distance is infinite
        if square >= 1.0 || square.is_nan() {
            return 0.0;
        }
        let rise = way.dot(normal) / self.radius - BIAS;
        let near = 1.0 - square;
        near * near * near * (rise / (square + 1e-4)).max(0.0)
    }
}
