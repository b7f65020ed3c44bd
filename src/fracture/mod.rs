//! What bonds bear, what they can bear, and the pieces that are left.

pub mod weibull;
