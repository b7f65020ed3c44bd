//! Frequencies of electric forces.

use serde::{Deserialize, Serialize};

use crate::charge::{Charges, gradient_bounds};
use crate::geometry::Vec3;
use crate::model::{ImposedField, State, World};

/// Limit on the change of distances and charges, as shares, before the sums are computed again.
const MAX_DRIFT: f64 = 0.2;

/// Bound on the frequencies of a world's electric forces, found anew as charges move.
///
/// By Gershgorin's theorem for blocks of particles, with the gradients G_i (V/m2) of the field of all other point charges, and
/// G_i' of external fields,
///
/// ```text
/// omega^2 <= max over free i of |q_i| (2 |G_i| + |G_i'|)/m_i.      [1/s2]
/// ```
///
/// See [`gradient_bounds`]. The sums of G are kept while charges move little. Where no two charges change their distance by
/// more than the share s of the least distance, each sum grows by 1/(1 - s)^3 at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldLimit {
    /// Positions of the sums, m; external charges are last.
    x: Vec<Vec3>,
    /// Charges of the sums without their signs, C.
    q: Vec<f64>,
    /// Least softened distance of two charges, m.
    distance: f64,
    /// Bound on omega^2 by the point charges, 1/s2.
    squared: f64,
    #[serde(skip)]
    ends: [Sources; 2],
    /// 1/m of each charged particle, 1/kg; zero where it is always held.
    #[serde(skip)]
    inverse_mass: Vec<f64>,
}

impl FieldLimit {
    /// Whether an explicit step of `dt` (s) from `state` is at most this `share` of 2/omega. In it charges fly freely.
    pub(crate) fn allows(&mut self, world: &World, state: &State, dt: f64, share: f64) -> bool {
        let mut ends = std::mem::take(&mut self.ends);
        ends.iter_mut().zip([0.0, dt]).for_each(|(end, dt)| end.set(world, state, dt));
        let squared = self.at_ends(world, &mut ends);
        self.ends = ends;
        dt * squared.sqrt() <= 2.0 * share
    }

    /// Bound on omega^2 in a step between two `ends`, 1/s2. Infinite or NaN if the step is too long for a bound.
    fn at_ends(&mut self, world: &World, ends: &mut [Sources; 2]) -> f64 {
        let [start, end] = ends;
        if self.inverse_mass.is_empty() {
            self.inverse_mass = inverse_masses(world);
        }
        start.q.iter_mut().zip(&end.q).for_each(|(q, end)| *q = q.max(*end));
        if start.q.iter().all(|q| *q == 0.0) {
            return 0.0;
        }
        let is_near = self.x.len() == start.x.len() && self.drift(&start.x) <= MAX_DRIFT && self.is_like(&start.q);
        if !is_near {
            self.set(world, start);
        }
        let left = (1.0 - self.drift(&end.x)).max(0.0);
        self.squared * self.growth(&start.q).powi(2) / left.powi(3) + self.by_fields(world, [start, end], &start.q)
    }

    /// Time scale 1/omega of the electric forces of `world` at `state`, s. Infinite without them.
    pub fn time_scale(world: &World, state: &State) -> f64 {
        let mut ends: [Sources; 2] = Default::default();
        ends.iter_mut().for_each(|end| end.set(world, state, 0.0));
        1.0 / Self::default().at_ends(world, &mut ends).sqrt()
    }

    /// Computes the sums.
    fn set(&mut self, world: &World, Sources { x, q, .. }: &Sources) {
        let bounds = gradient_bounds(&Charges { x, q, softening: world.electrostatics.softening });
        let of = |(inverse_mass, (q, gradient)): (&f64, (&f64, &f64))| 2.0 * q * gradient * inverse_mass;
        self.squared = self.inverse_mass.iter().zip(q.iter().zip(&bounds.gradient)).map(of).fold(0.0, largest);
        self.distance = bounds.distance;
        self.x.clone_from(x);
        self.q.clone_from(q);
    }

    /// Bound on omega^2 of charges `q` (C) by the external fields at both `ends` of a step, 1/s2.
    fn by_fields(&self, world: &World, ends: [&Sources; 2], q: &[f64]) -> f64 {
        let fields = world.electrostatics.external_fields.iter().filter(|field| !field.is_uniform());
        let of = |field: &ImposedField| {
            let at = |end: &Sources| {
                let of_charge = |(inverse_mass, (x, q)): (&f64, (&Vec3, &f64))| {
                    if *q == 0.0 { 0.0 } else { q * field.gradient_bound(end.time, x) * inverse_mass }
                };
                self.inverse_mass.iter().zip(end.x.iter().zip(q)).map(of_charge).fold(0.0, largest)
            };
            largest(at(ends[0]), at(ends[1]))
        };
        fields.map(of).sum()
    }

    /// Upper bound on the share by which two charges have approached each other.
    fn drift(&self, x: &[Vec3]) -> f64 {
        let moved = || x.iter().zip(&self.x).map(|(x, from)| x - from);
        let mean = moved().sum::<Vec3>() / x.len() as f64;
        2.0 * moved().map(|moved| (moved - mean).norm()).fold(0.0, largest) / self.distance
    }

    /// Ratio of charges to those of the sums.
    fn growth(&self, q: &[f64]) -> f64 {
        let charged = q.iter().zip(&self.q).filter(|(q, _)| **q > 0.0);
        charged.map(|(q, from)| q / from).fold(0.0, largest)
    }

    fn is_like(&self, q: &[f64]) -> bool {
        ((1.0 - MAX_DRIFT)..=(1.0 + MAX_DRIFT)).contains(&self.growth(q))
    }
}

/// Point charges after a time of free flight: particles, then external charges.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sources {
    /// s.
    time: f64,
    /// Positions, m.
    x: Vec<Vec3>,
    /// Charges without their signs, C.
    q: Vec<f64>,
}

impl Sources {
    fn set(&mut self, world: &World, state: &State, dt: f64) {
        let (electrostatics, time) = (&world.electrostatics, state.time + dt);
        self.time = time;
        let (particles, external) = (electrostatics.particles(), &electrostatics.external_charges);
        electrostatics.charges_at(time, &mut self.q);
        self.q.extend(external.iter().map(|external| external.charge.at(time)));
        self.q.iter_mut().for_each(|q| *q = q.abs());
        self.x.clear();
        self.x.extend(particles.iter().map(|&i| state.p[i as usize] + state.v[i as usize] * dt));
        self.x.extend(external.iter().map(|external| external.position_at(time)));
    }
}

/// See [`FieldLimit::inverse_mass`].
fn inverse_masses(world: &World) -> Vec<f64> {
    let held = world.always_held();
    let of = |i: usize| if held[i] { 0.0 } else { 1.0 / world.particles.mass[i] };
    world.electrostatics.particles().iter().map(|&i| of(i as usize)).collect()
}

/// The larger number, or NaN: then no step is short enough.
fn largest(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
