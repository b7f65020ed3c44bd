//! Simulation of a world: the length and kind of each step, its trial, and its breakage. It knows no files.
//!
//! ```text
//! extensions   an integrator, and a function of every step, from another program
//! settings     what a simulation is set up from, besides its world
//! step_plan    division of frames into steps
//! step_control length of the next step, and whether a trial is committed
//! machine      kind and length of the next step
//! vibration_decay    decay of the vibrations inside pieces
//! simulation   trial, commit and breakage
//! progress     counts, times and broken bonds since the last frame
//! gave_up      why a simulation cannot continue
//! ```

mod drives;
mod extensions;
mod gave_up;
mod machine;
mod progress;
mod release;
mod settings;
mod simulation;
mod step_control;
mod step_plan;
mod step_size;
mod vibration_decay;

pub use crate::integrate::IntegratorKind;
pub use crate::optimize::{CgTolerance, LinearlyImplicit, Predictor, SolverSettings};
pub use extensions::{AfterStep, Extensions, StepEnd};
pub use gave_up::{Cause, GaveUp};
pub use machine::Machine;
pub use progress::{ForceRow, FractureEvent, Progress, Seconds};
pub use settings::{ControlSettings, SimulationSettings};
pub use simulation::{Simulation, Snapshot};
pub use step_control::{Outcome, StepControl, Verdict};
pub use step_plan::{ExplicitSubsteps, Share, StepPlan};
pub use step_size::StepSize;
