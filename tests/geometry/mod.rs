//! Tests of `crates/core/src/geometry`.

mod grid;
mod group;
mod mesh;
mod nearest;
mod packing;
mod pose;
mod profile;
mod rotation;
mod shape;
mod thickness;
mod touch;
mod triangulate;
