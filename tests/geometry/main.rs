//! Tests of `src/geometry`.

#[path = "../common/golden.rs"]
mod golden;

mod grid;
mod mesh;
mod nearest;
mod packing;
mod pose;
mod rotation;
mod shape;
#[path = "../common/solids.rs"]
mod solids;
