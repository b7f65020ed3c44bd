use bdem_core::geometry::Vec3;
use bdem_run::mesh::Polygons;

use super::triangulate::area_vector;

/// Cosine of the angle (40 degrees) between faces beyond which their edge is sharp.
const SHARP: f64 = 0.766;

/// Normals of the corners that have none: means of the faces around the point, weighted by area, up to sharp edges. Points
/// in one place, as `welded` says, count as one.
pub(super) fn fill_normals(mesh: &mut Polygons, welded: &[u32]) {
    let areas: Vec<Vec3> = mesh
        .faces()
        .map(|face| area_vector(&face.iter().map(|corner| mesh.points[corner.point as usize]).collect::<Vec<_>>()))
        .collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); mesh.points.len()];
    for (face, index) in mesh.faces().zip(0..) {
        face.iter().for_each(|corner| around[welded[corner.point as usize] as usize].push(index));
    }
    let mut first = 0;
    for (face, &size) in mesh.sizes.iter().enumerate() {
        let own = areas[face].try_normalize(0.0).unwrap_or_default();
        for corner in &mut mesh.corners[first..first + size as usize] {
            if corner.normal != Vec3::zeros() {
                continue;
            }
            let others = &around[welded[corner.point as usize] as usize];
            let is_smooth = |area: &Vec3| area.dot(&own) > SHARP * area.norm();
            let sum: Vec3 = others.iter().map(|&k| areas[k as usize]).filter(is_smooth).sum();
            corner.normal = sum.try_normalize(0.0).unwrap_or(own);
        }
        first += size as usize;
    }
}
