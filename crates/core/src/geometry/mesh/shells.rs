//! Shells of a mesh: sets of triangles that are connected by their corners.

use std::collections::HashMap;

use super::{Mesh, MeshError, area, volume};
use crate::geometry::Vec3;

impl Mesh {
    /// Check that no shell is inside out. A shell that faces inwards is a cavity where the rest encloses it.
    pub(super) fn check_shells(&self) -> Result<(), MeshError> {
        /// Position of the sample before the surface, as a share of the square root of a triangle's area.
        const BEFORE: f64 = 1e-3;
        for shell in self.shells() {
            let triangles: Vec<_> = shell.iter().map(|&k| self.triangles[k]).collect();
            if volume(&triangles, &triangles[0][0]) >= 0.0 {
                continue;
            }
            let size = |k: &&usize| area(&self.triangles[**k]).norm();
            let Some(&largest) = shell.iter().max_by(|a, b| size(a).total_cmp(&size(b))) else { continue };
            let [a, b, c] = self.triangles[largest];
            let (middle, area) = ((a + b + c) / 3.0, area(&self.triangles[largest]));
            // within the shell: in a cavity of a solid the winding number is 0
            let sample: Vec3 = middle + area * (BEFORE / area.norm().sqrt());
            if self.winding_number(&sample) < -0.5 {
                return Err(MeshError::ShellInsideOut { triangles: shell.len(), place: middle.into() });
            }
        }
        Ok(())
    }

    /// Triangles of each shell.
    fn shells(&self) -> Vec<Vec<usize>> {
        let mut known: HashMap<[u64; 3], usize> = HashMap::with_capacity(self.triangles.len() / 2);
        let mut parents: Vec<usize> = (0..self.triangles.len()).collect();
        for (k, triangle) in self.triangles.iter().enumerate() {
            for corner in triangle {
                // the sum turns -0.0 into 0.0
                let key = [corner.x, corner.y, corner.z].map(|x| (x + 0.0).to_bits());
                let other = *known.entry(key).or_insert(k);
                let [a, b] = [k, other].map(|k| root(&mut parents, k));
                parents[a.max(b)] = a.min(b);
            }
        }
        let mut shells = vec![Vec::new(); parents.len()];
        (0..parents.len()).for_each(|k| shells[root(&mut parents, k)].push(k));
        shells.retain(|shell| !shell.is_empty());
        shells
    }
}

/// First triangle of the set that has triangle `k`. Shortens the way to it.
fn root(parents: &mut [usize], mut k: usize) -> usize {
    while parents[k] != k {
        parents[k] = parents[parents[k]];
        k = parents[k];
    }
    k
}
