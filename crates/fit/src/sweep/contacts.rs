//! Derivatives of contacts in a step, of the pairs and walls that touch: the active set as it is.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::{ContactAdjoint, ContactState, Contacts, SingleContact, StepLaw};
use bdem_core::model::{Displacement, FrictionModel, State, World};

use crate::error::FitError;
use crate::run::Record;

use super::StateGradient;

/// Derivatives by the stretches of tangential springs, in the order of a [`ContactState`].
#[derive(Clone, Debug, Default)]
pub(super) struct ByStretch {
    pairs: Vec<Vec3>,
    walls: Vec<Vec3>,
}

impl ByStretch {
    pub(super) fn zeros(contacts: &ContactState) -> Self {
        Self { pairs: vec![Vec3::zeros(); contacts.pairs.len()], walls: vec![Vec3::zeros(); contacts.walls.len()] }
    }

    fn of(list: &[Vec3], place: Option<usize>) -> Vec3 {
        place.map_or_else(Vec3::zeros, |place| list[place])
    }
}

/// Contact in a step, with the places of its tangential spring at the start and at the end.
struct Touch<'a, const N: usize> {
    contact: SingleContact<'a, N>,
    places: [Option<usize>; 2],
}

/// Contacts that touch at the start or at the end of a step.
pub(super) struct Touches<'a> {
    pairs: Vec<Touch<'a, 2>>,
    walls: Vec<Touch<'a, 1>>,
}

/// Derivatives at both ends of a step.
pub(super) struct Ends<'a> {
    pub before: &'a mut StateGradient,
    pub after: &'a mut StateGradient,
    pub stretch: &'a mut ByStretch,
}

