//! Ways to hold quaternions to unit length: their derivatives, and that they find the minima that Newton finds.

#[path = "../common/differences.rs"]
mod differences;
#[path = "../common/golden.rs"]
mod golden;
#[path = "../common/system.rs"]
mod system;

mod cases;
mod euclidean;
mod manifold;
mod minres;
mod multipliers;
mod penalty;
mod problem;
mod rotation_vector;
mod step;
