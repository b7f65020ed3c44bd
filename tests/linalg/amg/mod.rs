//! Tests of `src/linalg/amg`.

mod aggregate;
mod preconditioner;
mod prolongator;
