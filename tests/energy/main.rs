//! Potentials against reference numbers and finite differences.

#[path = "../common/dense.rs"]
mod dense;
#[path = "../common/differences.rs"]
mod differences;
#[path = "../common/golden.rs"]
mod golden;
#[path = "../common/system.rs"]
mod system;

mod assembly;
mod bond;
mod bond_sum;
mod busy;
mod friction;
mod pairs;
mod potential;
mod single;
