//! Bonded discrete elements: the physics of `bdem`, without files.
//!
//! Solids are packings of spheres whose neighbours are bonded by short elastic beams. A bond breaks when its stress exceeds
//! its strength, and pieces without bonds between them separate. This crate builds such a world in code and steps it,
//! implicitly or explicitly. It knows no other crate of the workspace:
//!
//! ```text
//! bdem             src/             the command line: parses, calls, reports
//! bdem-studies     crates/studies   comparisons of the papers, repeated
//! bdem-pictures    crates/pictures  surfaces, pictures, charts, pages
//! bdem-run         crates/run       scenes in TOML, files of a run, the frame loop
//! bdem-fit         crates/fit       gradients of runs, and minimisation by them
//! bdem-core        crates/core      the physics: this crate
//! ```
//!
//! Each knows only those below it. A block that falls on a floor:
//!
//! ```
//! use bdem_core::geometry::Vec3;
//! use bdem_core::geometry::packing::{Packed, hexagonal};
//! use bdem_core::geometry::shape::{HalfSpace, Shape};
//! use bdem_core::model::{Collider, Material, World};
//! use bdem_core::simulate::{Progress, Simulation, SimulationSettings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = World::builder();
//! let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
//! let block = Packed::equal(hexagonal(&Shape::Box { size: [0.1; 3] }, 0.01), 0.01, 1e-6);
//! builder.packing(&block, Vec3::new(0.0, 0.0, 0.1), rubber);
//! builder.gravity(Vec3::new(0.0, 0.0, -9.81));
//! builder.collider(Collider::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
//! let (world, state) = builder.build()?;
//!
//! let mut simulation = Simulation::new(world, state, &SimulationSettings::new(0.01));
//! simulation.advance(&mut Progress::default())?;
//! // it falls: 9.81 m/s2 for the time of the step
//! let fallen = 9.81 * simulation.state.time;
//! assert!(simulation.state.v.iter().all(|v| (v.z + fallen).abs() < 1e-6));
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Each room knows only rooms further down; a test holds it (`tests/rooms`):
//!
//! ```text
//! simulate    steps of a world: their length and kind, breakage, and the bound on the energy account
//! integrate   time integrators behind one trait, and the stability limit of explicit steps
//! optimize    Newton's method on positions and unit quaternions, and its objective
//! spring      masses on springs that carry charges, stepped implicitly: \[MSC\], without scenes
//! linalg      6x6-block matrices, conjugate gradients, multigrid, sparse factorization, without physics
//! fracture    loads and strengths of bonds, breakage, and the remaining pieces
//! energy      potentials, a file each, with gradients and Hessians; their sum over a world; the energy account
//! contact     which pairs and walls are near, and one evaluation of a contact: forces, friction, dissipation
//! model       plain arrays: particles, bonds, materials, walls, state
//! charge      electric fields of point charges: exact pairs, multipoles, the domain-discretised field of \[MSC\]
//! geometry    shapes, meshes, packings of spheres, neighbour grid, rotations, keyed random numbers
//! interrupt   requests to stop, which a step answers while it is solved
//! parallel    loops and sums over chunks of a fixed size, with the same bits for any number of threads
//! simd        vector registers: kernels are written once, compiled for each instruction set, and chosen at run time
//! ```
//!
//! The tests of a room are in the folder of its name under `tests/` at the top of the workspace.
//!
//! Public items are the interface for other programs. The other crates of the workspace and the tests also use `contact`,
//! `linalg` and `optimize`, through the hidden module `internals`.
//!
//! # Features
//!
//! `schema` derives JSON schemas of the settings that scenes hold. It is off by default.
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
#![warn(clippy::disallowed_methods)]

pub mod charge;
mod contact;
pub mod energy;
pub mod fracture;
pub mod geometry;
pub mod integrate;
pub mod interrupt;
mod linalg;
pub mod model;
mod optimize;
mod parallel;
pub mod simd;
pub mod simulate;
pub mod spring;

/// Rooms that the other crates of the workspace and the tests use, and that may change in any version.
#[doc(hidden)]
pub mod internals {
    /// See the room.
    pub mod contact {
        pub use crate::contact::*;
    }
    /// See the room.
    pub mod linalg {
        pub use crate::linalg::*;
    }
    /// See the room.
    pub mod optimize {
        pub use crate::optimize::*;
    }
}
