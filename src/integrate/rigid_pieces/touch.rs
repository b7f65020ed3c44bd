use crate::contact::{Coefficients, ContactPair, Rub, Slip, TANGENTIAL, Touch, WallRub};
use crate::energy::collider;
use crate::energy::contact::{self, Gap};
use crate::energy::friction::{self, Sliding};
use crate::geometry::Vec3;
use crate::model::{ClosingSpring, Collider, ContactSpring, Pair, Spring, State, World, Wrench};

use super::rest::Rest;

/// Two particles of different pieces.
#[derive(Clone, Copy, Debug)]
pub struct PairLink {
    pub pair: ContactPair,
    pub bodies: [usize; 2],
    pub radii: [f64; 2],
    /// What the bonds of the two bear at rest, N.
    pub bearable: [f64; 2],
    /// Omega^2 by which it holds the two, 1/s2.
    pub held: [f64; 2],
    pub mu: Coefficients,
    /// Of rolling friction, times the arm, m.
    pub rolling: f64,
    pub rub: Option<Rub>,
    pub touch: Pressed,
}

/// A particle near a wall.
#[derive(Clone, Copy, Debug)]
pub struct WallLink {
    pub body: usize,
    pub radius: f64,
    pub bearable: f64,
    /// Omega^2 by which it holds the particle, 1/s2.
    pub held: f64,
    pub spring: ContactSpring,
    pub mu: Coefficients,
    /// Of rolling friction, times the arm, m.
    pub rolling: f64,
    /// N/m.
    pub k: f64,
    pub rub: Option<WallRub>,
    pub touch: Pressed,
    pub particle: usize,
    pub wall: usize,
}

/// How hard (N) a contact's spring pushes along its normal, and its dashpot: nothing where the two do not touch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressed {
    pub push: f64,
    pub resistance: f64,
    pub n: Vec3,
}

impl Pressed {
    /// Of two that do not move.
    pub fn at_rest(pair: &ContactPair, now: &State) -> Self {
        let gap = Gap::new(&now.p[pair.i as usize], &now.p[pair.j as usize], pair.reach);
        if gap.overlaps() {
            Self { push: pair.spring.push(-gap.gap), resistance: 0.0, n: gap.n }
        } else {
            Self::default()
        }
    }

    fn new(spring: &ClosingSpring, overlap: f64, n: Vec3) -> Self {
        Self { push: spring.spring.push(overlap), resistance: spring.resistance(overlap), n }
    }

    /// What the dashpot takes, J, where two come together at this velocity (m/s).
    pub fn taken(&self, closing: &Vec3, dt: f64) -> f64 {
        self.resistance * closing.dot(&self.n) * dt
    }

    /// What a velocity has along the surface, m/s.
    pub fn across(&self, velocity: Vec3) -> Vec3 {
        velocity - self.n * velocity.dot(&self.n)
    }
}

impl PairLink {
    /// Of two particles at `now`, with their friction's spring if they have one.
    pub fn new(world: &World, rest: &Rest, ids: [u32; 2], rub: Option<Rub>, now: &State) -> Self {
        let pair = ContactPair::new(ids, world);
        let (ends, k) = (pair.ends(), pair.spring.k);
        let (radii, masses) = (ends.map(|i| world.particles.radius[i]), ends.map(|i| world.particles.mass[i]));
        let across = k / (masses[0] * masses[1]).sqrt();
        let [rolls_i, rolls_j] = ends.map(|i| world.material_of(i).rolling_friction);
        Self {
            bodies: ends.map(|i| rest.body_of[i] as usize),
            radii,
            bearable: ends.map(|i| rest.limit(i).force),
            held: masses.map(|mass| k / mass + across),
            mu: Coefficients::between(world, ends),
            rolling: (rolls_i * rolls_j).sqrt() * 0.5 * (radii[0] + radii[1]),
            rub,
            touch: Pressed::at_rest(&pair, now),
            pair,
        }
    }

    /// Its particles, with their bodies.
    pub fn ends(&self) -> [(u32, u32); 2] {
        let [a, b] = self.bodies;
        [(self.pair.i, a as u32), (self.pair.j, b as u32)]
    }

