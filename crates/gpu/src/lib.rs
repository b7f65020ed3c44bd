//! Formulas of `bdem-core`'s bonds and contacts for graphics cards.
//!
//! No formula is written twice. A law is called once with [`Traced`](bdem_core::simd::traced::Traced) numbers, which record its
//! operations, and the recording is printed as a function in WGSL. So a law of another package is a shader, too:
//!
//! ```
//! use bdem_core::model::BondModel;
//! use bdem_gpu::inputs::{BOND, BondOptions};
//! use bdem_gpu::record::record_bond;
//! use bdem_gpu::wgsl;
//!
//! let recording = record_bond(BondModel::QUATERNION, &BondOptions::default())?;
//! let shader = wgsl::function("bond", &BOND, &recording);
//! assert!(shader.starts_with("fn bond("));
//! # Ok::<(), bdem_gpu::record::RecordError>(())
//! ```
//!
//! # Rooms
//!
//! Each knows only rooms further down:
//!
//! ```text
//! block      the integrator of blocks of steps, with the feature `device`
//! refuse     parts of worlds that steps on a card do not have
//! steps      explicit steps of a world on a card, with the feature `device`
//! contacts   contacts of particles and walls in a step
//! device     a card: buffers, pipelines
//! wgsl       recordings as functions of shaders
//! record     recordings of bonds, checked against their laws, and of contacts
//! sample     random bonds, and what their laws say about them
//! inputs     functions that are recorded: their parameters, inputs and results
//! ```

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

#[cfg(feature = "device")]
pub mod block;
#[cfg(feature = "device")]
pub mod contacts;
#[cfg(feature = "device")]
pub mod device;
pub mod inputs;
pub mod record;
#[cfg(feature = "device")]
pub mod refuse;
pub mod sample;
#[cfg(feature = "device")]
pub mod steps;
pub mod wgsl;
