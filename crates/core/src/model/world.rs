use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::interrupt::Interrupt;
use crate::simd::InstructionSet;

use super::{
    AxialStress, Bond, BondPacks, Constraint, ContactLaw, Electrostatics, FrictionModel, Identity, Material, Modes,
    Motion, NormalSpring, PairChunks, Particles, PlacedWalls, RigidBody, State, TANGENTIAL, Wall, WallSteps, Wind,
    WorldBuilder, Wrench,
};

/// Status of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BondStatus {
    /// Joins its particles.
    Whole,
    /// Joins them, softened: see [`Softening::reached`](super::Softening::reached).
    Softened(f64),
    /// In the list until [`World::compact`], without stiffness.
    Broken,
    /// Removed from the list.
    Gone,
}

/// The simulated world without its moving [`State`](super::State): the result of building a scene.
#[derive(Clone, Debug)]
pub struct World {
    /// Materials, by index.
    pub materials: Vec<Material>,
    /// Particles: radii, masses, moments of inertia, materials.
    pub particles: Particles,
    /// Sorted by `(i, j)`.
    pub(super) bonds: Vec<Bond>,
    /// Number of broken bonds in the list.
    broken: usize,
    /// Identity of the list of bonds, and of those in it that are whole.
    listed: Identity,
    whole: Identity,
    chunks: PairChunks,
    /// The bonds in the layout of vector kernels.
    packs: BondPacks,
    /// Bonds shorter than the contact distance, sorted, with their rest lengths, m.
    pub(super) short_bonds: Vec<([u32; 2], f64)>,
    /// Whether any of the first bonds is damped.
    is_damped: bool,
    /// Initial number of bonds of each particle.
    pub first_bonds: Vec<u32>,
    /// Rigid walls.
    pub walls: Vec<Wall>,
    /// Prescribed motions and loads.
    pub constraints: Vec<Constraint>,
    /// Fields of acceleration.
    pub winds: Vec<Wind>,
    /// Charges of particles, and what acts on them from outside.
    pub electrostatics: Electrostatics,
    /// Rigid bodies.
    pub rigid: Vec<RigidBody>,
    /// Acceleration of gravity, m/s2.
    pub gravity: Vec3,
    /// Rule for the axial stress at breakage.
    pub axial: AxialStress,
    /// Contact stiffness over its default: `pi/2 E r` (\[IBDEM\] eqs 32, 33), or that of Hertz's law.
    pub contact_stiffness: f64,
    /// Law of the normal springs of contacts.
    pub contact_law: ContactLaw,
    /// Overlap, in radii, below which contacts by the linear law are soft.
    pub contact_softening: f64,
    /// Damping ratio of contacts: see [`damping_ratio`](super::damping_ratio).
    pub contact_damping: f64,
    /// Rule of friction.
    pub friction_model: FrictionModel,
    /// Request to stop a run of this world.
    pub interrupt: Interrupt,
    /// Instruction set of its kernels; all give the same bits.
    pub instructions: InstructionSet,
}

impl World {
    /// A world in the making, which is checked when it is built.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    /// A world of `particles` and `bonds` (any order), without walls, constraints and gravity. It is not checked.
    pub fn new(materials: Vec<Material>, particles: Particles, mut bonds: Vec<Bond>) -> Self {
        bonds.sort_by_key(|b| (b.i, b.j));
        let chunks = PairChunks::new(particles.len(), &bonds);
        let packs = BondPacks::new(particles.len(), &bonds);
        let mut first_bonds = vec![0; particles.len()];
        for bond in &bonds {
            first_bonds[bond.i as usize] += 1;
            first_bonds[bond.j as usize] += 1;
        }
        Self {
            short_bonds: short_bonds(&bonds, &particles),
            is_damped: bonds.iter().any(|bond| bond.c != Modes::default()),
            materials,
            particles,
            bonds,
            broken: 0,
            listed: Identity::unique(),
            whole: Identity::unique(),
            chunks,
            packs,
            first_bonds,
            walls: Vec::new(),
            constraints: Vec::new(),
            winds: Vec::new(),
            electrostatics: Electrostatics::default(),
            rigid: Vec::new(),
            gravity: Vec3::zeros(),
            axial: AxialStress::default(),
            contact_stiffness: 1.0,
            contact_law: ContactLaw::Linear,
            contact_softening: 0.0,
            contact_damping: 0.0,
            friction_model: FrictionModel::default(),
            interrupt: Interrupt::default(),
            instructions: InstructionSet::default(),
        }
    }

