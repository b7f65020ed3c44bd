//! Batch fracture simulation by the Bonded Discrete Element Method.
//!
//! Solids are packings of spheres whose neighbours are bonded by short elastic beams. A bond breaks when its stress exceeds
//! its strength, and pieces without bonds between them separate. The command `bdem` runs scenes from files. This library
//! has all of it. A scene:
//!
//! ```
//! # #[cfg(feature = "scene")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::path::Path;
//!
//! use bdem::scene::Scene;
//! use bdem::simulate::{Progress, Simulation};
//!
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
//! # #[cfg(not(feature = "scene"))]
//! # fn main() {}
//! ```
//!
//! # Rooms
//!
//! Each room knows only rooms further down:
//!
//! ```text
//! cli         commands, a file each: they parse, call the library and report, without physics
//! study       repeated comparisons of the papers, a file each, with our figures beside theirs
//! view        frames as a page for browsers
//! plot        charts of runs and of comparisons
//! run         the frame loop: output, checkpoints, progress, signals; comparisons of integrators; and estimates of run
//!             times
//! render      pictures of frames on the processor: balls or surfaces; contact sheets and animations
//! surface     triangle meshes of a frame's pieces: outer surfaces and cracks
//! output      files of a run: PLY frames, tables, checkpoints, its record; linear systems for other programs
//! scene       TOML files: types, checks, and their conversion to a world
//! simulate    steps of a world: their length and kind, breakage, and the bound on the energy account
//! integrate   time integrators behind one trait, and the stability limit of explicit steps
//! optimize    Newton's method on positions and unit quaternions, and its objective
//! spring      masses on springs that carry charges, stepped implicitly: \[MSC\], without scenes
//! linalg      6x6-block matrices, conjugate gradients, multigrid, sparse factorization, without physics
//! fracture    loads and strengths of bonds, breakage, and the remaining pieces
//! energy      potentials, a file each, with gradients and Hessians; their sum over a world; the energy account
//! contact     neighbour search, forces of contacts in explicit steps, and friction
//! model       plain arrays: particles, bonds, materials, walls, state
//! charge      electric fields of point charges: exact pairs, multipoles, the domain-discretised field of \[MSC\]
//! geometry    shapes, meshes, packings of spheres, neighbour grid, rotations, keyed random numbers
//! interrupt   requests to stop, which a step answers while it is solved
//! parallel    loops and sums over chunks of a fixed size, with the same bits for any number of threads
//! simd        vector registers: kernels are written once, compiled for each instruction set, and chosen at run time
//! version     version of the program, its commit and features
//! ```
//!
//! The tests of a room are in the folder of its name under `tests/`.
//!
//! # Features
//!
//! Without features the library is the rooms from `simulate` down: a world is built in code, and nothing reads or writes
//! a file. Each feature includes those above it, and `cli` is the default:
//!
//! ```text
//! mesh        readers of mesh files in geometry
//! scene       scene, output, run
//! render      surface, render, plot, view
//! cli         study, cli, and the program
//! ```
//!
//! # Sources
//!
//! Equations are cited where they are implemented, by these names and their numbers in print: "\[IBDEM\] eq 29".
//!
//! - \[IBDEM\] J.-M. Lu, G.-C. Cao, C.-F. Li, S.-M. Hu: Implicit Bonded Discrete Element Method with Manifold Optimization.
//! - \[BDEM21\] J.-M. Lu, C.-F. Li, G.-C. Cao, S.-M. Hu: Simulating Fractures with Bonded Discrete Element Method. IEEE
//!   Transactions on Visualization and Computer Graphics, 2021.
//!
//! - \[RODR\] C. Baker, M. Gonzalez: Explicit variational time integrator based on rescaled Rodrigues parameters.
//! - \[ROD\] K. Zhang, H. Yan, J.-M. Lu, B. Ren: Rod-Bonded Discrete Element Method (supplement).
//!
//! Of one more paper the electric field, and the steps of springs and charges:
//!
//! - \[MSC\] Z. Zhang, K. Grykiel, Z. Liu, S. Papanicolopulos, K. Subr: Implicit-Explicit simulation of Mass-Spring-Charge
//!   Systems.
//!
//! Where the print is wrong, or not in SI units, the documentation of the item has the correction and its reason.

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(unreachable_pub)]
#![warn(clippy::disallowed_methods)]
// in the core; rooms that need features are exempt
#![deny(missing_docs)]

pub mod charge;
#[cfg(feature = "cli")]
#[allow(missing_docs)]
pub mod cli;
pub mod contact;
pub mod energy;
pub mod fracture;
pub mod geometry;
pub mod integrate;
pub mod interrupt;
pub mod linalg;
pub mod model;
pub mod optimize;
#[cfg(feature = "scene")]
#[allow(missing_docs)]
pub mod output;
mod parallel;
#[cfg(feature = "render")]
#[allow(missing_docs)]
pub mod plot;
#[cfg(feature = "render")]
#[allow(missing_docs)]
pub mod render;
#[cfg(feature = "scene")]
#[allow(missing_docs)]
pub mod run;
#[cfg(feature = "scene")]
#[allow(missing_docs)]
pub mod scene;
pub mod simd;
pub mod simulate;
pub mod spring;
#[cfg(feature = "cli")]
#[allow(missing_docs)]
pub mod study;
#[cfg(feature = "render")]
#[allow(missing_docs)]
pub mod surface;
#[cfg(feature = "scene")]
mod version;
#[cfg(feature = "render")]
#[allow(missing_docs)]
pub mod view;
