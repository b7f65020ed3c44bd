use crate::geometry::{Mat3, Vec3};

use super::Ball;
use super::raster::{Hit, draw};
use super::spiral::Spiral;
use super::view::{Outline, View};

/// Texels along each side of the shadow map.
const TEXELS: usize = 2048;
/// How far shadows' edges are washed out, texels.
const SOFTNESS: f64 = 3.0;
/// How far places are lifted off their surface before they are looked up, texels: a surface must not shade itself.
const LIFT: f64 = 2.0;
/// The slope against the light up to which a surface does not shade itself.
const SLOPE: f64 = 1.5;

/// Light that comes from one direction, and what it reaches first.
pub(super) struct Sun {
    frame: SunView,
    /// Unit vector to it.
    pub towards: Vec3,
    map: Vec<Hit>,
    spiral: Spiral<12>,
}

impl Sun {
    /// Sunlight on these balls from the direction of `towards`, a unit vector.
    pub fn on(balls: &[Ball], towards: Vec3) -> Self {
        let frame = SunView::around(balls, &towards);
        Self { towards, map: draw(&frame, balls), frame, spiral: Spiral::new() }
    }

    /// The share of the light that gets to `place` (m), on a surface with this unit normal, which a sample sees.
    pub fn reaching(&self, place: &Vec3, normal: &Vec3, sample: [usize; 2]) -> f64 {
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

/// The view along sunlight.
struct SunView {
    /// Its axes as rows: two across the light, and along it.
    axes: Mat3,
    /// Of the map, along the first two axes, m.
    corner: [f64; 2],
    /// m.
    texel: f64,
}

impl SunView {
    fn around(balls: &[Ball], towards: &Vec3) -> Self {
        let away = -towards;
        let right = away.cross(&Vec3::ith(away.iamin(), 1.0)).normalize();
        let axes = Mat3::from_rows(&[right, away.cross(&right), away].map(|axis| axis.transpose()));
        let drawn = balls.iter().filter(|ball| ball.is_drawn());
        let none = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (low, high) = drawn.fold(none, |(low, high), ball| {
            let (centre, radius) = (axes * ball.centre, Vec3::repeat(ball.radius));
            (low.inf(&(centre - radius)), high.sup(&(centre + radius)))
        });
        let extent = (high - low).xy().max().max(f64::MIN_POSITIVE);
        Self { axes, corner: [low.x, low.y], texel: extent / TEXELS as f64 }
    }

    /// Where a place in its axes is, in texels.
    fn texels(&self, at: &Vec3) -> [f64; 2] {
        [(at.x - self.corner[0]) / self.texel, (at.y - self.corner[1]) / self.texel]
    }
}

impl View for SunView {
    fn size(&self) -> [usize; 2] {
        [TEXELS; 2]
    }

    fn see(&self, ball: &Ball) -> Ball {
        Ball { centre: self.axes * ball.centre, radius: ball.radius }
    }

    fn outline(&self, seen: &Ball) -> Option<Outline> {
        let ([x, y], reach) = (self.texels(&seen.centre), seen.radius / self.texel);
        seen.is_drawn().then_some(())?;
        Outline::between([x - reach, x + reach], [y - reach, y + reach], self.size())
    }

    #[inline]
    fn depth(&self, seen: &Ball, x: usize, y: usize) -> Option<f64> {
        let from =
            |texel: usize, axis: usize| self.corner[axis] + (texel as f64 + 0.5) * self.texel - seen.centre[axis];
        let (dx, dy) = (from(x, 0), from(y, 1));
        let inside = seen.radius * seen.radius - dx * dx - dy * dy;
        (inside >= 0.0).then(|| seen.centre.z - inside.sqrt())
    }
}
