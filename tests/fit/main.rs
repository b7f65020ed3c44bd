//! Tests of gradients and fits: `cargo test --release --test fit`.

#[path = "../common/golden.rs"]
#[expect(dead_code, reason = "the tests of other rooms use the rest")]
mod golden;

mod charges;
mod cost;
mod differences;
mod minimize;
mod refused;
mod scenes;
