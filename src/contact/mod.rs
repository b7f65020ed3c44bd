//! Which particles may touch, and how they rub.

mod blocks;
mod friction_work;
mod memory;
mod near_walls;
mod neighbours;
mod part;
mod rub;
mod rubs;
mod slip;
mod sweep;
mod velocity_correction;

pub use friction_work::FrictionWork;
pub use memory::ContactHistory;
pub use near_walls::NearWalls;
pub use neighbours::{ContactPair, Neighbours};
pub use rub::{Coefficients, FrictionForce, Rub, TANGENTIAL, Touch};
pub use rubs::{Rubs, WallRub};
pub use slip::Slip;
pub use sweep::{Ways, may_pass};
pub use velocity_correction::correct_velocities;
