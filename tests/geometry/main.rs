//! Tests of `src/geometry`.

#[path = "../common/golden.rs"]
mod golden;

mod grid;
mod nearest;
mod packing;
mod pose;
mod rotation;
mod shape;
