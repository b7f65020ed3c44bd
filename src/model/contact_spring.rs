//! Contact force of two surfaces with the overlap o (m).
//!
//! # Elastic
//!
//! ```text
//! linear   P = k o                    \[IBDEM\] eqs 32, 33
//! Hertz    P = k o sqrt(o/D)          \[RODR\] eqs 56, 57
//! soft     P = k o^2/(2 s),  k (o - s/2) from o = s on: the linear law with a continuous stiffness
//! ```
//!
//! # Damping
//!
//! A dashpot acts in parallel with the spring, c(o) = 2 zeta b sqrt(m P'(o)), with the reduced mass m:
//!
//! ```text
//! F = max(0, P(o) + c(o) do/dt)
//! ```
//!
//! Two spheres that approach at a speed v separate at e v where
//!
//! ```text
//! e = exp(-2 zeta arccos(zeta)/sqrt(1 - zeta^2))
//! ```
//!
//! for the linear law with b = 1: Schwager and Poschel, "Coefficient of restitution and linear-dashpot model revisited"
//! (2007), whose contact ends with the force. Hertz's law with b = sqrt(5/6) has the same e at every speed. With u =
//! sqrt(4/5) D^(-1/4) o^(5/4) it is the same motion in the plane of u and do/dt (Antypov and Elliott, "On an analytical
//! solution for the damped Hertzian spring", 2011).
//!
//! In a step that takes an overlap from o_0 to o the dashpot's force is (C(o) - C(o_0))/dt, C' = c. It has a potential,
//! so that implicit steps minimise it. Explicit ones lag half a step, as with the damping of bonds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Normal contact law of two spheres, or of a sphere and a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactLaw {
    /// Proportional to the overlap (\[IBDEM\] eqs 32, 33).
    #[default]
    Linear,
    /// Proportional to its power of 3/2, as of elastic spheres (\[RODR\] eqs 56, 57).
    Hertz,
}

/// A normal force as a function of the overlap o >= 0 (m) of two surfaces.
pub trait Spring {
    /// Energy, J.
    fn energy(&self, overlap: f64) -> f64;

    /// Force, N.
    fn push(&self, overlap: f64) -> f64;

    /// Tangent stiffness, N/m.
    fn stiffness(&self, overlap: f64) -> f64;
}

/// Normal spring of a contact: for an overlap o (m) the energy is k o^2/2, or by Hertz 2/5 k D^2 (o/D)^(5/2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpring {
    pub law: ContactLaw,
    /// N/m.
    pub k: f64,
    /// D, m: distance of two centres at first contact. A wall's overlap is half of that with a mirror image. So for a
    /// wall D is the radius, and k is four times the particle's.
    pub size: f64,
    /// s, m: overlap below which the linear law is soft.
    pub softening: f64,
    /// Coefficient c at the stiffness k, N s/m.
    pub damping: f64,
}

impl Spring for ContactSpring {
    #[inline(always)]
    fn energy(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.k * (o * o * o) / (6.0 * self.softening),
            ContactLaw::Linear => {
                let s = self.softening;
                0.5 * self.k * ((o - 0.5 * s).powi(2) + s * s / 12.0)
            }
            ContactLaw::Hertz => 0.4 * self.push(o) * o,
        }
    }

    #[inline(always)]
    fn push(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.k * (o * o) / (2.0 * self.softening),
            ContactLaw::Linear => self.k * (o - 0.5 * self.softening),
            ContactLaw::Hertz => self.k * o * (o / self.size).sqrt(),
        }
    }

    #[inline(always)]
    fn stiffness(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.k * o / self.softening,
            ContactLaw::Linear => self.k,
            ContactLaw::Hertz => 1.5 * self.k * (o / self.size).sqrt(),
        }
    }
}

impl ContactSpring {
    /// The spring with a damping ratio `zeta` for the reduced mass `m` (kg).
    pub fn damped(self, zeta: f64, m: f64) -> Self {
        /// 2 b sqrt(3/2), since P' is 3/2 k sqrt(o/D).
        const HERTZ: f64 = 2.236_067_977_499_79;
        let factor = match self.law {
            ContactLaw::Linear => 2.0,
            ContactLaw::Hertz => HERTZ,
        };
        Self { damping: factor * zeta * (m * self.k).sqrt(), ..self }
    }

