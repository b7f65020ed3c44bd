//! How a scene becomes a world.

use rayon::prelude::*;

use super::check::{At, Fault};
use super::{Body, Scene, SceneError, placement};
use crate::fracture::weibull;
use crate::geometry::shape::Shape as Solid;
use crate::geometry::{Vec3, packing, rotation};
use crate::model::{self, Bond, Particles, State, World};

/// Spheres that are further apart than touching by this share of their radii are still bonded: rounding.
const TOUCH: f64 = 1e-6;

impl Scene {
    /// Packs, bonds and places the bodies, in their order; then colliders and constraints. Bodies that overlap or lie in a
    /// collider, and constraints that choose nothing or what is held already, are errors.
    pub fn build(&self) -> Result<(World, State), SceneError> {
        self.try_build().map_err(|fault| self.source.locate(fault))
    }

    fn try_build(&self) -> Result<(World, State), Fault> {
        let materials: Vec<_> = self.materials.iter().map(|(name, material)| material.model(name)).collect();
        let (mut particles, mut bonds, mut state) = (Particles::default(), Vec::new(), State::default());
        for (index, (body, solid)) in self.bodies.iter().zip(&self.solids).enumerate() {
            let material =
                materials.iter().position(|m| m.name == body.material).expect("checked: the material exists");
            let centres = body.pack(solid, &At::root().key("bodies").key(index))?;
            bond(
                &mut bonds,
                state.len() as u32,
                &centres,
                body.particle_radius,
                &materials[material],
                self.general.seed,
            );
            for _ in &centres {
                particles.push(body.particle_radius, materials[material].density, material as u16, index as u16);
            }
            body.place(&centres, &mut state);
        }
        let mut world = World::new(materials, particles, bonds);
        world.gravity = self.general.gravity.into();
        world.axial = self.fracture.axial;
        world.contact_stiffness = self.contact.stiffness;
        world.friction_rule = self.contact.friction;
        world.colliders = self.load_colliders()?;
        placement::no_overlap(&self.bodies, &world.particles, &state)?;
        placement::clear_of_colliders(&self.bodies, &world, &state)?;
        world.constraints = placement::constrain(self, &world.particles, &state)?;
        start_held(&world, &mut state);
        Ok((world, state))
    }

    fn load_colliders(&self) -> Result<Vec<model::Collider>, Fault> {
        let at = At::root().key("colliders");
        self.colliders.iter().enumerate().map(|(i, collider)| collider.model(&at.key(i))).collect()
    }
}

/// Adds the bonds of a body whose particles count from `first`, of `radius` (m) and at rest at `centres` (m).
fn bond(bonds: &mut Vec<Bond>, first: u32, centres: &[Vec3], radius: f64, material: &model::Material, seed: u64) {
    let mass = Particles::sphere_mass(radius, material.density);
    let pairs = packing::touching_pairs(centres, &vec![radius; centres.len()], TOUCH);
    let first_id = bonds.len() as u32;
    bonds.par_extend((first_id..first_id + pairs.len() as u32).into_par_iter().zip(pairs).map(|(id, [i, j])| {
        let d = centres[j as usize] - centres[i as usize];
        let mut bond = Bond::new(id, [first + i, first + j], d, [radius; 2], [mass; 2], material);
        weibull::draw(&mut bond, material, seed);
        bond
    }));
}

impl Body {
    /// Centres (m) of its particles, at least one.
    fn pack(&self, solid: &Solid, at: &At) -> Result<Vec<Vec3>, Fault> {
        let centres = packing::hexagonal(solid, self.particle_radius);
        if centres.is_empty() {
            let fault = at.key("shape").wrong("no particle fits: the shape is empty, or thinner than one everywhere");
            return Err(fault.help("make the shape thicker, or particle_radius smaller"));
        }
        Ok(centres)
    }

    /// Adds its particles, packed at `centres` (m), where and as fast as they start.
    fn place(&self, centres: &[Vec3], state: &mut State) {
        let q = self.rotation.quaternion();
        let [position, velocity, spin] = [self.position, self.velocity, self.angular_velocity].map(Vec3::from);
        for centre in centres {
            let arm = rotation::rotate(&q, centre);
            state.p.push(position + arm);
            state.q.push(q);
            state.v.push(velocity + spin.cross(&arm));
            state.w.push(spin);
        }
    }
}

/// Particles that are held from the start begin as they will move.
fn start_held(world: &World, state: &mut State) {
    for constraint in world.constraints.iter().filter(|constraint| constraint.times.start == 0.0) {
        let Some(motion) = constraint.motion() else { continue };
        let twist = motion.twist(state.time);
        for i in constraint.particles.iter().map(|&i| i as usize) {
            (state.v[i], state.w[i]) = (twist.at(&state.p[i]), twist.spin);
        }
    }
}
