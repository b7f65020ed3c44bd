use std::collections::HashMap;
use std::ops::Range;

use thiserror::Error;

use crate::charge::{FieldError, Method};
use crate::geometry::packing::Packed;
use crate::geometry::{Quat, Vec3};

use super::{
    AxialSpring, Bond, ChargeGroup, Constraint, Electrostatics, ExternalCharge, ImposedField, Material, Particles,
    State, Wall, World, damping_ratio,
};

/// A world in the making: materials, spheres, bonds between them, walls, constraints and charges. [`Self::build`] checks all
/// of it.
///
/// ```
/// use bdem_core::geometry::Vec3;
/// use bdem_core::model::{Material, World};
///
/// let mut builder = World::builder();
/// let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
/// let [a, b] = [0.0, 0.02].map(|x| builder.particle(Vec3::new(x, 0.0, 0.0), 0.01, rubber));
/// builder.bond(a, b);
/// let (world, state) = builder.build()?;
/// assert_eq!((world.bonds().len(), state.len()), (1, 2));
/// # Ok::<(), bdem_core::model::WorldError>(())
/// ```
///
/// Charges repel:
///
/// ```
/// use bdem_core::geometry::Vec3;
/// use bdem_core::model::{ChargeGroup, Material, World};
/// use bdem_core::simulate::{Progress, Simulation, SimulationSettings};
///
/// let mut builder = World::builder();
/// let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
/// let pair = [0.0, 1.0].map(|x| builder.particle(Vec3::new(x, 0.0, 0.0), 0.01, rubber));
/// builder.charges(ChargeGroup::uniform(pair.to_vec(), 1e-6));
/// let (world, state) = builder.build()?;
/// let mut simulation = Simulation::new(world, state, &SimulationSettings::new(0.01));
/// simulation.advance(&mut Progress::default())?;
/// assert!(simulation.state.p[0].x < 0.0 && simulation.state.p[1].x > 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WorldBuilder {
    materials: Vec<Material>,
    /// Centre (m), radius (m) and material of each particle.
    particles: Vec<(Vec3, f64, usize)>,
    /// Particles without contacts.
    without_contacts: Vec<u32>,
    /// Pairs of particles; springs in place of bonds of their material where there are any.
    bonds: Vec<([u32; 2], Option<AxialSpring>)>,
    walls: Vec<Wall>,
    constraints: Vec<Constraint>,
    charges: Vec<ChargeGroup>,
    external_charges: Vec<ExternalCharge>,
    external_fields: Vec<ImposedField>,
    field: (Method, f64),
    gravity: Vec3,
    restitution: f64,
}

