//! Kinds of particles, and the stiffness of possible contacts between them.

use std::collections::BTreeMap;

use crate::model::{Bond, BondModel, ContactLaw, FrictionModel, Modes, NormalSpring, State, TANGENTIAL, World};

use super::overlap::Hardening;
use super::shell::Shell;

/// Particles of similar size, material and inertia, represented by the worst of them.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Maximum contact stiffness, N/m, and the particle that has it.
    k: f64,
    stiffest: u32,
    /// Minimum radius, m.
    radius: f64,
    /// Mass that moves with one of them, kg; of any of them.
    mass: f64,
    /// Maximum mass of a particle, for the damping of contacts, kg.
    particle_mass: f64,
    has_friction: bool,
    has_contacts: bool,
    count: usize,
}

/// Kinds of a world's particles, and its walls.
pub(super) struct Kinds<'a> {
    world: &'a World,
    kinds: Vec<Kind>,
    /// Kind of each particle.
    of: Vec<u32>,
    hardening: Hardening,
    springs: bool,
}

/// Stiffest possible shell of neighbours of a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorstNeighbours {
    pub shell: Shell,
    /// Stiffness of one, including the neighbour's motion, N/m.
    pub k: f64,
    /// Tangential stiffness over `k`.
    pub tangential: f64,
    /// Damping over stiffness, s.
    pub damping_time: f64,
}

impl WorstNeighbours {
    /// Stiffness of one in the stiffest motion, N/m.
    pub(super) fn greatest(&self) -> f64 {
        self.k * in_friction(self.tangential).max(1.0)
    }

    /// Total stiffness along an axis, N/m.
    fn axial(&self) -> f64 {
        let Shell { number, axial } = self.shell;
        self.k * (axial + self.tangential * (number - axial))
    }
}

impl<'a> Kinds<'a> {
    /// Kinds by the `mass` (kg) that moves with each particle; infinite for held ones.
    pub(super) fn new(world: &'a World, state: &State, mass: &[f64]) -> Self {
        /// Ranges of radius and mass of a kind, as ratios.
        const ALIKE: [f64; 2] = [1.1, 1.4];
        let bucket = |x: f64, factor: f64| (libm::log(x) / libm::log(factor)).floor() as i64;
        let (mut kinds, mut of, mut known) = (Vec::<Kind>::new(), Vec::new(), BTreeMap::new());
        for (i, &mass) in mass.iter().enumerate() {
            let (radius, k) = (world.particles.radius[i], world.contact_stiffness_of(i));
            let has_friction = world.material_of(i).static_friction > 0.0;
            let has_contacts = world.particles.has_contacts(i);
            let key = (world.particles.material[i], has_contacts, bucket(radius, ALIKE[0]), bucket(mass, ALIKE[1]));
            let at = *known.entry(key).or_insert(kinds.len());
            if at == kinds.len() {
                let stiffest = i as u32;
                kinds.push(Kind {
                    k,
                    stiffest,
                    radius,
                    mass,
                    particle_mass: 0.0,
                    has_friction,
                    has_contacts,
                    count: 0,
                });
            }
            let kind = &mut kinds[at];
            if k > kind.k {
                (kind.k, kind.stiffest) = (k, i as u32);
            }
            (kind.radius, kind.count) = (kind.radius.min(radius), kind.count + 1);
            kind.particle_mass = kind.particle_mass.max(world.particles.mass[i]);
            of.push(at as u32);
        }
        let springs = world.friction_model == FrictionModel::TangentialSpring;
        Self { world, kinds, of, hardening: Hardening::new(world, state), springs }
    }

    /// Stiffest possible neighbours of particle `i`.
    pub(super) fn worst_neighbours(&self, i: usize) -> WorstNeighbours {
        let own = self.of[i] as usize;
        let meets = |at: usize| self.kinds[at].has_contacts && (at != own || self.kinds[at].count > 1);
        let all = (0..self.kinds.len()).filter(|&at| meets(at)).map(|at| self.with(i, &self.kinds[at]));
        all.reduce(|worst, next| if next.axial() > worst.axial() { next } else { worst })
            .unwrap_or_else(|| self.with(i, &self.kinds[own]))
    }

    /// Damping over stiffness of the contacts of particle `i`, s.
    pub(super) fn damping_time(&self, i: usize) -> f64 {
        if self.world.contact_damping > 0.0 && self.world.particles.has_contacts(i) {
            self.worst_neighbours(i).damping_time
        } else {
            0.0
        }
    }

    /// Frequency of the fastest damped contact, 2 zeta/(c/k), 1/s; zero without damping.
    pub(super) fn fastest_contact(&self) -> f64 {
        let times = (0..self.world.particles.len()).map(|i| self.damping_time(i)).filter(|time| *time > 0.0);
        times.map(|time| 2.0 * self.world.contact_damping / time).fold(0.0, f64::max)
    }

