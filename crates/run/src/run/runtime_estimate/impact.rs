use std::fmt;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::pairs_within;
use bdem_core::model::{Motion, State, World};

/// First impact of a breakable body in free flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Index of the body.
    pub body: usize,
    /// Mean tensile strength of the body's bonds, Pa.
    pub strength: f64,
    /// Relative speed, m/s: along the normal of a wall.
    pub speed: f64,
    /// Stress of the elastic wave of the impact, rho c v with c = sqrt(E/rho), Pa.
    pub wave: f64,
}

/// Expected result of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactOutcome {
    /// Small pieces of a percent or two, over the whole body.
    Bursts,
    /// Some tens of pieces, the largest of some 20 %.
    Breaks,
    /// At most chips at the impact. One piece of more than half remains.
    Chips,
}

impl ImpactOutcome {
    /// Ratios of strength to wave stress: below the first a body bursts, above the second it chips.
    ///
    /// From runs of one dish (two ellipsoids, 15 500 particles, E = 1e9 Pa, 2400 kg/m3, 4 m/s on its edge, Weibull's shape 8)
    /// with different strengths. At 0.3 to 0.5: 800 to 1700 pieces, the largest of 1 to 2 %. At 1: 137 pieces, the largest of
    /// 18 %. At 1.6: 16 pieces, the largest of 69 %.
    const LIMITS: [f64; 2] = [0.5, 1.5];

    /// Outcome for a ratio of strength to wave stress.
    pub fn of(ratio: f64) -> Self {
        let [bursts, chips] = Self::LIMITS;
        match ratio {
            _ if ratio < bursts => Self::Bursts,
            _ if ratio < chips => Self::Breaks,
            _ => Self::Chips,
        }
    }
}

impl fmt::Display for ImpactOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bursts => "bursts",
            Self::Breaks => "breaks",
            Self::Chips => "chips at most",
        })
    }
}

impl Impact {
    /// Ratio of strength to wave stress.
    pub fn ratio(&self) -> f64 {
        self.strength / self.wave
    }

    /// Expected result.
    pub fn outcome(&self) -> ImpactOutcome {
        ImpactOutcome::of(self.ratio())
    }
}

/// Search for the first contact of each body with another or a wall, as the bodies move.
pub(super) struct FirstContacts {
    /// Bodies that have touched something.
    met: Vec<bool>,
    /// Bodies that a constraint drives.
    driven: Vec<bool>,
    /// Motions at the last search, and its time, s.
    motions: Vec<BodyMotion>,
    time: f64,
    /// Mean tensile strength (Pa) of each body's bonds at the start, infinite or not a number if they do not break, and the
    /// impedance rho c of its material, Pa s/m.
    solids: Vec<[f64; 2]>,
    impacts: Vec<Impact>,
}

/// Mean motion of a body.
#[derive(Clone, Copy, Default)]
struct BodyMotion {
    mass: f64,
    /// Centre of mass, m.
    centre: Vec3,
    /// Velocity, m/s.
    velocity: Vec3,
    /// Angular velocity, rad/s.
    spin: Vec3,
}

impl FirstContacts {
    /// Search from the start of a run. What touches then is not struck.
    pub(super) fn new(world: &World, state: &State) -> Self {
        let motions = BodyMotion::of_all(world, state);
        let mut driven = vec![false; motions.len()];
        let drives = world.constraints.iter().filter(|c| c.motion() != Some(&Motion::Fixed));
        let particles = drives.flat_map(|constraint| &constraint.particles);
        particles.for_each(|&i| driven[usize::from(world.particles.body[i as usize])] = true);
        let met = vec![false; motions.len()];
        let solids = solids(world, motions.len());
        let mut start = Self { met, driven, motions, time: state.time, solids, impacts: Vec::new() };
        start.look(world, state);
        start.impacts.clear();
        start
    }

    /// First impacts, in the order of the bodies.
    pub(super) fn impacts(mut self) -> Vec<Impact> {
        self.impacts.sort_by_key(|impact| impact.body);
        self.impacts
    }

    /// Notes the bodies that touch something for the first time. Their speeds are those of the last search, with gravity since.
    pub(super) fn look(&mut self, world: &World, state: &State) {
        if self.met.iter().zip(&self.solids).all(|(met, [strength, _])| *met || !strength.is_finite()) {
            return;
        }
        let fall = world.gravity * (state.time - self.time);
        for (body, speed) in self.on_walls(world, state, &fall).into_iter().chain(self.between(world, state)) {
            let [strength, impedance] = self.solids[body];
            if !std::mem::replace(&mut self.met[body], true) && speed > 0.0 && strength.is_finite() {
                self.impacts.push(Impact { body, strength, speed, wave: impedance * speed });
            }
        }
        (self.motions, self.time) = (BodyMotion::of_all(world, state), state.time);
    }

