//! Unit-length constraint methods: their derivatives, and that they find the minima that Newton finds.

mod cases;
mod euclidean;
mod manifold;
mod minres;
mod multipliers;
mod penalty;
mod problem;
mod rotation_vector;
mod step;
