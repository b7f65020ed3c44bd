//! Which pairs of particles, and which particles and walls, may touch soon, and until when that holds. No forces.

mod pair;
mod pairs;
mod walls;

pub use pair::ContactPair;
pub use pairs::{NearPairs, surrounded};
pub(crate) use walls::{NearWall, ParticlesNearWalls};
