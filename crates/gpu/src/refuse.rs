//! Parts of worlds that steps on graphics cards do not have.

use bdem_core::model::{Action, Flow, Motion, World};
use thiserror::Error;

use crate::contacts;
use crate::device::Device;
use crate::record::RecordError;
use crate::steps::largest_buffer;

/// Reason that a world has no steps on a graphics card, and the way out.
#[derive(Debug, Error)]
pub enum Refusal {
    /// Rigid bodies.
    #[error("steps on a graphics card have no rigid bodies: give the body bonds, or run on the processor")]
    RigidBodies,
    /// Charges.
    #[error("steps on a graphics card have no electric forces: leave out the charges, or run on the processor")]
    Charges,
    /// Contacts.
    #[error(transparent)]
    Contacts(#[from] contacts::Refusal),
    /// A motion under a load.
    #[error(
        "constraint {0} moves under a load, which steps on a graphics card do not: prescribe its motion, or run on the processor"
    )]
    Driven(usize),
    /// Loads that turn with particles.
    #[error(
        "the loads of constraint {0} turn with its particles, which steps on a graphics card do not: give one load in the world's axes, or run on the processor"
    )]
    TurningLoads(usize),
    /// A wind that depends on the place.
    #[error(
        "wind {0} differs from place to place, which steps on a graphics card do not: give a direction and no falloff, or run on the processor"
    )]
    Wind(usize),
    /// Too many particles or bonds.
    #[error(
        "the bonds need a buffer of {needed:.0} MB, and those of `{device}` are up to {most:.0} MB: use larger particles, or run on the \
         processor"
    )]
    Memory {
        /// Name of the card.
        device: String,
        /// MB.
        needed: f64,
        /// MB.
        most: f64,
    },
    /// Squares of moments overflow.
    #[error(
        "bonds of {moment:.1e} N m overflow single precision, which holds up to {MAX_MOMENT:.0e} N m: scale the scene down, or run on the processor"
    )]
    Moment {
        /// Largest stiffness times the square of its length, N m.
        moment: f64,
    },
    /// A law is not recorded.
    #[error("{0}; use another law, or run on the processor")]
    Law(#[from] RecordError),
}

/// Limit on the stiffness of a bond times the square of its length, N m: squares of moments times squares of lengths stay below 1e38.
const MAX_MOMENT: f64 = 5e15;

/// First reason that `world` has no steps on a card, but for its bond laws, which [`Program`](crate::steps::Program) refuses.
pub fn refusal(device: &Device, world: &World) -> Option<Refusal> {
    let first = [
        (!world.rigid.is_empty()).then_some(Refusal::RigidBodies),
        (!world.electrostatics.is_empty()).then_some(Refusal::Charges),
        contacts::refusal(world).map(Refusal::Contacts),
        of_memory(device, world),
        of_scale(world),
        of_constraints(world),
        of_winds(world),
    ];
    first.into_iter().flatten().next()
}

fn of_memory(device: &Device, world: &World) -> Option<Refusal> {
    let [needed, most] = [largest_buffer(world), device.largest_buffer()].map(|bytes| bytes as f64 * 1e-6);
    (needed > most).then(|| Refusal::Memory { device: device.name().to_owned(), needed, most })
}

fn of_scale(world: &World) -> Option<Refusal> {
    let moment = world.whole_bonds().map(|bond| bond.k.n * bond.l0 * bond.l0).fold(0.0, f64::max);
    (moment > MAX_MOMENT).then_some(Refusal::Moment { moment })
}

fn of_constraints(world: &World) -> Option<Refusal> {
    let of = |(k, action): (usize, &Action)| match action {
        Action::Motion(Motion::Driven(_)) => Some(Refusal::Driven(k)),
        Action::Loads(_) => Some(Refusal::TurningLoads(k)),
        Action::Motion(_) | Action::Load(_) => None,
    };
    world.constraints.iter().map(|constraint| &constraint.action).enumerate().find_map(of)
}

fn of_winds(world: &World) -> Option<Refusal> {
    let is_even = |flow: &Flow, falloff: f64| matches!(flow, Flow::Along(_)) && falloff == f64::INFINITY;
    world.winds.iter().position(|wind| !is_even(&wind.flow, wind.falloff)).map(Refusal::Wind)
}
