use crate::contact::friction::{Coefficients, ContactPoint, Friction, FrictionForce, Limit};
use crate::contact::tangential_spring::{FrictionWork, Normals, TangentialSpring, WallTangentialSpring, spring_of};
use crate::contact::{LimitChange, NearWalls, SurfaceMotion};
use crate::geometry::{Quat, Vec3};
use crate::model::{ClosingSpring, Spring, State, WallContact, WallStep, World};
use crate::simd::Vec3x;

impl WallTangentialSpring {
    /// Friction in the step of `motion` to `x`, by the limit, the normal, the contact point, and the slip by rotations up to the
    /// orientations `reference` that are known.
    pub(crate) fn friction(
        &self,
        (world, walls, near): (&World, &[WallStep], &NearWalls),
        x: &State,
        motion: SurfaceMotion,
        reference: &[Quat],
    ) -> Friction<f64, 1> {
        let (i, TangentialSpring { stretch, n, shift, limit, arms, .. }) = (self.particle as usize, &self.tangential);
        let point = motion.turned_from(reference, x).on_wall(x, i, n, arms[0], &walls[self.wall as usize]);
        let point = ContactPoint { shift: motion.slip(shift), ..point };
        let law = motion.wall_law(world, &near.spring(world, i), x, i);
        Friction::new(law, point, Vec3x::from(stretch), Limit::Earlier(*limit))
    }

    /// Updates normal, contact point and friction limit to the `contact` at `x`.
    fn update(
        &mut self,
        (world, walls, near): (&World, &[WallStep], &NearWalls),
        x: &State,
        (motion, rule): (SurfaceMotion, FrictionForce),
        contact: &WallContact,
        sum: &mut LimitChange,
    ) {
        let (i, wall, tangential) = (self.particle as usize, self.wall as usize, &mut self.tangential);
        let n_0 = if self.n_0 == Vec3::zeros() { -contact.n } else { self.n_0 };
        let before = tangential.limit.abs();
        let (depth, n) = (-contact.gaps[1], -contact.n);
        let arm = world.particles.radius[i] - depth;
        let elastic = near.spring(world, i);
        let closing = motion.wall_closing(&elastic, contact, x);
        let push = ClosingSpring { spring: &elastic, closing }.push(depth);
        let limit = Limit::Here(push, Coefficients::on_wall(world, i, wall), f64::from(tangential.slides));
        let point = motion.on_wall(x, i, &n, arm, &walls[wall]).in_rule(rule, (&n_0).into());
        let law = motion.wall_law(world, &elastic, x, i);
        let Friction { limit, .. } = Friction::new(law, point, Vec3x::from(&tangential.stretch), limit);
        sum.add(self.particle, before, limit);
        *tangential = TangentialSpring { n, shift: point.rolled().into(), limit, arms: [arm, 0.0], ..*tangential };
    }
}

/// The spring after the step, none without a normal force. Adds its work to `sum`.
pub(in crate::contact) fn settle_on_wall(
    on: &mut WallTangentialSpring,
    at: (&World, &[WallStep], &NearWalls),
    x: &State,
    motion: SurfaceMotion,
    (rule, reference): (FrictionForce, &[Quat]),
    sum: &mut FrictionWork,
) {
    let friction = on.friction(at, x, motion, reference);
    let (force, [lost, damped]) = friction.work(rule);
    let (i, n, arm) = (on.particle as usize, &on.tangential.n, on.tangential.arms[0]);
    let carried = motion.carried(x, i, n, arm, &at.1[on.wall as usize]);
    *sum += FrictionWork { lost, damped, walls: -Vec3::from(force).dot(&carried), held: 0.0 };
    on.n_0 = on.tangential.n;
    on.tangential = on.tangential.committed(friction.end().into(), friction.slides() != 0);
}

/// Updates the list of a chunk's `particles` on walls. New contacts are added. Contacts that parted are kept until the
/// step is committed.
pub(in crate::contact) fn update_walls(
    springs: &mut Vec<WallTangentialSpring>,
    (world, walls, near): (&World, &[WallStep], &NearWalls),
    particles: impl Iterator<Item = usize>,
    x: &State,
    (motion, rule): (SurfaceMotion, FrictionForce),
    sum: &mut LimitChange,
) {
    // negative for contacts that are yet to be found at x
    springs.iter_mut().for_each(|on| on.tangential.limit = -on.tangential.limit);
    let known = springs.len();
    for i in particles {
        let size = (i, world.particles.contact_radius[i]);
        for (wall, k) in walls.iter().zip(0..) {
            let contacts = motion.wall_contacts(wall, x, size, near.held_faces(i, k));
            if contacts.is_empty() {
                continue;
            }
            let key = (i as u32, k);
            let first = springs[..known].partition_point(|on| on.key() < key);
            let own = springs[first..known].iter().take_while(|on| on.key() == key);
            let own: Normals = own.map(|on| on.tangential.n).collect();
            let all: Normals = contacts.iter().map(|contact| -contact.n).collect();
            for (k, contact) in contacts.iter().enumerate() {
                let at = spring_of(&own, &all, k).map_or(springs.len(), |spring| first + spring);
                if at == springs.len() {
                    let tangential = TangentialSpring::default();
                    springs.push(WallTangentialSpring { particle: key.0, wall: key.1, n_0: Vec3::zeros(), tangential });
                }
                springs[at].update((world, walls, near), x, (motion, rule), contact, sum);
            }
        }
    }
    for on in springs.iter_mut().filter(|on| on.tangential.limit.is_sign_negative()) {
        sum.add(on.particle, -std::mem::take(&mut on.tangential.limit), 0.0);
        on.tangential.shift = Vec3::zeros();
    }
    springs.sort_by_key(WallTangentialSpring::key);
}