impl<'a> Touches<'a> {
    /// Contacts of a step between two records. The list of pairs has the state of the start.
    pub(super) fn new(
        world: &World,
        contacts: &Contacts,
        law: StepLaw,
        [before, after]: [&'a Record; 2],
    ) -> Result<Self, FitError> {
        let states = [&before.state, &after.state];
        let (from, to) = (&before.contacts, &after.contacts);
        let pairs = contacts.pairs_in_step(world, law, states, from).into_iter();
        let pairs = pairs.map(|contact| Touch { places: [from, to].map(|of| of.place_of_pair(&contact)), contact });
        let walls = contacts.on_walls_in_step(world, law, states, from).into_iter();
        let walls = walls
            .map(|contact| Touch { places: [place_at_start(from, &contact), to.place_on_wall(&contact)], contact });
        let found = Self { pairs: pairs.collect(), walls: walls.collect() };
        found.pairs.iter().try_for_each(|touch| check(world, &touch.contact))?;
        found.walls.iter().try_for_each(|touch| check(world, &touch.contact))?;
        Ok(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.walls.is_empty()
    }

    /// Whether a contact opens or closes in the step, or begins or ends to slide.
    pub(super) fn change(&self) -> bool {
        self.pairs.iter().any(|touch| touch.contact.changes()) || self.walls.iter().any(|touch| touch.contact.changes())
    }

    /// Adds derivatives of `y` times the contacts' forces dV/dx, and of `by_end` times the springs at the end.
    pub(super) fn pull(&self, y: &[Displacement], by_end: &ByStretch, to: &mut Ends) {
        for Touch { contact, places } in &self.pairs {
            let adjoint = contact.adjoint(contact.particles.map(|i| &y[i]), &ByStretch::of(&by_end.pairs, places[1]));
            add(contact, &adjoint, to);
            if let Some(place) = places[0] {
                to.stretch.pairs[place] += adjoint.stretch;
            }
        }
        for Touch { contact, places } in &self.walls {
            let adjoint = contact.adjoint(contact.particles.map(|i| &y[i]), &ByStretch::of(&by_end.walls, places[1]));
            add(contact, &adjoint, to);
            if let Some(place) = places[0] {
                to.stretch.walls[place] += adjoint.stretch;
            }
        }
    }

    /// Subtracts half of the torques' products with the rotations `y` from derivatives by rotations: what the derivative of a
    /// torque has besides the symmetric second derivative. It adds up to zero where torques do.
    pub(super) fn subtract_commutator(&self, y: &[Displacement], by: &mut [Vec3]) {
        let mut subtract = |i: usize, torque: Vec3| by[i] -= torque.cross(&y[i].rotation) * 0.5;
        for Touch { contact, .. } in &self.pairs {
            contact.particles.into_iter().zip(contact.torques()).for_each(|(i, torque)| subtract(i, torque));
        }
        for Touch { contact, .. } in &self.walls {
            contact.particles.into_iter().zip(contact.torques()).for_each(|(i, torque)| subtract(i, torque));
        }
    }

    /// Change of `y` times the forces and of `by_end` times the springs at the end between two worlds, whose particles and walls
    /// are the same.
    pub(super) fn difference(&self, worlds: &[World; 2], y: &[Displacement], by_end: &ByStretch) -> f64 {
        fn of<const N: usize>(
            contact: &SingleContact<N>,
            [from, to]: &[World; 2],
            y: &[Displacement],
            by_stretch: &Vec3,
        ) -> f64 {
            let product = |world: &World| contact.in_world(world).product(contact.particles.map(|i| &y[i]), by_stretch);
            product(to) - product(from)
        }
        let pairs = self
            .pairs
            .iter()
            .map(|Touch { contact, places: [_, place] }| of(contact, worlds, y, &ByStretch::of(&by_end.pairs, *place)));
        let walls = self
            .walls
            .iter()
            .map(|Touch { contact, places: [_, place] }| of(contact, worlds, y, &ByStretch::of(&by_end.walls, *place)));
        pairs.sum::<f64>() + walls.sum::<f64>()
    }
}

/// Index of the spring of a contact with a wall at the start of a step. The wall's normal may have turned since.
fn place_at_start(from: &ContactState, contact: &SingleContact<1>) -> Option<usize> {
    let key = (contact.particles[0] as u32, contact.wall()? as u32);
    let first = from.walls.partition_point(|on| (on.particle, on.wall) < key);
    let mut own = from.walls[first..].iter().take_while(|on| (on.particle, on.wall) == key);
    own.position(|on| on.tangential == contact.from).map(|place| first + place)
}

fn add<const N: usize>(contact: &SingleContact<N>, adjoint: &ContactAdjoint<N>, to: &mut Ends) {
    for (k, i) in contact.particles.into_iter().enumerate() {
        to.before.p[i] += adjoint.before[k].p;
        to.before.theta[i] += adjoint.before[k].theta;
        to.after.p[i] += adjoint.after[k].p;
        to.after.theta[i] += adjoint.after[k].theta;
    }
}

/// Whether the sweep follows the friction of a contact.
fn check<const N: usize>(world: &World, contact: &SingleContact<N>) -> Result<(), FitError> {
    if contact.particles.iter().all(|&i| world.material_of(i).rolling_friction > 0.0) {
        let remedy = "set rolling_friction to 0 where parts touch, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "rolling friction", remedy });
    }
    if contact.rubs() && world.friction_model == FrictionModel::VelocityCorrection {
        let remedy = "set contact.friction to \"tangential-spring\", or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "friction that corrects velocities", remedy });
    }
    Ok(())
}

/// Prepares contacts for the adjoint of a step between two states.
pub(super) fn prepare(contacts: &mut Contacts, world: &World, before: &Record, after: &State) {
    let has_history = before.contacts.has_springs() || contacts.contact_state().has_springs();
    if !has_history && world.walls.is_empty() {
        contacts.update(world, after);
        return;
    }
    contacts.update(world, &before.state);
    contacts.set_contact_state(&before.contacts);
    contacts.update(world, after);
}
