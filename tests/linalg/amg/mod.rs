//! Tests of `crates/core/src/linalg/amg`.

mod aggregate;
mod preconditioner;
mod prolongator;
