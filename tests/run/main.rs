//! Whole runs, explicit against implicit.

mod bending;
mod breaking;
mod compare;
mod fast;
mod resume;
mod scenes;
mod walls;
