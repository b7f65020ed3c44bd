//! Contacts of particles with each other and with walls: normal forces, friction, and their history.
//!
//! A contact has a unit normal n from particle i to the other side, which is a particle j or a wall, and an overlap o >= 0 (m). Its
//! forces in a step of length dt are
//!
//! ```text
//! F_n = max(0, P(o) + c(o) do/dt)               normal force, N: model/normal_spring
//! f   = k_t xi + c_t dxi/dt,  |f| <= mu F_n     tangential spring and dashpot, N: friction
//! dV/dp_i     =  F_n n + f,   dV/dp_j = -dV/dp_i
//! dV/dtheta_i =  a_i n x f,   dV/dtheta_j = a_j n x f      a the distances of the contact point from the centres, m
//! ```
//!
//! `evaluate` is this for one contact a lane. Explicit steps have the friction limit mu F_n of their end, implicit ones that of an
//! earlier state, so that their friction has a potential.
//!
//! ```text
//! velocity_correction friction by impulses after a step: rolling, and sliding where the world says so
//! contacts   near pairs and walls, tangential springs, and forces in a step: what others use
//! memory     history of contacts, for checkpoints and adjoints
//! part       contacts of a part of a world
//! explicit   contacts of an explicit step, evaluated once: one kernel over blocks of pairs and of particles on walls
//! implicit   energy, forces and stiffness at an iterate, and friction by limits that lag
//! springs    tangential springs of all contacts between steps, and the work of friction
//! near_walls particles near walls, and the faces that they are behind
//! limit_change change of friction limits
//! surface_motion displacements of surfaces in contact in a step
//! derivative derivatives of one contact in a step
//! evaluate   one contact in an explicit step: forces, dissipation and the spring at its end
//! normal     normal forces with the dashpot of explicit steps
//! friction   tangential spring and dashpot, and Coulomb's limit
//! effective_mass masses at contacts, for their dashpots
//! lanes      rotations of particles in vector registers
//! ```
//!
//! Each knows only those below it.

mod contacts;
mod derivative;
mod effective_mass;
mod evaluate;
mod explicit;
mod friction;
mod implicit;
mod lanes;
mod limit_change;
mod memory;
mod near_walls;
mod normal;
mod part;
mod springs;
mod surface_motion;
mod velocity_correction;

pub use crate::geometry::sweep::Ways;
pub use contacts::Contacts;
pub use derivative::{ContactAdjoint, SingleContact, StepLaw};
pub use evaluate::{Contact, Frictional, Response};
pub use explicit::StepFlows;
pub use friction::{ContactPoint, Friction, FrictionForce, Limit, TangentialLaw};
pub use implicit::PairStep;
pub(crate) use implicit::{PairStiffness, WallFriction, batches};
pub(crate) use lanes::pack_motion;
pub use lanes::{Turn, direction};
pub use limit_change::LimitChange;
pub(crate) use memory::ContactHistory;
pub use memory::ContactState;
pub use near_walls::NearWalls;
pub use normal::StepDamping;
pub use springs::{FrictionWork, TangentialSpring, TangentialSprings, WallTangentialSpring};
pub use surface_motion::SurfaceMotion;
pub use velocity_correction::{correct_velocities, rolling_limit, slowing};
