//! Parts of worlds that steps on graphics cards do not have.

use bdem_core::model::{Action, Constraint, Flow, FrictionModel, Motion, Wall, Wind, World};
use thiserror::Error;

use crate::contacts::has_closed_form;
use crate::device::Device;
use crate::record::RecordError;
use crate::steps::largest_buffer;

/// Reason that a world has no steps on a graphics card, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{why}", part.map_or_else(String::new, |(kind, index)| format!("{kind} {index}: ")))]
pub struct Refusal {
    /// Kind and index of the part that it is about, such as `("collider", 0)` for the first wall.
    pub part: Option<(&'static str, usize)>,
    /// The reason and the way out.
    pub why: String,
}

impl Refusal {
    fn of(part: Option<(&'static str, usize)>, why: impl ToString) -> Self {
        Self { part, why: why.to_string() }
    }
}

impl From<RecordError> for Refusal {
    fn from(why: RecordError) -> Self {
        Self::of(None, format!("{why}; use another law, or run on the processor"))
    }
}

/// Limit on the stiffness of a bond times the square of its length, N m: squares of moments times squares of lengths stay below 1e38.
const MAX_MOMENT: f64 = 5e15;

const DRIVEN: &str =
    "it moves under a load, which steps on a graphics card do not: prescribe its motion, or run on the processor";

/// First reason that `world` has no steps on a card, but for its bond laws, which [`Program`](crate::steps::Program) refuses.
pub fn refusal(device: &Device, world: &World) -> Option<Refusal> {
    let whole = |is_refused: bool, why: &str| is_refused.then(|| Refusal::of(None, why));
    let first = [
        whole(
            !world.rigid.is_empty(),
            "steps on a graphics card have no rigid bodies: give the body bonds, or run on the processor",
        ),
        whole(
            !world.electrostatics.is_empty(),
            "steps on a graphics card have no electric forces: leave out the charges, or run on the processor",
        ),
        whole(
            corrects_velocities(world),
            "friction corrects velocities contact after contact: set contact.friction = \"tangential-spring\"",
        ),
        first_of("collider", &world.walls, of_wall),
        of_memory(device, world),
        of_scale(world),
        first_of("constraint", &world.constraints, of_constraint),
        first_of("wind", &world.winds, of_wind),
    ];
    first.into_iter().flatten().next()
}

/// First part of this kind with a reason.
fn first_of<T>(kind: &'static str, parts: &[T], why: impl Fn(&T) -> Option<&'static str>) -> Option<Refusal> {
    parts.iter().enumerate().find_map(|(k, part)| Some(Refusal::of(Some((kind, k)), why(part)?)))
}

fn corrects_velocities(world: &World) -> bool {
    let has_friction = |wall: &Wall| wall.friction.is_some_and(|mu| mu > 0.0);
    world.friction_model == FrictionModel::VelocityCorrection
        && (world.materials.iter().any(|m| m.friction > 0.0) || world.walls.iter().any(has_friction))
}

fn of_wall(wall: &Wall) -> Option<&'static str> {
    if wall.motion.driven().is_some() {
        return Some(DRIVEN);
    }
    let is_refused = wall.deforming_mesh().is_some() || !has_closed_form(wall);
    is_refused.then_some(
        "it is neither a half space, a box, a cylinder or a sphere nor the outside of one: use one of these, or run on the processor",
    )
}

fn of_memory(device: &Device, world: &World) -> Option<Refusal> {
    let [needed, most] = [largest_buffer(world), device.largest_buffer()].map(|bytes| bytes as f64 * 1e-6);
    let why = || {
        format!(
            "the bonds need a buffer of {needed:.0} MB, and those of `{}` are up to {most:.0} MB: use larger particles, or run on \
             the processor",
            device.name()
        )
    };
    (needed > most).then(|| Refusal::of(None, why()))
}

fn of_scale(world: &World) -> Option<Refusal> {
    let moment = world.whole_bonds().map(|bond| bond.k.n * bond.l0 * bond.l0).fold(0.0, f64::max);
    let why = || {
        format!(
            "bonds of {moment:.1e} N m overflow single precision, which holds up to {MAX_MOMENT:.0e} N m: scale the scene down, \
             or run on the processor"
        )
    };
    (moment > MAX_MOMENT).then(|| Refusal::of(None, why()))
}

fn of_constraint(constraint: &Constraint) -> Option<&'static str> {
    match constraint.action {
        Action::Motion(Motion::Driven(_)) => Some(DRIVEN),
        Action::Loads(_) => Some(
            "its loads turn with its particles, which steps on a graphics card do not: give one load in the world's axes, or run \
             on the processor",
        ),
        Action::Motion(_) | Action::Load(_) => None,
    }
}

fn of_wind(wind: &Wind) -> Option<&'static str> {
    let is_even = matches!(wind.flow, Flow::Along(_)) && wind.falloff == f64::INFINITY;
    (!is_even).then_some(
        "it differs from place to place, which steps on a graphics card do not: give a direction and no falloff, or run on the \
         processor",
    )
}
