//! Near pairs, near walls, and friction.
//!
//! ```text
//! velocity_correction friction by impulses after a step: rolling, and sliding where the world says so
//! neighbours which pairs are near, and the contacts of a step: what others use
//! explicit   forces of an explicit step, evaluated once, for blocks of pairs in contact and for walls
//! springs    tangential springs of all contacts, and implicit steps' friction limits and history
//! implicit   energy, forces and stiffness of pairs at an iterate
//! near_walls which particles are near a wall
//! limit_change change of friction limits
//! surface_motion displacements of surfaces in contact in a step
//! derivative derivatives of one contact in a step
//! evaluate   one contact in an explicit step: forces, dissipation and the spring at its end
//! normal     normal forces with the dashpot of explicit steps
//! friction   tangential spring and dashpot, and Coulomb's limit
//! tangential_spring springs between steps, and the work of friction
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
mod tangential_spring;
mod velocity_correction;

pub use crate::geometry::sweep::Ways;
pub use derivative::{ContactAdjoint, SingleContact, StepLaw};
pub use explicit::StepFlows;
pub(crate) use explicit::pack_motion;
pub use friction::{Coefficients, ContactPoint, Friction, FrictionForce, Limit, TANGENTIAL, TangentialLaw};
pub use implicit::PairStep;
pub(crate) use implicit::{PairStiffness, batches};
pub use lanes::Turn;
pub use limit_change::LimitChange;
pub use near_walls::NearWalls;
pub(crate) use neighbours::ContactHistory;
pub use neighbours::{ContactState, Neighbours};
pub use pair::ContactPair;
pub use springs::TangentialSprings;
pub use surface_motion::SurfaceMotion;
pub use tangential_spring::{FrictionWork, TangentialSpring, WallTangentialSpring};
pub use velocity_correction::correct_velocities;
