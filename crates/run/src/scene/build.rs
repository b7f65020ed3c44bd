//! Conversion of a scene to a world.

use bdem_core::fracture::{RandomField, weibull};
use bdem_core::geometry::keyed::mix;
use bdem_core::geometry::packing::Packed;
use bdem_core::geometry::shape::Shape as Solid;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{self, Bond, Motion, Particles, State, World};
use bdem_core::simd::InstructionSet;
use rayon::prelude::*;

use super::body::Matter;
use super::check::{At, Fault};
use super::stiffness::Bonding;
use super::{
    DensityOf, Moduli, Packing, PackingModuli, PackingStore, Scene, SceneBody, SceneError, SceneMaterial, ShellPacking,
};
use super::{electrostatics, glue, grain_map, placement, rigid};

/// Instruction set of the kernels of runs: this machine's best, or a lower one by `BDEM_SIMD=plain` or `avx2`.
pub fn requested_instructions() -> InstructionSet {
    let requested = match std::env::var("BDEM_SIMD").as_deref() {
        Ok("plain") => InstructionSet::Plain,
        Ok("avx2") => InstructionSet::Avx2,
        _ => InstructionSet::Avx512,
    };
    requested.min(InstructionSet::best())
}

impl Scene {
    /// World and initial state of the scene. Bodies are packed, bonded and placed in their order, then glued;
    /// colliders, constraints and charges follow.
    ///
    /// # Errors
    /// When bodies overlap or lie in a collider. When a constraint chooses no particle, or one that is held
    /// already.
    pub fn build(&self) -> Result<(World, State), SceneError> {
        self.build_with(&mut ())
    }

    /// [`Self::build`] with packings from a `store`, as far as it has them.
    ///
    /// # Errors
    /// As of [`Self::build`].
    pub fn build_with(&self, store: &mut dyn PackingStore) -> Result<(World, State), SceneError> {
        self.try_build(store).map_err(|fault| self.source.locate(fault))
    }