    /// The walls at `time` (s).
    pub fn walls_at(&self, time: f64) -> PlacedWalls<'_> {
        self.walls.iter().map(|wall| wall.at(time)).collect()
    }

    /// The walls in a step between two times (s).
    pub(crate) fn walls_during(&self, times: [f64; 2]) -> WallSteps<'_> {
        self.walls.iter().map(|wall| wall.during(times)).collect()
    }

    /// The bonds, sorted by `(i, j)`. Broken ones remain until [`Self::compact`], without stiffness.
    pub fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    /// The bonds that are not broken.
    pub fn whole_bonds(&self) -> impl Iterator<Item = &Bond> + Clone {
        self.bonds.iter().filter(|bond| !bond.is_broken())
    }

    /// Number of bonds that are not broken.
    pub fn whole_bond_count(&self) -> usize {
        self.bonds.len() - self.broken
    }

    /// Identity of the list of bonds, broken ones included. It changes when bonds leave the list.
    pub(crate) fn listed_bonds(&self) -> Identity {
        self.listed
    }

    /// Identity of the whole bonds. It changes when a bond breaks or leaves the list.
    pub(crate) fn unbroken_bonds(&self) -> Identity {
        self.whole
    }

    /// Chunks of sums over the bonds.
    pub fn bond_chunks(&self) -> &PairChunks {
        &self.chunks
    }

    /// The bonds in the layout of vector kernels.
    pub fn packs(&self) -> &BondPacks {
        &self.packs
    }

    /// Status of each initial bond, by its id.
    pub fn bond_statuses(&self) -> Vec<BondStatus> {
        let first = self.first_bonds.iter().sum::<u32>() / 2;
        let mut statuses = vec![BondStatus::Gone; first as usize];
        for bond in &self.bonds {
            statuses[bond.id as usize] = match &bond.softening {
                _ if bond.is_broken() => BondStatus::Broken,
                Some(softening) if softening.reached > 1.0 => BondStatus::Softened(softening.reached),
                _ => BondStatus::Whole,
            };
        }
        statuses
    }

    /// Restores bond statuses in a world with all its initial bonds. `None` if their numbers differ, or one has softened
    /// that cannot.
    pub fn restore(&mut self, statuses: &[BondStatus]) -> Option<()> {
        let at = |status: BondStatus, world: &Self| -> Vec<usize> {
            let bonds = world.bonds.iter().enumerate();
            bonds.filter(|(_, bond)| statuses[bond.id as usize] == status).map(|(index, _)| index).collect()
        };
        if statuses.len() != self.bonds.len() {
            return None;
        }
        self.remove_bonds(&at(BondStatus::Gone, self));
        // broken bonds in the list stay there, since the order of sums depends on them
        for index in at(BondStatus::Broken, self) {
            self.mark_one_broken(index);
        }
        for index in 0..self.bonds.len() {
            if let BondStatus::Softened(reached) = statuses[self.bonds[index].id as usize] {
                self.soften(index, reached)?;
            }
        }
        Some(())
    }

    /// Removes the bonds at these indices (ascending). The rest keep their order, which preserves memory locality.
    pub fn remove_bonds(&mut self, broken: &[usize]) {
        self.mark_broken(broken);
        self.compact();
    }

    /// Marks the bonds at these indices as broken: no stiffness, infinite strength. They remain in the list, at almost
    /// no cost, until [`Self::compact`] pays.
    pub fn mark_broken(&mut self, broken: &[usize]) {
        /// Minimum number of bonds in the list for each broken one.
        const COMPACT_RATIO: usize = 32;
        broken.iter().for_each(|&index| self.mark_one_broken(index));
        if self.broken * COMPACT_RATIO > self.bonds.len() {
            self.compact();
        }
    }

    fn mark_one_broken(&mut self, index: usize) {
        if !self.bonds[index].is_broken() {
            self.broken += 1;
            self.whole = Identity::unique();
        }
        self.bonds[index].mark_broken();
        self.packs.set(index, &self.bonds[index]);
    }

    /// Softens the bond at this index, whose strain has `reached` this multiple of that at its first strength. None if it cannot.
    pub(crate) fn soften(&mut self, index: usize, reached: f64) -> Option<()> {
        self.bonds[index].soften_to(reached)?;
        self.packs.set(index, &self.bonds[index]);
        self.whole = Identity::unique();
        Some(())
    }

    /// Removes the broken bonds.
    pub fn compact(&mut self) {
        if self.broken > 0 {
            self.bonds.retain(|bond| !bond.is_broken());
            self.broken = 0;
            (self.listed, self.whole) = (Identity::unique(), Identity::unique());
            self.chunks = PairChunks::new(self.particles.len(), &self.bonds);
            self.packs = BondPacks::new(self.particles.len(), &self.bonds);
        }
    }

    /// Whether any of its first bonds is damped.
    pub fn is_damped(&self) -> bool {
        self.is_damped
    }

    /// Rigid bodies that move by the forces on them.
    pub(crate) fn free_rigid(&self) -> impl Iterator<Item = &RigidBody> {
        self.rigid.iter().filter(|body| body.is_free)
    }

    /// Material of a particle.
    pub fn material_of(&self, particle: usize) -> &Material {
        &self.materials[self.particles.material[particle] as usize]
    }

    /// Contact distance of two particles, m: the sum of their radii, or their rest length if they were bonded nearer.
    /// So a broken bond leaves no contact force.
    pub fn reach(&self, [i, j]: [u32; 2]) -> f64 {
        let radius = &self.particles.radius;
        let bonded = self.short_bonds.binary_search_by_key(&[i, j], |(ends, _)| *ends);
        bonded.map_or_else(|_| radius[i as usize] + radius[j as usize], |at| self.short_bonds[at].1)
    }

    /// Pairs that were bonded nearer than the sum of their radii, sorted, and their contact distances, m.
    pub fn short_bonds(&self) -> &[([u32; 2], f64)] {
        &self.short_bonds
    }

    /// Stiffness k = pi/2 E r of a particle's contacts by the linear law, N/m, with the scene's factor: k_n of a bond (\[BDEM21\] section 3.3).
    /// \[IBDEM\] after eq 33 has the order of E r alone.
    pub fn contact_stiffness_of(&self, particle: usize) -> f64 {
        std::f64::consts::FRAC_PI_2
            * self.material_of(particle).young_modulus
            * self.particles.radius[particle]
            * self.contact_stiffness
    }

    /// Contact spring of two particles.
    pub fn pair_normal_spring(&self, ends: [u32; 2]) -> NormalSpring {
        let [m_i, m_j] = ends.map(|i| self.particles.mass[i as usize]);
        let surfaces = ends.map(|i| self.contact_surface(i as usize));
        self.pair_springs().spring(&surfaces, self.reach(ends), m_i * m_j / (m_i + m_j))
    }

    /// Contact spring of a particle and a wall, which is rigid.
    pub fn wall_normal_spring(&self, i: usize) -> NormalSpring {
        let (rule, surface, radius) = (self.pair_springs(), self.contact_surface(i), self.particles.radius[i]);
        let spring = match self.contact_law {
            ContactLaw::Linear => rule.spring_of(surface.k, radius, radius, TANGENTIAL),
            ContactLaw::Hertz => rule.elastic(surface.elastic),
            ContactLaw::RodriguesHertz => rule.spring_of(4.0 * surface.k, radius, radius, 0.25 * TANGENTIAL),
        };
        spring.damped(self.contact_damping, self.particles.mass[i])
    }

    /// Whether the motion of each particle is prescribed at all times.
    pub fn always_held(&self) -> Vec<bool> {
        let mut held = vec![false; self.particles.len()];
        let always = |c: &&Constraint| c.motion().is_some() && c.times == (0.0..f64::INFINITY);
        let constraints = self.constraints.iter().filter(always);
        constraints.flat_map(|constraint| &constraint.particles).for_each(|&i| held[i as usize] = true);
        held
    }

    /// Times (s) at which a constraint, a wind, a field or a motion begins, ends or turns, ascending. Forces or velocities jump there.
    pub fn kinks(&self) -> Vec<f64> {
        let of_constraint = |constraint: &Constraint| {
            let Range { start, end } = constraint.times;
            let turns = constraint.motion().into_iter().flat_map(Motion::turns).chain(constraint.factor.times());
            turns.chain([start, end]).collect::<Vec<_>>()
        };
        let walls = self.walls.iter().flat_map(Wall::turns);
        let mut kinks: Vec<f64> = self.constraints.iter().flat_map(of_constraint).chain(walls).collect();
        let of_wind = |wind: &Wind| wind.factor.times().chain([wind.times.start, wind.times.end]).collect::<Vec<_>>();
        kinks.extend(self.winds.iter().flat_map(of_wind));
        kinks.extend(self.electrostatics.kinks());
        kinks.retain(|kink| kink.is_finite());
        kinks.sort_unstable_by(f64::total_cmp);
        kinks.dedup();
        kinks
    }

    /// Loads on particles in a step between two times (s) from `start`: those of winds at the positions there, and others for orientations at this `share` of the step: the one at
    /// which the step evaluates its forces.
    pub fn loads<'a>(
        &'a self,
        [from, to]: [f64; 2],
        start: &'a State,
        share: f64,
    ) -> impl Iterator<Item = (usize, Wrench)> + 'a {
        let acting = self.constraints.iter().filter(move |constraint| constraint.acts(from, to));
        let middle = 0.5 * (from + to);
        let loads = acting.flat_map(move |constraint| constraint.loads(middle, start, share * (to - from)));
        let blowing = self.winds.iter().filter(move |wind| wind.times.contains(&middle));
        let pushes = blowing.flat_map(move |wind| {
            let push = move |(i, p): (usize, &Vec3)| {
                let force = wind.at(p, middle) * self.particles.mass[i];
                (i, Wrench { force, ..Wrench::default() })
            };
            start.p.iter().enumerate().map(push)
        });
        loads.chain(pushes)
    }

    /// The scene's period T = 2 sqrt(m/(16 k)), k = pi/2 E r (\[IBDEM\] eq 30): the smallest over the particles, s.
    pub fn period(&self) -> f64 {
        (0..self.particles.len())
            .map(|i| {
                let rho = self.material_of(i).density;
                2.0 * self.particles.radius[i] * (rho / (6.0 * self.material_of(i).max_young_modulus())).sqrt()
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// Critical step T = 2/sqrt(lambda) of \[BDEM21\], s, lambda = (k/m) N (eq 28): the smallest over the particles.
    ///
    /// N = 293 is the largest eigenvalue of the Laplacian of its hexagonal packing in 3D (9 in 2D), k = pi/2 E r.
    /// Its effective mass m is a particle's, 4/3 pi rho r^3: so six of the eleven steps of its Table 2 are 0.47 to
    /// 0.54 T. With the reduced mass of a pair, m/2, they would be 0.67 to 0.76 T, and it says 0.2 to 0.5 T.
    /// T = 2 r sqrt(8 rho/(879 E)) is 0.234 of [`Self::period`], which has N = 16.
    pub fn period_2021(&self) -> f64 {
        /// N of eq 28, over that of \[IBDEM\] eq 30.
        const RATIO: f64 = 293.0 / 16.0;
        self.period() / RATIO.sqrt()
    }
}

/// See [`World::short_bonds`]; `bonds` are sorted.
fn short_bonds(bonds: &[Bond], particles: &Particles) -> Vec<([u32; 2], f64)> {
    /// Overlap at the level of rounding, over the reach.
    const MIN_OVERLAP: f64 = 1e-6;
    let reach = |bond: &Bond| particles.radius[bond.i as usize] + particles.radius[bond.j as usize];
    let short = bonds.iter().filter(|bond| bond.l0 < reach(bond) * (1.0 - MIN_OVERLAP));
    short.map(|bond| ([bond.i, bond.j], bond.l0)).collect()
}
