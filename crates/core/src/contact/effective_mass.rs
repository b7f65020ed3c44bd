//! Effective masses at contacts, for their dashpots.
//!
//! A force F along the normal n moves the surface of a free rigid body there by F/m, where r is the arm from its centre of mass,
//!
//! ```text
//! 1/m = 1/M + (r x n).I^-1 (r x n)     [1/kg]
//! ```
//!
//! (Stronge, "Impact Mechanics", section 3.2). Both sides of a contact add their 1/m. That of a sphere of its own, or of a
//! bonded one, is that of its mass, and that of a held one is zero.
//!
//! Contacts that a body has at the same time share its mass. Contact c has that of equal forces at all of them,
//!
//! ```text
//! 1/m_c = n_c.(sum n_k/M + (I^-1 sum r_k x n_k) x r_c)
//! ```
//!
//! so that a flat face of N spheres bounces as one of them does, with M/N at each. It is at least half of 1/m alone, since
//! contacts on opposite sides would stop each other. Bodies that touch the same body count by their own contacts alone.

use crate::geometry::{Mat3, Vec3};
use crate::model::{HeldParticles, State, World};
use crate::neighbours::ContactPair;

/// Effective masses of the particles of free rigid bodies and of held ones.
#[derive(Clone, Debug)]
pub(super) struct EffectiveMasses {
    /// Whether the mass of each particle may be another than its own; empty if none is, or without damping.
    differs: Vec<bool>,
    /// Number of the free rigid body of each particle, counted from one; zero for others.
    body_of: Vec<u32>,
    bodies: Vec<Body>,
    holding: HeldParticles,
    /// Damping ratio of contacts.
    zeta: f64,
}

/// Free rigid body at one time.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    is_known: bool,
    inverse_mass: f64,
    centre: Vec3,
    inverse_inertia: Mat3,
    /// Sums of n and of r x n (m) over its contacts.
    push: Vec3,
    turn: Vec3,
}

impl EffectiveMasses {
    pub(super) fn new(world: &World) -> Self {
        let count = world.particles.len();
        let mut differs = vec![false; if world.contact_damping > 0.0 { count } else { 0 }];
        let mut body_of = vec![0; if world.rigid.is_empty() { 0 } else { count }];
        for (body, number) in world.rigid.iter().zip(1..).filter(|(body, _)| body.is_free) {
            body_of[body.particles.clone()].fill(number);
        }
        if !differs.is_empty() {
            let holders = world.constraints.iter().filter(|constraint| constraint.motion().is_some());
            holders.flat_map(|constraint| &constraint.particles).for_each(|&i| differs[i as usize] = true);
            differs.iter_mut().zip(&body_of).for_each(|(differs, body)| *differs |= *body > 0);
        }
        if !differs.contains(&true) {
            differs.clear();
        }
        Self {
            differs,
            body_of,
            bodies: vec![Body::default(); world.rigid.len()],
            holding: HeldParticles::new(world),
            zeta: world.contact_damping,
        }
    }

    /// Leaves all particles their own masses.
    pub(super) fn clear(&mut self) {
        self.differs.clear();
    }

    /// Whether no particle has another mass than its own.
    pub(super) fn is_empty(&self) -> bool {
        self.differs.is_empty()
    }

    /// Whether the mass of a particle may be another than its own.
    pub(super) fn differs(&self, particle: u32) -> bool {
        self.differs.get(particle as usize).is_some_and(|differs| *differs)
    }

    /// Whether the mass of a particle of a pair may be.
    pub(super) fn differ(&self, pair: &ContactPair) -> bool {
        self.differs(pair.i) || self.differs(pair.j)
    }

    /// Damping ratio of contacts.
    pub(super) fn zeta(&self) -> f64 {
        self.zeta
    }

    /// Forgets all contacts, for a step between two times (s).
    pub(super) fn begin(&mut self, world: &World, [from, to]: [f64; 2]) {
        self.bodies.fill(Body::default());
        self.holding.set(world, from, to);
    }

    /// Adds a contact of particle `i` at `x`, with the unit normal `n` from it to the other.
    pub(super) fn add(&mut self, world: &World, x: &State, i: u32, n: &Vec3) {
        let i = i as usize;
        if let Some(&number) = self.body_of.get(i).filter(|number| **number > 0) {
            let body = &mut self.bodies[number as usize - 1];
            if !body.is_known {
                *body = Body::of(world, x, number as usize - 1);
            }
            body.push += n;
            body.turn += (x.p[i] - body.centre).cross(n);
        }
    }

    /// Adds both sides of a contact of two particles that touch at `x`.
    pub(super) fn add_pair(&mut self, world: &World, x: &State, [i, j]: [u32; 2]) {
        let n = normal(x, [i, j]);
        self.add(world, x, i, &n);
        self.add(world, x, j, &-n);
    }

    /// 1/m of particle `i` along `n` at `x`, 1/kg.
    pub(super) fn inverse(&self, world: &World, x: &State, i: u32, n: &Vec3) -> f64 {
        let i = i as usize;
        if self.holding.held()[i] {
            return 0.0;
        }
        match self.body_of.get(i) {
            Some(&number) if number > 0 && self.bodies[number as usize - 1].is_known => {
                self.bodies[number as usize - 1].inverse_mass_at(&x.p[i], n)
            }
            Some(&number) if number > 0 => 1.0 / world.rigid[number as usize - 1].mass,
            _ => 1.0 / world.particles.mass[i],
        }
    }

    /// Reduced mass of two particles, kg; that of the particles themselves where none can move.
    pub(super) fn of_pair(&self, world: &World, x: &State, ends @ [i, j]: [u32; 2]) -> f64 {
        let n = normal(x, ends);
        let sum = self.inverse(world, x, i, &n) + self.inverse(world, x, j, &-n);
        let own = |i: u32| 1.0 / world.particles.mass[i as usize];
        1.0 / if sum > 0.0 { sum } else { own(i) + own(j) }
    }

    /// Mass of particle `i` on a wall, kg.
    pub(super) fn on_wall(&self, world: &World, x: &State, i: u32, n: &Vec3) -> f64 {
        let inverse = self.inverse(world, x, i, n);
        if inverse > 0.0 { 1.0 / inverse } else { world.particles.mass[i as usize] }
    }
}

impl Body {
    fn of(world: &World, x: &State, number: usize) -> Self {
        let body = &world.rigid[number];
        let centre = body.mean(&world.particles, &x.p);
        let inertia = body.inertia(&world.particles, &x.p, &centre);
        let inverse_inertia = inertia.try_inverse().expect("spheres have inertia about every axis");
        let (push, turn) = (Vec3::zeros(), Vec3::zeros());
        Self { is_known: true, inverse_mass: 1.0 / body.mass, centre, inverse_inertia, push, turn }
    }

    fn inverse_mass_at(&self, p: &Vec3, n: &Vec3) -> f64 {
        let r = p - self.centre;
        let lever = r.cross(n);
        let alone = self.inverse_mass + lever.dot(&(self.inverse_inertia * lever));
        let together = n.dot(&self.push) * self.inverse_mass + lever.dot(&(self.inverse_inertia * self.turn));
        together.max(0.5 * alone)
    }
}

fn normal(x: &State, [i, j]: [u32; 2]) -> Vec3 {
    (x.p[j as usize] - x.p[i as usize]).try_normalize(0.0).unwrap_or_else(Vec3::z)
}
