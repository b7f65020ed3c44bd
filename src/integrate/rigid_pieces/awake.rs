use crate::energy::{BondSum, Damping, moving, place};
use crate::fracture::{BondLoad, Pieces};
use crate::geometry::Vec3;
use crate::integrate::stability;
use crate::model::{Bond, Pair, Particles, State, World, Wrench, pairs_of};
use crate::simd::Level;

use super::body::Body;
use super::rest::Rest;

/// The pieces that do not rest inside: particles, each of which is a body of its own, and the bonds between them.
#[derive(Debug, Default)]
pub struct Awake {
    /// Their particles, ascending, and the bodies of these.
    particles: Vec<u32>,
    bodies: Vec<u32>,
    /// Where in these each particle of the world is; [`NOWHERE`] for those that are not there.
    place_of: Vec<u32>,
    /// They and their bonds as a world for vector kernels; none where all pieces rest.
    world: Option<World>,
    /// Where the simulated world has each of these bonds, ascending; [`NOWHERE`] for broken ones.
    indices: Vec<u32>,
    slopes: Vec<Wrench>,
    /// Velocities (m/s) and spins (rad/s) when the step at hand began.
    before: Vec<[Vec3; 2]>,
    overloaded: Vec<usize>,
    /// The longest step that these bonds are followed by, s.
    pub longest_step: f64,
}

/// Share of the limit of stability of bonds that steps take.
const SHARE: f64 = 0.9;

/// No place in a list.
const NOWHERE: u32 = u32::MAX;

impl Awake {
    /// Finds the awake pieces and their bonds, all but those that have `broken` (indices, ascending) by now.
    pub fn find(&mut self, world: &World, rest: &Rest, broken: &[usize]) {
        self.clear();
        self.particles.extend(rest.awake().flat_map(|piece| rest.members(piece)));
        if self.particles.is_empty() {
            return;
        }
        self.particles.sort_unstable();
        self.bodies.extend(self.particles.iter().map(|&i| rest.body_of[i as usize]));
        self.place_of.resize(world.particles.len(), NOWHERE);
        for (&i, k) in self.particles.iter().zip(0..) {
            self.place_of[i as usize] = k;
        }
        let own = self.extract(world, broken);
        self.longest_step = SHARE * stability::of_bonds(&own, own.bonds().iter());
        self.slopes.resize(self.particles.len(), Wrench::default());
        self.world = Some(own);
    }

    /// All pieces rest.
    pub fn clear(&mut self) {
        for i in self.particles.drain(..) {
            self.place_of[i as usize] = NOWHERE;
        }
        self.bodies.clear();
        (self.world, self.longest_step) = (None, f64::INFINITY);
    }

    /// The particles and their bonds as a world. A bond has both ends in one piece, so that it is found by its first.
    fn extract(&mut self, world: &World, broken: &[usize]) -> World {
        let mut bonds = Vec::new();
        self.indices.clear();
        for (at, bond) in pairs_of(world.bonds(), &self.particles) {
            if !bond.is_broken() && broken.binary_search(&at).is_err() {
                let [i, j] = bond.ends().map(|i| self.place_of[i]);
                bonds.push(Bond { i, j, ..bond.clone() });
                self.indices.push(at as u32);
            }
        }
        let mut own = World::new(world.materials.clone(), of_some(&world.particles, &self.particles), bonds);
        own.axial = world.axial;
        own
    }

    pub fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// The particles, with their bodies.
    pub fn with_bodies(&self) -> impl Iterator<Item = (u32, u32)> {
        self.particles.iter().copied().zip(self.bodies.iter().copied())
    }

    /// Their bonds that are not broken, as ends in the order of the world's particles.
    fn whole_bonds(&self) -> impl Iterator<Item = &Bond> {
        self.world.iter().flat_map(World::whole_bonds)
    }

    /// The same as they are in the world.
    pub fn bonds_of<'a>(&'a self, world: &'a World) -> impl Iterator<Item = &'a Bond> {
        let own = self.world.iter().flat_map(World::bonds).zip(&self.indices);
        own.filter(|(bond, _)| !bond.is_broken()).map(|(_, &index)| &world.bonds()[index as usize])
    }

