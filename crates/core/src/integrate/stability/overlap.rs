//! Stiffness of contacts whose force grows as the power 3/2 of the overlap.

use crate::geometry::Vec3;
use crate::model::{ContactLaw, NormalPotential, NormalSpring, State, World};

/// Maximum stiffness of contacts over the factor k of their springs: of pairs, and on walls.
///
/// The stiffness of Hertz's laws grows with the overlap o without bound, 3/2 k sqrt(o/D) (N/m). The overlap here is the one that
/// stops a particle of mass m at the maximum speed v that the initial state allows, doubled in each case. It is at least a
/// share of the distance D, for slow compression:
///
/// ```text
/// o/D = max(1/25, (m v^2/(0.8 k D^2))^(2/5)),    v = 2 (max |v_i - mean| + max |v_wall| + sqrt(2 g h))      [m, s, kg]
/// ```
///
/// h (m) is the maximum fall of a particle onto a wall, or across all particles if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hardening {
    pub pair: f64,
    pub wall: f64,
}

/// Minimum overlap over D: see [`Hardening`].
const LEAST_OVERLAP: f64 = 1.0 / 25.0;

impl Hardening {
    pub(super) fn new(world: &World, state: &State) -> Self {
        if world.contact_law == ContactLaw::Linear {
            return Self { pair: 1.0, wall: 1.0 };
        }
        let v = greatest_speed(world, state);
        let masses = heaviest(world);
        let of = |i: usize, mass: f64| {
            let springs = [world.pair_normal_spring([i as u32; 2]), world.wall_normal_spring(i)];
            springs.map(|spring| stiffness(&spring, mass, v) / spring.k)
        };
        let all = masses.iter().enumerate().map(|(i, &mass)| of(i, mass));
        let [pair, wall] = all.fold([0.0; 2], |[a, b]: [f64; 2], [c, d]| [a.max(c), b.max(d)]);
        Self { pair, wall }
    }
}

/// Mass (kg) behind a contact of each particle: its own, or that of its rigid body.
fn heaviest(world: &World) -> Vec<f64> {
    let mut masses = world.particles.mass.clone();
    for body in world.free_rigid() {
        masses[body.particles.clone()].fill(body.mass);
    }
    masses
}

/// Stiffness at the overlap that stops a `mass` (kg) at the speed `v` (m/s), N/m.
fn stiffness(spring: &NormalSpring, mass: f64, v: f64) -> f64 {
    let share = libm::pow(mass * v * v / (0.8 * spring.k * spring.size * spring.size), 0.4);
    spring.stiffness(share.max(LEAST_OVERLAP) * spring.size)
}

/// Speed v of [`Hardening`], m/s.
fn greatest_speed(world: &World, state: &State) -> f64 {
    let mean = state.v.iter().sum::<Vec3>() / state.len().max(1) as f64;
    // the mean velocity has no meaning where walls are at rest or move
    let common = if world.walls.is_empty() { mean } else { Vec3::zeros() };
    let own = state.v.iter().map(|v| (v - common).norm()).fold(0.0, f64::max);
    let walls = world.walls_at(state.time);
    let touched = |p: &Vec3| walls.iter().map(|wall| wall.velocity(p).norm()).fold(0.0, f64::max);
    let walls = state.p.iter().map(touched).fold(0.0, f64::max);
    2.0 * (own + walls + (2.0 * world.gravity.norm() * fall(world, state)).sqrt())
}

/// Maximum fall of a particle, m.
fn fall(world: &World, state: &State) -> f64 {
    let walls = world.walls_at(state.time);
    let to_wall = |p: &Vec3| walls.iter().map(|wall| wall.distance(p)).fold(f64::INFINITY, f64::min);
    if walls.is_empty() {
        let bound =
            |of: fn(f64, f64) -> f64, start: f64| state.p.iter().fold(Vec3::repeat(start), |a, p| a.zip_map(p, of));
        let size = bound(f64::max, f64::NEG_INFINITY) - bound(f64::min, f64::INFINITY);
        if state.is_empty() { 0.0 } else { size.norm() }
    } else {
        state.p.iter().map(to_wall).fold(0.0, f64::max)
    }
}
