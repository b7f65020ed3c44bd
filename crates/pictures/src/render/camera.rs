use bdem_core::geometry::{Mat3, Vec3};

use super::view::{Outline, View};
use super::{Ball, Size};

/// Samples along each side of a pixel.
pub(super) const SAMPLES: usize = 2;

/// Field of view and size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Angle between the upper and the lower edge of the picture, degrees.
    pub field_of_view: f64,
    /// Size of the picture.
    pub size: Size,
}

/// Margins of a picture, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margins {
    /// Upper margin.
    pub top: f64,
    /// Lower margin.
    pub bottom: f64,
    /// Left margin and right margin, each.
    pub sides: f64,
}

impl Margins {
    /// Equal margins on all sides.
    pub fn even(size: Size) -> Self {
        let free = 0.05 * f64::from(size.width.min(size.height));
        Self { top: free, bottom: free, sides: free }
    }
}

/// Position of a camera and the point that it looks at, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// Position of the camera, m.
    pub eye: Vec3,
    /// Point that the camera looks at, m.
    pub target: Vec3,
}

/// Perspective camera. Its axes are right, down and away.
#[derive(Clone, Debug)]
pub struct Camera {
    pub(super) eye: Vec3,
    /// Axes as rows.
    axes: Mat3,
    /// Tangent of the angle between samples in the middle of the picture.
    pub(super) step: f64,
    size: [usize; 2],
}

impl Camera {
    /// Camera at `viewpoint`, with `up` upwards in the picture. One that looks along `up` has any rotation about it.
    pub fn new(viewpoint: &Viewpoint, up: &Vec3, lens: &Lens) -> Self {
        Self::directed(viewpoint.eye, &(viewpoint.target - viewpoint.eye), up, lens)
    }

    /// Camera that sees all balls from the front, the right and above, as near as these margins allow. Perspective and
    /// radii count: the outermost balls touch the margins.
    pub fn around<'a>(
        balls: impl Iterator<Item = &'a Ball> + Clone,
        up: &Vec3,
        lens: &Lens,
        margins: &Margins,
    ) -> Self {
        let [side, front] = level(up);
        let camera = Self::directed(Vec3::zeros(), &-(side * 0.55 + front + up * 0.75), up, lens);
        let seen = balls.filter(|ball| ball.is_drawn()).map(|ball| ball.seen_by(&camera));
        let [width, height] = [lens.size.width, lens.size.height].map(|pixels| 0.5 * f64::from(pixels));
        let slope = camera.step * SAMPLES as f64;
        let across = Wedge::around(seen.clone(), 0, [margins.sides - width, width - margins.sides].map(|x| x * slope));
        let down = Wedge::around(seen, 1, [margins.top - height, height - margins.bottom].map(|y| y * slope));
        let away = across.apex().min(down.apex());
        let seen_from = Vec3::new(across.middle(away), down.middle(away), away);
        let eye = if seen_from.sum().is_finite() { camera.axes.transpose() * seen_from } else { Vec3::zeros() };
        Self { eye, ..camera }
    }

    fn directed(eye: Vec3, towards: &Vec3, up: &Vec3, lens: &Lens) -> Self {
        let away = towards.try_normalize(0.0).unwrap_or(Vec3::y());
        let across = |up: &Vec3| away.cross(up).try_normalize(1e-6);
        let right = across(up).or(across(&Vec3::y())).unwrap_or(Vec3::x());
        let axes = Mat3::from_rows(&[right, away.cross(&right), away].map(|axis| axis.transpose()));
        let half = libm::tan(0.5 * lens.field_of_view.to_radians());
        let size = [lens.size.width, lens.size.height].map(|pixels| pixels as usize * SAMPLES);
        Self { eye, axes, step: 2.0 * half / size[1] as f64, size }
    }

    /// Ray of a sample at depth 1, in the camera's axes.
    pub(super) fn ray(&self, x: usize, y: usize) -> Vec3 {
        let from_middle = |at: usize, count: usize| (at as f64 + 0.5 - 0.5 * count as f64) * self.step;
        Vec3::new(from_middle(x, self.size[0]), from_middle(y, self.size[1]), 1.0)
    }

    /// Direction in the world, from the camera's axes.
    pub(super) fn in_world(&self, direction: &Vec3) -> Vec3 {
        self.axes.tr_mul(direction)
    }

    /// Direction in the camera's axes, from the world's.
    pub(super) fn of_world(&self, direction: &Vec3) -> Vec3 {
        self.axes * direction
    }

    /// Depths of points less those of a plane close before the eye, m: such a plane is no point's own, so that what it divides
    /// projects to finite positions.
    pub(super) fn depths(&self, places: [Vec3; 3]) -> [f64; 3] {
        /// Distance of the plane over that of the farthest point.
        const NEAR: f64 = 1e-6;
        let depths = places.map(|place| self.see(&place).z);
        let farthest = depths.iter().fold(0.0, |farthest: f64, depth| farthest.max(depth.abs()));
        depths.map(|depth| depth - NEAR * farthest)
    }

    /// Pixel of a point, from the upper left corner. None where it is behind the camera.
    pub fn pixel(&self, place: &Vec3) -> Option<[f64; 2]> {
        let [x, y, _] = self.project(&self.see(place))?;
        Some([x, y].map(|samples| samples / SAMPLES as f64))
    }
}