    fn try_build(&self, store: &mut dyn PackingStore) -> Result<(World, State), Fault> {
        let mut materials: Vec<_> = self.materials.iter().map(|(name, material)| material.model(name)).collect();
        let (mut particles, mut bonds, mut state) = (Particles::default(), Vec::new(), State::default());
        for (index, (body, matter)) in self.bodies.iter().zip(&self.matters).enumerate() {
            let mut packed = self.pack(index, body, matter, store)?;
            match &body.springs {
                Some(springs) => {
                    let masses = springs.masses(matter, &packed);
                    springs.check_masses(&masses, &packed, &At::root().key("bodies").key(index))?;
                    springs.join(&mut bonds, state.len() as u32, &packed);
                    springs.add_particles(&mut particles, &packed, &masses, [materials.len(), index]);
                    materials.push(springs.material(&body.name, &packed, &masses));
                }
                None => {
                    let name = body.material.as_ref().expect("checked: a body without springs has one");
                    let moduli = body.packing_moduli(&self.materials[name], store);
                    let bonding = Bonding::of(body, matter, packed.bonds.len(), &packed.radii);
                    let material = self.model_of(body, name, &mut materials, moduli.as_ref(), &bonding)?;
                    let (first, model) = (state.len(), &materials[material]);
                    for &radius in &packed.radii {
                        particles.push(radius, model.density, material as u16, index as u16);
                    }
                    let density_of = body.density_of(&self.materials[&model.name]);
                    if let (Matter::Solid(solid), DensityOf::Solid) = (matter, density_of) {
                        let range = first..particles.len();
                        body.weigh_as_solid(&mut particles, range, &packed, solid, model.density);
                    }
                    if let Some(inertia) = body.inertia {
                        particles.inertia[first..].fill(inertia);
                    }
                    if body.bonded && !body.rigid {
                        let strengths = Strengths::new(&packed, &self.materials[&model.name], self.general.seed, index);
                        let known = bonds.len();
                        let factors = self.strengths_of(index, &mut packed);
                        let grains = self.grain_maps[index].as_ref().zip(model.grain.as_ref());
                        let grains = grains.map(|(map, grain)| map.directions(&packed.centres, &grain.direction));
                        bond(&mut bonds, &particles, first, (body, &packed), model, (&strengths, grains.as_deref()));
                        let factor = |k: usize| factors.get(k).copied().unwrap_or(1.0);
                        bonds[known..].par_iter_mut().enumerate().for_each(|(k, bond)| {
                            bond.strength = bond.strength.map(|strength| strength * factor(k));
                            if let Some(energy) = model.fracture_energy {
                                bond.soften_by(energy * factor(k) * bonding.area_of_bond(bond.l0));
                            }
                        });
                    }
                }
            }
            let velocities = match matter {
                Matter::Spheres(spheres) => &spheres.velocities[..],
                _ => &[],
            };
            body.place(&packed.centres, velocities, &mut state);
        }
        for (index, body) in self.bodies.iter().enumerate() {
            let at = At::root().key("bodies").key(index).key("start");
            body.start_parts(index, &particles, &mut state, &at)?;
        }
        glue::join(self, &materials, &particles, &mut bonds, &mut state)?;
        let mut world = World::new(materials, particles, bonds);
        world.instructions = requested_instructions();
        world.gravity = self.general.gravity.into();
        world.axial = self.fracture.axial;
        world.contact_stiffness = self.contact.stiffness;
        world.contact_law = self.contact.law;
        world.contact_damping = model::damping_ratio(self.contact.restitution);
        world.contact_softening = self.contact.softening;
        world.friction_model = self.contact.friction;
        world.walls.clone_from(&self.walls);
        for (k, collider) in self.colliders.iter().enumerate() {
            let at = At::root().key("colliders").key(k);
            collider.seat(&mut world.walls[k], &world.particles, &state, &at)?;
        }
        placement::no_overlap(&self.bodies, &world.particles, &state)?;
        placement::clear_of_colliders(self, &world, &state)?;
        world.constraints = placement::constrain(self, &world.particles, &state)?;
        world.winds = self.winds.iter().map(|wind| wind.model()).collect();
        world.rigid = rigid::bodies(self, &world)?;
        world.electrostatics = electrostatics::model(self, &world.particles, &state)?;
        electrostatics::check_start(&world, &state)?;
        let probes = At::root().key("output").key("probes");
        let mut probes = self.output.probes.iter().enumerate().map(|(i, probe)| (probe, probes.key(i)));
        probes.try_for_each(|(probe, at)| probe.check_particles(&state, &at))?;
        keep_velocities(&mut world, &state);
        start_held(&world, &mut state);
        Ok((world, state))
    }

    /// Factors on the strengths of the bonds of the `packed` body with this index; none where all are 1. Bonds of the factor 0 are
    /// removed.
    fn strengths_of(&self, index: usize, packed: &mut Packed) -> Vec<f64> {
        let factors = &self.strength_factors[index];
        if factors.is_empty() {
            return Vec::new();
        }
        let factor = |&[i, j]: &[u32; 2]| factors.of([&packed.centres[i as usize], &packed.centres[j as usize]]);
        let all: Vec<f64> = packed.bonds.par_iter().map(factor).collect();
        let mut kept = all.iter().map(|factor| *factor > 0.0);
        packed.bonds.retain(|_| kept.next().unwrap_or(true));
        all.into_iter().filter(|factor| *factor > 0.0).collect()
    }

    /// Index in `materials` of the model of the material called `name` in this body: one of its own where the bonds' moduli
    /// follow from the body's packing.
    fn model_of(
        &self,
        body: &SceneBody,
        name: &str,
        materials: &mut Vec<model::Material>,
        moduli: Option<&PackingModuli>,
        bonding: &Bonding,
    ) -> Result<usize, Fault> {
        let given = &self.materials[name];
        let usual = materials.iter().position(|model| model.name == name).expect("checked: the material exists");
        let Some(moduli) = moduli else { return Ok(usual) };
        if given.moduli == Moduli::Macroscopic {
            given.check_packing_moduli(moduli, &body.name, &At::root().key("materials").key(name))?;
        }
        let model = given.model_in(name, moduli, bonding);
        if let Some(known) = materials.iter().position(|other| *other == model) {
            return Ok(known);
        }
        materials.push(model);
        Ok(materials.len() - 1)
    }

