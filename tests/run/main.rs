//! Whole runs, explicit against implicit.

mod breaking;
