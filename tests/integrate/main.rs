//! Integrators against reference numbers and conservation laws.

#[path = "../common/golden.rs"]
mod golden;
#[path = "../common/system.rs"]
mod system;

mod implicit_euler;
mod verlet;
