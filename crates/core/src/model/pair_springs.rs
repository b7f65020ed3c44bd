//! Normal springs of pairs by the surfaces of their particles. One pair a lane.

use crate::simd::Lanes;

use super::elastic_surface::ElasticSurface;
use super::{Coefficients, ContactLaw, NormalSpring, TANGENTIAL, World};

/// Surface of a particle in contact with others.
#[derive(Clone, Copy, Debug)]
pub struct ContactSurface<N = f64> {
    /// Stiffness of its contacts by the linear law, N/m.
    pub k: N,
    /// The surface by Hertz's law.
    pub elastic: ElasticSurface<N>,
    /// Coefficients of friction.
    pub mu: Coefficients<N>,
}

/// Rule of the springs of a world's pairs.
#[derive(Clone, Copy, Debug)]
pub struct PairSprings {
    /// Law of the energy.
    pub law: ContactLaw,
    /// Stiffness over its default: see [`World::contact_stiffness`].
    pub stiffness: f64,
    /// Overlap, in radii, below which the linear law is soft.
    pub softening: f64,
    /// Damping ratio.
    pub zeta: f64,
}

impl World {
    /// Rule of the springs of pairs.
    pub fn pair_springs(&self) -> PairSprings {
        PairSprings {
            law: self.contact_law,
            stiffness: self.contact_stiffness,
            softening: self.contact_softening,
            zeta: self.contact_damping,
        }
    }

    /// Surface of a particle.
    pub fn contact_surface(&self, i: usize) -> ContactSurface {
        let elastic = ElasticSurface::new(self.material_of(i), self.particles.radius[i]);
        ContactSurface { k: self.contact_stiffness_of(i), elastic, mu: Coefficients::of(self, i) }
    }
}

impl PairSprings {
    /// Spring between two surfaces that touch at the distance `size` (m) of their centres, with the reduced `mass` (kg). But by
    /// Hertz's law its stiffness is twice theirs in series, which is their stiffness if equal.
    pub fn spring<L: Lanes>(&self, [a, b]: &[ContactSurface<L>; 2], size: L, mass: L) -> NormalSpring<L> {
        let spring = if self.law == ContactLaw::Hertz {
            self.elastic(a.elastic + b.elastic)
        } else {
            let k = L::splat(2.0) * a.k * b.k / (a.k + b.k);
            self.spring_of(k, size, L::splat(0.5) * size, TANGENTIAL)
        };
        spring.damped(self.zeta, mass)
    }

    /// Spring of both surfaces of a contact by Hertz's law, without damping.
    pub(super) fn elastic<L: Lanes>(&self, surfaces: ElasticSurface<L>) -> NormalSpring<L> {
        let spring = surfaces.spring();
        NormalSpring { k: L::splat(self.stiffness) * spring.k, ..spring }
    }

    /// Spring of surfaces with a `radius` (m), without damping.
    pub(super) fn spring_of<L: Lanes>(&self, k: L, size: L, radius: L, tangential: f64) -> NormalSpring<L> {
        let softening = L::splat(self.softening) * radius;
        NormalSpring { law: self.law, k, size, softening, damping: L::splat(0.0), tangential: L::splat(tangential) }
    }
}
