//! Tests of the rooms that build a world and move it, each in the folder of its name: `cargo test --release --test physics
//! contact::` runs those of one.

/// Shared by several of them.
mod common {
    pub(crate) mod busy;
    pub(crate) mod dense;
    pub(crate) mod differences;
    pub(crate) mod golden;
    pub(crate) mod scenes;
    pub(crate) mod solids;
    pub(crate) mod system;
}

mod charge;
mod contact;
mod energy;
mod fracture;
mod geometry;
mod integrate;
mod linalg;
mod mesh;
mod model;
mod optimize;
mod parallel;
mod scene;
mod simd;
mod simulate;

/// The tests of `crates/studies` that run no scene.
mod study {
    mod constraint_methods;
}
