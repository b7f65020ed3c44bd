use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::model::{Closing, ClosingSpring, Gradient, Spring, State, WallStep, World};
use crate::parallel::sum_parts;

use super::StepFlows;
use crate::contact::tangential_spring::{Coefficients, TANGENTIAL, TangentialSpring, Touch};
use crate::contact::{FrictionForce, FrictionWork, Neighbours, SurfaceMotion, TangentialSprings, WallTangentialSpring};

/// Particles a chunk.
const CHUNK: usize = TangentialSprings::CHUNK;

/// Forces of walls on particles at the end of an explicit step.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallForces {
    chunks: Vec<ChunkForces>,
}

/// Particles of a chunk in contact with walls.
#[derive(Clone, Debug, Default)]
struct ChunkForces {
    /// Sorted by particle and wall.
    contacts: Vec<WallContact>,
    /// Energy flows without those of dashpots.
    flows: StepFlows,
}

/// Particle in contact with a wall at the end of the step or at its start.
#[derive(Clone, Copy, Debug)]
struct WallContact {
    particle: u32,
    wall: u32,
    /// dV/dx, N and N m.
    gradient: Gradient,
    /// Spring after the step.
    tangential: TangentialSpring,
    /// Normal, force of the dashpot (N), and mean velocity of the wall in the step (m/s).
    n: Vec3,
    dashpot: f64,
    velocity: Vec3,
}

/// Step between two states, and the walls in it.
struct Step<'a> {
    world: &'a World,
    before: &'a State,
    after: &'a State,
    walls: &'a [WallStep<'a>],
    has_friction: bool,
}

impl WallForces {
    /// Whether no particle is in contact with a wall, or was at the start.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.contacts.is_empty())
    }

    /// Evaluates the contacts of particles with walls in a step between two states.
    pub(crate) fn evaluate(&mut self, list: &Neighbours, world: &World, before: &State, after: &State) {
        if world.colliders.is_empty() {
            return;
        }
        let walls = &*world.walls_during([before.time, after.time]);
        let known = list.wall_springs();
        let step = Step { world, before, after, walls, has_friction: !known.is_empty() };
        self.chunks.resize_with(after.len().div_ceil(CHUNK), ChunkForces::default);
        let near = list.near_walls().list();
        self.chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            let known = known.get(c).map_or(&[][..], |known| known);
            chunk.contacts.clear();
            // steps to come allocate nothing
            chunk.contacts.reserve(CHUNK);
            chunk.flows = StepFlows::default();
            match near {
                Some(near) => {
                    let start = near.partition_point(|&i| (i as usize) < c * CHUNK);
                    let end = start + near[start..].partition_point(|&i| (i as usize) < (c + 1) * CHUNK);
                    chunk.evaluate(&step, near[start..end].iter().copied(), known);
                }
                None => chunk.evaluate(&step, (c * CHUNK) as u32..((c + 1) * CHUNK).min(after.len()) as u32, known),
            }
        });
    }

    /// Adds the gradients to `out`.
    pub(crate) fn add(&self, out: &mut [Gradient]) {
        let contacts = self.chunks.iter().flat_map(|chunk| &chunk.contacts);
        contacts.for_each(|contact| out[contact.particle as usize] += contact.gradient);
    }

    /// Replaces the tangential springs on walls. Returns the energy flows of a step that ended `after`.
    pub(crate) fn commit(
        &mut self,
        world: &World,
        springs: &mut [Vec<WallTangentialSpring>],
        after: &State,
    ) -> StepFlows {
        if world.colliders.is_empty() {
            return StepFlows::default();
        }
        for (springs, chunk) in springs.iter_mut().zip(&self.chunks) {
            let loaded = chunk.contacts.iter().filter(|contact| contact.tangential.is_loaded());
            springs.clear();
            springs.extend(loaded.map(|&WallContact { particle, wall, tangential, .. }| WallTangentialSpring {
                particle,
                wall,
                tangential,
            }));
        }
        sum_parts(self.chunks.par_iter(), |chunk| {
            let speed = |on: &WallContact| (on.velocity - after.v[on.particle as usize]).dot(&on.n);
            let power: f64 = chunk.contacts.iter().map(|on| on.dashpot * speed(on)).sum();
            StepFlows { dashpot_power: power, ..chunk.flows }
        })
    }
}

