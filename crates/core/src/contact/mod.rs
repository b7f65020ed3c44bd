//! Near pairs, near walls, and friction.

mod blocks;
mod friction_work;
mod implicit;
mod limit_change;
mod memory;
mod near_walls;
mod neighbours;
mod part;
mod particle_lanes;
mod step;
mod surface_motion;
mod sweep;
mod tangential_spring;
mod tangential_springs;
mod velocity_correction;
mod wall_tangential_spring;

pub use friction_work::FrictionWork;
pub use implicit::PairStep;
pub(crate) use implicit::{PairStiffness, batches};
pub use limit_change::LimitChange;
pub(crate) use memory::ContactHistory;
pub use near_walls::NearWalls;
pub use neighbours::{ContactPair, Neighbours};
pub use step::StepFlows;
pub(crate) use step::pack_motion;
pub use surface_motion::SurfaceMotion;
pub use sweep::Ways;
pub(crate) use sweep::may_pass;
pub use tangential_spring::{
    Coefficients, FrictionForce, Stretched, TANGENTIAL, TangentialLaw, TangentialSpring, Touch,
};
pub use tangential_springs::TangentialSprings;
pub use velocity_correction::correct_velocities;
pub use wall_tangential_spring::WallTangentialSpring;
