use crate::contact::friction::{ContactPoint, Friction, FrictionForce, Limit};
use crate::contact::springs::{FrictionWork, Normals, TangentialSpring, WallTangentialSpring, spring_of};
use crate::contact::{LimitChange, NearWalls, SurfaceMotion};
use crate::geometry::{Quat, Vec3};
use crate::model::{Coefficients, DampedNormalSpring, NormalPotential, State, WallContact, WallStep, World};
use crate::simd::Vec3x;

use super::LaggedPoint;

/// Friction of a particle on a wall in an implicit step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallFriction {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the wall.
    pub wall: u32,
    /// Tangential spring at the start; that of a new contact has no normal.
    pub from: TangentialSpring,
    /// Contact point and friction limit of an earlier state.
    pub point: LaggedPoint,
}

/// World, walls in a step, and particles near them.
type Walls<'a> = (&'a World, &'a [WallStep<'a>], &'a NearWalls);

impl WallFriction {
    /// Friction at rest of a spring.
    pub(crate) fn of(on: &WallTangentialSpring) -> Self {
        let TangentialSpring { n, limit, depth, .. } = on.tangential;
        let point = LaggedPoint { n, limit, shift: Vec3::zeros(), depth };
        Self { particle: on.particle, wall: on.wall, from: on.tangential, point }
    }

    fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }

    /// Distance (m) of the contact point from the particle's centre.
    pub(crate) fn arm(&self, world: &World) -> f64 {
        world.particles.radius[self.particle as usize] - self.point.depth
    }

    /// Friction in the step of `motion` to `x`, by the limit, the normal, the contact point, and the slip by rotations up to the
    /// orientations `reference` that are known.
    pub(crate) fn friction(
        &self,
        (world, walls, near): Walls,
        x: &State,
        motion: SurfaceMotion,
        reference: &[Quat],
    ) -> Friction<f64, 1> {
        let (i, LaggedPoint { n, shift, limit, .. }) = (self.particle as usize, &self.point);
        let wall = &walls[self.wall as usize];
        let point = motion.turned_from(reference, x).on_wall(x, i, n, self.arm(world), wall);
        let point = ContactPoint { shift: motion.slip(shift), ..point };
        let law = motion.wall_law(world, &near.spring(world, i), x, [self.from.depth, self.point.depth]);
        Friction::new(law, point, Vec3x::from(&self.from.stretch), Limit::Earlier(*limit))
    }

    /// Updates normal, contact point and friction limit to the `contact` at `x`.
    fn update(
        &mut self,
        (world, walls, near): Walls,
        x: &State,
        (motion, rule): (SurfaceMotion, FrictionForce),
        contact: &WallContact,
        sum: &mut LimitChange,
    ) {
        let (i, wall) = (self.particle as usize, self.wall as usize);
        let (depth, n) = (-contact.gaps[1], -contact.n);
        let n_0 = if self.from.n == Vec3::zeros() { n } else { self.from.n };
        let arm = world.particles.radius[i] - depth;
        let elastic = near.spring(world, i);
        let closing = motion.wall_closing(&elastic, contact, x);
        let push = DampedNormalSpring { spring: &elastic, closing }.push(depth);
        let limit = Limit::Here(push, Coefficients::on_wall(world, i, wall), f64::from(self.from.slides));
        let point = motion.on_wall(x, i, &n, arm, &walls[wall]).in_rule(rule, (&n_0).into());
        let law = motion.wall_law(world, &elastic, x, [self.from.depth, depth]);
        let Friction { limit, .. } = Friction::new(law, point, Vec3x::from(&self.from.stretch), limit);
        sum.add(self.particle, self.point.limit.abs(), limit);
        self.point = LaggedPoint { n, limit, shift: point.rolled().into(), depth };
    }

    /// The spring after the step, none without a normal force, and its work.
    pub(super) fn settled(
        &self,
        at: Walls,
        x: &State,
        motion: SurfaceMotion,
        (rule, reference): (FrictionForce, &[Quat]),
    ) -> (Option<WallTangentialSpring>, FrictionWork) {
        let friction = self.friction(at, x, motion, reference);
        let (force, [by_sliding, damped]) = friction.work(rule);
        let LaggedPoint { n, limit, depth, .. } = self.point;
        let wall = &at.1[self.wall as usize];
        let carried = motion.carried(x, self.particle as usize, &n, self.arm(at.0), wall);
        let work = FrictionWork { by_sliding, damped, walls: -Vec3::from(force).dot(&carried), held: 0.0 };
        let (stretch, slides) = (friction.end().into(), friction.slides() != 0);
        let tangential = TangentialSpring { stretch, slides, n, limit, depth };
        let spring = WallTangentialSpring { particle: self.particle, wall: self.wall, tangential };
        (tangential.is_loaded().then_some(spring), work)
    }
}

/// Updates the list of a chunk's `particles` on walls. New contacts are added. Contacts that parted stay for the rest of the step.
pub(super) fn update_walls(
    list: &mut Vec<WallFriction>,
    (world, walls, near): Walls,
    particles: impl Iterator<Item = usize>,
    x: &State,
    (motion, rule): (SurfaceMotion, FrictionForce),
    sum: &mut LimitChange,
) {
    // negative for contacts that are yet to be found at x
    list.iter_mut().for_each(|on| on.point.limit = -on.point.limit);
    let known = list.len();
    for i in particles {
        let size = (i, world.particles.contact_radius[i]);
        for (wall, k) in walls.iter().zip(0..) {
            let contacts = motion.wall_contacts(wall, x, size, near.kept_faces(i, k));
            if contacts.is_empty() {
                continue;
            }
            let key = (i as u32, k);
            let first = list[..known].partition_point(|on| on.key() < key);
            let own = list[first..known].iter().take_while(|on| on.key() == key);
            let own: Normals = own.map(|on| on.point.n).collect();
            let all: Normals = contacts.iter().map(|contact| -contact.n).collect();
            for (k, contact) in contacts.iter().enumerate() {
                let at = spring_of(&own, &all, k).map_or(list.len(), |spring| first + spring);
                if at == list.len() {
                    let (from, point) = (TangentialSpring::default(), LaggedPoint::default());
                    list.push(WallFriction { particle: key.0, wall: key.1, from, point });
                }
                list[at].update((world, walls, near), x, (motion, rule), contact, sum);
            }
        }
    }
    for on in list.iter_mut().filter(|on| on.point.limit.is_sign_negative()) {
        sum.add(on.particle, -std::mem::take(&mut on.point.limit), 0.0);
        on.point.shift = Vec3::zeros();
    }
    list.sort_by_key(WallFriction::key);
}
