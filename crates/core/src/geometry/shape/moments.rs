use super::Shape;
use crate::geometry::{Vec3, spread};
use crate::parallel;

/// Sums over points of a solid: their number or volume, their positions, and their squared distances from the origin.
#[derive(Clone, Copy, Default)]
pub(in crate::geometry) struct Moments {
    pub zeroth: f64,
    pub first: Vec3,
    pub second: f64,
}

impl Moments {
    /// Mean squared distance from the mean position, m2.
    fn mean_square(&self) -> f64 {
        let mean = self.first / self.zeroth;
        self.second / self.zeroth - mean.norm_squared()
    }

    /// `self + other`.
    pub(in crate::geometry) fn plus(self, other: Self) -> Self {
        Self { zeroth: self.zeroth + other.zeroth, first: self.first + other.first, second: self.second + other.second }
    }
}

impl Shape {
    /// Mean squared distance of the solid's points from its centroid, m2: half the trace of its moment of inertia over
    /// its mass. Exact for meshes and the simplest shapes; of others to about 0.3 %, by sampling.
    pub fn mean_square_radius(&self) -> f64 {
        match self {
            Self::Box { size } => Vec3::from(*size).norm_squared() / 12.0,
            Self::Sphere { radius } => 0.6 * radius * radius,
            Self::Ellipsoid { radii } => 0.2 * Vec3::from(*radii).norm_squared(),
            Self::Cylinder { radius, height } => 0.5 * radius * radius + height * height / 12.0,
            Self::Mesh(mesh) => mesh.moments().mean_square(),
            Self::Placed { shape, .. } => shape.mean_square_radius(),
            _ => self.sampled_moments().mean_square(),
        }
    }

    /// Sums over evenly spread points of the bounding box that are inside.
    fn sampled_moments(&self) -> Moments {
        /// Number of points.
        const POINTS: usize = 1 << 17;
        /// Points per task.
        const CHUNK: usize = 1024;
        let (low, high) = self.bounds();
        let sums = parallel::map(POINTS / CHUNK, 1, |chunk| {
            let points = (chunk * CHUNK..(chunk + 1) * CHUNK)
                .map(|n| low + spread::in_cube(n as u32).component_mul(&(high - low)))
                .filter(|p| self.contains(p));
            points.fold(Moments::default(), |sum, p| {
                sum.plus(Moments { zeroth: 1.0, first: p, second: p.norm_squared() })
            })
        });
        sums.into_iter().fold(Moments::default(), Moments::plus)
    }
}
