//! Work on the runs of a scene: its check, sweeps over its values, fits of its parameters, calibrations of its
//! materials, and tables of its runs.
//!
//! No physics, no command line, and nothing on standard output: the program `bdem` calls this crate and prints its results, and so may
//! any other. A job takes its output folder, its log and a request to stop as options. Jobs run in the thread pool of rayon in which
//! they are called. Which scene is it, and how many bonds has it?
//!
//! ```
//! use std::path::Path;
//!
//! use bdem_jobs::check::{CheckOptions, check};
//! use bdem_run::scene::Scene;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//!     [scene]
//!     name = "ball"
//!
//!     [time]
//!     frame_rate = 100.0
//!     frames = 1
//!     step = 0.01
//!
//!     [materials.rubber]
//!     density = 1100.0
//!     young_modulus = 1e7
//!     poisson_ratio = 0.25
//!
//!     [[bodies]]
//!     name = "ball"
//!     material = "rubber"
//!     particle_radius = 0.01
//!     shape = { sphere = { radius = 0.05 } }
//! "#;
//! let scene = Scene::parse(Path::new("ball.toml"), text, &[])?;
//! let report = check(&scene, &CheckOptions::default())?;
//! assert_eq!(report.scene, "ball");
//! assert!(report.bonds > 100 && report.explicit_limit > 1e-5);
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Each knows only those further down:
//!
//! ```text
//! sweep          runs of a scene with several values, side by side, or as an array job of Slurm
//! calibrate      keys of a material from the properties of its solid, by material tests
//! fit            parameters of a scene from targets: frames, tracks, curves, or residuals of the caller
//! check          a scene without its run: particles, bonds, time and memory that it will take; strengths for a number of pieces
//! table          tables of runs, as CSV and JSON
//! templates      scenes, fits and targets to start from
//! side_by_side   work on several items at once
//! files          names and texts of files
//! error          reasons why a job ended without its result
//! ```

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]
// the caller prints
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod calibrate;
pub mod check;
pub mod error;
mod files;
pub mod fit;
mod side_by_side;
pub mod sweep;
pub mod table;
pub mod templates;
