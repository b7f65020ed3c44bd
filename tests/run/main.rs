//! Whole runs, explicit against implicit.

mod breaking;
mod compare;
mod walls;
