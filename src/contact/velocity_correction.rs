//! Friction as a correction of velocities after a step (\[IBDEM\] eqs 34, 35): of rolling, and of sliding where the
//! world's rule says so.
//!
//! Two slips of the print are mended. Eq 34 caps each particle's change with its own mass, which at the cap turns the pair's
//! sliding round; here the pair's reduced mass caps it, equal and opposite impulses keep momentum, and sliding is stopped
//! at most. Eq 35 has r^3 where a torque asks for r.

use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::model::{FrictionRule, State, World};

use super::Neighbours;
use super::rub::Coefficients;

/// Slows sliding and rolling at every contact over `dt` seconds, contact after contact in the list's order, so that each
/// sees what the one before has left. `held` particles do not give way.
pub fn correct_velocities(world: &World, contacts: &Neighbours, held: &[bool], state: &mut State, dt: f64) {
    if frictionless(world) {
        return;
    }
    for pair in contacts.pairs() {
        let ends = [pair.i as usize, pair.j as usize];
        let along = state.p[ends[1]] - state.p[ends[0]];
        let distance = along.norm();
        let overlap = pair.reach - distance;
        if overlap > 0.0 && distance > 0.0 {
            let rub = Rub::between(world, ends, pair.spring.push(overlap) * dt);
            rub.slow(world, held, state, ends, &(along / distance));
        }
    }
    if !world.colliders.is_empty() {
        rub_on_walls(world, held, state, dt);
    }
}

/// Particles a task.
const CHUNK: usize = 1024;

/// Slows each particle on the walls that it touches, wall after wall.
fn rub_on_walls(world: &World, held: &[bool], state: &mut State, dt: f64) {
    let time = state.time;
    let velocities = state.v.par_chunks_mut(CHUNK).zip(state.w.par_chunks_mut(CHUNK));
    velocities.zip(state.p.par_chunks(CHUNK)).enumerate().for_each(|(chunk, ((v, w), p))| {
        for (k, p) in p.iter().enumerate() {
            let i = chunk * CHUNK + k;
            for collider in world.colliders.iter().filter(|_| !held[i]) {
                if let Some((gap, normal)) = collider.touch(p, world.particles.radius[i], time) {
                    let material = world.material_of(i);
                    let push = world.wall_spring(i).push(-gap) * dt;
                    let sliding = if slides(world) { collider.friction.unwrap_or(material.friction) } else { 0.0 };
                    let limits = [sliding * push, material.rolling_friction * push];
                    let wall = collider.velocity(p, time);
                    slow_on_wall(world, i, (&mut v[k], &mut w[k]), (&normal, &wall), limits);
                }
            }
        }
    });
}

/// Whether sliding is corrected, and not only rolling.
fn slides(world: &World) -> bool {
    world.friction_rule == FrictionRule::VelocityCorrection
}

fn frictionless(world: &World) -> bool {
    let slides = slides(world);
    let rubs = |sliding: f64| slides && sliding > 0.0;
    !world.materials.iter().any(|m| m.rolling_friction > 0.0 || rubs(m.friction))
        && !world.colliders.iter().any(|c| rubs(c.friction.unwrap_or(0.0)))
}

/// The greatest impulses (N s) that a contact's friction can bear.
struct Rub {
    sliding: f64,
    rolling: f64,
}

impl Rub {
    /// A pair's coefficients are the geometric means of its two; `push` is the normal impulse |F_n| dt.
    fn between(world: &World, [i, j]: [usize; 2], push: f64) -> Self {
        let rolling = |a: usize| world.material_of(a).rolling_friction;
        let sliding = if slides(world) { Coefficients::between(world, [i, j]).sliding } else { 0.0 };
        Self { sliding: sliding * push, rolling: (rolling(i) * rolling(j)).sqrt() * push }
    }

    fn slow(&self, world: &World, held: &[bool], state: &mut State, ends: [usize; 2], n: &Vec3) {
        let [i, j] = ends;
        let give = |value: &[f64], a: usize| if held[a] { 0.0 } else { 1.0 / value[a] };
        let (mass, inertia, radius) = (&world.particles.mass, &world.particles.inertia, &world.particles.radius);

        let apart = state.v[i] - state.v[j];
        let impulse = stopping(&(apart - n * apart.dot(n)), self.sliding, give(mass, i) + give(mass, j));
        state.v[i] -= impulse * give(mass, i);
        state.v[j] += impulse * give(mass, j);

        let arm = 0.5 * (radius[i] + radius[j]);
        let impulse = stopping(&(state.w[i] - state.w[j]), self.rolling * arm, give(inertia, i) + give(inertia, j));
        state.w[i] -= impulse * give(inertia, i);
        state.w[j] += impulse * give(inertia, j);
    }
}

/// `wall` is the wall's own velocity, m/s.
fn slow_on_wall(
    world: &World,
    i: usize,
    (v, w): (&mut Vec3, &mut Vec3),
    (n, wall): (&Vec3, &Vec3),
    [sliding, rolling]: [f64; 2],
) {
    let (m, j, r) = (world.particles.mass[i], world.particles.inertia[i], world.particles.radius[i]);
    let apart = *v - wall;
    *v -= stopping(&(apart - n * apart.dot(n)), sliding, 1.0 / m) / m;
    *w -= stopping(w, rolling * r, 1.0 / j) / j;
}

/// The impulse along the relative velocity `apart` that stops it, or as much of it as `limit` lets through; `give` is the
/// change of velocity that a unit impulse makes.
fn stopping(apart: &Vec3, limit: f64, give: f64) -> Vec3 {
    let speed = apart.norm();
    if speed == 0.0 || give == 0.0 { Vec3::zeros() } else { apart * (limit / speed).min(1.0 / give) }
}
