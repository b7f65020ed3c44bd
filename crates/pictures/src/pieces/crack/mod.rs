//! Cracks between pieces: interfaces of smoothed labels over the rest positions.
//!
//! A particle's label is the fragment of a piece that it belongs to in the end. Each label k has the field
//! phi_k(x) = sum over its particles of w(|x - p|). A point belongs to the piece whose labels have the largest sum, and in it to the
//! label of the largest field. The interfaces between labels are meshed once, by marching tetrahedra, so that both sides have the
//! same vertices.
//!
//! ```text
//! lattice      body-centred cubic lattice
//! active       its nodes in and around a body
//! cells        particles by place
//! field        labels and fields of the nodes
//! noise        displacement that makes cracks rough
//! partition    walls between labels, tetrahedron by tetrahedron
//! hull         walls around all of them
//! simplify     fewer triangles in flat parts of walls
//! ```

mod active;
mod cells;
mod field;
mod hull;
mod lattice;
mod noise;
mod partition;
mod simplify;

use bdem_core::geometry::Vec3;

pub(super) use partition::{OUTSIDE, Partition, edges};

use super::{CrackNoise, CrackSettings};
use active::active_nodes;
use field::Field;
use lattice::Lattice;

/// Labelled particles of a body at rest, in the frame of its mesh.
pub(super) struct Labelled<'a> {
    /// Positions, m.
    pub places: Vec<Vec3>,
    /// Labels, from 0.
    pub labels: Vec<u32>,
    /// Piece of each label.
    pub pieces: &'a [u32],
    /// Labels from here on are crumbs, which have what is nearer to their particles than to others.
    pub chips: u32,
    /// Median radius, m.
    pub radius: f64,
}

/// Walls between the labels of `particles`, within a hull around the `triangles` of the body's mesh (m), with fewer
/// triangles in flat parts if they are to be simple. Walls within a piece are closed but where `is_open` says, from two labels and
/// a place (m), that a crack is there.
///
/// # Errors
/// Number of nodes of the lattice, if there are too many.
pub(super) fn partition(
    particles: &Labelled,
    triangles: &[[Vec3; 3]],
    settings: &CrackSettings,
    is_open: &(dyn Fn([u32; 2], &Vec3) -> bool + Sync),
    is_simple: bool,
) -> Result<Partition, f64> {
    /// Reach of the hull around particles, in radii.
    const MARGIN: f64 = 2.0;
    /// Distance of simplified walls from marched ones, in radii: a fortieth of the width that borders are smoothed over.
    const FLATNESS: f64 = 0.05;
    let spacing = settings.spacing * particles.radius;
    let margin = MARGIN * particles.radius;
    let points = particles.places.iter().chain(triangles.iter().flatten());
    let lattice = Lattice::around(points, margin, spacing)?;
    let nodes = active_nodes(&lattice, &particles.places, margin, triangles);
    let field = Field::new(particles, settings.smooth * particles.radius, settings.noise);
    let values = field.at_nodes(&lattice, &nodes);
    let mut partition = Partition::new(&lattice, &nodes, &values, particles);
    partition.close(particles.pieces, is_open);
    if is_simple {
        simplify::simplify(&mut partition, FLATNESS * particles.radius);
    }
    Ok(partition)
}
