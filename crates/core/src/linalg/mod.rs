//! Linear algebra over 6-vectors and 6x6 blocks: sparse matrix, conjugate gradients, algebraic multigrid. No physics.
//!
//! A node has six unknowns, a translation and a rotation vector scaled to a length: one [`Vec6`]. A vector of the
//! system is a slice of them. A matrix consists of 6x6 blocks:
//!
//! ```text
//! vector, block        six numbers padded to eight lanes; loops over them
//! block_csr            sparse rows of blocks
//! block_matrix         the assembled matrix: square, both triangles, indexed diagonal
//! operator             traits of matrices and preconditioners
//! cg, lanczos          linear solver, largest eigenvalue
//! pair_operator        matrix-free operator: a few coefficients a pair of nodes
//! row_source           row access, for stored and matrix-free operators
//! block_jacobi, amg    preconditioners
//! inverse              inverses of eight blocks at once
//! ```
//!
//! Every sum runs over chunks whose size depends on the length alone (room `parallel`). So a result has the same
//! bits on any number of threads.

pub mod amg;
mod block;
mod block_csr;
mod block_jacobi;
mod block_matrix;
mod cg;
mod inverse;
mod lanczos;
mod operator;
mod pair_operator;
mod row_source;
pub mod vector;

pub use block::Block;
pub use block_csr::{BlockCsr, RowsMut};
pub use block_jacobi::BlockJacobi;
pub use block_matrix::BlockMatrix;
pub use cg::{Cg, CgOutcome, CgStop, IterationLimits};
pub use lanczos::{Eigenvalue, largest_eigenvalue};
pub use operator::{Operator, Preconditioner};
pub(crate) use pair_operator::Chunk;
pub use pair_operator::{NodeTerm, PairOperator, PairProduct, PairRows, PairTerm, PairWorkspace};
pub use row_source::{RowSource, Rows};
pub use vector::Real;
pub use vector::Vec6;
