//! What bonds bear and when they break: reference numbers, statistics, and small chains.

#[path = "../common/golden.rs"]
mod golden;
#[path = "../common/system.rs"]
mod system;

mod breakage;
mod pieces;
mod rule;
mod weibull;
