//! Triangle meshes of pieces, one mesh a frame.
//!
//! \[BDEM21\] section 3.2 meshes each piece in the frame, by marching cubes over a field of its fracture points. Here
//! the surfaces are found once at rest, and are then displaced by the particles. Both sides of a crack are one surface
//! at rest. In a frame they are thus apart by the crack's opening, for any spacing. Pieces never merge. Nodes of the
//! grid at rest belong to their nearest particles. An edge of the grid is cut where its nodes' particles are no longer
//! tied.
//!
//! ```text
//! rest         particles at rest, and the links between them
//! ties         links that still hold in a frame, within a neighbourhood
//! blocks       the part of the grid near particles, in blocks
//! samples      values at a block's nodes: distance to the surface, and owner
//! cube         the loops of surface through a cube of eight nodes
//! crack        position of a crack between two particles: [BDEM21] eq 19
//! patch        the triangles of a block
//! stitch       the blocks' triangles as one mesh
//! displace     displacement of points by the particles nearby
//! mesher       from particles at rest and a frame to a mesh
//! source       from the files of a run and a frame to a mesh
//! mesh         triangles and their vertices; write: their files
//! ```

mod blocks;
mod crack;
mod cube;
mod displace;
mod mesh;
mod mesher;
mod patch;
mod rest;
mod samples;
mod source;
mod stitch;
mod ties;
mod write;

pub use mesh::{Corner, Face, SurfaceMesh};
pub use mesher::SurfaceMesher;
pub use rest::{Fillings, Link, Rest};
pub use source::Source;
pub use write::{write_obj, write_ply, write_vtp};
