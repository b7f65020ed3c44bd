//! What particles may come to touch, and how stiff that is.

use std::collections::BTreeMap;

use crate::contact::TANGENTIAL;
use crate::model::{Bond, FrictionRule, Modes, State, World};

use super::overlap::Hardening;
use super::shell::Shell;

/// Particles of nearly one size, material and inertia, by the worst of them.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// The greatest contact stiffness, N/m.
    k: f64,
    /// The least radius, m.
    radius: f64,
    /// Of what moves when one of them does, kg: of one of them, it does not matter which.
    mass: f64,
    /// The greatest of one particle, which contacts are damped by, kg.
    particle_mass: f64,
    has_friction: bool,
    count: usize,
}

/// All kinds of a world's particles, and its walls.
pub struct Kinds<'a> {
    world: &'a World,
    kinds: Vec<Kind>,
    /// The kind of each particle.
    of: Vec<u32>,
    hardening: Hardening,
    springs: bool,
}

/// The worst that may touch a particle, all around it.
#[derive(Clone, Copy, Debug)]
pub struct WorstNeighbours {
    pub shell: Shell,
    /// N/m, the other's motion counted in.
    pub k: f64,
    /// Tangential stiffness over `k`.
    pub tangential: f64,
    /// Damping over stiffness, s.
    pub damping_time: f64,
}

impl WorstNeighbours {
    /// The stiffness of all of them along an axis, N/m.
    fn axial(&self) -> f64 {
        let Shell { number, axial } = self.shell;
        self.k * (axial + self.tangential * (number - axial))
    }
}

impl<'a> Kinds<'a> {
    /// `mass` (kg) is what moves when each particle does; infinite for what is held.
    pub fn new(world: &'a World, state: &State, mass: &[f64]) -> Self {
        /// Radii and masses within these factors are of one kind.
        const ALIKE: [f64; 2] = [1.1, 1.4];
        let bucket = |x: f64, factor: f64| (libm::log(x) / libm::log(factor)).floor() as i64;
        let (mut kinds, mut of, mut known) = (Vec::<Kind>::new(), Vec::new(), BTreeMap::new());
        for (i, &mass) in mass.iter().enumerate() {
            let (radius, k) = (world.particles.radius[i], world.contact_stiffness_of(i));
            let has_friction = world.material_of(i).static_friction > 0.0;
            let key = (world.particles.material[i], bucket(radius, ALIKE[0]), bucket(mass, ALIKE[1]));
            let at = *known.entry(key).or_insert(kinds.len());
            if at == kinds.len() {
                kinds.push(Kind { k, radius, mass, particle_mass: 0.0, has_friction, count: 0 });
            }
            let kind = &mut kinds[at];
            (kind.k, kind.radius, kind.count) = (kind.k.max(k), kind.radius.min(radius), kind.count + 1);
            kind.particle_mass = kind.particle_mass.max(world.particles.mass[i]);
            of.push(at as u32);
        }
        let springs = world.friction_rule == FrictionRule::TangentialSpring;
        Self { world, kinds, of, hardening: Hardening::new(world, state), springs }
    }

    /// The worst company of particle `i`.
    pub fn worst_neighbours(&self, i: usize) -> WorstNeighbours {
        let own = self.of[i] as usize;
        let meets = |at: usize| at != own || self.kinds[at].count > 1;
        let all = (0..self.kinds.len()).filter(|&at| meets(at)).map(|at| self.with(i, &self.kinds[at]));
        all.reduce(|worst, next| if next.axial() > worst.axial() { next } else { worst })
            .unwrap_or_else(|| self.with(i, &self.kinds[own]))
    }

    fn with(&self, i: usize, other: &Kind) -> WorstNeighbours {
        let (k, own) = (self.world.contact_stiffness_of(i), &self.kinds[self.of[i] as usize]);
        let has_friction = self.springs && (own.has_friction && other.has_friction || self.has_wall_friction(i));
        // friction's springs do not harden: all that moves and turns against them is as stiff as the linear law
        let hardening = if has_friction { self.hardening.pair.max(1.0) } else { self.hardening.pair };
        let pair = 2.0 * k * other.k / (k + other.k) * hardening;
        // of two that are held neither moves
        let ratio = if own.mass.is_finite() { libm::cbrt(own.mass / other.mass) } else { 0.0 };
        let m = own.particle_mass;
        let (reduced, wall) = (m / (1.0 + m / other.particle_mass), self.wall_stiffness(i));
        let on_wall = if wall > 0.0 { m / wall } else { 0.0 };
        WorstNeighbours {
            shell: Shell::new(other.radius / self.world.particles.radius[i]),
            k: (pair * (1.0 + ratio)).max(wall),
            tangential: if has_friction { TANGENTIAL } else { 0.0 },
            damping_time: 2.0 * self.world.contact_damping * (reduced / pair).max(on_wall).sqrt(),
        }
    }

    /// `bond` as stiff and as damped as it is, and as the contact that may take its place is: see the module.
    pub fn stiffened(&self, bond: &Bond) -> Bond {
        let [normal, tangential] = self.pair([bond.i, bond.j]);
        let damping = self.world.pair_spring([bond.i, bond.j]).damping * self.hardening.pair.sqrt();
        let contact = Modes { n: normal, s: tangential * bond.l0 * bond.l0, ..Modes::default() };
        let k = if bond.model.keeps_contact() {
            bond.k.plus(&contact, 1.0)
        } else {
            Modes { n: bond.k.n.max(contact.n), s: bond.k.s.max(contact.s), ..bond.k }
        };
        let c = if bond.model.keeps_contact() { bond.c.n + damping } else { bond.c.n.max(damping) };
        Bond { k, c: Modes { n: c, ..bond.c }, ..bond.clone() }
    }

    /// What the contact of a pair may have of stiffness, N/m: normal and tangential.
    fn pair(&self, ends: [u32; 2]) -> [f64; 2] {
        let k = self.world.pair_spring(ends).k;
        let has_friction = |i: u32| self.world.material_of(i as usize).static_friction > 0.0;
        let has_friction = self.springs && ends.into_iter().all(has_friction);
        [k * self.hardening.pair, if has_friction { TANGENTIAL * k } else { 0.0 }]
    }

    /// What all walls together do to particle `i`, N/m.
    pub fn walls_stiffness(&self, i: usize) -> f64 {
        self.world.colliders.len() as f64 * self.wall_stiffness(i)
    }

    /// One wall; friction, which is no stiffer in all that moves and turns, is within it.
    fn wall_stiffness(&self, i: usize) -> f64 {
        let hardening = if self.has_wall_friction(i) { self.hardening.wall.max(1.0) } else { self.hardening.wall };
        if self.world.colliders.is_empty() { 0.0 } else { self.world.contact_stiffness_of(i) * hardening }
    }

    fn has_wall_friction(&self, i: usize) -> bool {
        let own = self.world.material_of(i).static_friction;
        self.springs && self.world.colliders.iter().any(|wall| wall.static_friction.unwrap_or(own) > 0.0)
    }
}
