//! Names for building a world and stepping it: `use bdem_core::prelude::*`.

pub use crate::energy::Flow;
pub use crate::geometry::packing::{Packed, hexagonal};
pub use crate::geometry::shape::{HalfSpace, Shape};
pub use crate::geometry::{Quat, Vec3};
pub use crate::model::{Material, State, Wall, World};
pub use crate::simulate::{Extensions, IntegratorKind, Progress, Simulation, SimulationSettings, StepEnd, StepSize};
