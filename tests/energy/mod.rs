//! Potentials against reference numbers and finite differences.

mod account;
mod assembly;
mod bond;
mod bond_sum;
mod busy;
mod friction;
mod pairs;
mod potential;
mod single;
