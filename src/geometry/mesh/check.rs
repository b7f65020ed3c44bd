//! What a mesh can have wrong.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Mesh, MeshError, area};
use crate::geometry::{Vec3, spread};

/// Coordinates (m) beyond which products of them leave f64's range.
const FURTHEST: f64 = 1e60;

/// That all vertices are places, and those of all faces are there.
pub(super) fn numbers(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<(), MeshError> {
    if let Some(vertex) = corners.iter().position(|p| !p.iter().all(|x| x.abs() < FURTHEST)) {
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
    /// That there is an inside.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        /// Of the volume of a cube of the same surface.
        const FLAT: f64 = 1e-9;
        let edges = self.open_edges();
        let surface: f64 = self.triangles.iter().map(|t| area(t).norm()).sum();
        let cube = libm::pow(surface / 6.0, 1.5);
        if edges > 0 && self.is_doubtful() {
            return Err(MeshError::Open { edges });
        }
        if self.volume.abs() <= FLAT * cube {
            return Err(MeshError::Flat);
        }
        if self.volume < 0.0 {
            return Err(MeshError::InsideOut);
        }
        Ok(())
    }

    /// Edges that triangles run along in one direction more often than in the other.
    fn open_edges(&self) -> usize {
        let mut runs: HashMap<[[u64; 3]; 2], i32> = HashMap::with_capacity(3 * self.triangles.len() / 2);
        // the sum makes -0.0 what 0.0 is
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

    /// Whether the holes are so large that inside and outside are a matter of taste: at more than one in twenty places, of
    /// those that are inside, the winding number is more than 1/4 off a whole number; or no place is inside or inside out.
    fn is_doubtful(&self) -> bool {
        const PLACES: u32 = 4096;
        const SURE: f64 = 0.25;
        const SHARE: usize = 20;
        let (low, high) = self.tree.bounds();
        let at = |n| low + spread::in_cube(n).component_mul(&(high - low));
        let windings: Vec<f64> = (0..PLACES).into_par_iter().map(|n| self.winding_number(&at(n))).collect();
        let inside = windings.iter().filter(|w| w.abs() > 0.5).count();
        let unsure = windings.iter().filter(|w| (*w - w.round()).abs() > SURE).count();
        SHARE * unsure > inside || inside == 0
    }
}
