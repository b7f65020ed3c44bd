//! Tests of the rooms that build a world and move it, each in the folder of its name: `cargo test --release --test physics
//! contact::` runs those of one.

/// What several of them share.
mod common {
    pub mod dense;
    pub mod differences;
    pub mod golden;
    pub mod pendulum;
    pub mod solids;
    pub mod system;
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
mod scene;
mod simd;
mod spring;

/// The tests of `crates/studies` that run no scene.
mod study {
    mod constraint_methods;
}
