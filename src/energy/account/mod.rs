//! Where the energy of a run goes: what is done to a world from outside, what it loses, and what its time steps make or
//! take. With K the kinetic energy and V the potential without damping, friction's springs included,
//!
//! ```text
//! K + V = (K + V)_0 + walls + loads + held - damping - friction - fracture + numerical + solver + unaccounted
//! ```
//!
//! where nothing answers for what is `unaccounted`.
//!
//! **A step's part**, from x_0 to x_1, dx being the way between: displacements (m) and world rotation vectors (rad).
//! Forces that push from outside do `F.dx`, F being the one that the rule goes by: the mean of the beginning's and the
//! end's where it is explicit, the end's where it is implicit. `numerical` is what the time rule adds where all forces are
//! balanced:
//!
//! ```text
//! explicit    sum (v_1 - v_0).M ((v_0 + v_1)/2 - dx/dt) + bends of contacts            [`by_impulses`, `by_contacts`]
//! implicit    [dK - (F + loads).dx] + [dV + damping + friction - walls - S.dx]         [`by_inertia`, `by_slopes`]
//! ```
//!
//! *Explicit.* Half kicks by F_0 and F_1 about a drift dx make `dK = 1/2 (F_0 + F_1).dx + dt^2/8 (|F_1|^2 - |F_0|^2)/M`:
//! the first is exactly -dV where V is quadratic, the second the change of a function of state, by which kinetic energy
//! at full steps is greater than the energy that the rule keeps. In terms of states it is the formula above, for v_1 -
//! v_0 = 1/2 (F_0 + F_1) dt/M and dx/dt = v_0 + 1/2 F_0 dt/M. Where a contact begins or ends on the way V is far from quadratic, and
//! the mean of the forces off by what [`by_contacts`] finds; what is unaccounted for are other bends of V sharper than a step is
//! short, and contacts that were seen too late. Damping's forces lag by half a step, and lose their power at the mean of the
//! velocities that lead to the step's ends. The midpoint rule has the same, zero with forces of the middle, and the second
//! bracket with S of the middle.
//!
//! *Implicit.* F = M (x_1 - x^)/b^2 is the force that the rule had, by the states alone, and S the slope at the end of all
//! that Newton's objective has, damping and friction included; damping loses its power at the end times the step. A slope of
//! the end that is taken for that of the whole step is off by the second bracket, -1/2 dx.V''dx. Newton leaves F + S, which is
//! no force of the world's and yet works:
//!
//! ```text
//! solver      (F + S).dx over particles that are not held
//! ```
//!
//! Nothing is unaccounted for then but rounding: all that forces do not answer for, the step made.

mod contacts;
mod flows;
mod fracture;
mod numerical;
mod work;

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{State, World};

use super::{Energies, gravity};

pub use contacts::{ByContacts, by_contacts};
pub use flows::Flows;
pub use fracture::by_fracture;
pub use numerical::{ByInertia, by_impulse, by_impulses, by_inertia, by_slopes, kinetic_gain, way};
pub use work::{by_holders, by_loads, by_walls};

/// The energy account of a run, all in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// What the run began with.
    start: Stock,
    /// Energy that is nothing to speak of: see [`Account::new`].
    little: f64,
    /// What came and went since.
    pub flows: Flows,
    /// The greatest scale so far, and the least that time steps made: see [`Account::balance`].
    scale: f64,
    lowest: f64,
}

/// What a world has at a moment, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stock {
    /// Kinetic energy.
    pub kinetic: f64,
    /// That of the motion of all together, where nothing else says what rests: no wall, and nothing that is held.
    pub common: f64,
    /// Of bonds, contacts and walls: never below zero.
    pub elastic: f64,
    /// Of gravity, zero at the origin.
    pub gravity: f64,
}

/// How an account stands, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// What came from nowhere.
    pub unaccounted: f64,
    /// What time steps made (negative: took): the rule, the solver, and what is unaccounted for.
    pub made: f64,
    /// The lowest that this was so far.
    lowest: f64,
    /// What these are measured by.
    pub scale: f64,
}

