//! Surfaces, pictures, charts and pages of the runs of `bdem`, on the processor.
//!
//! It reads the frames and tables of runs, and makes images, videos, meshes and HTML pages of them. It depends on
//! `bdem-core` for geometry and colliders, and on `bdem-run` for scenes and files. It simulates nothing, and needs
//! neither a GPU nor a display.
//!
//! ```
//! use bdem_pictures::plot::{AxisScale, Chart, Line, Panel, svg};
//!
//! # fn main() -> Result<(), String> {
//! let line = Line { label: "ball".to_owned(), points: vec![(0.0, 1.0), (0.1, 0.95), (0.2, 0.8)] };
//! let panel = Panel { title: "free fall".to_owned(), lines: vec![line] };
//! let (x_label, y_label) = ("time, s", "height, m");
//! let chart = Chart { name: "fall", x_label, y_label, scale: AxisScale::Linear, panels: vec![panel] };
//! let image = svg(&chart)?;
//! assert!(image.starts_with("<svg") && image.contains("free fall"));
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Each knows only those further down:
//!
//! ```text
//! view        frames as a page for browsers
//! plot        charts of runs and of comparisons
//! render      pictures of frames: balls or surfaces; contact sheets and animations
//! formats     formats of other programs: USD, glTF, VTU
//! clip        moving pieces, for files of other programs
//! pieces      closed meshes of a run's pieces: bodies' meshes cut by cracks
//! surface     triangle meshes of frames; closed surfaces around particles that belong to no mesh
//! ```
//!
//! # Features
//!
//! `clap` makes choices of colours and formats options of a command line.

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

pub mod clip;
pub mod formats;
pub mod pieces;
pub mod plot;
pub mod render;
pub mod surface;
pub mod view;
