//! Friction as a correction of velocities after a step (\[IBDEM\] eqs 34, 35): of rolling, and of sliding where the
//! world's rule says so.
//!
//! Two slips of the print are mended. Eq 34 caps each particle's change with its own mass, which at the cap turns the pair's
//! sliding round; here the pair's reduced mass caps it, equal and opposite impulses keep momentum, and sliding is stopped
//! at most. Eq 35 has r^3 where a torque asks for r.

use crate::geometry::Vec3;
use crate::model::{FrictionRule, PlacedWall, Spring, State, World};
use crate::parallel::{self, CHUNK};

use super::{ContactPair, FrictionWork, NearWalls, Neighbours};

/// Slows sliding and rolling at every contact over `dt` seconds, contact after contact in the list's order, so that each
/// sees what the one before has left. `held` particles do not give way; those of a rigid body take the impulses, and then move
/// as one again.
pub fn correct_velocities(
    world: &World,
    contacts: &Neighbours,
    held: &[bool],
    state: &mut State,
    dt: f64,
) -> FrictionWork {
    let mut sum = FrictionWork::default();
    if frictionless(world) {
        return sum;
    }
    for pair in contacts.may_touch() {
        let ends = [pair.i as usize, pair.j as usize];
        let coefficients = coefficients(world, pair);
        if coefficients == [0.0; 2] {
            continue;
        }
        let along = state.p[ends[1]] - state.p[ends[0]];
        let distance = along.norm();
        let overlap = pair.reach - distance;
        if overlap > 0.0 && distance > 0.0 {
            let impulse = pair.spring.push(overlap) * dt;
            sum += slow_pair(world, held, state, ends, &(along / distance), coefficients.map(|mu| mu * impulse));
        }
    }
    if !world.colliders.is_empty() {
        sum += slow_on_walls(world, contacts.near_walls(), held, state, dt);
    }
    if sum.lost != 0.0 {
        sum.lost += world.free_rigid().map(|body| body.make_velocities_rigid(&world.particles, state)).sum::<f64>();
    }
    sum
}

/// Slows each particle on the walls that it touches.
fn slow_on_walls(world: &World, near: &NearWalls, held: &[bool], state: &mut State, dt: f64) -> FrictionWork {
    let State { p, v, w, time, .. } = state;
    let walls = &world.walls_at(*time);
    let slow = |i: usize, v: &mut Vec3, w: &mut Vec3| match held[i] {
        true => FrictionWork::default(),
        false => slow_one_on_walls(world, near, walls, (i, &p[i]), (v, w), dt),
    };
    let mut sum = FrictionWork::default();
    if let Some(near) = near.list() {
        // few: no second thread is worth its waking
        near.iter().map(|&i| i as usize).for_each(|i| sum += slow(i, &mut v[i], &mut w[i]));
        return sum;
    }
    parallel::sum((parallel::chunks_mut(v, CHUNK), parallel::chunks_mut(w, CHUNK)), |chunk, (v, w)| {
        let mut sum = FrictionWork::default();
        for (k, (v, w)) in v.iter_mut().zip(w).enumerate() {
            sum += slow(chunk * CHUNK + k, v, w);
        }
        sum
    })
}

/// Slows particle `i` at `p` (m) on those of the `walls` that it touches, wall after wall.
fn slow_one_on_walls(
    world: &World,
    near: &NearWalls,
    walls: &[PlacedWall],
    (i, p): (usize, &Vec3),
    (v, w): (&mut Vec3, &mut Vec3),
    dt: f64,
) -> FrictionWork {
    let mut sum = FrictionWork::default();
    let material = world.material_of(i);
    for (wall, k) in walls.iter().zip(0..) {
        let sliding = if slides(world) { wall.wall.friction.unwrap_or(material.friction) } else { 0.0 };
        let coefficients = [sliding, material.rolling_friction];
        if coefficients == [0.0; 2] {
            continue;
        }
        let radius = world.particles.contact_radius[i];
        for contact in wall.contacts(p, radius, near.held_faces(i, k)) {
            let (gap, n) = (contact.gaps[1], contact.n);
            let impulse = world.wall_spring(i).push(-gap) * dt;
            let at = p - n * (radius + gap);
            sum += slow_on_wall(
                world,
                i,
                (v, w),
                (&n, [wall.velocity(&at), wall.spin()]),
                coefficients.map(|mu| mu * impulse),
            );
        }
    }
    sum
}

