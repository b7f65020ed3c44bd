use std::collections::HashMap;

use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_run::mesh::Polygons;

use super::cut::area_vector;

/// Normals of a mesh whose points move.
///
/// Corners of one point with one normal at rest are of one smooth part of the surface. They share a normal: that at rest, turned
/// as the sum of the area vectors of their faces turns.
pub(super) struct BentNormals {
    /// Number of the normal of each corner.
    pub of_corner: Vec<u32>,
    /// Normals at rest, and sums of the area vectors of their faces, m2.
    rest: Vec<[Vec3; 2]>,
}

impl BentNormals {
    pub(super) fn new(mesh: &Polygons) -> Self {
        let (mut known, mut normals) = (HashMap::new(), Vec::new());
        let of_corner: Vec<u32> = (mesh.corners.iter())
            .map(|corner| {
                let key = (corner.point, [corner.normal.x, corner.normal.y, corner.normal.z].map(f64::to_bits));
                *known.entry(key).or_insert_with(|| {
                    normals.push(corner.normal);
                    normals.len() as u32 - 1
                })
            })
            .collect();
        let areas = area_sums(mesh, &mesh.points, &of_corner, normals.len());
        Self { of_corner, rest: normals.into_iter().zip(areas).map(|(normal, area)| [normal, area]).collect() }
    }

    /// Unit normals at rest.
    pub(super) fn at_rest(&self) -> impl Iterator<Item = Vec3> {
        self.rest.iter().map(|[normal, _]| *normal)
    }

    /// Unit normals with the points of the mesh at `places` (m). `turn` is the rotation of the piece as it moves rigidly.
    pub(super) fn at(&self, mesh: &Polygons, places: &[Vec3], turn: &Quat) -> Vec<Vec3> {
        let areas = area_sums(mesh, places, &self.of_corner, self.rest.len());
        let normal = |(rest, area): (&[Vec3; 2], Vec3)| {
            let [normal, before] = rest.map(|v| rotation::rotate(turn, &v));
            turned(&normal, &before, &area).unwrap_or(normal)
        };
        self.rest.iter().zip(areas).map(normal).collect()
    }
}

/// Sum of the area vectors (m2) of the faces around each normal.
fn area_sums(mesh: &Polygons, places: &[Vec3], of_corner: &[u32], normals: usize) -> Vec<Vec3> {
    let mut sums = vec![Vec3::zeros(); normals];
    let mut numbers = of_corner.iter();
    for face in mesh.faces() {
        let corners: Vec<Vec3> = face.iter().map(|corner| places[corner.point as usize]).collect();
        let area = area_vector(&corners);
        numbers.by_ref().take(face.len()).for_each(|&number| sums[number as usize] += area);
    }
    sums
}

/// Vector `v` turned by the smallest rotation that takes the direction `from` to the direction `to`. None where one of them is
/// zero, and where they are opposite.
fn turned(v: &Vec3, from: &Vec3, to: &Vec3) -> Option<Vec3> {
    let (from, to) = (from.try_normalize(0.0)?, to.try_normalize(0.0)?);
    // Rodrigues' formula with the axis times the sine, and 1 / (1 + cosine)
    let (axis, cosine) = (from.cross(&to), from.dot(&to));
    (1.0 + cosine > 1e-9).then(|| v + axis.cross(v) + axis.cross(&axis.cross(v)) / (1.0 + cosine))?.try_normalize(0.0)
}
