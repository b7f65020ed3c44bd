//! A scene in which everything happens at once: bonds and gaps between them, overlaps, two walls, gravity and damping.

use bdem_core::energy::{Damping, Potential, Strains};
use bdem_core::geometry::{Vec3, shape::HalfSpace, shape::Shape};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Material, State, Wall, World};

use crate::common::system::{block, floor, material, shaken};

pub(crate) const RADIUS: f64 = 0.01;
pub(crate) const E: f64 = 1e7;

pub(crate) struct Busy {
    pub world: World,
    pub state: State,
    pub contacts: Contacts,
    /// Strains of another state, from which the damped step began.
    pub before: Strains,
}

/// Length of the step over which it is damped, s.
pub(crate) const DT: f64 = 1e-4;

impl Busy {
    /// A block of about `side`^3 spheres without every fifth bond, strained by some percent.
    pub(crate) fn new(side: f64) -> Self {
        let damped = Material { damping: 0.05, ..material(E, 0.4 * E, 2600.0) };
        let (mut world, rest) = block(damped, [2.0 * RADIUS * side; 3], RADIUS);
        let gone: Vec<usize> = (0..world.bonds().len()).step_by(5).collect();
        world.remove_bonds(&gone);
        let low = rest.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        world.gravity = Vec3::new(1.0, -2.0, -9.81);
        let slope = HalfSpace { normal: Vec3::new(3.0, 0.0, 4.0) / 5.0, offset: 0.9 * low };
        world.walls = vec![floor(low - 0.9 * RADIUS, 0.0), Wall::new(Shape::HalfSpace(slope))];

        let state = shaken(&rest, 10, 0.1 * RADIUS, 0.1);
        let before = Strains::new(&world, &shaken(&rest, 20, 0.1 * RADIUS, 0.1));
        let contacts = Contacts::new(&world, &state);
        Self { world, state, contacts, before }
    }

    pub(crate) fn damping(&self) -> Damping<'_> {
        Damping::Step { before: &self.before, dt: DT }
    }

    pub(crate) fn potential(&self) -> Potential<'_> {
        Potential { damping: self.damping(), ..Potential::new(&self.world, &self.contacts) }
    }

    /// What is left without walls, gravity and damping.
    pub(crate) fn free(mut self) -> Self {
        self.world.walls.clear();
        self.world.gravity = Vec3::zeros();
        self
    }
}

/// `state` moved along `direction` by `s`: a radius and a radian each way at one.
pub(crate) fn moved(state: &State, seed: u64, s: f64) -> State {
    shaken(state, seed, s * RADIUS, s)
}
