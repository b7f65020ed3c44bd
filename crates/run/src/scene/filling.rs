use std::f64::consts::PI;

use bdem_core::model::World;
use serde::{Deserialize, Serialize};

use super::body::Matter;
use super::{HexagonalPacking, Packing, Scene};

/// Density of a packing without a lattice, random or in a shell, in its shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filling {
    /// Name of the body.
    pub body: String,
    /// Volume of the spheres over that of the shape.
    pub solid_fraction: f64,
    /// Mean number of bonds of a particle.
    pub coordination: f64,
}

impl Scene {
    /// Densities of all packings without a lattice, in the order of their bodies, as built in `world`.
    pub fn fillings(&self, world: &World) -> Vec<Filling> {
        let has_no_lattice = |index: &usize| {
            matches!(self.bodies[*index].packing, Packing::Random(_) | Packing::RandomLoose(_) | Packing::Shell(_))
        };
        (0..self.bodies.len()).filter(has_no_lattice).filter_map(|index| self.filling(index, world)).collect()
    }

    /// Volume of each particle's share of the solid, m3: that of the body's shape, shared by the volumes of the spheres. In
    /// a shell, and in a hexagonal packing of touching spheres, 4 sqrt(2) r^3, the cell of a close packing.
    pub fn particle_volumes(&self, world: &World) -> Vec<f64> {
        const CELL: f64 = 4.0 * std::f64::consts::SQRT_2;
        let particles = &world.particles;
        let fractions: Vec<Option<f64>> = (0..self.bodies.len())
            .map(|index| match self.bodies[index].packing {
                Packing::Hexagonal(HexagonalPacking { fit: true, .. })
                | Packing::Random(_)
                | Packing::RandomLoose(_) => self.filling(index, world).map(|filling| filling.solid_fraction),
                _ => None,
            })
            .collect();
        let of = |(radius, body): (&f64, &u16)| {
            let cell = fractions[usize::from(*body)].map_or(CELL, |fraction| 4.0 / 3.0 * PI / fraction);
            cell * radius.powi(3)
        };
        particles.radius.iter().zip(&particles.body).map(of).collect()
    }

    /// None where the body fills no shape.
    fn filling(&self, index: usize, world: &World) -> Option<Filling> {
        let Matter::Solid(solid) = &self.matters[index] else { return None };
        let particles = &world.particles;
        let is_mine = |i: usize| usize::from(particles.body[i]) == index;
        let mine: Vec<usize> = (0..particles.len()).filter(|&i| is_mine(i)).collect();
        let bonds = world.bonds().iter().filter(|bond| is_mine(bond.i as usize)).count();
        let volume: f64 = mine.iter().map(|&i| 4.0 / 3.0 * PI * particles.radius[i].powi(3)).sum();
        Some(Filling {
            body: self.bodies[index].name.clone(),
            solid_fraction: volume / solid.volume(),
            coordination: 2.0 * bonds as f64 / mine.len() as f64,
        })
    }
}
