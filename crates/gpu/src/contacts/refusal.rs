//! Reasons that the contacts of a world do not run on a card, each with a way out.

use bdem_core::model::{FrictionModel, Wall, World};
use thiserror::Error;

use super::solids;

/// Reason that a world's contacts do not run on a card.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Sliding friction by corrections of velocities.
    #[error("friction corrects velocities contact after contact: set contact.friction = \"tangential-spring\"")]
    VelocityCorrection,
    /// A wall without a closed form.
    #[error(
        "wall {wall} is neither a half space, a box, a cylinder or a sphere nor the outside of one: use one of these, or \
         the processor"
    )]
    Shape {
        /// Index of the wall.
        wall: usize,
    },
    /// A wall under a load.
    #[error("wall {wall} moves under a load: prescribe its motion, or use the processor")]
    Driven {
        /// Index of the wall.
        wall: usize,
    },
    /// Rigid bodies.
    #[error("the world has rigid bodies: bond them, or use the processor")]
    Rigid,
}

/// Reason that the contacts of `world` do not run on a card.
pub fn refusal(world: &World) -> Option<Refusal> {
    let by_velocity = world.friction_model == FrictionModel::VelocityCorrection;
    let has_friction = |wall: &Wall| wall.friction.is_some_and(|mu| mu > 0.0);
    if by_velocity && (world.materials.iter().any(|m| m.friction > 0.0) || world.walls.iter().any(has_friction)) {
        return Some(Refusal::VelocityCorrection);
    }
    if world.rigid.iter().any(|body| body.is_free) {
        return Some(Refusal::Rigid);
    }
    let of_wall = |(wall, of): (usize, &Wall)| {
        if of.motion.driven().is_some() {
            return Some(Refusal::Driven { wall });
        }
        (of.deforming_mesh().is_some() || !solids::has_closed_form(of)).then_some(Refusal::Shape { wall })
    };
    world.walls.iter().enumerate().find_map(of_wall)
}
