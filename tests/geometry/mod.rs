//! Tests of `src/geometry`.

mod grid;
mod mesh;
mod nearest;
mod packing;
mod pose;
mod rotation;
mod shape;