    /// Solid that each body fills, in its initial pose. None for bodies without a shape, and for hollow shells.
    pub fn solids(&self) -> Vec<Option<Solid>> {
        let solid = |(body, matter): (&SceneBody, &Matter)| match (matter, &body.packing) {
            (Matter::Solid(_), Packing::Shell(ShellPacking { fill: false, .. })) => None,
            (Matter::Solid(solid), _) => Some(body.posed(solid.shape.clone())),
            _ => None,
        };
        self.bodies.iter().zip(&self.matters).map(solid).collect()
    }

    /// Particles of the body at `index`, at least one.
    fn pack(
        &self,
        index: usize,
        body: &SceneBody,
        matter: &Matter,
        store: &mut dyn PackingStore,
    ) -> Result<Packed, Fault> {
        let at = At::root().key("bodies").key(index);
        let seed = mix(self.general.seed.wrapping_add(index as u64));
        let packed = body.packing.pack(matter, body.radii(), seed, &body.name, store);
        let Some(&first) = packed.radii.first() else {
            let fault = at.key("shape").wrong("no particle fits: the shape is empty, or thinner than one everywhere");
            return Err(fault.help("make the shape thicker, or particle_radius smaller"));
        };
        let (low, high) = packed.radii.iter().fold((first, first), |(low, high), r| (r.min(low), r.max(high)));
        for radius in [low, high] {
            if let Some(material) = &body.material {
                body.check_mass(radius, &self.materials[material], &at)?;
            }
        }
        Ok(packed)
    }
}

/// Bonds of a body, added to `bonds`. Its `particles` count from `first` and are at rest as packed. `grains` are directions of the
/// grain at each, where they differ from the material's.
fn bond(
    bonds: &mut Vec<Bond>,
    particles: &Particles,
    first: usize,
    (body, packed): (&SceneBody, &Packed),
    material: &model::Material,
    (strengths, grains): (&Strengths, Option<&[Vec3]>),
) {
    let centres = &packed.centres;
    let first_id = bonds.len() as u32;
    let ids = first_id..first_id + packed.bonds.len() as u32;
    let ends = ids.into_par_iter().zip(&packed.bonds);
    bonds.par_extend(ends.map_init(
        || material.clone(),
        |material, (id, &[i, j])| {
            if let (Some(grains), Some(grain)) = (grains, &mut material.grain) {
                grain.direction = grain_map::mean([i, j].map(|end| (0.5, grains[end as usize])));
            }
            let d = centres[j as usize] - centres[i as usize];
            let ends = [i, j].map(|i| first + i as usize);
            let [radius, mass, inertia] =
                [&particles.radius, &particles.mass, &particles.inertia].map(|of| ends.map(|i| of[i]));
            let radius = radius.map(|radius| radius * body.bond_thickness);
            let mut bond = Bond::new(id, ends.map(|i| i as u32), d, radius, mass, material);
            if body.inertia.is_some() || body.bond_thickness != 1.0 {
                bond.damp(material.damping, mass, inertia);
            }
            weibull::draw(&mut bond, material, strengths.probability(id, i));
            bond
        },
    ));
}

/// Random numbers in (0, 1) of the strengths of a body's bonds.
enum Strengths {
    /// One for each bond, by its id and this seed.
    OfBonds(u64),
    /// Those of a field of the rest shape at each particle. A bond has that of its first.
    AtParticles(Vec<f64>),
}

