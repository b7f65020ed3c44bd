//! Elastic surfaces in contact: Hertz's normal force, and Mindlin's tangential stiffness of a contact that does not slip.
//!
//! ```text
//! P   = 4/3 E* sqrt(R*) o^(3/2)      Hertz, "Ueber die Beruehrung fester elastischer Koerper", 1882            [N]
//! k_t = 8 G* sqrt(R* o)              Mindlin, "Compliance of elastic bodies in contact", 1949             [N/m]
//!
//! 1/E* = sum (1 - nu^2)/E,   1/G* = sum (2 - nu)/G,   1/R* = sum 1/R,   G = E/(2 (1 + nu))
//! ```
//!
//! The sums are over both sides. A rigid wall adds nothing to them.

use std::ops::Add;

use crate::simd::Lanes;

use super::{ContactLaw, Material, NormalSpring};

/// Surface of a sphere, or the sum of both surfaces of a contact. One contact a lane.
#[derive(Clone, Copy, Debug)]
pub struct ElasticSurface<N = f64> {
    /// 1/E*, 1/Pa.
    pub normal: N,
    /// 1/G*, 1/Pa.
    pub tangential: N,
    /// 1/R*, 1/m.
    pub curvature: N,
}

impl ElasticSurface {
    /// Surface of a sphere of `radius` (m).
    pub(super) fn new(material: &Material, radius: f64) -> Self {
        let (e, nu) = (material.solid_modulus, material.poisson_ratio);
        let tangential = 2.0 * (1.0 + nu) * (2.0 - nu) / e;
        Self { normal: (1.0 - nu * nu) / e, tangential, curvature: 1.0 / radius }
    }
}

impl<L: Lanes> ElasticSurface<L> {
    /// Spring of the contact, without damping: P = k o sqrt(o/D) with D = R* and k = 4/3 E* R*; k_t/P' = 4 G*/E*.
    pub(super) fn spring(&self) -> NormalSpring<L> {
        let (size, zero) = (L::splat(1.0) / self.curvature, L::splat(0.0));
        let (k, tangential) = (L::splat(4.0 / 3.0) * size / self.normal, L::splat(4.0) * self.normal / self.tangential);
        NormalSpring { law: ContactLaw::Hertz, k, size, softening: zero, damping: zero, tangential }
    }
}

impl<L: Lanes> Add for ElasticSurface<L> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            normal: self.normal + other.normal,
            tangential: self.tangential + other.tangential,
            curvature: self.curvature + other.curvature,
        }
    }
}
