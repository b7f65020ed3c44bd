//! Explicit variational integrators of \[RODR\]. Orientations are rescaled Rodrigues parameters,
//! alpha = 2 tan(|theta|/2) theta/|theta| (eq 3), which compose without trigonometry.
//!
//! In the inertial frame all three kick and drift as Verlet does. They differ in the rotation `dalpha` for an angular velocity
//! W and a step h, and in the time of W:
//!
//! ```text
//! (23)  dalpha = 2h/(1 + sqrt(1 - h^2 |W|^2)) W    W = w_k + h/(2J) torque_k     the discrete Lagrangian's own
//! (25)  dalpha = h W                               W = w_k + h/(2J) torque_k     to second order the same
//! (27)  dalpha = h W                               W = w_k + h/J torque_k = w_(k+1)     symplectic Euler
//! ```
//!
//! alpha is singular at a rotation by pi. So orientations are kept as quaternions and multiplied by
//! (dalpha/2, 1)/|(dalpha/2, 1)|.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::geometry::{Quat, Vec3};
use crate::model::World;

use super::{Explicit, Integrator, Rule};

/// Settings of an integrator with Rodrigues parameters.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rodrigues {
    /// Equation of \[RODR\] for the rotation of a step.
    pub map: RodriguesMap,
}

/// Equation numbers of \[RODR\].
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
#[cfg_attr(feature = "schema", schemars(with = "u32", extend("enum" = [23, 25, 27])))]
pub enum RodriguesMap {
    /// Second order. No particle may rotate by more than a right angle in a step.
    Lagrangian = 23,
    /// Second order.
    #[default]
    Newmark = 25,
    /// First order.
    SymplecticEuler = 27,
}

impl RodriguesMap {
    /// All maps.
    pub(crate) const ALL: [Self; 3] = [Self::Lagrangian, Self::Newmark, Self::SymplecticEuler];
}

impl Rodrigues {
    /// Integrator for `world`.
    pub fn build(self, world: &World) -> Box<dyn Integrator> {
        match self.map {
            RodriguesMap::Lagrangian => Box::new(Explicit::<Map<23>>::new(world)),
            RodriguesMap::Newmark => Box::new(Explicit::<Map<25>>::new(world)),
            RodriguesMap::SymplecticEuler => Box::new(Explicit::<Map<27>>::new(world)),
        }
    }
}

/// Suffix of the integrator's name: empty by default.
impl fmt::Display for Rodrigues {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.map {
            map if map == RodriguesMap::default() => Ok(()),
            map => write!(f, " with map {}", u32::from(map)),
        }
    }
}

impl From<RodriguesMap> for u32 {
    fn from(map: RodriguesMap) -> Self {
        map as Self
    }
}

impl TryFrom<u32> for RodriguesMap {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        let all = [Self::Lagrangian, Self::Newmark, Self::SymplecticEuler];
        let found = all.into_iter().find(|map| u32::from(*map) == number);
        found.ok_or_else(|| format!("the map is {number}, but must be 23, 25 or 27: equations of [RODR]"))
    }
}

/// The rule of an equation of \[RODR\].
#[derive(Debug)]
pub struct Map<const EQUATION: u32>;

impl Rule for Map<23> {
    const KICKS: [f64; 2] = [0.5, 0.5];

    #[inline(always)]
    fn turn(theta: &Vec3) -> Quat {
        by_parameters(&(theta * (2.0 / (1.0 + (1.0 - theta.norm_squared()).sqrt()))))
    }

    /// Condition of eq 16, which lacks the square in print: a rotation of less than a right angle.
    #[inline(always)]
    fn is_within_reach(theta: &Vec3) -> bool {
        theta.norm_squared() <= 1.0
    }
}

impl Rule for Map<25> {
    const KICKS: [f64; 2] = [0.5, 0.5];

    #[inline(always)]
    fn turn(theta: &Vec3) -> Quat {
        by_parameters(theta)
    }
}

impl Rule for Map<27> {
    const KICKS: [f64; 2] = [1.0, 0.0];

    #[inline(always)]
    fn turn(theta: &Vec3) -> Quat {
        by_parameters(theta)
    }
}

/// Rotation of rescaled Rodrigues parameters (eq 4).
#[inline(always)]
fn by_parameters(alpha: &Vec3) -> Quat {
    let half = alpha * 0.5;
    let w = 1.0 / (1.0 + half.norm_squared()).sqrt();
    Quat::from_parts(w, half * w)
}
