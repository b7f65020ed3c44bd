//! Batch fracture simulation by the Bonded Discrete Element Method.
//!
//! Solids are packings of spheres whose neighbours are bonded by short elastic beams. A beam that bears more than it can
//! breaks, and what is no longer held together falls apart. The command `bdem` runs a scene from a file; this library is all
//! of it:
//!
//! ```
//! use std::path::Path;
//!
//! use bdem::run::{Progress, Simulation};
//! use bdem::scene::Scene;
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
//! let mut simulation = Simulation::new(&scene, world, state);
//! simulation.advance(&mut Progress::default())?;
//! assert_eq!(simulation.state.time, 0.01);
//! // it falls: 9.81 m/s2 for 0.01 s
//! assert!(simulation.state.v.iter().all(|v| (v.z + 0.0981).abs() < 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The house
//!
//! Each room knows only rooms further down:
//!
//! ```text
//! cli         a file a command: parse, call, report. No physics
//! study       the papers' comparisons made again, a file each, with our figures beside theirs
//! view        frames as a page for browsers
//! plot        charts of what runs did
//! run         the frame loop: steps, breakage, output, checkpoints, progress, signals; runs in turns, to compare integrators;
//!             and how long a run will take
//! render      pictures of frames: balls or surfaces, shaded by the processor alone; sheets and animations
//! surface     triangle meshes of what a frame's particles are: outer surfaces and cracks, a mesh a piece
//! output      what a run leaves: PLY frames, tables, checkpoints, the record of the run; linear systems for other programs
//! scene       what the user writes: TOML types, their checks, and how they become a world
//! integrate   time integrators behind one trait, and the longest stable explicit step
//! optimize    Newton on positions and unit quaternions, and the objective that it minimises
//! linalg      6x6-block matrix, conjugate gradients, multigrid. No physics
//! fracture    what bonds bear, what they can bear, which break, and the pieces that are left
//! energy      a file a potential, with its gradient and Hessian; their sum over a world; and where energy goes in a run
//! contact     which particles may touch, and friction between them
//! model       what is simulated, as plain arrays: particles, bonds, materials, walls, state
//! geometry    shapes, meshes, packings of spheres, neighbour grid, rotations, keyed random numbers
//! interrupt   the request to stop, which a step that is being solved answers
//! parallel    loops and sums over chunks of a fixed size, which give the same bits on any number of threads
//! simd        vector registers: kernels written once, compiled for each instruction set, chosen when the program runs
//! ```
//!
//! The tests of a room are in the folder of its name under `tests/`.
//!
//! # Sources
//!
//! An equation is cited where it is built, by these names and its number in print: "\[IBDEM\] eq 29".
//!
//! - \[IBDEM\] J.-M. Lu, G.-C. Cao, C.-F. Li, S.-M. Hu: Implicit Bonded Discrete Element Method with Manifold Optimization.
//! - \[BDEM21\] J.-M. Lu, C.-F. Li, G.-C. Cao, S.-M. Hu: Simulating Fractures with Bonded Discrete Element Method. IEEE
//!   Transactions on Visualization and Computer Graphics, 2021.
//!
//! - \[RODR\] C. Baker, M. Gonzalez: Explicit variational time integrator based on rescaled Rodrigues parameters.
//! - \[ROD\] K. Zhang, H. Yan, J.-M. Lu, B. Ren: Rod-Bonded Discrete Element Method (supplement).
//!
//! One more is read beside them, and nothing of it is built yet:
//!
//! - \[MSC\] Z. Zhang, K. Grykiel, Z. Liu, S. Papanicolopulos, K. Subr: Implicit-Explicit simulation of Mass-Spring-Charge
//!   Systems.
//!
//! Where the print is wrong, or not in SI units, the documentation at hand says what was mended and why.

// the same bits on every machine: clippy.toml lists what would not give them
#![warn(clippy::disallowed_methods)]

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
pub mod output;
pub mod parallel;
pub mod plot;
pub mod render;
pub mod run;
pub mod scene;
pub mod simd;
pub mod study;
pub mod surface;
pub mod view;