/// Error of a world in the making. Materials, particles, bonds and constraints are numbered from 0 in their order.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum WorldError {
    /// A number of a material is out of range.
    #[error("{key} of material {material:?} is {value}; it must be {expected}")]
    Material { material: String, key: &'static str, value: f64, expected: &'static str },
    /// More materials than 16 bits can number.
    #[error("the world has {0} materials; it can have 65536")]
    TooManyMaterials(usize),
    /// A radius is not positive.
    #[error("the radius of particle {particle} is {value} m; it must be finite and above 0")]
    Radius { particle: usize, value: f64 },
    /// A position is not finite.
    #[error("the position of particle {particle} is not finite")]
    Position { particle: usize },
    /// A particle is of a material that there is not.
    #[error("particle {particle} is of material {material}, but there are {materials}; add the material before it")]
    UnknownMaterial { particle: usize, material: usize, materials: usize },
    /// A bond joins a particle that there is not.
    #[error("bond {bond} joins particle {particle}, but there are {particles}; add the particle before it is built")]
    UnknownEnd { bond: usize, particle: u32, particles: usize },
    /// A bond joins a particle to itself.
    #[error("bond {bond} joins particle {particle} to itself; give it two particles")]
    Loop { bond: usize, particle: u32 },
    /// Two bonds join the same particles.
    #[error("bonds {first} and {second} both join particles {i} and {j}; remove one")]
    Twice { first: usize, second: usize, i: u32, j: u32 },
    /// The ends of a bond have no direction between them.
    #[error("particles {i} and {j} of bond {bond} have the same centre; move one")]
    Coincident { bond: usize, i: u32, j: u32 },
    /// A number of a spring is out of range.
    #[error("{key} of the spring that is bond {bond} is {value}; it must be {expected}")]
    Spring { bond: usize, key: &'static str, value: f64, expected: &'static str },
    /// A particle that there is not loses its contacts.
    #[error("particle {particle} loses its contacts, but there are {particles}; add the particle before it is built")]
    UnknownWithoutContacts { particle: u32, particles: usize },
    /// A constraint acts on a particle that there is not.
    #[error("constraint {constraint} acts on particle {particle}, but there are {particles}")]
    UnknownConstrained { constraint: usize, particle: u32, particles: usize },
    /// Two constraints prescribe the motion of one particle at the same time.
    #[error(
        "constraints {first} and {second} both prescribe the motion of particle {particle}; part their times or particles"
    )]
    HeldTwice { first: usize, second: usize, particle: u32 },
    /// A group of charges has more or fewer particles than charges.
    #[error("group {group} of charges has {particles} particles, but {charges} charges; give one a particle")]
    Charges { group: usize, particles: usize, charges: usize },
    /// A group of charges has an unknown particle.
    #[error("group {group} of charges has particle {particle}, but there are {particles}")]
    UnknownCharged { group: usize, particle: u32, particles: usize },
    /// A charge is not finite.
    #[error("the charge of particle {particle} is {value} C; it must be finite")]
    Charge { particle: u32, value: f64 },
    /// A particle is in two groups of charges.
    #[error("groups {first} and {second} of charges both have particle {particle}; remove it from one")]
    ChargedTwice { first: usize, second: usize, particle: u32 },
    /// The softening length or the tolerance of the field is out of range.
    #[error("{0}")]
    Field(FieldError),
    /// Gravity is not finite.
    #[error("gravity is not finite")]
    Gravity,
    /// The coefficient of restitution is out of range.
    #[error("the coefficient of restitution is {0}; it must be above 0, and 1 at most")]
    Restitution(f64),
}

impl Default for WorldBuilder {
    fn default() -> Self {
        Self {
            materials: Vec::new(),
            particles: Vec::new(),
            without_contacts: Vec::new(),
            bonds: Vec::new(),
            walls: Vec::new(),
            constraints: Vec::new(),
            charges: Vec::new(),
            external_charges: Vec::new(),
            external_fields: Vec::new(),
            field: (Method::default(), 0.0),
            gravity: Vec3::zeros(),
            restitution: 1.0,
        }
    }
}

impl WorldBuilder {
    /// Adds a material and returns its index.
    pub fn material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds a sphere at `centre` with `radius` (m) and returns its index.
    pub fn particle(&mut self, centre: Vec3, radius: f64, material: usize) -> u32 {
        self.particles.push((centre, radius, material));
        self.particles.len() as u32 - 1
    }

    /// Adds a bond of particle `i`'s material between two particles, unstrained at their positions.
    pub fn bond(&mut self, i: u32, j: u32) -> &mut Self {
        self.bonds.push(([i, j], None));
        self
    }

    /// Adds a spring between two particles, unstrained at their positions.
    pub fn spring(&mut self, i: u32, j: u32, spring: AxialSpring) -> &mut Self {
        self.bonds.push(([i, j], Some(spring)));
        self
    }

    /// Takes the contacts of a particle away: it passes through others and through walls.
    pub fn without_contacts(&mut self, particle: u32) -> &mut Self {
        self.without_contacts.push(particle);
        self
    }

