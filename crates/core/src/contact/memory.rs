use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{KeptFace, State, World};
use crate::neighbours::ContactPair;
use crate::simd::Row8;

use super::springs::spring_of;
use super::{Contacts, SingleContact, StepLaw, TangentialSpring, TangentialSprings, WallTangentialSpring};

/// Data that later contacts depend on: the list of near pairs with its order and age, and the tangential springs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ContactHistory {
    pairs: Vec<[u32; 2]>,
    springs: TangentialSprings,
    held: Vec<KeptFace>,
    anchors: Vec<Vec3>,
    travel: f64,
    velocity: Vec3,
}

/// State of contacts between steps: all that forces of the next step depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactState {
    /// Loaded tangential springs of pairs, sorted by their ends.
    pub pairs: Vec<([u32; 2], TangentialSpring)>,
    /// Loaded tangential springs on walls, sorted by particle and wall.
    pub walls: Vec<WallTangentialSpring>,
    /// Faces that centres are behind.
    held: Vec<KeptFace>,
}

impl ContactState {
    /// Whether any spring is loaded.
    pub fn has_springs(&self) -> bool {
        !self.pairs.is_empty() || !self.walls.is_empty()
    }

    /// Whether the centre of any particle is behind a face of a wall.
    pub fn has_deep_contacts(&self) -> bool {
        !self.held.is_empty()
    }

    /// Springs of a particle on a wall.
    fn on_wall(&self, particle: usize, wall: usize) -> &[WallTangentialSpring] {
        let key = (particle as u32, wall as u32);
        let first = self.walls.partition_point(|on| on.key() < key);
        let count = self.walls[first..].partition_point(|on| on.key() == key);
        &self.walls[first..first + count]
    }

    /// Index of the spring of a contact at the end of a step, among [`Self::pairs`]; `None` where it has none.
    pub fn place_of_pair(&self, contact: &SingleContact<2>) -> Option<usize> {
        let ends = contact.particles.map(|i| i as u32);
        self.pairs.binary_search_by_key(&ends, |(ends, _)| *ends).ok()
    }

    /// The same among [`Self::walls`]: the nearest normal.
    pub fn place_on_wall(&self, contact: &SingleContact<1>) -> Option<usize> {
        let (particle, wall) = (contact.particles[0], contact.wall()?);
        let own = self.on_wall(particle, wall);
        let first = self.walls.partition_point(|on| on.key() < (particle as u32, wall as u32));
        let n = contact.normal();
        let nearness = |k: &usize| own[*k].tangential.n.dot(&n);
        let nearest = (0..own.len()).max_by(|a, b| nearness(a).total_cmp(&nearness(b)))?;
        (nearness(&nearest) > SAME).then_some(first + nearest)
    }
}

/// Cosine of the angle between the normals of a contact and its spring, which differ by rounding.
const SAME: f64 = 1.0 - 1e-9;

impl Contacts {
    /// State of the contacts.
    pub fn contact_state(&self) -> ContactState {
        let springs = self.tangential_springs();
        let pairs = self.pairs().iter().zip(springs.pairs()).filter(|(_, spring)| spring.is_loaded());
        ContactState {
            pairs: pairs.map(|(pair, spring)| ([pair.i, pair.j], spring)).collect(),
            walls: springs.on_walls().copied().collect(),
            held: self.near_walls.all_held().to_vec(),
        }
    }

    /// Sets the state of the contacts of listed pairs.
    pub fn set_contact_state(&mut self, state: &ContactState) {
        let springs = self.tangential_springs_mut();
        springs.pairs.fill(Row8::ZERO);
        if !springs.walls.is_empty() {
            springs.set_on_walls(state.walls.iter().copied());
        }
        for (ends, spring) in &state.pairs {
            self.set_tangential_spring(ends.map(|i| i as usize), *spring);
        }
        self.near_walls.hold(state.held.iter().copied());
    }

