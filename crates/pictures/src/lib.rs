//! Surfaces, pictures, charts and pages of the runs of `bdem`, on the processor.
//!
//! # Rooms
//!
//! Each knows only those further down:
//!
//! ```text
//! view        frames as a page for browsers
//! plot        charts of runs and of comparisons
//! render      pictures of frames: balls or surfaces; contact sheets and animations
//! surface     triangle meshes of a frame's pieces: outer surfaces and cracks
//! ```
//!
//! # Features
//!
//! `clap` makes choices of colours and formats options of a command line.

pub mod plot;
pub mod render;
pub mod surface;
pub mod view;