impl ChunkForces {
    /// Evaluates `particles` (ascending), with the springs `known` at the start.
    fn evaluate(&mut self, step: &Step, particles: impl Iterator<Item = u32>, known: &[WallTangentialSpring]) {
        let mut known = known.iter().peekable();
        for particle in particles {
            for (wall, placed) in (0u32..).zip(step.walls) {
                // of particles that are no longer near
                while let Some(on) = known.next_if(|on| (on.particle, on.wall) < (particle, wall)) {
                    self.add(step, on.particle, on.wall, &step.walls[on.wall as usize], Some(&on.tangential));
                }
                let spring = known.next_if(|on| (on.particle, on.wall) == (particle, wall));
                self.add(step, particle, wall, placed, spring.map(|on| &on.tangential));
            }
        }
        for on in known {
            self.add(step, on.particle, on.wall, &step.walls[on.wall as usize], Some(&on.tangential));
        }
    }

    /// Evaluates a particle and a wall, and adds them if they are in contact, or were at the start.
    fn add(&mut self, step: &Step, particle: u32, wall: u32, placed: &WallStep, spring: Option<&TangentialSpring>) {
        let (i, world) = (particle as usize, step.world);
        let (p, radius) = (&step.after.p[i], world.particles.contact_radius[i]);
        let start = placed.start.gap(&step.before.p[i], radius);
        let end = placed.end.touch(p, radius);
        if start.is_none() && end.is_none() && spring.is_none() {
            return;
        }
        let law = world.wall_spring(i);
        let gaps = [
            start.unwrap_or_else(|| placed.start.distance(&step.before.p[i]) - radius),
            end.map_or_else(|| placed.end.distance(p) - radius, |(gap, _)| gap),
        ];
        self.flows.trapezoid_error += law.trapezoid_error(gaps.map(|gap| -gap));
        let overlap = (-gaps[1]).max(0.0);
        let n = end.map_or_else(|| spring.map_or_else(Vec3::z, |spring| spring.n), |(_, n)| n);
        let rate = if law.damping > 0.0 { 1.0 / (step.after.time - step.before.time) } else { 0.0 };
        let closing = ClosingSpring { spring: &law, closing: Closing { before: (-gaps[0]).max(0.0), rate } };
        let push = if end.is_some() { closing.push(overlap) } else { 0.0 };
        let dashpot = if end.is_some() { push - law.push(overlap) } else { 0.0 };
        let mut contact = WallContact {
            particle,
            wall,
            gradient: Gradient { p: n * -push, theta: Vec3::zeros() },
            tangential: spring.copied().unwrap_or_default(),
            n,
            dashpot,
            velocity: if dashpot == 0.0 { Vec3::zeros() } else { placed.moved(&(p - n * (radius - overlap))) * rate },
        };
        if step.has_friction {
            let touch = Touch { n, arms: [radius - overlap, 0.0], push, k: world.contact_stiffness_of(i) };
            self.flows.friction += contact.rub(step, placed, &touch, end.is_some());
        }
        self.contacts.push(contact);
    }
}

impl WallContact {
    /// Adds friction at the end of the step, and commits its spring. Returns its work.
    fn rub(&mut self, step: &Step, wall: &WallStep, touch: &Touch, touches: bool) -> FrictionWork {
        let (i, motion) = (self.particle as usize, SurfaceMotion::Since(step.before));
        let mut spring = self.tangential;
        if touches {
            (spring.n, spring.arms) = (touch.n, touch.arms);
        }
        let (n, arm) = (spring.n, spring.arms[0]);
        let u = motion.on_wall(step.after, i, &n, arm, wall);
        if touches {
            spring.update_limit(touch, &Coefficients::on_wall(step.world, i, self.wall as usize), &u);
            let stretched = spring.stretched(TANGENTIAL * touch.k, &u);
            let force = Vec3::from(stretched.spring * stretched.weight(spring.limit));
            let torque = force.cross(&n) * arm;
            self.gradient.p += force;
            self.gradient.theta = motion.turned(step.after, i).pull_back(&torque);
        } else {
            spring.unload();
        }
        let (lost, force) = spring.commit(FrictionForce::Mean, TANGENTIAL * touch.k, &u);
        self.tangential = spring;
        FrictionWork { lost, walls: -force.dot(&motion.carried(step.after, i, &n, arm, wall)), held: 0.0 }
    }
}