impl View for Camera {
    fn size(&self) -> [usize; 2] {
        self.size
    }

    fn see(&self, place: &Vec3) -> Vec3 {
        self.of_world(&(place - self.eye))
    }

    fn project(&self, seen: &Vec3) -> Option<[f64; 3]> {
        let sample = |axis: usize| 0.5 * self.size[axis] as f64 + seen[axis] / seen.z / self.step;
        (seen.z > 0.0).then(|| [sample(0), sample(1), 1.0 / seen.z])
    }

    fn away(&self, level: f64) -> f64 {
        1.0 / level
    }

    /// Bounds of a ball in the picture, by the planes through the eye that touch it (M. Mara, M. McGuire: 2D
    /// Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere, 2013). A ball that reaches behind the eye is
    /// out of view.
    fn outline(&self, seen: &Ball) -> Option<Outline> {
        let Ball { centre: c, radius } = seen;
        let front = c.z * c.z - radius * radius;
        if !(front > 0.0 && c.z > 0.0 && seen.is_drawn()) {
            return None;
        }
        let ends = |axis: usize| {
            let spread = radius * (c[axis] * c[axis] + front).sqrt();
            let middle = 0.5 * self.size[axis] as f64;
            [-1.0, 1.0].map(|sign| middle + (c[axis] * c.z + sign * spread) / front / self.step)
        };
        Outline::between(ends(0), ends(1), self.size)
    }

    #[inline]
    fn depth(&self, seen: &Ball, [x, y]: [usize; 2], limit: f64) -> Option<f64> {
        let (ray, c) = (self.ray(x, y), &seen.centre);
        let (square, along) = (ray.norm_squared(), ray.dot(c));
        // hidden balls of a heap are the most: neither a division nor a root for them
        if along >= limit * square && (ray * limit - c).norm_squared() >= seen.radius * seen.radius {
            return None;
        }
        // from the ray's point nearest to the centre: squares of distances from the eye would cancel
        let nearest = along / square;
        let inside = seen.radius * seen.radius - (ray * nearest - c).norm_squared();
        (inside >= 0.0).then(|| nearest - (inside / square).sqrt())
    }
}

/// Unit vectors to the right and to the front, orthogonal to each other and to the axis `up`.
pub(super) fn level(up: &Vec3) -> [Vec3; 2] {
    let side = if up.x == 0.0 { Vec3::x() } else { Vec3::y() };
    [side, side.cross(up)]
}

/// Two planes seen edge on, with balls between them: those through `along` = slope `away`, moved until they touch.
#[derive(Debug)]
struct Wedge {
    slopes: [f64; 2],
    /// Displacements of the planes outwards, along the axis.
    ends: [f64; 2],
}

impl Wedge {
    fn around(seen: impl Iterator<Item = Ball>, axis: usize, slopes: [f64; 2]) -> Self {
        let reach = |ball: &Ball, sign: f64, slope: f64| {
            sign * (ball.centre[axis] - slope * ball.centre.z) + ball.radius * (1.0 + slope * slope).sqrt()
        };
        let ends = seen.fold([f64::NEG_INFINITY; 2], |[low, high], ball| {
            [low.max(reach(&ball, -1.0, slopes[0])), high.max(reach(&ball, 1.0, slopes[1]))]
        });
        Self { slopes, ends }
    }

    /// Depth at which the planes meet: the eye must be there or nearer.
    fn apex(&self) -> f64 {
        -(self.ends[0] + self.ends[1]) / (self.slopes[1] - self.slopes[0])
    }

    /// Position along the axis of an eye at `away`, with equal margins on both sides.
    fn middle(&self, away: f64) -> f64 {
        0.5 * (self.ends[1] + self.slopes[1] * away - self.ends[0] + self.slopes[0] * away)
    }
}
