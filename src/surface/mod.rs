//! Triangle meshes around pieces, a mesh a frame.
//!
//! \[BDEM21\] section 3.2 meshes each piece where it is, by marching cubes over a field of its fracture points. Here the
//! same surfaces are found where the body was at rest, and carried along by the particles: the two sides of a crack are
//! one surface there, so that in a frame they are apart by just what the crack has opened, however coarse the grid, and
//! nothing fuses. A grid at rest is marched whose nodes belong to their nearest particles; between nodes whose particles
//! are held together no longer, an edge of the grid is cut.
//!
//! ```text
//! rest         particles where they belong together, and what held them
//! ties         which of them still hold together, within a neighbourhood
//! blocks       the part of the grid that is near particles, in blocks
//! samples      values at a block's nodes: how far outside, and whose
//! cube         the loops of surface through a cube of eight nodes
//! crack        where between two particles the crack runs: [BDEM21] eq 19
//! patch        the triangles of a block
//! stitch       the blocks' triangles as one mesh
//! carry        what particles do to the points near them
//! body         all of it: from a rest and a frame to a mesh
//! source       from the files of a frame and its run to a mesh
//! mesh         triangles and what their corners tell; write: their files
//! ```

mod blocks;
mod body;
mod carry;
mod crack;
mod cube;
mod mesh;
mod patch;
mod rest;
mod samples;
mod source;
mod stitch;
mod ties;
mod write;

pub use body::SurfaceMesher;
pub use mesh::{Corner, SurfaceMesh};
pub use rest::{Fillings, Link, Rest};
pub use source::Source;
pub use write::{write_obj, write_ply, write_vtp};