    /// What holds together, by particle of the world.
    pub fn parts(&self) -> impl Fn(u32) -> u32 + use<'_> {
        let parts = Pieces::new(self.particles.len(), self.whole_bonds().map(|bond| [bond.i, bond.j]));
        move |i| parts.of_particle[self.place_of[i as usize] as usize]
    }

    /// Whether two particles are bonded so that they do not push each other.
    pub fn hold(&self, ends: [usize; 2]) -> bool {
        let Some(world) = &self.world else { return false };
        let ends = ends.map(|i| self.place_of[i] as usize);
        let found = world.bonds().binary_search_by_key(&ends, Pair::ends).map(|at| &world.bonds()[at]);
        found.is_ok_and(|bond| !bond.is_broken() && !bond.model.keeps_contact())
    }

    /// A step begins, from these velocities.
    pub fn begin_step(&mut self, bodies: &[Body]) {
        self.before.clear();
        self.before
            .extend(self.bodies.iter().map(|&body| &bodies[body as usize]).map(|body| [body.velocity, body.spin]));
    }

    /// What bonds do to the bodies at `now`, after a step of `dt` (s) if there is one; returns what their damping took, J.
    pub fn push(&mut self, bodies: &mut [Body], now: &State, dt: Option<f64>) -> f64 {
        let Some(world) = &self.world else { return 0.0 };
        let mut work = world.workspace().lock();
        let damped = world.is_damped();
        work.places.clear();
        work.motion.clear();
        for (k, (i, body)) in self.with_bodies().enumerate() {
            let mut place = place(&now.p[i as usize], &now.q[i as usize]);
            if damped {
                let body = &bodies[body as usize];
                let motion = [&body.velocity, &body.spin];
                // as by Verlet's steps
                let mean = if dt.is_some() { self.before[k].each_ref() } else { motion };
                work.motion.push(moving(motion, mean, &mut place));
            }
            work.places.push(place);
        }
        let bonds = BondSum { world, damping: Damping::Rate, watch: true, level: Level::best() };
        let nothing = || rayon::iter::repeat_n((), self.particles.len());
        let own = |_| Default::default();
        let sums = bonds.gradient(&mut work, own, &mut self.slopes, false, nothing(), |_, _, ()| {});
        bonds.overloaded(&work, &mut self.overloaded);
        for ((&i, &body), slope) in self.particles.iter().zip(&self.bodies).zip(&self.slopes) {
            bodies[body as usize].take(&now.p[i as usize], slope);
        }
        dt.map_or(0.0, |dt| sums.damping * dt)
    }

    /// Takes out the bonds that bear more than they can at `now`, by the last [`Self::push`]; returns where the world has them.
    pub fn break_bonds(&mut self, world: &World, now: &State) -> Vec<usize> {
        let breaks = |at: usize| {
            let index = self.indices[at] as usize;
            let bond = &world.bonds()[index];
            BondLoad::of(bond, now).breaks(bond, world.axial).then_some((at, index))
        };
        let (own, broken): (Vec<_>, Vec<_>) = self.overloaded.iter().filter_map(|&at| breaks(at)).unzip();
        self.overloaded.clear();
        own.iter().for_each(|&at| self.indices[at] = NOWHERE);
        if let Some(world) = &mut self.world {
            world.retire_bonds(&own);
            if world.bonds().len() < self.indices.len() {
                self.indices.retain(|&index| index != NOWHERE);
            }
        }
        broken
    }
}

/// Those of `particles` at these indices.
fn of_some(particles: &Particles, indices: &[u32]) -> Particles {
    fn of<T: Copy>(all: &[T], indices: &[u32]) -> Vec<T> {
        indices.iter().map(|&i| all[i as usize]).collect()
    }
    Particles {
        radius: of(&particles.radius, indices),
        mass: of(&particles.mass, indices),
        inertia: of(&particles.inertia, indices),
        material: of(&particles.material, indices),
        body: of(&particles.body, indices),
    }
}
