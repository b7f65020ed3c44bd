//! Triangle meshes of frames, and surfaces around particles that belong to no mesh: yarns, springs, and those of other
//! programs.
//!
//! \[BDEM21\] section 3.2 meshes each piece in the frame, by marching cubes over a field of its points. So do these, with a
//! field of spheres and capsules: particles and the links between them. Pieces never merge.
//!
//! ```text
//! shapeless    particles of a run without a mesh, or of a frame without its run, and their links
//! march        closed surfaces of a frame
//! field        blocks of the grid, and the field at their nodes
//! rods         spheres and capsules
//! cube         the loops of surface through a cube of eight nodes
//! mesh         triangles and their vertices; write: their files
//! ```

mod cube;
mod field;
mod march;
mod mesh;
mod rods;
mod shapeless;
mod write;

pub use march::march;
pub use mesh::{Corner, Face, SurfaceMesh};
pub use shapeless::{Shapeless, march_touching};
pub use write::{write_obj, write_ply, write_vtp};
