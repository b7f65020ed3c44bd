//! Sparse factorization `A = L D L^T` of symmetric matrices, over numbers or 3x3 blocks, for right sides of 3-vectors.
//!
//! ```text
//! entry         number times the identity, or 3x3 block
//! dissection    order of elimination: nested dissection by positions
//! elimination   what depends on the pattern alone: order, elimination tree, columns of L
//! factor        numbers of L and D, and the solution
//! ```
//!
//! The order of all sums is that of the elimination, on one thread: the bits are the same on any machine.

mod dissection;
mod elimination;
mod entry;
mod factor;

pub use elimination::Elimination;
pub use entry::Entry;
pub use factor::Factor;
