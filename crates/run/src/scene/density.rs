//! Mass and moment of inertia of a body from the density of its material.

use std::ops::Range;

use bdem_core::geometry::packing::Packed;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Particles, State, World};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{Filled, Matter};
use super::{Packing, Scene, SceneBody, SceneMaterial};

/// Meaning of a material's density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DensityOf {
    /// Density of the body: its mass is this times the volume of its shape.
    Solid,
    /// Density of each sphere. Pores weigh nothing.
    Grains,
}

/// Mass and size of a body, as built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMeasures {
    /// Index of the body.
    pub body: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Mass over the volume that it fills, kg/m3. None for bodies without a shape.
    pub bulk_density: Option<f64>,
    /// Sides of the bounding box of the spheres in the body's own frame, m.
    pub size: Vec3,
}

impl SceneBody {
    /// Meaning of the density of this body's `material`. By default it is that of the solid where bonds, or a rigid
    /// motion, make one of the spheres in a shape.
    pub(super) fn density_of(&self, material: &SceneMaterial) -> DensityOf {
        let is_solid = self.packing.has_shape() && (self.bonded || self.rigid);
        material.density_of.unwrap_or(if is_solid { DensityOf::Solid } else { DensityOf::Grains })
    }

    /// Volume that the body fills, m3: that of its shape, or of the layers of a hollow shell.
    pub(super) fn filled_volume(&self, solid: &Filled) -> f64 {
        match (&self.packing, self.particle_radius) {
            (Packing::Shell(shell), Some(radius)) if !shell.fill => shell.of(radius).layer_volume(&solid.shape),
            _ => solid.volume(),
        }
    }

    /// Scales the `particles` of the body, `packed`, to a solid of this `density` (kg/m3). One factor on all masses makes the
    /// body's exact. A second, linear in the number of a sphere's bonds, brings the trace of its moment of inertia to that
    /// of the solid, `2 M R^2` with the mean squared radius R^2: spheres at faces, which have fewer, stand for the
    /// solid up to the face. Spheres' own moments follow their masses, so that what breaks off spins as a sphere.
    pub(super) fn weigh_as_solid(
        &self,
        particles: &mut Particles,
        range: Range<usize>,
        packed: &Packed,
        solid: &Filled,
        density: f64,
    ) {
        /// Bound on the second factor's distance from 1 inside the body.
        const MAX_CHANGE: f64 = 0.7;
        let mass = density * self.filled_volume(solid);
        let before = &particles.mass[range.clone()];
        let whole: f64 = before.iter().sum();
        let mean = |of: &dyn Fn(usize) -> f64| before.iter().enumerate().map(|(k, m)| of(k) * m).sum::<f64>() / whole;
        let centre = Vec3::from_fn(|axis, _| mean(&|k| packed.centres[k][axis]));
        let squares: Vec<f64> = packed.centres.iter().map(|p| (p - centre).norm_squared()).collect();
        let mut missing = vec![0.0; squares.len()];
        packed.bonds.as_flattened().iter().for_each(|&i| missing[i as usize] -= 1.0);
        let most = missing.iter().copied().fold(0.0, f64::min);
        missing.iter_mut().for_each(|count| *count -= most);
        let [square, absent] = [mean(&|k| squares[k]), mean(&|k| missing[k])];
        let covariance = mean(&|k| squares[k] * missing[k]) - square * absent;
        let own = particles.inertia[range.clone()].iter().sum::<f64>() / whole;
        let is_hollow = matches!(&self.packing, Packing::Shell(shell) if !shell.fill);
        let short = if is_hollow { 0.0 } else { solid.shape.mean_square_radius() - square - 1.5 * own };
        let slope = if covariance > 0.0 { (short / covariance).clamp(0.0, MAX_CHANGE / absent) } else { 0.0 };
        for (i, missing) in range.zip(missing) {
            let factor = mass / whole * (1.0 + slope * (missing - absent));
            particles.mass[i] *= factor;
            particles.inertia[i] *= factor;
        }
    }
}

impl Scene {
    /// Mass, bulk density and size of each body, as built in `world` with its initial `state`.
    pub fn measures(&self, world: &World, state: &State) -> Vec<BodyMeasures> {
        (0..self.bodies.len()).map(|body| self.measures_of(body, &world.particles, state)).collect()
    }

    fn measures_of(&self, body: usize, particles: &Particles, state: &State) -> BodyMeasures {
        let first = |of: usize| particles.body.partition_point(|&b| usize::from(b) < of);
        let (mine, turn) = (first(body)..first(body + 1), self.bodies[body].rotation.quaternion().conjugate());
        let mass = particles.mass[mine.clone()].iter().sum();
        let corners = mine.map(|i| (rotation::rotate(&turn, &state.p[i]), Vec3::repeat(particles.radius[i])));
        let none = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        let [low, high] = corners.fold(none, |[low, high], (p, r)| [low.inf(&(p - r)), high.sup(&(p + r))]);
        let bulk_density = match &self.matters[body] {
            Matter::Solid(solid) => Some(mass / self.bodies[body].filled_volume(solid)),
            _ => None,
        };
        BodyMeasures { body, mass, bulk_density, size: high - low }
    }
}
