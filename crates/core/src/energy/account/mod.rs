//! Energy account of a run: the work done on a world, its dissipation, and the energy errors of its time steps. With
//! the kinetic energy K, the potential V without damping but with tangential springs, and the energy U of charges,
//!
//! ```text
//! K + V + U = (K + V + U)_0 + walls + loads + held + electric - damping - friction - fracture + numerical + solver
//!             + unaccounted
//! ```
//!
//! where `unaccounted` is the remainder.
//!
//! **A step's part**, from x_0 to x_1, with the displacement dx: translations (m) and world rotation vectors (rad).
//! External forces do the work `F.dx`. F is the force of the time rule: the mean of both ends if explicit, that of the
//! end if implicit. `numerical` is the error of the time rule with all forces balanced:
//!
//! ```text
//! explicit    sum (v_1 - v_0).M ((v_0 + v_1)/2 - dx/dt) + trapezoid errors of contacts and charges    [`by_impulses`]
//! implicit    [dK - (F + loads).dx] + [dV + damping + friction - walls - S.dx]          [`by_inertia`, `by_gradients`]
//! ```
//!
//! *Explicit.* Half kicks by F_0 and F_1 about a drift dx give `dK = 1/2 (F_0 + F_1).dx + dt^2/8 (|F_1|^2 -
//! |F_0|^2)/M`. The first term is exactly -dV for a quadratic V. The second is the change of a function of state: the
//! kinetic energy at full steps minus that in the conserved energy. The formula above states the same by v_1 - v_0 =
//! 1/2 (F_0 + F_1) dt/M and dx/dt = v_0 + 1/2 F_0 dt/M.
//!
//! Where a contact opens or closes within the step, V is far from quadratic. The trapezoidal rule then errs by
//! [`StepFlows::trapezoid_error`], and near other charges by that of their field. Other sharp changes of curvature, and
//! contacts detected late, are unaccounted. Damping forces of bonds lag by half a step. Their power is that at the mean of
//! the velocities that lead to the step's ends. Dashpots do the work of half their force at either end over the step's drift.
//! So do the forces that correct the trapezoidal rule for damped contacts, whose work is `numerical`: see `DashpotPowers`.
//! The midpoint rule has the same first term, zero with forces at the middle, and the second bracket with S at the middle.
//!
//! [`StepFlows::trapezoid_error`]: crate::contact::StepFlows::trapezoid_error
//!
//! *Implicit.* F = M (x_1 - x^)/b^2 is the force of the rule, computed from the states alone. S is the gradient at the
//! end of all terms of Newton's objective, damping and friction included. Damping dissipates its power at the end times
//! the step. The gradient at the end, used for the whole step, errs by the second bracket, -1/2 dx.V''dx. Newton leaves
//! the residual F + S, which does the work
//!
//! ```text
//! solver      (F + S).dx over particles that are not held
//! ```
//!
//! Then only rounding is unaccounted.
//!
//! *Charges.* Explicit steps have their forces f in F at both ends. Implicit steps take f as a load, constant over the step,
//! from the states before. So `numerical` has one more bracket, [dU + f.dx - electric].

mod columns;
mod external_work;
mod fracture;
mod numerical;

use std::array;

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{Constraint, State, World};

use super::gravity;

pub use columns::{Energies, Energy, Flow, Flows};
pub(crate) use external_work::{StepWork, by_force, by_loads};
pub use external_work::{by_holders, by_walls};
pub use fracture::by_fracture;
pub use numerical::shadow_gap;
pub(crate) use numerical::{by_gradients, by_impulse, by_impulses, by_inertia, displacement, kinetic_gain};

/// The energy account of a run, all in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Energies at the start of the run.
    start: EnergySnapshot,
    /// See [`least_scale`].
    floor: f64,
    /// Energy flows since the start.
    pub flows: Flows,
    /// Largest scale, and lowest spurious energy, since the start: see [`Account::balance`].
    scale: f64,
    lowest: f64,
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergySnapshot {
    /// Energies by column.
    pub energies: Energies,
    /// Kinetic energy of the centre of mass; zero with walls, and while particles are held, which define rest.
    pub centre_of_mass: f64,
    /// Kinetic energy, relative to the walls, of particles in contact with moving walls.
    pub struck: f64,
    /// Excess over the energy that an explicit rule conserves (its shadow energy). It returns to zero when a contact ends.
    pub above_shadow: f64,
}

/// Balance of an account, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Unaccounted energy.
    pub unaccounted: f64,
    /// Spurious energy, negative for dissipation: of the time rule, of the solver, and unaccounted. The excess over the
    /// shadow energy is left out, for it returns to zero.
    pub spurious_energy: f64,
    /// Its lowest value since the start.
    lowest: f64,
    /// Reference energy of both.
    pub scale: f64,
}

impl EnergySnapshot {
    /// Snapshot of `state`, whose energies by column are `energies`.
    pub fn new(world: &World, state: &State, energies: Energies) -> Self {
        let (centre_of_mass, struck) = (centre_of_mass(world, state), struck(world, state));
        Self { energies, centre_of_mass, struck, above_shadow: 0.0 }
    }