    /// Contacts of pairs that touch at the start or at the end of a step between two states, with the springs of `from`.
    pub fn pairs_in_step<'a>(
        &self,
        world: &World,
        law: StepLaw,
        states: [&'a State; 2],
        from: &ContactState,
    ) -> Vec<SingleContact<'a, 2>> {
        let of = |pair: &ContactPair| {
            let at = from.pairs.binary_search_by_key(&[pair.i, pair.j], |(ends, _)| *ends);
            let spring = at.map(|at| from.pairs[at].1).unwrap_or_default();
            SingleContact::pair(world, law, states, [pair.i as usize, pair.j as usize], spring)
        };
        let touches = |pair: &&ContactPair| states.iter().any(|state| pair.overlaps(&state.p));
        self.pairs().iter().filter(touches).filter_map(of).collect()
    }

    /// The same of particles and walls. Faces that centres are behind are those of [`Self::set_contact_state`].
    pub fn on_walls_in_step<'a>(
        &self,
        world: &World,
        law: StepLaw,
        states: [&'a State; 2],
        from: &ContactState,
    ) -> Vec<SingleContact<'a, 1>> {
        let walls = world.walls_during(states.map(|state| state.time));
        let mut found = Vec::new();
        for i in 0..world.particles.len() {
            for (k, wall) in walls.iter().enumerate() {
                let held = self.near_walls.kept_faces(i, k as u32);
                let spring = |normals: &[Vec3], place: usize| {
                    let own = from.on_wall(i, k);
                    let known: Vec<Vec3> = own.iter().map(|on| on.tangential.n).collect();
                    spring_of(&known, normals, place).map_or_else(TangentialSpring::default, |at| own[at].tangential)
                };
                found.extend(SingleContact::on_wall((world, law), states, (i, k, wall), held, spring));
            }
        }
        found
    }

    /// Marks the start of a step's trial, which [`Self::go_back`] returns to.
    pub(crate) fn mark(&mut self) {
        let mut marked = std::mem::take(&mut self.marked);
        self.store(&mut marked);
        self.marked = marked;
    }

    /// Returns [`Self::history`] to its value at the last [`Self::mark`]. All else is computed again.
    pub(crate) fn go_back(&mut self, world: &World) {
        let marked = std::mem::take(&mut self.marked);
        self.set_history(world, marked);
    }

    /// Data for a checkpoint.
    pub(crate) fn history(&self) -> ContactHistory {
        let mut history = ContactHistory::default();
        self.store(&mut history);
        history
    }

    /// Writes the history to `to`, in the room that it has.
    fn store(&self, to: &mut ContactHistory) {
        let (springs, (anchors, travel, velocity)) = (self.tangential_springs(), self.near.age());
        to.pairs.clear();
        to.pairs.extend(self.pairs().iter().map(|pair| [pair.i, pair.j]));
        to.springs.pairs.clone_from(&springs.pairs);
        to.springs.walls.clone_from(&springs.walls);
        to.held.clear();
        to.held.extend_from_slice(self.near_walls.all_held());
        to.anchors.clear();
        to.anchors.extend_from_slice(anchors);
        (to.travel, to.velocity) = (travel, velocity);
    }

    fn set_history(&mut self, world: &World, history: ContactHistory) {
        let ContactHistory { pairs, springs, held, anchors, travel, velocity } = history;
        let pairs = pairs.into_iter().map(|ends| ContactPair::new(ends, world)).collect();
        let old = self.near.replace(world, pairs);
        self.follow(world, &old);
        *self.tangential_springs_mut() = springs;
        self.near_walls.hold(held.into_iter());
        self.near.set_age((&anchors, travel, velocity));
    }

    /// Contacts with this history, in `world` at `state`. `None` if the two do not fit.
    pub(crate) fn restore(history: ContactHistory, world: &World, state: &State) -> Option<Self> {
        let particles = world.particles.len();
        let is_in_world =
            |held: &KeptFace| (held.particle as usize) < particles && (held.wall as usize) < world.walls.len();
        let is_sound = history.anchors.len() == particles
            && history.pairs.is_sorted_by(|a, b| a < b)
            && history.held.is_sorted_by_key(|held| (held.particle, held.wall))
            && history.held.iter().all(is_in_world)
            && history.pairs.iter().all(|[i, j]| i < j && (*j as usize) < particles)
            && history.springs.is_sound(world, history.pairs.len());
        is_sound.then(|| {
            let mut contacts = Self::none(world, state);
            contacts.set_history(world, history);
            contacts
        })
    }
}