    /// The slopes of energy by the two, where they touch.
    pub fn push(&mut self, now: &State, slip: Slip, moved: bool, taken: &mut f64) -> Option<[Wrench; 2]> {
        let ends = self.pair.ends();
        let k = self.pair.spring.k;
        if !self.pair.overlaps(&now.p) {
            self.touch = Pressed::default();
            if let Some(rub) = self.rub.as_mut().filter(|rub| moved && **rub != Rub::default()) {
                rub.unload();
                let u = slip.of_pair(now, ends, &rub.n, rub.arms);
                *taken += rub.settle(TANGENTIAL * k, &u).0;
            }
            return None;
        }
        let gap = Gap::new(&now.p[ends[0]], &now.p[ends[1]], self.pair.reach);
        let spring = slip.pair_spring(&self.pair, now);
        let force = contact::gradient(&spring, &gap);
        self.touch = Pressed::new(&spring, -gap.gap, gap.n);
        let mut slopes = [-force, force].map(|force| Wrench { force, torque: Vec3::zeros() });
        let Some(rub) = &mut self.rub else { return Some(slopes) };
        if moved {
            let arms = self.radii.map(|radius| radius + 0.5 * gap.gap);
            let touch = Touch { n: gap.n, arms, push: spring.push(-gap.gap), k };
            rub.load(&touch, &self.mu, &slip.of_pair(now, ends, &gap.n, arms));
        }
        let u = slip.of_pair(now, ends, &rub.n, rub.arms);
        if let Some(sliding) = Sliding::new(rub, k, &u) {
            let [i, j] = friction::pair_gradient(&sliding, slip, now, ends);
            slopes[0] += i;
            slopes[1] += j;
        }
        if moved {
            *taken += rub.settle(TANGENTIAL * k, &u).0;
        }
        Some(slopes)
    }
}

impl WallLink {
    /// Of a particle and a wall, with its friction's spring if it has one.
    pub fn new(world: &World, rest: &Rest, [particle, wall]: [usize; 2], rub: Option<WallRub>) -> Self {
        let (spring, radius) = (world.wall_spring(particle), world.particles.radius[particle]);
        Self {
            body: rest.body_of[particle] as usize,
            radius,
            bearable: rest.limit(particle).force,
            held: spring.k / world.particles.mass[particle],
            spring,
            mu: Coefficients::on_wall(world, particle, wall),
            rolling: world.material_of(particle).rolling_friction * radius,
            k: world.contact_stiffness_of(particle),
            rub,
            touch: Pressed::default(),
            particle,
            wall,
        }
    }

    /// Its particle, with its body.
    pub fn end(&self) -> (u32, u32) {
        (self.particle as u32, self.body as u32)
    }

    /// The slope of energy by the particle, where it touches the wall.
    pub fn push(&mut self, wall: &Collider, now: &State, slip: Slip, moved: bool, taken: &mut f64) -> Option<Wrench> {
        let i = self.particle;
        let Some((gap, n)) = wall.touch(&now.p[i], self.radius, now.time) else {
            self.touch = Pressed::default();
            if let Some(WallRub { rub, .. }) = self.rub.as_mut().filter(|on| moved && on.rub != Rub::default()) {
                rub.unload();
                let u = slip.on_wall(now, i, &rub.n, rub.arms[0], wall);
                *taken += rub.settle(TANGENTIAL * self.k, &u).0;
            }
            return None;
        };
        let closing = slip.wall_closing(&self.spring, wall, now, (i, self.radius));
        let spring = ClosingSpring { spring: &self.spring, closing };
        self.touch = Pressed::new(&spring, -gap, n);
        let mut slope = Wrench { force: collider::gradient(&spring, gap, &n), torque: Vec3::zeros() };
        let Some(WallRub { rub, .. }) = &mut self.rub else { return Some(slope) };
        if moved {
            let arms = [self.radius + gap, 0.0];
            let touch = Touch { n, arms, push: spring.push(-gap), k: self.k };
            rub.load(&touch, &self.mu, &slip.on_wall(now, i, &n, arms[0], wall));
        }
        let u = slip.on_wall(now, i, &rub.n, rub.arms[0], wall);
        if let Some(sliding) = Sliding::new(rub, self.k, &u) {
            slope += friction::wall_gradient(&sliding, slip, now, i);
        }
        if moved {
            *taken += rub.settle(TANGENTIAL * self.k, &u).0;
        }
        Some(slope)
    }
}
