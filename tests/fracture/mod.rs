//! What bonds bear and when they break: reference numbers, statistics, and small chains.

mod breakage;
mod pieces;
mod random_field;
mod rule;
mod softening;
mod weibull;