    fn with(&self, i: usize, other: &Kind) -> WorstNeighbours {
        let own = &self.kinds[self.of[i] as usize];
        let has_friction = self.springs && (own.has_friction && other.has_friction || self.has_wall_friction(i));
        let spring = self.world.pair_normal_spring([i as u32, other.stiffest]);
        let tangential = if has_friction { spring.tangential } else { 0.0 };
        let hardening = self.hardening.pair;
        // springs that do not harden: against translation and rotation they are as stiff as the linear law
        let pair = spring.k * if has_friction && !hardens(&spring) { hardening.max(1.0) } else { hardening };
        // of two held particles neither moves
        let ratio = if own.mass.is_finite() { libm::cbrt(own.mass / other.mass) } else { 0.0 };
        let m = own.particle_mass;
        let others = if other.mass.is_finite() { other.particle_mass } else { f64::INFINITY };
        let (reduced, wall) = (m / (1.0 + m / others), self.wall_stiffness(i));
        let on_wall = if wall > 0.0 { m / wall } else { 0.0 };
        WorstNeighbours {
            shell: Shell::new(other.radius / self.world.particles.radius[i]),
            k: (pair * (1.0 + ratio)).max(wall),
            tangential,
            damping_time: 2.0 * self.world.contact_damping * (reduced / pair).max(on_wall).sqrt(),
        }
    }

    /// `bond` with the stiffness and damping of its own and of the contact that may replace it: see the module.
    pub(super) fn stiffened(&self, bond: &Bond) -> Bond {
        if !self.world.particles.meet([bond.i, bond.j]) {
            return in_any_direction(bond.clone());
        }
        let spring = self.world.pair_normal_spring([bond.i, bond.j]);
        let [normal, tangential] = self.pair(&spring, [bond.i, bond.j]);
        let damping = spring.damping * self.hardening.pair.sqrt();
        let contact = Modes { n: normal, s: tangential * bond.l0 * bond.l0, ..Modes::default() };
        let k = if bond.model.keeps_contact() {
            bond.k.plus(&contact, 1.0)
        } else {
            Modes { n: bond.k.n.max(contact.n), s: bond.k.s.max(contact.s), ..bond.k }
        };
        let shear = if tangential > 0.0 { spring.tangential * damping * bond.l0 * bond.l0 } else { 0.0 };
        let contact = Modes { n: damping, s: shear, ..Modes::default() };
        let c = if bond.model.keeps_contact() {
            bond.c.plus(&contact, 1.0)
        } else {
            Modes { n: bond.c.n.max(contact.n), s: bond.c.s.max(contact.s), ..bond.c }
        };
        in_any_direction(Bond { k, c, ..bond.clone() })
    }

    /// Upper bounds on the stiffness of a pair's contact of this `spring`, N/m: normal and tangential.
    fn pair(&self, spring: &NormalSpring, ends: [u32; 2]) -> [f64; 2] {
        let normal = spring.k * self.hardening.pair;
        let tangential = spring.tangential * if hardens(spring) { normal } else { spring.k };
        let has_friction = |i: u32| self.world.material_of(i as usize).static_friction > 0.0;
        let has_friction = self.springs && ends.into_iter().all(has_friction);
        [normal, if has_friction { tangential } else { 0.0 }]
    }

    /// Stiffness of all walls on particle `i`, N/m.
    pub(super) fn walls_stiffness(&self, i: usize) -> f64 {
        self.world.walls.len() as f64 * self.wall_stiffness(i)
    }

    /// Stiffness of one wall in the stiffest motion.
    fn wall_stiffness(&self, i: usize) -> f64 {
        if self.world.walls.is_empty() {
            return 0.0;
        }
        let (spring, hardening) = (self.world.wall_normal_spring(i), self.hardening.wall);
        let friction = if self.has_wall_friction(i) { in_friction(spring.tangential) } else { 0.0 };
        spring.k * if hardens(&spring) { hardening * friction.max(1.0) } else { hardening.max(friction) }
    }

    fn has_wall_friction(&self, i: usize) -> bool {
        let own = self.world.material_of(i).static_friction;
        self.springs && self.world.walls.iter().any(|wall| wall.static_friction.unwrap_or(own) > 0.0)
    }
}

/// Whether the tangential spring beside a normal one hardens with it.
fn hardens(spring: &NormalSpring) -> bool {
    spring.law == ContactLaw::Hertz
}

/// Stiffness of a `tangential` spring (over the normal one) in the motion that strains it most. A sphere that translates and turns
/// has 2/7 of its mass there.
fn in_friction(tangential: f64) -> f64 {
    tangential / TANGENTIAL
}

/// A spring that resists every displacement of its ends as it does stretch, since it may turn: one without a rest length.
/// With friction of the contact in its place, a bond that resists shear as well.
fn in_any_direction(bond: Bond) -> Bond {
    if bond.model.has_orientation() {
        bond
    } else if bond.k.s > 0.0 {
        let s = bond.k.n * bond.l0 * bond.l0;
        Bond { model: BondModel::QUATERNION, k: Modes { s, ..bond.k }, ..bond }
    } else {
        Bond { l0: 0.0, ..bond }
    }
}
