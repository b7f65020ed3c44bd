//! Whole runs, explicit against implicit.

mod bending;
mod breaking;
mod compare;
mod fast;
mod memory;
mod scenes;
mod walls;
