use bdem_core::geometry::{Mat3, Vec3};

use super::Ball;
use super::raster::Hit;
use super::spiral::Spiral;
use super::subject::Subject;
use super::view::{Outline, View};

/// Texels along each side of the shadow map.
const TEXELS: usize = 2048;
/// Blur of shadows' edges, texels.
const SOFTNESS: f64 = 3.0;
/// Number of texels that are looked up for a sample.
const TAPS: usize = 8;
/// Offset of points off their surface before the lookup, texels: a surface must not shade itself.
const LIFT: f64 = 2.0;
/// Inclination against the light, as a slope, up to which a surface does not shade itself.
const SLOPE: f64 = 1.5;

/// Light of one direction, and the surfaces that it reaches first.
pub(super) struct Sun {
    frame: SunView,
    /// Unit vector to the light.
    pub towards: Vec3,
    map: Vec<Hit>,
    spiral: Spiral<TAPS>,
}

impl Sun {
    /// Sunlight on `subject` from the direction of the unit vector `towards`.
    pub(super) fn on(subject: &Subject, towards: Vec3) -> Self {
        let frame = SunView::around(subject.balls_around(), &towards);
        Self { towards, map: subject.draw(&frame), frame, spiral: Spiral::new() }
    }

    /// Share of the light that reaches `place` (m), on a surface with this unit normal, for a sample.
    pub(super) fn reaching(&self, place: &Vec3, normal: &Vec3, sample: [usize; 2]) -> f64 {
        let texel = self.frame.texel;
        let at = self.frame.axes * (place + normal * (LIFT * texel));
        let depth = (at.z - SOFTNESS * SLOPE * texel) as f32;
        let [x, y] = self.frame.texels(&at);
        let taps = self.spiral.around(sample[0], sample[1]);
        let free = |[dx, dy]: &&[f32; 2]| {
            let [x, y] = [x + SOFTNESS * f64::from(*dx), y + SOFTNESS * f64::from(*dy)];
            let within = (0.0..TEXELS as f64).contains(&x) && (0.0..TEXELS as f64).contains(&y);
            !within || depth <= self.map[y as usize * TEXELS + x as usize].depth
        };
        taps.iter().filter(free).count() as f64 / taps.len() as f64
    }
}

/// View along sunlight.
struct SunView {
    /// Axes as rows: two perpendicular to the light, and along it.
    axes: Mat3,
    /// Corner of the map along the first two axes, m.
    corner: [f64; 2],
    /// Size of a texel, m.
    texel: f64,
}

impl SunView {
    fn around(balls: impl Iterator<Item = Ball>, towards: &Vec3) -> Self {
        let away = -towards;
        let right = away.cross(&Vec3::ith(away.iamin(), 1.0)).normalize();
        let axes = Mat3::from_rows(&[right, away.cross(&right), away].map(|axis| axis.transpose()));
        let none = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (low, high) = balls.fold(none, |(low, high), ball| {
            let (centre, radius) = (axes * ball.centre, Vec3::repeat(ball.radius));
            (low.inf(&(centre - radius)), high.sup(&(centre + radius)))
        });
        let extent = (high - low).xy().max().max(f64::MIN_POSITIVE);
        Self { axes, corner: [low.x, low.y], texel: extent / TEXELS as f64 }
    }

    /// Middle of a texel along an axis, m.
    #[inline]
    fn middle(&self, texel: usize, axis: usize) -> f64 {
        self.corner[axis] + (texel as f64 + 0.5) * self.texel
    }

    /// Position in texels of a point in the view's axes.
    fn texels(&self, at: &Vec3) -> [f64; 2] {
        [(at.x - self.corner[0]) / self.texel, (at.y - self.corner[1]) / self.texel]
    }
}

impl View for SunView {
    fn size(&self) -> [usize; 2] {
        [TEXELS; 2]
    }

    fn see(&self, place: &Vec3) -> Vec3 {
        self.axes * place
    }

    fn project(&self, seen: &Vec3) -> Option<[f64; 3]> {
        let [x, y] = self.texels(seen);
        Some([x, y, seen.z])
    }

    fn away(&self, level: f64) -> f64 {
        level
    }

    fn outline(&self, seen: &Ball) -> Option<Outline> {
        let ([x, y], reach) = (self.texels(&seen.centre), seen.radius / self.texel);
        seen.is_drawn().then_some(())?;
        Outline::between([x - reach, x + reach], [y - reach, y + reach], self.size())
    }

    #[inline]
    fn depth(&self, seen: &Ball, [x, y]: [usize; 2], limit: f64) -> Option<f64> {
        let (dx, dy) = (self.middle(x, 0) - seen.centre.x, self.middle(y, 1) - seen.centre.y);
        let inside = seen.radius * seen.radius - dx * dx - dy * dy;
        let beyond = seen.centre.z - limit;
        if beyond >= 0.0 && beyond * beyond >= inside {
            return None;
        }
        (inside >= 0.0).then(|| seen.centre.z - inside.sqrt())
    }
}
