//! Frames as PLY, binary little-endian: a `vertex` for each particle and, on request, an `edge` for each whole bond.
//! Some properties are optional, in groups.
//!
//! Scalars only: Blender rejects a file with a list property.

mod element;
mod points;
mod read;
mod write;

pub use element::{BondGroups, Edge, Vertex};
pub use points::Points;
pub use points::read_points;
pub use read::{Frame, read_frame};
pub use write::{FrameView, write_frame};
