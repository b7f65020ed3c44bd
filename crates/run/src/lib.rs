//! Scenes in TOML, the files of a run, and the frame loop of `bdem`. The physics is `bdem-core`'s.
//!
//! ```
//! use std::path::Path;
//!
//! use bdem_core::simulate::{Progress, Simulation};
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
//! let (world, state) = scene.build()?;
//! let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
//! simulation.advance(&mut Progress::default())?;
//! assert_eq!(simulation.state.time, 0.01);
//! // it falls: 9.81 m/s2 for 0.01 s
//! assert!(simulation.state.v.iter().all(|v| (v.z + 0.0981).abs() < 1e-6));
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Each knows only those further down:
//!
//! ```text
//! run         the frame loop: output, checkpoints, progress; comparisons of integrators; estimates of run times
//! output      files of a run: PLY frames, tables, checkpoints, its record; linear systems for other programs
//! scene       TOML files: types, checks, and their conversion to a world
//! mesh        readers of mesh files
//! files       opened files: only regular ones, and within a limit
//! console     text on standard error and standard output
//! ```

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

pub mod console;
pub mod files;
pub mod mesh;
pub mod output;
pub mod run;
pub mod scene;