    /// c, N s/m.
    fn resistance(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.damping * (o / self.softening).sqrt(),
            ContactLaw::Linear => self.damping,
            ContactLaw::Hertz => self.damping * (o / self.size).sqrt().sqrt(),
        }
    }

    /// C, the integral of c, N s.
    fn impulse(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.resistance(o) * o / 1.5,
            ContactLaw::Linear => self.damping * (o - self.softening / 3.0),
            ContactLaw::Hertz => self.resistance(o) * o / 1.25,
        }
    }

    /// The integral of C, J s.
    fn action(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear if o < self.softening => self.impulse(o) * o / 2.5,
            ContactLaw::Linear => {
                let s = self.softening;
                // C(s) s/2.5 at o = s
                self.damping * (0.5 * (o * o - s * s) - s / 3.0 * (o - s) + s * s / 3.75)
            }
            ContactLaw::Hertz => self.impulse(o) * o / 2.25,
        }
    }
}

/// Closing of two surfaces in a step: from the overlap `before` (m, >= 0), in 1/`rate` seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closing {
    pub before: f64,
    /// Inverse of the time step, 1/s; zero without damping.
    pub rate: f64,
}

/// A contact's spring and dashpot in a step.
#[derive(Clone, Copy, Debug)]
pub struct ClosingSpring<'a> {
    pub spring: &'a ContactSpring,
    pub closing: Closing,
}

impl ClosingSpring<'_> {
    fn is_damped(&self) -> bool {
        self.closing.rate * self.spring.damping > 0.0
    }

    /// P + (C - C_0)/dt, N: negative where the dashpot would pull.
    fn force(&self, o: f64) -> f64 {
        let Closing { before, rate } = self.closing;
        self.spring.push(o) + (self.spring.impulse(o) - self.spring.impulse(before)) * rate
    }

    /// Force of the dashpot, N: negative in opening.
    pub fn resistance(&self, o: f64) -> f64 {
        self.push(o) - self.spring.push(o)
    }

    fn tangent_stiffness(&self, o: f64) -> f64 {
        self.spring.stiffness(o) + self.spring.resistance(o) * self.closing.rate
    }

    /// [`Spring::stiffness`] in contact, and that at first contact otherwise.
    pub fn stiffness_about(&self, o: f64) -> f64 {
        if o > 0.0 { self.stiffness(o) } else { self.tangent_stiffness(0.0) }
    }

    /// Overlap (m) at which [`Self::force`] is zero.
    fn start(&self) -> f64 {
        let mut o = self.closing.before;
        if o == 0.0 || !self.is_damped() {
            return 0.0;
        }
        // the force is convex and increasing: Newton's iterates from above stay above, and one suffices for a linear
        // force
        for _ in 0..60 {
            let next = (o - self.force(o) / self.tangent_stiffness(o)).max(0.0);
            if next >= o * (1.0 - 1e-15) {
                break;
            }
            o = next;
        }
        o
    }
}

impl Spring for ClosingSpring<'_> {
    fn energy(&self, o: f64) -> f64 {
        if !self.is_damped() {
            return self.spring.energy(o);
        }
        let (start, Closing { before, rate }) = (self.start(), self.closing);
        if o <= start {
            return 0.0;
        }
        let action = self.spring.action(o) - self.spring.action(start) - self.spring.impulse(before) * (o - start);
        self.spring.energy(o) - self.spring.energy(start) + action * rate
    }

    fn push(&self, o: f64) -> f64 {
        if self.is_damped() { self.force(o).max(0.0) } else { self.spring.push(o) }
    }

    fn stiffness(&self, o: f64) -> f64 {
        match self.is_damped() {
            false => self.spring.stiffness(o),
            true if self.force(o) > 0.0 => self.tangent_stiffness(o),
            true => 0.0,
        }
    }
}

/// Damping ratio zeta for a coefficient of restitution in (0, 1]: see the module.
pub fn damping_ratio(restitution: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while restitution_of(high) > restitution {
        high *= 2.0;
    }
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if restitution_of(mid) > restitution { low = mid } else { high = mid }
    }
    if restitution < 1.0 { 0.5 * (low + high) } else { 0.0 }
}

/// Coefficient of restitution for a damping ratio: e of the module, or beyond critical damping its form with a
/// hyperbolic cosine.
pub fn restitution_of(zeta: f64) -> f64 {
    let past = 1.0 - zeta * zeta;
    let ratio = if past.abs() < 1e-12 {
        1.0
    } else if past > 0.0 {
        libm::acos(zeta) / past.sqrt()
    } else {
        libm::acosh(zeta) / (-past).sqrt()
    };
    libm::exp(-2.0 * zeta * ratio)
}
