//! Linear algebra over 6-vectors and 6x6 blocks: sparse matrix, conjugate gradients, algebraic multigrid. No physics.
//!
//! A node has six unknowns, a translation and a rotation vector scaled to a length, kept together as one [`Vec6`]. A vector of
//! the system is a slice of them, a matrix is blocks of 6x6:
//!
//! ```text
//! vector, block        six numbers padded to eight lanes; loops over them
//! block_csr            sparse rows of blocks
//! block_matrix         square, both triangles, diagonal at hand: what is assembled
//! operator             what a solver needs of a matrix and of a preconditioner
//! cg, lanczos          solve a system, find the greatest eigenvalue
//! pair_operator        a matrix that is a few numbers a pair of nodes
//! row_source           matrices by their rows, whether stored or not
//! block_jacobi, amg    preconditioners
//! inverse              inverses of eight blocks at once
//! ```
//!
//! Every sum runs over chunks whose size depends on the length alone ([`crate::parallel`]), so a result has the same bits on any
//! number of threads.

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
pub use cg::{Cg, CgOutcome, CgStop};
pub use lanczos::{Eigenvalue, greatest_eigenvalue};
pub use operator::{Operator, Preconditioner};
pub(crate) use pair_operator::Chunk;
pub use pair_operator::{NodeTerm, PairOperator, PairRows, PairTerm};
pub use row_source::{RowSource, Rows};
pub use vector::{Real, Vec6};
