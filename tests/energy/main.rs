//! Potentials against reference numbers and finite differences.

#[path = "../common/golden.rs"]
mod golden;

mod bond;
