//! Thickness of walls, from points of the interior.

use super::{Shape, Window};
use crate::geometry::{Vec3, spread};
use crate::parallel;

/// Thickness of a shape's walls: chords through inner points, along the normal of the nearest surface.
#[derive(Clone, Debug)]
pub struct Thicknesses {
    /// Lengths of the chords, m, ascending; one at least.
    lengths: Vec<f64>,
}

impl Thicknesses {
    /// Thickness (m) that a `share` (from 0 to 1) of the volume has at most.
    pub fn thinner(&self, share: f64) -> f64 {
        let last = self.lengths.len() - 1;
        self.lengths[((share * last as f64) as usize).min(last)]
    }

    /// Thickness (m) of the thinnest walls, without edges and tips: a fiftieth of the volume.
    pub fn thinnest(&self) -> f64 {
        self.thinner(0.02)
    }
}

impl Shape {
    /// Thicknesses of a bounded shape. A single solid, unless it is one of revolution, is one wall as thick as the whole.
    pub fn thicknesses(&self) -> Thicknesses {
        match self {
            Self::Placed { shape, .. } => shape.thicknesses(),
            Self::Mesh(mesh) => mesh.thicknesses(|| Self::Mesh(mesh.clone()).measured_thicknesses()),
            Self::Revolve(_) | Self::Union(_) | Self::Group(_) | Self::Intersection(_) => self.measured_thicknesses(),
            single => Thicknesses { lengths: vec![single.thickness()] },
        }
    }

    fn measured_thicknesses(&self) -> Thicknesses {
        let points = self.inner_points();
        let mut lengths = parallel::map(points.len(), 1, |i| self.chord(&points[i], f64::INFINITY)[1]);
        lengths.sort_by(f64::total_cmp);
        // no sample fell into the shape: it is thin beside its bounding box
        if lengths.is_empty() { Thicknesses { lengths: vec![self.thickness()] } } else { Thicknesses { lengths } }
    }

    /// Depth of an inner point `p` (m) below the nearest surface, and length of the chord through it along that surface's normal:
    /// the thickness of the wall, m. Length and depth are exact up to `longest` (m) and half of it; beyond, they are lower
    /// bounds, no less than these.
    pub(in crate::geometry) fn chord(&self, p: &Vec3, longest: f64) -> [f64; 2] {
        let (distance, normal) = self.search(p, Window::between(-0.5 * longest, f64::INFINITY));
        let depth = -distance;
        if 2.0 * depth >= longest {
            return [depth, longest];
        }
        let normal = normal.unwrap_or_else(|| self.normal(p));
        // both ways: the nearest surface of a combination may lie within it
        let near = self.way_out(p, &normal, depth, longest);
        let length = near + self.way_out(p, &-normal, depth, longest - near);
        [depth, length]
    }

    /// Distance (m) from an inner point `p` to the surface along a unit vector, by sphere tracing. Beyond `longest` (m) a lower
    /// bound, no less than it.
    fn way_out(&self, p: &Vec3, along: &Vec3, depth: f64, longest: f64) -> f64 {
        /// Smallest step, over the depth.
        const STEP: f64 = 1e-3;
        const STEPS: u32 = 1000;
        /// Distance over the depth at the level of rounding.
        const ROUNDING: f64 = 1e-9;
        let mut way = 0.0;
        let mut inside = depth;
        for _ in 0..STEPS {
            way += inside.max(STEP * depth);
            if way >= longest {
                return way;
            }
            let window = Window::between(way - longest, f64::INFINITY);
            inside = -self.search(&(p + along * way), window).0;
            // members that touch have no wall between them
            if inside < -ROUNDING * depth {
                break;
            }
        }
        way + inside.min(0.0)
    }

    /// Whether the straight line between two inner points (m) is certainly at least `margin` (m) below the surface.
    pub fn connects(&self, [from, to]: [&Vec3; 2], margin: f64) -> bool {
        let length = (to - from).norm();
        let mut way = 0.0;
        while way < length {
            let depth = -self.distance(&(from + (to - from) * (way / length)));
            if depth < margin {
                return false;
            }
            way += depth;
        }
        true
    }

    /// Evenly spread inner points (m). Fewer of shapes that fill little of their bounding box.
    fn inner_points(&self) -> Vec<Vec3> {
        const POINTS: usize = 512;
        /// Number of points tried at once, and in all.
        const BATCH: usize = 4096;
        const MOST: usize = 1 << 16;
        let (low, high) = self.bounds();
        let sides = high - low;
        let mut inside = Vec::new();
        for first in (0..MOST).step_by(BATCH) {
            let at = |n: usize| low + spread::in_cube((first + n) as u32).component_mul(&sides);
            inside.extend(parallel::flat_map(BATCH, 64, |range, inside| {
                inside.extend(range.map(at).filter(|p| self.contains(p)));
            }));
            if inside.len() >= POINTS {
                break;
            }
        }
        inside.truncate(POINTS);
        inside
    }
}
