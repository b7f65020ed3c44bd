//! Near pairs, near walls, and friction.
//!
//! ```text
//! velocity_correction friction by impulses after a step: rolling, and sliding where the world says so
//! neighbours which pairs are near, and the contacts of a step: what others use
//! explicit   contacts of an explicit step, evaluated once: one kernel over blocks of pairs and of particles on walls
//! implicit   energy, forces and stiffness at an iterate, and friction by limits that lag
//! springs    tangential springs of all contacts between steps, and the work of friction
//! near_walls which particles are near a wall
//! limit_change change of friction limits
//! surface_motion displacements of surfaces in contact in a step
//! derivative derivatives of one contact in a step
//! evaluate   one contact in an explicit step: forces, dissipation and the spring at its end
//! normal     normal forces with the dashpot of explicit steps
//! friction   tangential spring and dashpot, and Coulomb's limit
//! effective_mass masses at contacts, for their dashpots
//! pair       two particles that may touch soon, with their law
//! lanes      positions and rotations of particles in vector registers
//! ```
//!
//! Each knows only those below it.

mod derivative;
mod effective_mass;
mod evaluate;
mod explicit;
mod friction;
mod implicit;
mod lanes;
mod limit_change;
mod near_walls;
mod neighbours;
mod normal;
mod pair;
mod springs;
mod surface_motion;
mod velocity_correction;

pub use crate::geometry::sweep::Ways;
pub use derivative::{ContactAdjoint, SingleContact, StepLaw};
pub use explicit::StepFlows;
pub use friction::{Coefficients, ContactPoint, Friction, FrictionForce, Limit, TANGENTIAL, TangentialLaw};
pub use implicit::PairStep;
pub(crate) use implicit::{PairStiffness, WallFriction, batches};
pub use lanes::Turn;
pub(crate) use lanes::pack_motion;
pub use limit_change::LimitChange;
pub use near_walls::NearWalls;
pub(crate) use neighbours::ContactHistory;
pub use neighbours::{ContactState, Neighbours};
pub use pair::ContactPair;
pub use springs::{FrictionWork, TangentialSpring, TangentialSprings, WallTangentialSpring};
pub use surface_motion::SurfaceMotion;
pub use velocity_correction::correct_velocities;