/// Whether sliding is corrected, and not only rolling.
fn slides(world: &World) -> bool {
    world.friction_rule == FrictionRule::VelocityCorrection
}

fn frictionless(world: &World) -> bool {
    let slides = slides(world);
    let has_friction = |sliding: f64| slides && sliding > 0.0;
    !world.materials.iter().any(|m| m.rolling_friction > 0.0 || has_friction(m.friction))
        && !world.colliders.iter().any(|c| has_friction(c.friction.unwrap_or(0.0)))
}

/// Coefficients of sliding and rolling of a pair: the geometric means of those of its two.
fn coefficients(world: &World, pair: &ContactPair) -> [f64; 2] {
    let rolling = |a: u32| world.material_of(a as usize).rolling_friction;
    let sliding = if slides(world) { pair.mu.sliding } else { 0.0 };
    [sliding, (rolling(pair.i) * rolling(pair.j)).sqrt()]
}

/// Slows a pair, by impulses of up to `sliding` (N s), and of rolling up to `rolling` (N s) over the lever arm.
fn slow_pair(
    world: &World,
    held: &[bool],
    state: &mut State,
    ends: [usize; 2],
    n: &Vec3,
    [sliding, rolling]: [f64; 2],
) -> FrictionWork {
    let [i, j] = ends;
    let give = |value: &[f64]| ends.map(|a| if held[a] { 0.0 } else { 1.0 / value[a] });
    let (mass, inertia, radius) = (&world.particles.mass, &world.particles.inertia, &world.particles.radius);

    let across = |apart: Vec3| apart - n * apart.dot(n);
    let mut sum = FrictionWork::default();
    if sliding > 0.0 {
        sum += exchange(&mut state.v, ends, give(mass), sliding, across);
    }
    if rolling > 0.0 {
        // that of equal spheres, and of one on a wall
        let arm = radius[i].min(radius[j]);
        sum += exchange(&mut state.w, ends, give(inertia), rolling * arm, |apart| apart);
    }
    sum
}

/// Slows the part `across` of the velocity of one particle over the other's, which `give` way.
fn exchange(
    velocity: &mut [Vec3],
    [i, j]: [usize; 2],
    give: [f64; 2],
    limit: f64,
    across: impl Fn(Vec3) -> Vec3,
) -> FrictionWork {
    let before = [velocity[i], velocity[j]];
    let apart = across(before[0] - before[1]);
    let impulse = stopping(&apart, limit, give[0] + give[1]);
    velocity[i] -= impulse * give[0];
    velocity[j] += impulse * give[1];
    let lost = impulse.dot(&(apart - impulse * (0.5 * (give[0] + give[1]))));
    // one that does not give way does what the other is carried along by
    let carried = |held: usize, by: f64| if give[held] == 0.0 { impulse.dot(&before[held]) * by } else { 0.0 };
    FrictionWork { lost, held: carried(1, -1.0) + carried(0, 1.0), ..FrictionWork::default() }
}

/// Slows a particle by impulses of up to `sliding` and `rolling`: see [`slow_pair`]. The wall has an own velocity at the contact
/// point (m/s), and an angular velocity (rad/s).
fn slow_on_wall(
    world: &World,
    i: usize,
    (v, w): (&mut Vec3, &mut Vec3),
    (n, [wall, spin]): (&Vec3, [Vec3; 2]),
    [sliding, rolling]: [f64; 2],
) -> FrictionWork {
    let (m, j, r) = (world.particles.mass[i], world.particles.inertia[i], world.particles.radius[i]);
    let apart = *v - wall;
    let apart = apart - n * apart.dot(n);
    let turning = *w - spin;
    let [slid, rolled] = [stopping(&apart, sliding, 1.0 / m), stopping(&turning, rolling * r, 1.0 / j)];
    let lost = slid.dot(&(apart - slid * (0.5 / m))) + rolled.dot(&(turning - rolled * (0.5 / j)));
    *v -= slid / m;
    *w -= rolled / j;
    FrictionWork { lost, walls: -slid.dot(&wall) - rolled.dot(&spin), ..FrictionWork::default() }
}

/// The impulse along the relative velocity `apart` that stops it, or as much of it as `limit` lets through; `give` is the
/// change of velocity that a unit impulse makes.
fn stopping(apart: &Vec3, limit: f64, give: f64) -> Vec3 {
    let speed = apart.norm();
    if speed == 0.0 || give == 0.0 { Vec3::zeros() } else { apart * (limit / speed).min(1.0 / give) }
}