impl Stock {
    /// Of a `state` that has the potential energies `potential`.
    pub fn new(world: &World, state: &State, potential: &Energies) -> Self {
        let (linear, spin) = state.kinetic_energy(&world.particles);
        let (common, gravity) = (common(world, state), potential.gravity);
        Self { kinetic: linear + spin, common, elastic: potential.total() - gravity, gravity }
    }
}

/// Kinetic energy (J) of the motion of all together, where nothing else says what rests: no wall, and nothing that is held.
fn common(world: &World, state: &State) -> f64 {
    let mass: f64 = world.particles.mass.iter().sum();
    let momentum: Vec3 = state.v.iter().zip(&world.particles.mass).map(|(v, m)| v * *m).sum();
    let has_walls = !world.colliders.is_empty() || world.constraints.iter().any(|c| c.motion().is_some());
    if mass > 0.0 && !has_walls { 0.5 * momentum.norm_squared() / mass } else { 0.0 }
}

/// Energy (J) at play in a `state` whose potential energy, gravity's included, is `potential`: kinetic energy without that of the
/// common motion, and what is strained.
pub fn at_play(world: &World, state: &State, potential: f64) -> f64 {
    let (linear, spin) = state.kinetic_energy(&world.particles);
    let gravity: f64 =
        state.p.iter().zip(&world.particles.mass).map(|(p, m)| gravity::value(*m, &world.gravity, p)).sum();
    linear + spin - common(world, state) + potential - gravity
}

impl Account {
    /// Of a run of `world` that begins with `start`. What strains of 3e-4 at every particle hold always counts as at play: they
    /// are about what Newton's iterations may leave, and glass breaks at twice as much.
    pub fn new(world: &World, start: Stock) -> Self {
        const STRAIN: f64 = 3e-4;
        let strained = |i: usize| 0.5 * world.contact_stiffness_of(i) * (STRAIN * world.particles.radius[i]).powi(2);
        let little = (0..world.particles.len()).map(strained).sum();
        let mut account = Self { start, little, ..Self::default() };
        account.balance(&start);
        account
    }

    /// How the account stands where the world has `now`. Its scale is the greatest so far of
    ///
    /// ```text
    /// K - common  +  elastic  +  1/2 sum |changes of K, elastic, gravity; flows|
    /// ```
    ///
    /// the energy of particles' motion, and of what is strained; and what has gone over from one column to another, each joule of
    /// which changes two. So it depends neither on where heights are counted from nor, where nothing is at rest, on how
    /// fast all moves; less than rounding makes of these is nothing.
    pub fn balance(&mut self, now: &Stock) -> Balance {
        /// Of the energies that do not count in themselves: far above their rounding.
        const ROUNDING: f64 = 1e-9;
        // changes, for gravity's zero may be far away
        let Stock { kinetic, elastic, gravity, .. } = self.start;
        let changes = [now.kinetic - kinetic, now.elastic - elastic, now.gravity - gravity];
        let unaccounted = changes.iter().sum::<f64>() - self.flows.sum();
        let moved: f64 = changes.iter().chain(&self.flows.each()).map(|part| part.abs()).sum();
        let rounding = ROUNDING * (now.kinetic + now.gravity.abs());
        let scale = (now.kinetic - now.common).max(0.0) + now.elastic + 0.5 * moved + rounding + self.little;
        self.scale = self.scale.max(scale);
        let made = self.flows.numerical + self.flows.solver + unaccounted;
        self.lowest = self.lowest.min(made);
        Balance { unaccounted, made, lowest: self.lowest, scale: self.scale }
    }
}

impl Balance {
    /// By what share of its scale the account is open.
    pub fn open(&self) -> f64 {
        if self.scale > 0.0 { self.unaccounted.abs() / self.scale } else { 0.0 }
    }

    /// Energy from nothing, as a share of the scale: how far what time steps made has risen above its lowest.
    pub fn gain(&self) -> f64 {
        if self.scale > 0.0 { (self.made - self.lowest) / self.scale } else { 0.0 }
    }

    /// What speaks against the run: the greater of the two, NaN where anything is.
    pub fn fault(&self) -> f64 {
        if self.unaccounted.is_finite() { self.gain().max(self.open()) } else { f64::NAN }
    }
}
