use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Vec3;
use crate::model::{ClosingSpring, Spring, State, WallContact, WallContacts, WallStep, World};

use super::limit_change::Changes;
use super::tangential_spring::{Coefficients, FrictionForce, TangentialLaw, TangentialSpring, Touch};
use super::{FrictionWork, NearWalls, SurfaceMotion};

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
    pub(super) fn key(&self) -> (u32, u32) {
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
        let (work, force) = self.tangential.commit(rule, TangentialLaw::on_wall(world, i, motion.rate(world, x)), &u);
        FrictionWork { walls: -force.dot(&motion.carried(x, i, &n, arm, wall)), ..work }
    }

    fn update_limit(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        motion: SurfaceMotion,
        contact: &WallContact,
        sum: &mut Changes,
    ) {
        let (i, wall) = (self.particle as usize, self.wall as usize);
        let (depth, n) = (-contact.gaps[1], contact.n);
        let arms = [world.particles.radius[i] - depth, 0.0];
        let u = motion.on_wall(x, i, &n, arms[0], &walls[wall]);
        let before = self.tangential.limit;
        let elastic = world.wall_spring(i);
        let closing = motion.wall_closing(&elastic, contact, x);
        let push = ClosingSpring { spring: &elastic, closing }.push(depth);
        let touch = Touch { n, arms, push, shear: TangentialLaw::on_wall(world, i, motion.rate(world, x)) };
        self.tangential.update_limit(&touch, &Coefficients::on_wall(world, i, wall), &u);
        sum.add(self.particle, before, self.tangential.limit);
    }
}

/// Updates the list of a chunk's `particles` on walls. New contacts are added. Contacts that parted are kept until the
/// step is committed.
pub(super) fn update_walls(
    springs: &mut Vec<WallTangentialSpring>,
    (world, walls, near): (&World, &[WallStep], &NearWalls),
    particles: impl Iterator<Item = usize>,
    x: &State,
    motion: SurfaceMotion,
    sum: &mut Changes,
) {
    let known = springs.len();
    let mut next = 0;
    for (key, contacts) in touching((world, walls, near), particles, x, motion) {
        next += unload_first(&mut springs[next..known], |tangential| tangential.key() < key, sum);
        let own = next..next + springs[next..known].iter().take_while(|on| on.key() == key).count();
        next = own.end;
        let normals: Normals = springs[own.clone()].iter().map(|on| on.tangential.n).collect();
        let mut kept: SmallVec<[bool; WallContact::MOST]> = normals.iter().map(|_| false).collect();
        let all: Normals = contacts.iter().map(|contact| contact.n).collect();
        for (k, contact) in contacts.iter().enumerate() {
            let at = match spring_of(&normals, &all, k) {
                Some(known) => {
                    kept[known] = true;
                    own.start + known
                }
                None => {
                    let tangential = TangentialSpring::default();
                    springs.push(WallTangentialSpring { particle: key.0, wall: key.1, tangential });
                    springs.len() - 1
                }
            };
            springs[at].update_limit((world, walls), x, motion, contact, sum);
        }
        for (on, _) in springs[own].iter_mut().zip(&kept).filter(|(_, kept)| !**kept) {
            unload_first(std::slice::from_mut(on), |_| true, sum);
        }
    }
    unload_first(&mut springs[next..known], |_| true, sum);
    springs.sort_by_key(WallTangentialSpring::key);
}

/// Normals of the contacts of a particle with one wall.
pub(super) type Normals = SmallVec<[Vec3; WallContact::MOST]>;

/// Index of the spring that contact `k` keeps: of `springs` and `contacts`, by their normals, the two are nearest to each other.
pub(super) fn spring_of(springs: &[Vec3], contacts: &[Vec3], k: usize) -> Option<usize> {
    /// Cosine of the angle (60 degrees) between the normals of different faces.
    const OTHER_FACE: f64 = 0.5;
    if springs.len() == 1 && contacts.len() == 1 {
        return Some(0);
    }
    let nearest = |n: &Vec3, of: &[Vec3]| (0..of.len()).max_by(|&a, &b| of[a].dot(n).total_cmp(&of[b].dot(n)));
    let spring = nearest(&contacts[k], springs)?;
    let is_kept = springs[spring].dot(&contacts[k]) > OTHER_FACE && nearest(&springs[spring], contacts) == Some(k);
    is_kept.then_some(spring)
}

/// Contacts of `particles` with walls: the two, and their contacts.
fn touching(
    (world, walls, near): (&World, &[WallStep], &NearWalls),
    particles: impl Iterator<Item = usize>,
    x: &State,
    motion: SurfaceMotion,
) -> impl Iterator<Item = ((u32, u32), WallContacts)> {
    let walls = walls.iter().zip(0u32..);
    let pairs = particles.flat_map(move |i| walls.clone().map(move |(wall, k)| (i, wall, k)));
    pairs.filter_map(move |(i, wall, k)| {
        let size = (i, world.particles.contact_radius[i]);
        let contacts = motion.wall_contacts(wall, x, size, near.held_faces(i, k));
        (!contacts.is_empty()).then_some(((i as u32, k), contacts))
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
