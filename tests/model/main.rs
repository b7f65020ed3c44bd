//! The plain data of the model, and sums over its pairs.

#[path = "../common/differences.rs"]
mod differences;
#[path = "../common/golden.rs"]
mod golden;
#[path = "../common/system.rs"]
mod system;

mod bond;
mod collider;
mod lattice;
mod motion;
mod pairs;
mod world;
