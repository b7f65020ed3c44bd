//! Potentials against reference numbers and finite differences.

mod account;
mod bond;
mod bond_sum;
mod friction;
mod potential;
mod record;
mod single;
