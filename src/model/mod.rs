//! The simulated world as plain arrays: particles, bonds, materials, walls, and the moving state.

mod bond;
mod bond_packs;
mod collider;
mod constraint;
mod contact_spring;
mod held_particles;
mod keyframes;
pub mod lattice;
mod material;
mod motion;
mod pairs;
mod part;
mod particles;
mod placed_wall;
mod rigid;
mod state;
mod world;
mod wrench;

pub use bond::{Bond, Modes};
pub use bond_packs::{BondPack, BondPacks, Eight, LimitPack, PACK, PackChunk, Stiffness, Stiffnesses};
pub use collider::Collider;
pub use constraint::{Action, Constraint};
pub use contact_spring::{Closing, ClosingSpring, ContactLaw, ContactSpring, Spring, damping_ratio, restitution_of};
pub use held_particles::HeldParticles;
pub use keyframes::{Key, Keyframes};
pub use material::{AxialRule, BondModel, FrictionRule, Grain, Material};
pub use motion::{Motion, RestPoseTransfer, Twist};
pub use pairs::{Pair, PairChunks, PairSubset, pairs_of};
pub use part::ABSENT;
pub use particles::Particles;
pub use placed_wall::{PlacedWall, PlacedWalls, WallStep, WallSteps};
pub use rigid::RigidBody;
pub use state::State;
pub use world::{BondStatus, World};
pub use wrench::{Displacement, Wrench};
