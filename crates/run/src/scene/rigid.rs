//! Rigid bodies of a scene, held and free.

use std::ops::Range;

use bdem_core::model::{Constraint, RigidBody, World};

use super::Scene;
use super::check::{At, Fault};

/// Rigid bodies of the scene. A constraint must move all of a rigid body, from start to end.
pub(super) fn bodies(scene: &Scene, world: &World) -> Result<Vec<RigidBody>, Fault> {
    let rigid = (0..scene.bodies.len()).filter(|&index| scene.bodies[index].rigid);
    let body = |index: usize| {
        let particles = particles_of(index, &world.particles.body);
        let mover = world.constraints.iter().position(|constraint| moves_any(constraint, &particles));
        if let Some(mover) = mover
            && !moves_well(&world.constraints[mover], &particles)
        {
            let message = format!(
                "body {:?} is rigid, but this constraint moves it only in part or for a time",
                scene.bodies[index].name
            );
            let fault = At::root().key("constraints").key(mover).wrong(message);
            return Err(fault.help("choose all of it with `body`, and leave start and release out"));
        }
        let is_free = mover.is_none();
        if is_free && !scene.time.integrator.moves_rigid_bodies() {
            return Err(stuck(scene, index));
        }
        Ok(RigidBody::new(particles, &world.particles, is_free))
    };
    rigid.map(body).collect()
}

fn stuck(scene: &Scene, index: usize) -> Fault {
    let (name, integrator) = (&scene.bodies[index].name, scene.time.integrator);
    let fault = format!("body {name:?} is rigid and free, and {integrator} moves spheres only");
    At::root()
        .key("bodies")
        .key(index)
        .key("rigid")
        .wrong(fault)
        .help("choose another time.integrator, or hold the body")
}

/// Index range of the particles of the body at `index`.
fn particles_of(index: usize, body: &[u16]) -> Range<usize> {
    let place = |index: usize| body.partition_point(|&body| usize::from(body) < index);
    place(index)..place(index + 1)
}

fn moves_any(constraint: &Constraint, particles: &Range<usize>) -> bool {
    constraint.motion().is_some() && constraint.particles.iter().any(|&i| particles.contains(&(i as usize)))
}

fn moves_well(constraint: &Constraint, particles: &Range<usize>) -> bool {
    let mine = constraint.particles.iter().filter(|&&i| particles.contains(&(i as usize))).count();
    mine == particles.len() && constraint.times == (0.0..f64::INFINITY)
}
