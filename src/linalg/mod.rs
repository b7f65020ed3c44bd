//! Linear algebra over 6-vectors and 6x6 blocks: sparse matrix, conjugate gradients, algebraic multigrid. No physics.

pub mod amg;