impl Strengths {
    /// Those of the `packed` body at `index` and of this material.
    fn new(packed: &Packed, material: &SceneMaterial, seed: u64, index: usize) -> Self {
        /// Default wavelength over the longest side of the centres' bounding box.
        const WAVELENGTH: f64 = 0.05;
        let side = || {
            let first = packed.centres[0];
            let bounds = packed.centres.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
            WAVELENGTH * (bounds.1 - bounds.0).max()
        };
        let wavelength = material.weibull_wavelength.unwrap_or_else(side);
        if material.weibull_modulus.is_none() || wavelength == 0.0 {
            return Self::OfBonds(seed);
        }
        let field = RandomField::new(wavelength, mix(seed).wrapping_add(index as u64));
        Self::AtParticles(packed.centres.par_iter().map(|p| field.uniform(p)).collect())
    }

    /// Number of the bond with this `id`, of the body's particle `first`.
    fn probability(&self, id: u32, first: u32) -> f64 {
        match self {
            Self::OfBonds(seed) => weibull::uniform(*seed, id),
            Self::AtParticles(numbers) => numbers[first as usize],
        }
    }
}

impl SceneBody {
    /// Solid of the body's own frame in its initial pose.
    pub(super) fn posed(&self, shape: Solid) -> Solid {
        let (position, rotation) = (self.position.into(), self.rotation.quaternion());
        Solid::Placed { shape: Box::new(shape), position, rotation }
    }

    /// Initial state of the body's particles, which are packed at `centres` (m). `velocities` are those of each in the body's frame,
    /// with its angular velocity, or empty.
    fn place(&self, centres: &[Vec3], velocities: &[[Vec3; 2]], state: &mut State) {
        let q = self.rotation.quaternion();
        let [position, velocity, spin] = [self.position, self.velocity, self.angular_velocity].map(Vec3::from);
        state.p.reserve_exact(centres.len());
        state.q.reserve_exact(centres.len());
        state.v.reserve_exact(centres.len());
        state.w.reserve_exact(centres.len());
        let first = state.v.len();
        for centre in centres {
            let arm = rotation::rotate(&q, centre);
            state.p.push(position + arm);
            state.q.push(q);
            state.v.push(velocity + spin.cross(&arm));
            state.w.push(spin);
        }
        for (k, own) in velocities.iter().enumerate() {
            let [v, w] = own.map(|vector| rotation::rotate(&q, &vector));
            state.v[first + k] += v;
            state.w[first + k] += w;
        }
    }
}

/// Keeps the initial velocities of fixed particles for their release. Those of a hold that follows are its motion's.
fn keep_velocities(world: &mut World, state: &State) {
    let holds = |constraint: &model::Constraint, i: u32, time: f64| {
        let acts = constraint.motion().is_some() && constraint.times.contains(&time);
        acts && constraint.particles.binary_search(&i).is_ok()
    };
    for k in 0..world.constraints.len() {
        let constraint = &world.constraints[k];
        let (start, end) = (constraint.times.start, constraint.times.end);
        if constraint.motion() != Some(&Motion::Fixed) || start > 0.0 || end.is_infinite() {
            continue;
        }
        let held_on = |i: u32| world.constraints.iter().any(|next| holds(next, i, end));
        let own = |&i: &u32| if held_on(i) { [Vec3::zeros(); 2] } else { [state.v[i as usize], state.w[i as usize]] };
        let released: Vec<_> = constraint.particles.iter().map(own).collect();
        if released.iter().flatten().any(|velocity| *velocity != Vec3::zeros()) {
            world.constraints[k].released = released;
        }
    }
}

/// Initial velocities of held particles, from their prescribed motion.
fn start_held(world: &World, state: &mut State) {
    for constraint in world.constraints.iter().filter(|constraint| constraint.times.start == 0.0) {
        let Some(motion) = constraint.motion() else { continue };
        let twist = motion.twist(state.time);
        for i in constraint.particles.iter().map(|&i| i as usize) {
            (state.v[i], state.w[i]) = (twist.at(&state.p[i]), twist.spin);
        }
    }
}
