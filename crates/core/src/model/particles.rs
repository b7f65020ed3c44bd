use std::f64::consts::PI;

use crate::geometry::{Mat3, Vec3};

/// Contact radius of a particle without contacts, m: the most negative number that may be squared.
pub(crate) const NO_CONTACT: f64 = -1e150;

/// The spheres, as arrays of one entry per particle. Order and number are constant during a run.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Radius r, m.
    pub radius: Vec<f64>,
    /// Radius r of contacts, m; `NO_CONTACT` of a particle that touches neither particles nor walls.
    pub contact_radius: Vec<f64>,
    /// Mass m = 4/3 pi r^3 rho, kg.
    pub mass: Vec<f64>,
    /// Moment of inertia J about any axis, kg m2: 2/5 m r^2 of a solid sphere where a body has none of its own.
    pub inertia: Vec<f64>,
    /// Index into [`World::materials`](super::World::materials).
    pub material: Vec<u16>,
    /// Index of its body in the scene.
    pub body: Vec<u16>,
}

impl Particles {
    /// Mass (kg) of a sphere of `radius` (m) and `density` (kg/m3).
    pub fn sphere_mass(radius: f64, density: f64) -> f64 {
        4.0 / 3.0 * PI * radius.powi(3) * density
    }

    /// Adds a sphere of `radius` (m) and `density` (kg/m3).
    pub fn push(&mut self, radius: f64, density: f64, material: u16, body: u16) {
        self.push_mass(radius, Self::sphere_mass(radius, density), material, body);
    }

    /// Adds a sphere of `radius` (m) and `mass` (kg).
    pub fn push_mass(&mut self, radius: f64, mass: f64, material: u16, body: u16) {
        self.radius.push(radius);
        self.contact_radius.push(radius);
        self.mass.push(mass);
        self.inertia.push(0.4 * mass * radius * radius);
        self.material.push(material);
        self.body.push(body);
    }

    /// Takes the contacts of particle `i` away.
    pub fn remove_contacts(&mut self, i: usize) {
        self.contact_radius[i] = NO_CONTACT;
    }

    /// Whether particle `i` can touch others and walls.
    pub fn has_contacts(&self, i: usize) -> bool {
        self.contact_radius[i] > 0.0
    }

    /// Whether two particles can touch.
    pub(crate) fn meet(&self, ends: [u32; 2]) -> bool {
        ends.into_iter().all(|i| self.has_contacts(i as usize))
    }

    /// Moment of inertia of particle `i` about the point that it is `arm` (m) away from, kg m2.
    pub(crate) fn inertia_about(&self, i: usize, arm: &Vec3) -> Mat3 {
        (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * self.mass[i]
            + Mat3::identity() * self.inertia[i]
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }
}
