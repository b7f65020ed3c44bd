//! Masses on springs that carry charges, \[MSC\], without worlds or scenes.
//!
//! ```text
//! springs     springs between vertices, such as the edges of triangles
//! system      springs with masses, charges and constant forces; its state and energies
//! surroundings   fields and charges from outside
//! objective   function whose minimum is an implicit step, with gradient and Hessian
//! solver      its minimum
//! newton, local_global   an iteration of Newton's method, and of the paper's
//! stepper     implicit Euler, BDF2 and Verlet
//! account     energy account of a run
//! error       reasons why there is no system
//! ```
//!
//! ```
//! use bdem_core::geometry::Vec3;
//! use bdem_core::spring::{Rule, Spring, SpringSystem, Springs, StepSettings, Stepper};
//!
//! // two like charges on a spring, 1 s
//! let spring = Spring { ends: [0, 1], stiffness: 10.0, rest_length: 1.0, damping: 1.0 };
//! let springs = Springs::new(2, vec![spring])?;
//! let system = SpringSystem::new(springs, vec![0.1; 2], vec![6e-6; 2])?;
//! let mut state = system.state(vec![Vec3::zeros(), Vec3::x()], vec![Vec3::zeros(); 2])?;
//! let settings = StepSettings { rule: Rule::ImplicitEuler, ..StepSettings::new(0.01) };
//! let mut stepper = Stepper::new(&system, &state, settings);
//! for _ in 0..100 {
//!     state = stepper.step(&system, &state, None)?.state;
//! }
//! assert!((state.x[1] - state.x[0]).norm() > 1.0);
//! # Ok::<(), bdem_core::spring::SpringError>(())
//! ```

mod account;
mod error;
mod local_global;
mod newton;
mod objective;
mod solver;
mod springs;
mod stepper;
mod surroundings;
mod system;

pub use account::EnergyAccount;
pub use error::SpringError;
pub use objective::{Hessian, StepObjective};
pub use solver::Solver;
pub use springs::{Spring, Springs};
pub use stepper::{Rule, StepOutcome, StepSettings, Stepper};
pub use surroundings::Surroundings;
pub use system::{Energies, SpringState, SpringSystem};
