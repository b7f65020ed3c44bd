//! Friction as a correction of velocities after a step (\[IBDEM\] eqs 34, 35): of rolling, and of sliding where the
//! world's rule says so.
//!
//! Two misprints of the paper are corrected. Eq 34 caps each particle's change with its own mass, which at the cap turns the pair's
//! sliding round; here the pair's reduced mass caps it, equal and opposite impulses keep momentum, and sliding is stopped
//! at most. Eq 35 has r^3 where a torque asks for r.

use crate::geometry::Vec3;
use crate::model::{FrictionModel, NormalPotential, PlacedWall, State, World};
use crate::parallel::{self, CHUNK};
use crate::simd::Lanes;

use super::{Contacts, FrictionWork, NearWalls};

/// Slows sliding and rolling at every contact over `dt` seconds, contact after contact in the list's order, so that each
/// sees what the one before has left. `held` particles do not give way; those of a rigid body take the impulses, and then move
/// as one again.
pub fn correct_velocities(
    world: &World,
    contacts: &Contacts,
    held: &[bool],
    state: &mut State,
    dt: f64,
) -> FrictionWork {
    let mut sum = FrictionWork::default();
    if frictionless(world) {
        return sum;
    }
    for pair in contacts.may_touch() {
        let ends @ [i, j] = [pair.i as usize, pair.j as usize];
        let along = state.p[j] - state.p[i];
        let distance = along.norm();
        let mu = if slides(world) { pair.mu.sliding } else { 0.0 };
        let rolling = ends.map(|i| world.material_of(i).rolling_friction);
        let overlap = pair.reach - distance;
        if overlap <= 0.0 || distance == 0.0 || (mu == 0.0 && rolling.contains(&0.0)) {
            continue;
        }
        let impulse = pair.spring.push(overlap) * dt;
        // that of equal spheres, and of one on a wall
        let arm = world.particles.radius[i].min(world.particles.radius[j]);
        let mut sides = ends.map(|i| Side::of(world, held[i], i, [&state.v[i], &state.w[i]]));
        let [by_sliding, carried] =
            slow(&mut sides, &(along / distance), [mu * impulse, rolling_limit(rolling, impulse, arm)]);
        sum += FrictionWork { by_sliding, held: carried, ..FrictionWork::default() };
        sides.iter().zip(ends).for_each(|(side, i)| (state.v[i], state.w[i]) = (side.v, side.w));
    }
    if !world.walls.is_empty() {
        sum += slow_on_walls(world, contacts.near_walls(), held, state, dt);
    }
    if sum.by_sliding != 0.0 {
        sum.by_sliding +=
            world.free_rigid().map(|body| body.make_velocities_rigid(&world.particles, state)).sum::<f64>();
    }
    sum
}

/// Slows each particle on the walls that it touches, wall after wall.
fn slow_on_walls(world: &World, near: &NearWalls, held: &[bool], state: &mut State, dt: f64) -> FrictionWork {
    let State { p, v, w, time, .. } = state;
    let walls = &world.walls_at(*time);
    parallel::sum((parallel::chunks_mut(v, CHUNK), parallel::chunks_mut(w, CHUNK)), |chunk, (v, w)| {
        let mut sum = FrictionWork::default();
        for (i, (v, w)) in (chunk * CHUNK..).zip(v.iter_mut().zip(w)) {
            if near.may_touch(i) && !held[i] {
                sum += slow_one_on_walls(world, (near, walls), (i, &p[i]), (v, w), dt);
            }
        }
        sum
    })
}

