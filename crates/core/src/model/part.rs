use super::{Bond, NO_CONTACT, Pair, Particles, RigidBody, World};

/// Index of a particle that is absent from a part.
pub(crate) const ABSENT: u32 = u32::MAX;

impl World {
    /// A part of the world as a world of its own: `particles`, the whole bonds with a first particle in `firsts`
    /// (ascending), `rigid` bodies, and all walls. `place_of` has the index in it of each of the world's particles, or
    /// `ABSENT`.
    ///
    /// Contact distances are those of the whole world, also where a bond has broken.
    pub(crate) fn part(&self, particles: Particles, rigid: Vec<RigidBody>, place_of: &[u32], firsts: &[u32]) -> Self {
        let placed = |ends: [u32; 2]| {
            let [i, j] = ends.map(|i| place_of[i as usize]);
            [i.min(j), i.max(j)]
        };
        let bonds = super::pairs_of(&self.bonds, firsts).map(|(_, bond)| bond);
        let bonds = bonds.filter(|bond| !bond.is_broken()).map(|bond| {
            let [i, j] = bond.ends().map(|i| place_of[i]);
            Bond { i, j, ..bond.clone() }
        });
        let is_there = |[i, j]: [u32; 2]| place_of[i as usize] != ABSENT && place_of[j as usize] != ABSENT;
        let short = self.short_bonds.iter().filter(|(ends, _)| is_there(*ends));
        let mut short_bonds: Vec<_> = short.map(|&(ends, length)| (placed(ends), length)).collect();
        short_bonds.sort_unstable_by_key(|(ends, _)| *ends);
        let mut part = Self::new(self.materials.clone(), particles, bonds.collect());
        part.short_bonds = short_bonds;
        part.walls.clone_from(&self.walls);
        part.rigid = rigid;
        part.gravity = self.gravity;
        part.axial = self.axial;
        part.contact_stiffness = self.contact_stiffness;
        part.contact_law = self.contact_law;
        part.contact_softening = self.contact_softening;
        part.contact_damping = self.contact_damping;
        part.friction_model = self.friction_model;
        part.interrupt = self.interrupt.clone();
        part.instructions = self.instructions;
        part
    }
}

impl Particles {
    /// Adds a copy of particle `i` of `others`.
    pub(crate) fn push_copy(&mut self, others: &Self, i: usize) {
        self.radius.push(others.radius[i]);
        self.contact_radius.push(others.contact_radius[i]);
        self.mass.push(others.mass[i]);
        self.inertia.push(others.inertia[i]);
        self.material.push(others.material[i]);
        self.body.push(others.body[i]);
    }

    /// Adds a point of `mass` (kg) without contacts: its radius is the most negative number.
    pub(crate) fn push_mass_point(&mut self, mass: f64) {
        self.radius.push(NO_CONTACT);
        self.contact_radius.push(NO_CONTACT);
        self.mass.push(mass);
        self.inertia.push(0.0);
        self.material.push(0);
        self.body.push(0);
    }
}
