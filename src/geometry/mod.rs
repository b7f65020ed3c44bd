//! Shapes, packings of spheres, and rotations.

pub mod packing;
pub mod rotation;
pub mod shape;

pub use rotation::{Mat3, Quat, Vec3};