    /// Bodies that touch walls, each with its speed (m/s) along the normal of its first contact: the one that took longest to get as
    /// deep. Zero on walls that move.
    fn on_walls(&self, world: &World, state: &State, fall: &Vec3) -> Vec<(usize, f64)> {
        let mut first: Vec<Option<(f64, f64)>> = vec![None; self.met.len()];
        for wall in &world.walls {
            let placed = wall.at(state.time);
            for (i, body) in world.particles.body.iter().map(|&body| usize::from(body)).enumerate() {
                let p = &state.p[i];
                if self.met[body] {
                    continue;
                }
                let Some((gap, normal)) = placed.touch(p, world.particles.contact_radius[i]) else { continue };
                let is_struck = wall.motion == Motion::Fixed && !self.driven[body];
                let approach = -(self.motions[body].velocity_at(p) + fall).dot(&normal);
                let speed = if is_struck { approach.max(0.0) } else { 0.0 };
                let since = -gap / speed;
                if first[body].is_none_or(|(before, _)| since > before) {
                    first[body] = Some((since, speed));
                }
            }
        }
        first.into_iter().enumerate().filter_map(|(body, first)| first.map(|(_, speed)| (body, speed))).collect()
    }

    /// Bodies that touch others, each with the relative speed (m/s) of their centres; zero where either is driven.
    fn between(&self, world: &World, state: &State) -> Vec<(usize, f64)> {
        if self.met.len() < 2 {
            return Vec::new();
        }
        let (radius, body) = (&world.particles.contact_radius, |i: usize| usize::from(world.particles.body[i]));
        let reach = |i: usize, j: usize| if body(i) == body(j) { 0.0 } else { radius[i] + radius[j] };
        let most = 2.0 * radius.iter().copied().fold(0.0, f64::max);
        let pairs = pairs_within(&state.p, reach, most);
        let met = pairs.iter().flat_map(|pair| {
            let [a, b] = pair.map(|i| body(i as usize));
            let speed = (self.motions[a].velocity - self.motions[b].velocity).norm();
            let is_struck = !self.driven[a] && !self.driven[b];
            [a, b].map(|body| (body, if is_struck { speed } else { 0.0 }))
        });
        met.collect()
    }
}

/// See [`FirstContacts::solids`]. Springs, which have no stress, do not count.
fn solids(world: &World, count: usize) -> Vec<[f64; 2]> {
    let body = |i: u32| usize::from(world.particles.body[i as usize]);
    let (mut sums, mut impedances) = (vec![[0.0; 2]; count], vec![0.0; count]);
    for bond in world.whole_bonds().filter(|bond| body(bond.i) == body(bond.j) && bond.model.has_orientation()) {
        let [sum, number] = &mut sums[body(bond.i)];
        (*sum, *number) = (*sum + bond.strength[0], *number + 1.0);
        let material = world.material_of(bond.i as usize);
        impedances[body(bond.i)] = (material.young_modulus * material.density).sqrt();
    }
    sums.into_iter().zip(impedances).map(|([sum, number], impedance)| [sum / number, impedance]).collect()
}

impl BodyMotion {
    fn of_all(world: &World, state: &State) -> Vec<Self> {
        let particles = &world.particles;
        let count = particles.body.iter().max().map_or(0, |&last| usize::from(last) + 1);
        let mut motions = vec![Self::default(); count];
        for (i, (&body, &mass)) in particles.body.iter().zip(&particles.mass).enumerate() {
            let Self { mass: sum, centre, velocity, spin } = &mut motions[usize::from(body)];
            *sum += mass;
            *centre += state.p[i] * mass;
            *velocity += state.v[i] * mass;
            *spin += state.w[i] * mass;
        }
        let mean = |Self { mass, centre, velocity, spin }| Self {
            mass,
            centre: centre / mass,
            velocity: velocity / mass,
            spin: spin / mass,
        };
        motions.into_iter().map(mean).collect()
    }

    /// Velocity of its point at `p` (m), m/s.
    fn velocity_at(&self, p: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(p - self.centre))
    }
}
