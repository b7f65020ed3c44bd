//! Cuts of a closed mesh by the regions of its pieces, with `manifold-rust`, a port of Manifold
//! (<https://github.com/elalish/manifold>): booleans whose results are closed by construction.

mod components;
mod engine_mesh;
mod normals;
mod polygons;
mod region;
mod solid;
mod triangulate;

use bdem_run::mesh::Polygons;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{BooleanEngine, Error};
use rayon::prelude::*;

pub(super) use components::components;
pub(super) use polygons::polygons_of;
pub(super) use solid::{Solid, weld, with_normals};
pub(super) use triangulate::area_vector;
pub(crate) use triangulate::triangulate;

use super::crack::Partition;
use region::Region;

/// Solid that was cut by a region.
pub(super) struct Cracked<'a> {
    solid: &'a Solid,
    /// Labels in front of and behind each face of the region that is a crack which ends in it.
    lips: &'a [Option<[u32; 2]>],
}

/// Part of a mesh that was cut.
pub(super) struct CutMesh {
    /// Mesh of the part.
    pub mesh: Polygons,
    /// Number of faces on the outside. They come first; the others are cracks.
    pub outside: usize,
    /// Points on cracks that end in the part, with the labels on their side and on the other. A point at the end of one has both.
    pub lips: Vec<(u32, [u32; 2])>,
}

/// Part of a solid in a region, and its volume (m3). None where they do not meet.
pub(super) type Part = Option<(CutMesh, f64)>;

/// Part of a solid in the region of each piece of a partition. `pieces` has the piece of each label. The sides of cracks that end in a
/// piece are about `gap` (m) apart.
///
/// # Errors
/// Piece whose region failed, and why.
pub(super) fn cut(
    solid: &Solid,
    partition: &Partition,
    pieces: &[u32],
    gap: f64,
) -> Result<Vec<Part>, (usize, String)> {
    // numbered here, so that they do not depend on the threads
    let regions = region::regions(partition, pieces, gap);
    let part = |(piece, Region { mesh: region, lips }): (usize, Region)| {
        if region.tri_verts.is_empty() {
            return Ok(None);
        }
        let failed = |what: &str, error: Error| (piece, format!("{what}: {error:?}"));
        let region = Manifold::from_mesh_gl64(&region);
        if region.status() != Error::NoError {
            return Err(failed("its region is not closed", region.status()));
        }
        let part = region.intersection_with_engine(&solid.manifold, BooleanEngine::Exact);
        match part.status() {
            Error::NoError if part.num_tri() == 0 => Ok(None),
            Error::NoError => Ok(Some((polygons_of(&part, Some(&Cracked { solid, lips: &lips })), part.volume()))),
            error => Err(failed("the intersection failed", error)),
        }
    };
    regions.into_par_iter().enumerate().map(part).collect::<Vec<_>>().into_iter().collect()
}
