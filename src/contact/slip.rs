use crate::geometry::{Quat, Vec3};
use crate::model::{Closing, ClosingSpring, ContactSpring, State, WallStep, WallSteps, World};

use super::ContactPair;

/// By what two surfaces that touch have moved over each other, and come together.
#[derive(Clone, Copy, Debug)]
pub enum Slip<'a> {
    /// By nothing.
    None,
    /// By what particles have moved and turned since this state.
    Since(&'a State),
}

/// How a surface slips as its particle turns: a rotation vector and its derivative.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    /// 2 Im(q conj(q_0)), rad: the rotation vector from q_0 to q, but for third powers.
    pub theta: Vec3,
    /// q conj(q_0), of which `theta` is made; none where it does not depend on q.
    between: Option<Quat>,
}

impl Turned {
    /// Torque on the particle's rotation for a `torque` on `theta`: the transpose of d theta/d omega times `torque`.
    pub fn pull_back(&self, torque: &Vec3) -> Vec3 {
        match &self.between {
            Some(q) => torque * q.w + q.imag().cross(torque),
            None => *torque,
        }
    }
}

impl Slip<'_> {
    /// The walls in a step that led to `x`.
    pub fn walls<'a>(&self, world: &'a World, x: &State) -> WallSteps<'a> {
        let from = match self {
            Self::None => x.time,
            Self::Since(before) => before.time,
        };
        world.walls_during([from, x.time])
    }

    /// How two surfaces have come together whose overlap (m) in a state is `overlap`.
    #[inline]
    fn closing(&self, x: &State, overlap: impl Fn(&State) -> f64) -> Closing {
        match self {
            Self::None => Closing::default(),
            Self::Since(before) => Closing { before: overlap(before).max(0.0), rate: 1.0 / (x.time - before.time) },
        }
    }

    /// The spring of `pair` in a step that led to `x`.
    #[inline]
    pub fn pair_spring<'a>(&self, pair: &'a ContactPair, x: &State) -> ClosingSpring<'a> {
        let overlap = |x: &State| pair.reach - (x.p[pair.j as usize] - x.p[pair.i as usize]).norm();
        let is_damped = pair.spring.damping > 0.0;
        let closing = if is_damped { self.closing(x, overlap) } else { Closing::default() };
        ClosingSpring { spring: &pair.spring, closing }
    }

    /// How particle `i`, of a `radius` (m), has come to a wall in a step that led to `x`.
    #[inline]
    pub fn wall_closing(
        &self,
        spring: &ContactSpring,
        wall: &WallStep,
        x: &State,
        (i, radius): (usize, f64),
    ) -> Closing {
        let overlap = |before: &State| wall.start.gap(&before.p[i], radius).map_or(0.0, |gap| -gap);
        if spring.damping > 0.0 { self.closing(x, overlap) } else { Closing::default() }
    }

    /// How far (m) particle `i` has moved.
    fn moved(&self, x: &State, i: usize) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(before) => x.p[i] - before.p[i],
        }
    }

    /// How far particle `i` has turned.
    pub fn turned(&self, x: &State, i: usize) -> Turned {
        match self {
            Self::None => Turned { theta: Vec3::zeros(), between: None },
            Self::Since(before) => {
                let between = x.q[i] * before.q[i].conjugate();
                let between = if between.w < 0.0 { -between } else { between };
                Turned { theta: between.imag() * 2.0, between: Some(between) }
            }
        }
    }

    /// How far (m) the surface of i has moved off that of j where they touch, with the unit normal `n` from i to j and
    /// `arms` (m) from their centres; its part along n is not taken off.
    pub fn of_pair(&self, x: &State, [i, j]: [usize; 2], n: &Vec3, arms: [f64; 2]) -> Vec3 {
        if matches!(self, Self::None) {
            return Vec3::zeros();
        }
        let turned = self.turned(x, i).theta * arms[0] + self.turned(x, j).theta * arms[1];
        self.moved(x, i) - self.moved(x, j) + turned.cross(n)
    }

    /// The same of particle `i` on a wall whose outward normal is `n`.
    pub fn on_wall(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> Vec3 {
        if matches!(self, Self::None) {
            return Vec3::zeros();
        }
        self.moved(x, i) - self.carried(x, i, n, arm, wall) - (self.turned(x, i).theta * arm).cross(n)
    }

    /// How far (m) the wall has moved where the particle touches it.
    pub fn carried(&self, x: &State, i: usize, n: &Vec3, arm: f64, wall: &WallStep) -> Vec3 {
        match self {
            Self::None => Vec3::zeros(),
            Self::Since(_) => wall.moved(&(x.p[i] - n * arm)),
        }
    }
}