    /// Energies between which the scale counts exchanges: kinetic, elastic, gravity, electric.
    fn parts(&self) -> [f64; 4] {
        let energies = &self.energies;
        [energies.kinetic(), energies.elastic(), energies[Energy::Gravity], energies[Energy::Electric]]
    }
}

/// Kinetic energy (J) of the centre of mass; zero with walls, and while particles are held, which define rest.
fn centre_of_mass(world: &World, state: &State) -> f64 {
    let mass: f64 = world.particles.mass.iter().sum();
    let momentum: Vec3 = state.v.iter().zip(&world.particles.mass).map(|(v, m)| v * *m).sum();
    let holds = |c: &Constraint| c.motion().is_some() && c.times.contains(&state.time);
    let has_walls = !world.walls.is_empty() || world.constraints.iter().any(holds);
    if mass > 0.0 && !has_walls { 0.5 * momentum.norm_squared() / mass } else { 0.0 }
}

/// Kinetic energy (J) of particles in contact with moving walls, relative to these: the energy that a blow which has just begun
/// will exchange.
fn struck(world: &World, state: &State) -> f64 {
    let moving = world.walls.iter().filter(|wall| !wall.is_fixed());
    let by_wall = moving.map(|wall| {
        let wall = wall.at(state.time);
        let of = |i: usize| {
            let (p, m) = (&state.p[i], world.particles.mass[i]);
            let is_struck = wall.gap(p, world.particles.contact_radius[i]).is_some();
            if is_struck { 0.5 * m * (state.v[i] - wall.velocity(p)).norm_squared() } else { 0.0 }
        };
        (0..state.len()).map(of).sum::<f64>()
    });
    by_wall.sum()
}

/// Energy (J) that scales errors: elastic energy, and kinetic energy without that of the centre of mass. `potential` is
/// the potential energy of `state`, gravity's included.
pub(crate) fn reference_energy(world: &World, state: &State, potential: f64) -> f64 {
    let (linear, spin) = state.kinetic_energy(&world.particles);
    let gravity: f64 =
        state.p.iter().zip(&world.particles.mass).map(|(p, m)| gravity::value(*m, &world.gravity, p)).sum();
    linear + spin - centre_of_mass(world, state) + potential - gravity
}

/// Smallest scale of errors (J): the energy of a strain of 3e-4 at every particle. Such a strain is at the level of Newton's
/// tolerance; glass breaks at twice this strain.
pub(crate) fn least_scale(world: &World) -> f64 {
    /// Strain of the smallest scale.
    const STRAIN: f64 = 3e-4;
    let strained = |i: usize| 0.5 * world.contact_stiffness_of(i) * (STRAIN * world.particles.radius[i]).powi(2);
    (0..world.particles.len()).map(strained).sum()
}

impl Account {
    /// The account of a run of `world` that starts with `start`.
    pub fn new(world: &World, start: EnergySnapshot) -> Self {
        let mut account = Self { start, floor: least_scale(world), ..Self::default() };
        account.balance(&start);
        account
    }

    /// The balance at the energies `now`. Its scale is the largest so far of
    ///
    /// ```text
    /// K - common  +  struck  +  elastic  +  1/2 sum |changes of K, elastic, gravity, electric; flows|
    /// ```
    ///
    /// The first three terms are the energy of relative motion and strain. The last is the energy exchanged between
    /// columns, each joule of which changes two. So the scale does not depend on the zero of heights, nor on the common
    /// velocity of free bodies. The rounding of those energies is added.
    pub fn balance(&mut self, now: &EnergySnapshot) -> Balance {
        /// Relative rounding of gravity and of the common motion, by a wide margin.
        const ROUNDING: f64 = 1e-9;
        // as changes, for gravity's zero may be far away
        let (parts, start) = (now.parts(), self.start.parts());
        let changes: [f64; 4] = array::from_fn(|k| parts[k] - start[k]);
        let [kinetic, elastic, gravity, electric] = parts;
        let unaccounted = changes.iter().sum::<f64>() - self.flows.sum();
        let moved: f64 = changes.iter().chain(self.flows.each()).map(|part| part.abs()).sum();
        let rounding = ROUNDING * (kinetic + gravity.abs() + electric.abs());
        let relative = (kinetic - now.centre_of_mass).max(0.0) + now.struck;
        let scale = relative + elastic + 0.5 * moved + rounding + self.floor;
        self.scale = self.scale.max(scale);
        let spurious_energy = self.flows[Flow::Numerical] + self.flows[Flow::Solver] + unaccounted - now.above_shadow;
        self.lowest = self.lowest.min(spurious_energy);
        Balance { unaccounted, spurious_energy, lowest: self.lowest, scale: self.scale }
    }
}

impl Balance {
    /// Unaccounted energy over the scale.
    pub fn open(&self) -> f64 {
        if self.scale > 0.0 { self.unaccounted.abs() / self.scale } else { 0.0 }
    }

    /// Spurious energy over the scale: the rise above its lowest value.
    pub fn gain(&self) -> f64 {
        if self.scale > 0.0 { (self.spurious_energy - self.lowest) / self.scale } else { 0.0 }
    }

    /// Error of the run's energy: the larger of the two, or NaN.
    pub fn imbalance(&self) -> f64 {
        if self.unaccounted.is_finite() { self.gain().max(self.open()) } else { f64::NAN }
    }
}
