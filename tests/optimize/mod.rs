//! Tests of `crates/core/src/optimize`: Newton's method, and its matrices.

mod assembly;
mod newton;
mod pairs;
