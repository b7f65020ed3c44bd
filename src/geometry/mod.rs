//! Shapes, meshes, packings of spheres, neighbour search, distances, rotations, and keyed random numbers.

pub mod grid;
pub mod keyed;
pub mod mesh;
pub mod nearest;
pub mod packing;
mod pose;
pub mod rotation;
pub mod shape;
mod spread;

pub use pose::Pose;
pub use rotation::{Mat3, Quat, Vec3};
