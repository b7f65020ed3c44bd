//! Validation of meshes.

use std::collections::HashMap;

use super::{Mesh, MeshError, area};
use crate::geometry::{Vec3, spread};
use crate::parallel;

/// Bound on coordinates, m: products of larger ones overflow an f64.
const MAX_COORDINATE: f64 = 1e60;

/// Checks that vertices are finite and faces refer to them.
pub(super) fn numbers(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<(), MeshError> {
    if let Some(vertex) = corners.iter().position(|p| !p.iter().all(|x| x.abs() < MAX_COORDINATE)) {
        return Err(MeshError::NotANumber { vertex });
    }
    let vertices = corners.len();
    for (triangle, face) in faces.iter().enumerate() {
        if let Some(&vertex) = face.iter().find(|&&i| i as usize >= vertices) {
            return Err(MeshError::OutOfRange { triangle, vertex, vertices });
        }
    }
    Ok(())
}

impl Mesh {
    /// Checks that the mesh bounds a volume.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        /// Minimum volume over that of a cube with the same surface.
        const MIN_VOLUME_RATIO: f64 = 1e-9;
        let edges = self.open_edges();
        let surface: f64 = self.triangles.iter().map(|t| area(t).norm()).sum();
        let cube = libm::pow(surface / 6.0, 1.5);
        if edges > 0 && self.is_ambiguous() {
            return Err(MeshError::Open { edges });
        }
        if self.volume.abs() <= MIN_VOLUME_RATIO * cube {
            return Err(MeshError::Flat);
        }
        if self.volume < 0.0 {
            return Err(MeshError::InsideOut);
        }
        Ok(())
    }

    /// Number of edges whose triangles do not cancel in direction.
    fn open_edges(&self) -> usize {
        let mut runs: HashMap<[[u64; 3]; 2], i32> = HashMap::with_capacity(3 * self.triangles.len() / 2);
        // the sum turns -0.0 into 0.0
        let key = |p: &Vec3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.each_ref().map(key);
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let (edge, run) = if from < to { ([from, to], 1) } else { ([to, from], -1) };
                *runs.entry(edge).or_default() += run;
            }
        }
        runs.values().filter(|&&run| run != 0).count()
    }

    /// Whether holes make the interior ambiguous. At more than 1/20 of inner samples the winding number is off an
    /// integer by more than 1/4, or no sample is inside.
    fn is_ambiguous(&self) -> bool {
        /// Sample points in the bounding box.
        const SAMPLES: usize = 4096;
        /// Distance of a winding number from an integer at which it is ambiguous.
        const TOLERANCE: f64 = 0.25;
        /// Inner samples per ambiguous one, at least.
        const INSIDE_PER_AMBIGUOUS: usize = 20;
        let (low, high) = self.tree.bounds();
        let at = |n: usize| low + spread::in_cube(n as u32).component_mul(&(high - low));
        let windings = parallel::map(SAMPLES, 1, |n| self.winding_number(&at(n)));
        let inside = windings.iter().filter(|w| w.abs() > 0.5).count();
        let ambiguous = windings.iter().filter(|w| (*w - w.round()).abs() > TOLERANCE).count();
        INSIDE_PER_AMBIGUOUS * ambiguous > inside || inside == 0
    }
}
