use crate::geometry::{Quat, Vec3};
use crate::model::{
    Closing, DampedNormalSpring, KeptFace, NormalSpring, State, WallContact, WallContacts, WallStep, WallSteps, World,
};
use crate::neighbours::ContactPair;
use crate::simd::Vec3x;

use super::friction::{ContactPoint, TangentialLaw};
use super::lanes::Turn;

/// Motion of surfaces in contact over each other, and towards each other.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceMotion<'a> {
    /// No motion.
    None,
    /// Motion of particles and walls since this state.
    Since(&'a State),
    /// The same with the rotations of particles since these orientations.
    Turned(&'a State, &'a [Quat]),
}

impl<'a> SurfaceMotion<'a> {
    /// The state at the start of the step that led to `x`.
    pub(super) fn start(&self, x: &'a State) -> &'a State {
        match self {
            Self::None => x,
            Self::Since(before) | Self::Turned(before, _) => before,
        }
    }

    /// The same with the rotations of particles since the orientations `reference`, if there are any.
    pub(crate) fn turned_from(self, reference: &'a [Quat], x: &'a State) -> Self {
        match self {
            Self::Since(_) if !reference.is_empty() => Self::Turned(self.start(x), reference),
            _ => self,
        }
    }

    /// The walls in that step.
    pub(crate) fn walls<'w>(&self, world: &'w World, x: &State) -> WallSteps<'w> {
        world.walls_during([self.start(x).time, x.time])
    }

    /// Inverse of that step, 1/s; zero without one, and without damping of contacts.
    #[inline]
    pub(crate) fn rate(&self, world: &World, x: &State) -> f64 {
        match self {
            Self::Since(before) | Self::Turned(before, _) if world.contact_damping > 0.0 => {
                1.0 / (x.time - before.time)
            }
            _ => 0.0,
        }
    }

    /// Closing of two surfaces whose overlap (m) in a state is `overlap`.
    #[inline]
    fn closing(&self, x: &State, overlap: impl Fn(&State) -> f64) -> Closing {
        match self {
            Self::None => Closing::default(),
            Self::Since(before) | Self::Turned(before, _) => {
                Closing { before: overlap(before).max(0.0), rate: 1.0 / (x.time - before.time) }
            }
        }
    }

    /// The spring of `pair` in a step that led to `x`.
    #[inline]
    pub(crate) fn pair_normal_spring<'p>(&self, pair: &'p ContactPair, x: &State) -> DampedNormalSpring<'p> {
        let overlap = |x: &State| pair.reach - (x.p[pair.j as usize] - x.p[pair.i as usize]).norm();
        let is_damped = pair.spring.damping > 0.0;
        let closing = if is_damped { self.closing(x, overlap) } else { Closing::default() };
        DampedNormalSpring { spring: &pair.spring, closing }
    }

    /// Closing of a `contact` with a wall in a step that led to `x`.
    #[inline]
    pub(crate) fn wall_closing(&self, spring: &NormalSpring, contact: &WallContact, x: &State) -> Closing {
        if spring.damping > 0.0 { self.closing(x, |_| -contact.gaps[0]) } else { Closing::default() }
    }

    /// Contacts at `x` of particle `i`, of a `radius` (m), with a wall in a step that led to it. The particle's centre was behind
    /// the faces `held`.
    #[inline]
    pub(crate) fn wall_contacts(
        &self,
        wall: &WallStep,
        x: &State,
        (i, radius): (usize, f64),
        held: &[KeptFace],
    ) -> WallContacts {
        let mut contacts = match self {
            Self::None => wall.end.contacts(&x.p[i], radius, held),
            Self::Since(before) | Self::Turned(before, _) => wall.contacts([&before.p[i], &x.p[i]], radius, held),
        };
        contacts.retain(|contact| contact.gaps[1] < 0.0);
        contacts
    }

    /// Contact point of particle `i` on a wall, with the unit normal `n` to the wall.
    pub(crate) fn on_wall(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> ContactPoint<f64, 1> {
        let moved = self.moved(x, i) - self.carried(x, i, n, arm, wall);
        let (moved, turns) = (Vec3x::from(&moved), [self.turn(x, i)]);
        ContactPoint { n: n.into(), arms: [arm], moved, turns, shift: Vec3x::splat(0.0) }
    }

    /// Displacement (m) of the wall there.
    pub(super) fn carried(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(_) | Self::Turned(..) => wall.moved(&(x.p[i] + n * arm)),
        }
    }

    /// Tangential law of a particle on a wall in the step, with this normal `spring` and these overlaps (m) at the start and now.
    pub(crate) fn wall_law(
        &self,
        world: &World,
        spring: &NormalSpring,
        x: &State,
        overlaps: [f64; 2],
    ) -> TangentialLaw {
        TangentialLaw::new(spring, spring.damping * self.rate(world, x), overlaps)
    }

    /// The slip (m) by rotations that is known.
    pub(crate) fn slip(&self, known: &Vec3) -> Vec3x<f64> {
        match self {
            Self::None => Vec3x::splat(0.0),
            Self::Since(_) | Self::Turned(..) => known.into(),
        }
    }

    /// Displacement (m) of particle `i`.
    fn moved(&self, x: &State, i: usize) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(before) | Self::Turned(before, _) => x.p[i] - before.p[i],
        }
    }

    /// Rotation of particle `i`.
    fn turn(&self, x: &State, i: usize) -> Turn<f64> {
        match self {
            Self::None => Turn::NONE,
            Self::Since(before) => Turn::load([&before.q, &x.q], &[i as u32]),
            Self::Turned(_, reference) => Turn::load([reference, &x.q], &[i as u32]),
        }
    }
}
