//! Frames as PLY, binary little-endian: a `vertex` a particle and, on request, an `edge` an unbroken bond.
//!
//! Scalars only: one list property and Blender refuses the whole file.

mod element;
mod points;
mod read;
mod write;

pub use element::{Edge, Vertex};
pub use points::{Points, read_points};
pub use read::{Frame, read_frame};
pub use write::{FrameView, write_frame};