    /// Adds the spheres and bonds of a packing, moved by `shift` (m), and returns the spheres' indices.
    pub fn packing(&mut self, packed: &Packed, shift: Vec3, material: usize) -> Range<u32> {
        let first = self.particles.len() as u32;
        for (centre, &radius) in packed.centres.iter().zip(&packed.radii) {
            self.particle(centre + shift, radius, material);
        }
        self.bonds.extend(packed.bonds.iter().map(|ends| (ends.map(|i| first + i), None)));
        first..self.particles.len() as u32
    }

    /// Adds a wall.
    pub fn wall(&mut self, wall: Wall) -> &mut Self {
        self.walls.push(wall);
        self
    }

    /// Adds a motion or load of particles.
    pub fn constraint(&mut self, constraint: Constraint) -> &mut Self {
        self.constraints.push(constraint);
        self
    }

    /// Adds charges of particles. Each particle may be in one group.
    pub fn charges(&mut self, group: ChargeGroup) -> &mut Self {
        self.charges.push(group);
        self
    }

    /// Adds a point charge from outside, which acts on the charged particles.
    pub fn external_charge(&mut self, charge: ExternalCharge) -> &mut Self {
        self.external_charges.push(charge);
        self
    }

    /// Adds a field from outside, which acts on the charged particles.
    pub fn external_field(&mut self, field: ImposedField) -> &mut Self {
        self.external_fields.push(field);
        self
    }

    /// Sets the way to compute the field of charges, and the softening length (m) of point charges; by default
    /// [`Method::default`] and 0.
    pub fn field(&mut self, method: Method, softening: f64) -> &mut Self {
        self.field = (method, softening);
        self
    }

    /// Sets the acceleration of gravity, m/s2; zero by default.
    pub fn gravity(&mut self, gravity: Vec3) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets the ratio of speeds after and before a collision of two spheres; 1 by default.
    pub fn restitution(&mut self, restitution: f64) -> &mut Self {
        self.restitution = restitution;
        self
    }

    /// The world, and its state at rest.
    ///
    /// # Errors
    /// When a number is out of its range, or an index has no object: see [`WorldError`].
    pub fn build(self) -> Result<(World, State), WorldError> {
        self.check()?;
        let mut particles = Particles::default();
        let mut state = State::default();
        for (centre, radius, material) in &self.particles {
            particles.push(*radius, self.materials[*material].density, *material as u16, 0);
            state.p.push(*centre);
        }
        self.without_contacts.iter().for_each(|&i| particles.remove_contacts(i as usize));
        let count = state.len();
        state.q.resize(count, Quat::identity());
        state.v.resize(count, Vec3::zeros());
        state.w.resize(count, Vec3::zeros());
        let bonds =
            self.bonds.iter().enumerate().map(|(id, bond)| self.new_bond(id as u32, bond, &particles)).collect();
        let mut world = World::new(self.materials, particles, bonds);
        (world.walls, world.constraints, world.gravity) = (self.walls, self.constraints, self.gravity);
        world.contact_damping = damping_ratio(self.restitution);
        let mut electrostatics = Electrostatics::new(self.charges);
        (electrostatics.external_charges, electrostatics.external_fields) =
            (self.external_charges, self.external_fields);
        (electrostatics.method, electrostatics.softening) = self.field;
        world.electrostatics = electrostatics;
        Ok((world, state))
    }

    fn new_bond(&self, id: u32, &([a, b], spring): &([u32; 2], Option<AxialSpring>), particles: &Particles) -> Bond {
        let ends = [a.min(b), a.max(b)];
        let [i, j] = ends.map(|i| i as usize);
        let d = self.particles[j].0 - self.particles[i].0;
        let material = &self.materials[self.particles[a as usize].2];
        let radius = [particles.radius[i], particles.radius[j]];
        if let Some(spring) = spring {
            return spring.bond(id, ends, d, 0.5 * (radius[0] + radius[1]));
        }
        Bond::new(id, ends, d, radius, [particles.mass[i], particles.mass[j]], material)
    }

