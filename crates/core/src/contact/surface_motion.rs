use crate::geometry::{Quat, Vec3};
use crate::model::{
    Closing, ClosingSpring, ContactSpring, HeldFace, State, WallContact, WallContacts, WallStep, WallSteps, World,
};

use super::ContactPair;

/// Motion of surfaces in contact over each other, and towards each other.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceMotion<'a> {
    /// No motion.
    None,
    /// Motion of particles and walls since this state.
    Since(&'a State),
}

/// Rotation of a particle in a step, as a vector, and its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turned {
    /// 2 Im(q conj(q_0)), rad: the rotation vector from q_0 to q, but for third powers.
    pub theta: Vec3,
    /// q conj(q_0), of which `theta` is made; none where it does not depend on q.
    between: Option<Quat>,
}

impl Turned {
    /// Torque on the particle's rotation for a `torque` on `theta`: the transpose of d theta/d omega times `torque`.
    pub(crate) fn pull_back(&self, torque: &Vec3) -> Vec3 {
        match &self.between {
            Some(q) => torque * q.w + q.imag().cross(torque),
            None => *torque,
        }
    }
}

impl SurfaceMotion<'_> {
    /// The walls in a step that led to `x`.
    pub(crate) fn walls<'a>(&self, world: &'a World, x: &State) -> WallSteps<'a> {
        let from = match self {
            Self::None => x.time,
            Self::Since(before) => before.time,
        };
        world.walls_during([from, x.time])
    }

    /// Closing of two surfaces whose overlap (m) in a state is `overlap`.
    #[inline]
    fn closing(&self, x: &State, overlap: impl Fn(&State) -> f64) -> Closing {
        match self {
            Self::None => Closing::default(),
            Self::Since(before) => Closing { before: overlap(before).max(0.0), rate: 1.0 / (x.time - before.time) },
        }
    }

    /// The spring of `pair` in a step that led to `x`.
    #[inline]
    pub(crate) fn pair_spring<'a>(&self, pair: &'a ContactPair, x: &State) -> ClosingSpring<'a> {
        let overlap = |x: &State| pair.reach - (x.p[pair.j as usize] - x.p[pair.i as usize]).norm();
        let is_damped = pair.spring.damping > 0.0;
        let closing = if is_damped { self.closing(x, overlap) } else { Closing::default() };
        ClosingSpring { spring: &pair.spring, closing }
    }

    /// Closing of a `contact` with a wall in a step that led to `x`.
    #[inline]
    pub(crate) fn wall_closing(&self, spring: &ContactSpring, contact: &WallContact, x: &State) -> Closing {
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
        held: &[HeldFace],
    ) -> WallContacts {
        let mut contacts = match self {
            Self::None => wall.end.contacts(&x.p[i], radius, held),
            Self::Since(before) => wall.contacts([&before.p[i], &x.p[i]], radius, held),
        };
        contacts.retain(|contact| contact.gaps[1] < 0.0);
        contacts
    }

    /// Inverse of the step that led to `x`, 1/s; zero without one, and without damping of contacts.
    #[inline]
    pub(crate) fn rate(&self, world: &World, x: &State) -> f64 {
        match self {
            Self::Since(before) if world.contact_damping > 0.0 => 1.0 / (x.time - before.time),
            _ => 0.0,
        }
    }

    /// Displacement (m) of particle `i`.
    fn moved(&self, x: &State, i: usize) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(before) => x.p[i] - before.p[i],
        }
    }

    /// Rotation of particle `i`.
    pub(crate) fn turned(&self, x: &State, i: usize) -> Turned {
        match self {
            Self::None => Turned { theta: Vec3::zeros(), between: None },
            Self::Since(before) => {
                let between = x.q[i] * before.q[i].conjugate();
                let between = if between.w < 0.0 { -between } else { between };
                Turned { theta: between.imag() * 2.0, between: Some(between) }
            }
        }
    }

    /// Displacement (m) of the surface of i over that of j at the contact point, with the unit normal `n` from i to j and
    /// `arms` (m) from their centres. It includes the part along n.
    pub(crate) fn of_pair(&self, x: &State, [i, j]: [usize; 2], n: &Vec3, arms: [f64; 2]) -> Vec3 {
        if matches!(self, Self::None) {
            return Vec3::zeros();
        }
        let turned = self.turned(x, i).theta * arms[0] + self.turned(x, j).theta * arms[1];
        self.moved(x, i) - self.moved(x, j) + turned.cross(n)
    }

    /// The same for particle `i` on a wall with the outward normal `n`.
    pub(crate) fn on_wall(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> Vec3 {
        if matches!(self, Self::None) {
            return Vec3::zeros();
        }
        self.moved(x, i) - self.carried(x, i, n, arm, wall) - (self.turned(x, i).theta * arm).cross(n)
    }

    /// Displacement (m) of the wall at the contact point.
    pub(crate) fn carried(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(_) => wall.moved(&(x.p[i] - n * arm)),
        }
    }
}
