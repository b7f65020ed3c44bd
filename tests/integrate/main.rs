//! Integrators against reference numbers and conservation laws.

#[path = "../common/golden.rs"]
mod golden;

mod implicit_euler;
mod system;
mod verlet;