    fn check(&self) -> Result<(), WorldError> {
        if self.materials.len() > usize::from(u16::MAX) + 1 {
            return Err(WorldError::TooManyMaterials(self.materials.len()));
        }
        self.materials.iter().try_for_each(Material::check)?;
        self.check_particles()?;
        self.check_bonds()?;
        self.check_constraints()?;
        self.check_charges()?;
        if !self.gravity.iter().all(|g| g.is_finite()) {
            return Err(WorldError::Gravity);
        }
        let is_restitution = self.restitution > 0.0 && self.restitution <= 1.0;
        if is_restitution { Ok(()) } else { Err(WorldError::Restitution(self.restitution)) }
    }

    fn check_particles(&self) -> Result<(), WorldError> {
        for (particle, &(centre, value, material)) in self.particles.iter().enumerate() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(WorldError::Radius { particle, value });
            }
            if !centre.iter().all(|x| x.is_finite()) {
                return Err(WorldError::Position { particle });
            }
            if material >= self.materials.len() {
                return Err(WorldError::UnknownMaterial { particle, material, materials: self.materials.len() });
            }
        }
        let particles = self.particles.len();
        let unknown = self.without_contacts.iter().find(|&&particle| particle as usize >= particles);
        unknown.map_or(Ok(()), |&particle| Err(WorldError::UnknownWithoutContacts { particle, particles }))
    }

    fn check_bonds(&self) -> Result<(), WorldError> {
        let (particles, mut known) = (self.particles.len(), HashMap::new());
        for (bond, &([a, b], spring)) in self.bonds.iter().enumerate() {
            let [i, j] = [a.min(b), a.max(b)];
            if j as usize >= particles {
                return Err(WorldError::UnknownEnd { bond, particle: j, particles });
            }
            if i == j {
                return Err(WorldError::Loop { bond, particle: i });
            }
            if self.particles[i as usize].0 == self.particles[j as usize].0 {
                return Err(WorldError::Coincident { bond, i, j });
            }
            if let Some(first) = known.insert([i, j], bond) {
                return Err(WorldError::Twice { first, second: bond, i, j });
            }
            if let Some((key, value, expected)) = spring.and_then(|spring| spring.fault()) {
                return Err(WorldError::Spring { bond, key, value, expected });
            }
        }
        Ok(())
    }

    fn check_charges(&self) -> Result<(), WorldError> {
        let particles = self.particles.len();
        let mut charged = HashMap::new();
        for (group, ChargeGroup { particles: of, charges, .. }) in self.charges.iter().enumerate() {
            if of.len() != charges.len() {
                return Err(WorldError::Charges { group, particles: of.len(), charges: charges.len() });
            }
            for (&particle, &value) in of.iter().zip(charges) {
                if particle as usize >= particles {
                    return Err(WorldError::UnknownCharged { group, particle, particles });
                }
                if !value.is_finite() {
                    return Err(WorldError::Charge { particle, value });
                }
                if let Some(first) = charged.insert(particle, group) {
                    return Err(WorldError::ChargedTwice { first, second: group, particle });
                }
            }
        }
        let (method, softening) = self.field;
        if !(softening >= 0.0 && softening.is_finite()) {
            return Err(WorldError::Field(FieldError::Softening { value: softening }));
        }
        method.resolve(charged.len()).map(|_| ()).map_err(WorldError::Field)
    }

    fn check_constraints(&self) -> Result<(), WorldError> {
        let particles = self.particles.len();
        let mut motions: HashMap<u32, Vec<usize>> = HashMap::new();
        for (index, constraint) in self.constraints.iter().enumerate() {
            for &particle in &constraint.particles {
                if particle as usize >= particles {
                    return Err(WorldError::UnknownConstrained { constraint: index, particle, particles });
                }
                if constraint.motion().is_none() {
                    continue;
                }
                let others = motions.entry(particle).or_default();
                let clashes = |&&first: &&usize| self.constraints[first].overlaps(constraint);
                if let Some(&first) = others.iter().find(clashes) {
                    return Err(WorldError::HeldTwice { first, second: index, particle });
                }
                others.push(index);
            }
        }
        Ok(())
    }
}
