//! Integrators against reference numbers and conservation laws.

#[path = "../common/golden.rs"]
mod golden;

mod system;
mod verlet;
