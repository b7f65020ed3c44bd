#![doc = include_str!("../README.md")]
// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

pub mod charge;
mod contact;
pub mod energy;
pub mod forms;
pub mod fracture;
pub mod geometry;
pub mod integrate;
pub mod interrupt;
mod linalg;
pub mod model;
mod neighbours;
mod optimize;
mod parallel;
pub mod prelude;
pub mod simd;
pub mod simulate;

/// Rooms that the other crates of the workspace and the tests use, and that may change in any version.
#[doc(hidden)]
pub mod internals {
    /// See the room.
    pub mod contact {
        pub use crate::contact::*;
        pub use crate::model::Coefficients;
        pub use crate::neighbours::*;
    }
    /// See the room.
    pub mod linalg {
        pub use crate::linalg::*;
    }
    /// See the room.
    pub mod optimize {
        pub use crate::optimize::*;
    }
    /// See the room.
    pub mod parallel {
        pub use crate::parallel::*;
    }
}