/// Slows particle `i` at `p` (m) on those of the `walls` that it touches.
fn slow_one_on_walls(
    world: &World,
    (near, walls): (&NearWalls, &[PlacedWall]),
    (i, p): (usize, &Vec3),
    (v, w): (&mut Vec3, &mut Vec3),
    dt: f64,
) -> FrictionWork {
    let mut sum = FrictionWork::default();
    let (material, radius) = (world.material_of(i), world.particles.contact_radius[i]);
    for (wall, k) in walls.iter().zip(0..) {
        let mu = if slides(world) { wall.wall.friction.unwrap_or(material.friction) } else { 0.0 };
        if [mu, material.rolling_friction] == [0.0; 2] {
            continue;
        }
        for contact in wall.contacts(p, radius, near.kept_faces(i, k)) {
            let (gap, n) = (contact.gaps[1], contact.n);
            let impulse = world.wall_normal_spring(i).push(-gap) * dt;
            let of_wall = Side { v: wall.velocity(&(p - n * (radius + gap))), w: wall.spin(), give: [0.0; 2] };
            let mut sides = [Side::of(world, false, i, [v, w]), of_wall];
            let arm = world.particles.radius[i];
            let rolling = rolling_limit([material.rolling_friction; 2], impulse, arm);
            let [by_sliding, walls] = slow(&mut sides, &n, [mu * impulse, rolling]);
            sum += FrictionWork { by_sliding, walls, ..FrictionWork::default() };
            (*v, *w) = (sides[0].v, sides[0].w);
        }
    }
    sum
}

/// Whether sliding is corrected, and not only rolling.
fn slides(world: &World) -> bool {
    world.friction_model == FrictionModel::VelocityCorrection
}

fn frictionless(world: &World) -> bool {
    let slides = slides(world);
    let has_friction = |sliding: f64| slides && sliding > 0.0;
    !world.materials.iter().any(|m| m.rolling_friction > 0.0 || has_friction(m.friction))
        && !world.walls.iter().any(|c| has_friction(c.friction.unwrap_or(0.0)))
}

/// Limit on the impulse of rolling friction between sides of these coefficients, N m s: their geometric mean times the impulse of the
/// normal force (N s) and its arm (m).
#[inline(always)]
pub fn rolling_limit<L: Lanes>([i, j]: [L; 2], impulse: L, arm: L) -> L {
    (i * j).sqrt() * impulse * arm
}

/// Impulse over the relative velocity of two sides with this `speed`, which a unit impulse slows by `give`: up to `limit`, or until
/// it stops.
#[inline(always)]
pub fn slowing<L: Lanes>(speed: L, give: L, limit: L) -> L {
    (limit / speed).min(L::splat(1.0) / give)
}

/// One side of a contact: a particle, or a wall there.
struct Side {
    /// Velocity, m/s, and spin, rad/s.
    v: Vec3,
    w: Vec3,
    /// Their changes by a unit impulse, 1/kg and 1/(kg m2): none of a wall or a held particle.
    give: [f64; 2],
}

impl Side {
    fn of(world: &World, is_held: bool, i: usize, [v, w]: [&Vec3; 2]) -> Self {
        let give = [world.particles.mass[i], world.particles.inertia[i]].map(|of| if is_held { 0.0 } else { 1.0 / of });
        Self { v: *v, w: *w, give }
    }
}

/// Slows two sides by impulses of up to `sliding` (N s) across the unit normal `n`, and `rolling` (N m s). Returns the energy lost,
/// and the work (J) of a side that does not give way.
fn slow(sides: &mut [Side; 2], n: &Vec3, [sliding, rolling]: [f64; 2]) -> [f64; 2] {
    let [i, j] = sides;
    let apart = i.v - j.v;
    let across = apart - n * apart.dot(n);
    let by_sliding = exchange([&mut i.v, &mut j.v], &across, [i.give[0], j.give[0]], sliding);
    let turning = i.w - j.w;
    let by_rolling = exchange([&mut i.w, &mut j.w], &turning, [i.give[1], j.give[1]], rolling);
    [0, 1].map(|k| by_sliding[k] + by_rolling[k])
}

/// Slows the relative velocity `apart` by an impulse of up to `limit`. See [`slow`].
fn exchange([a, b]: [&mut Vec3; 2], apart: &Vec3, [give_a, give_b]: [f64; 2], limit: f64) -> [f64; 2] {
    let (speed, give) = (apart.norm(), give_a + give_b);
    if speed == 0.0 || give == 0.0 || limit <= 0.0 {
        return [0.0; 2];
    }
    let impulse = apart * slowing(speed, give, limit);
    let by_sliding = impulse.dot(&(apart - impulse * (0.5 * give)));
    // one that does not give way does what the other is carried along by
    let carried = |give: f64, side: &Vec3| if give == 0.0 { impulse.dot(side) } else { 0.0 };
    let work = carried(give_a, a) - carried(give_b, b);
    *a -= impulse * give_a;
    *b += impulse * give_b;
    [by_sliding, work]
}
