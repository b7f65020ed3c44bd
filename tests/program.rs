//! Tests of the rooms that run scenes and show what came of them, each in the folder of its name: `cargo test --release --test
//! program run::` runs those of one.

/// Shared by several of them.
mod common {
    pub(crate) mod scenes;
}

mod cli;
mod docs;
mod fuzz;
mod jobs;
mod output;
mod pieces;
mod plot;
mod render;
mod rooms;
mod run;
mod study;
mod surface;
mod view;
