use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{ClosingSpring, Spring, State, WallStep, World};

use super::limit_change::Changes;
use super::tangential_spring::{Coefficients, FrictionForce, TANGENTIAL, TangentialSpring, Touch};
use super::{FrictionWork, SurfaceMotion};

/// Friction of a particle on a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTangentialSpring {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the collider.
    pub wall: u32,
    /// Its spring.
    pub tangential: TangentialSpring,
}

impl WallTangentialSpring {
    fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }

    /// See [`TangentialSpring::commit`].
    pub(super) fn commit(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let (i, wall) = (self.particle as usize, &walls[self.wall as usize]);
        let (n, arm) = (self.tangential.n, self.tangential.arms[0]);
        let u = motion.on_wall(x, i, &n, arm, wall);
        let (lost, force) = self.tangential.commit(rule, TANGENTIAL * world.contact_stiffness_of(i), &u);
        FrictionWork { lost, walls: -force.dot(&motion.carried(x, i, &n, arm, wall)), held: 0.0 }
    }

    fn update_limit(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        motion: SurfaceMotion,
        (depth, n): (f64, Vec3),
        sum: &mut Changes,
    ) {
        let (i, wall) = (self.particle as usize, self.wall as usize);
        let k = world.contact_stiffness_of(i);
        let arms = [world.particles.radius[i] - depth, 0.0];
        let u = motion.on_wall(x, i, &n, arms[0], &walls[wall]);
        let before = self.tangential.limit;
        let elastic = world.wall_spring(i);
        let closing = motion.wall_closing(&elastic, &walls[wall], x, (i, world.particles.radius[i]));
        let push = ClosingSpring { spring: &elastic, closing }.push(depth);
        let touch = Touch { n, arms, push, k };
        self.tangential.update_limit(&touch, &Coefficients::on_wall(world, i, wall), &u);
        sum.add(self.particle, before, self.tangential.limit);
    }
}

/// Updates the list of a chunk's `particles` on walls. New contacts are added. Contacts that parted are kept until the
/// step is committed.
pub(super) fn update_walls(
    springs: &mut Vec<WallTangentialSpring>,
    (world, walls): (&World, &[WallStep]),
    particles: impl Iterator<Item = usize>,
    x: &State,
    motion: SurfaceMotion,
    sum: &mut Changes,
) {
    let known = springs.len();
    let mut next = 0;
    for (key, depth, n) in touching(world, walls, particles, x) {
        next += unload_first(&mut springs[next..known], |tangential| tangential.key() < key, sum);
        let is_known = next < known && springs[next].key() == key;
        let at = if is_known { next } else { springs.len() };
        if !is_known {
            springs.push(WallTangentialSpring {
                particle: key.0,
                wall: key.1,
                tangential: TangentialSpring::default(),
            });
        }
        next += usize::from(is_known);
        springs[at].update_limit((world, walls), x, motion, (depth, n), sum);
    }
    unload_first(&mut springs[next..known], |_| true, sum);
    springs.sort_unstable_by_key(WallTangentialSpring::key);
}

/// Contacts of `particles` with walls: the two, the overlap (m), and the wall's normal.
fn touching(
    world: &World,
    walls: &[WallStep],
    particles: impl Iterator<Item = usize>,
    x: &State,
) -> impl Iterator<Item = ((u32, u32), f64, Vec3)> {
    let walls = walls.iter().zip(0u32..);
    let pairs = particles.flat_map(move |i| walls.clone().map(move |(wall, k)| (i, wall, k)));
    pairs.filter_map(|(i, wall, k)| {
        let (gap, n) = wall.end.touch(&x.p[i], world.particles.contact_radius[i])?;
        Some(((i as u32, k), -gap, n))
    })
}

/// Unloads the first of `springs` as long as they are `before` something. Returns their number.
fn unload_first(
    springs: &mut [WallTangentialSpring],
    before: impl Fn(&WallTangentialSpring) -> bool,
    sum: &mut Changes,
) -> usize {
    let count = springs.iter().take_while(|tangential| before(tangential)).count();
    for WallTangentialSpring { particle, tangential, .. } in &mut springs[..count] {
        sum.add(*particle, tangential.limit, 0.0);
        tangential.unload();
    }
    count
}
