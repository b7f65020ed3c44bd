//! Whole runs, explicit against implicit.

mod account;
mod at_rest;
mod bounces;
mod breaking;
mod compare;
mod export;
mod fast;
mod forces;
mod interrupt;
mod memory;
mod models;
mod random;
mod repro;
mod resume;
mod runtime_estimate;
mod scenes;
mod springs;
mod spurious_energy;
mod step_control;
mod walls;

/// All integrators, by their names.
const INTEGRATORS: [&str; 6] =
    ["auto", "implicit-euler", "implicit-bdf2", "implicit-midpoint", "explicit-verlet", "explicit-rodrigues"];
