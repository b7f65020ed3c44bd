//! Contact force of two surfaces with the overlap o (m).
//!
//! # Elastic
//!
//! ```text
//! linear   P = k o                    \[IBDEM\] eqs 32, 33
//! Hertz    P = k o sqrt(o/D)          elastic spheres: D = R*, k = 4/3 E* R*, see `elastic_surface`
//! Rodrigues-Hertz    the same         \[RODR\] eqs 56, 57: D the distance of the centres, k of the linear law
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
//! so that implicit steps minimise it.
//!
//! # Explicit steps
//!
//! Without damping they have the law as the papers print it. With it, two errors of a bounce are of first order in
//! a = dt sqrt(P'(o)/m), and are taken out.
//!
//! The dashpot lags by half a step, and the contact ends later for it. What that loses is given back by more damping:
//!
//! ```text
//! c' = c (1 + (a + a^3)/3)
//! ```
//!
//! a fit to single bounces by either law, within 0.01 of e from 0.1 to 1 up to a = 0.4, and within 0.025 from 0.3 on up to
//! a = 0.5, whatever the gap at the step's start.
//!
//! A step that opens or closes a contact has the force of its end for half of this step and of the next, though the surfaces
//! touch for a part of it. The trapezoidal rule errs by E = V(o) - V(o_0) - (P(o_0) + P(o))/2 (o - o_0), and E/(o - o_0) is
//! added to the force. Near e = 1 a bounce is off by 0.02 without it, and by 0.001 with it, at a = 0.5.

use serde::{Deserialize, Serialize};

use crate::simd::Lanes;

/// Normal contact law of two spheres, or of a sphere and a wall.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactLaw {
    /// Proportional to the overlap (\[IBDEM\] eqs 32, 33).
    #[default]
    Linear,
    /// Of elastic spheres by Young's modulus and Poisson's ratio: Hertz's normal force, and Mindlin's tangential stiffness.
    Hertz,
    /// Proportional to the overlap's power of 3/2, with the stiffness of the linear law (\[RODR\] eqs 56, 57).
    RodriguesHertz,
}

/// Tangential stiffness over normal stiffness of a contact, k_t/k_r, but by Hertz's law: \[BDEM21\] does not give k_t, and 2/7
/// makes a sphere that bounces swing as fast along the surface as across it.
pub const TANGENTIAL: f64 = 2.0 / 7.0;

/// A normal force as a function of the overlap o >= 0 (m) of two surfaces, one contact a lane.
pub trait NormalPotential<N = f64> {
    /// Energy, J.
    fn energy(&self, overlap: N) -> N;

    /// Force, N.
    fn push(&self, overlap: N) -> N;

    /// Tangent stiffness, N/m.
    fn stiffness(&self, overlap: N) -> N;
}

/// Normal spring of a contact: for an overlap o (m) the energy is k o^2/2, or by Hertz 2/5 k D^2 (o/D)^(5/2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalSpring<N = f64> {
    /// Law of the energy.
    pub law: ContactLaw,
    /// N/m.
    pub k: N,
    /// D, m: R* by Hertz's law, and by the others the distance of two centres at first contact. A wall's overlap is half of
    /// that with a mirror image. So for a wall that D is the radius, and k is four times the particle's.
    pub size: N,
    /// s, m: overlap below which the linear law is soft.
    pub softening: N,
    /// Coefficient c at the stiffness k, N s/m.
    pub damping: N,
    /// Tangential stiffness k_t over k, and by Hertz's law over P'.
    pub tangential: N,
}

impl<L: Lanes> NormalPotential<L> for NormalSpring<L> {
    #[inline(always)]
    fn energy(&self, o: L) -> L {
        let s = self.softening;
        match self.law {
            ContactLaw::Linear => {
                let x = o - L::splat(0.5) * s;
                let stiff = L::splat(0.5) * self.k * (x * x + s * s * L::splat(1.0 / 12.0));
                if !self.is_soft(o) {
                    return closed(o, stiff);
                }
                o.pick_below(s, self.k * (o * o * o) / (L::splat(6.0) * s), stiff)
            }
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => L::splat(0.4) * self.push(o) * o,
        }
    }

    #[inline(always)]
    fn push(&self, o: L) -> L {
        let s = self.softening;
        match self.law {
            ContactLaw::Linear => {
                let stiff = self.k * (o - L::splat(0.5) * s);
                if !self.is_soft(o) {
                    return closed(o, stiff);
                }
                o.pick_below(s, self.k * (o * o) / (L::splat(2.0) * s), stiff)
            }
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => self.k * o * (o / self.size).sqrt(),
        }
    }

    #[inline(always)]
    fn stiffness(&self, o: L) -> L {
        match self.law {
            ContactLaw::Linear => o.pick_below(self.softening, self.k * o / self.softening, self.k),
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => L::splat(1.5) * self.k * (o / self.size).sqrt(),
        }
    }
}

impl<L: Lanes> NormalSpring<L> {
    /// The spring with a damping ratio `zeta` for the reduced mass `m` (kg).
    pub fn damped(self, zeta: f64, m: L) -> Self {
        /// 2 b sqrt(3/2), since P' is 3/2 k sqrt(o/D).
        const HERTZ: f64 = 2.236_067_977_499_79;
        let factor = match self.law {
            ContactLaw::Linear => 2.0,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => HERTZ,
        };
        Self { damping: L::splat(factor * zeta) * (m * self.k).sqrt(), ..self }
    }

    /// Whether any lane's overlap is in the soft part of the linear law, 0 < o < s.
    #[inline(always)]
    fn is_soft(&self, o: L) -> bool {
        o.not_below(self.softening) | L::splat(0.0).not_below(o) != (1 << L::COUNT) - 1
    }

    /// c, N s/m.
    #[inline(always)]
    fn resistance(&self, o: L) -> L {
        match self.law {
            ContactLaw::Linear => {
                if !self.is_soft(o) {
                    return closed(o, self.damping);
                }
                let soft = self.damping * (o / self.softening).sqrt();
                o.pick_below(self.softening, soft, self.damping)
            }
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => self.damping * (o / self.size).sqrt().sqrt(),
        }
    }

    /// Error of the trapezoidal rule for the spring between two overlaps (m, negative for gaps), E in J. Then, where the
    /// contact opens or closes, E/(o_1 - o_0) in N: see the module.
    ///
    /// ```text
    /// E = V(o_1) - V(o_0) - (P(o_0) + P(o_1))/2 (o_1 - o_0)
    /// ```
    ///
    /// It is zero for a quadratic V, dissipation in a step that closes a contact, and energy gain in one that opens it.
    #[inline(always)]
    pub fn trapezoid_error(&self, [from, to]: [L; 2]) -> [L; 2] {
        let (zero, sides) = (L::splat(0.0), from * to);
        let [o_0, o_1] = [from.max(zero), to.max(zero)];
        let stays = sides.not_below(zero) == (1 << L::COUNT) - 1;
        if stays && self.law == ContactLaw::Linear && !self.is_soft(o_0) && !self.is_soft(o_1) {
            return [zero; 2];
        }
        let gained = self.energy(o_1) - self.energy(o_0);
        let error = gained - L::splat(0.5) * (self.push(o_0) + self.push(o_1)) * (to - from);
        let crosses = sides.pick_below(zero, L::splat(1.0), zero);
        let step = zero.pick_below(crosses, to - from, L::splat(1.0));
        // rounding apart, the linear law has none beyond the softening
        let kept = match self.law {
            ContactLaw::Linear => o_1.pick_below(self.softening, error, o_0.pick_below(self.softening, error, zero)),
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => error,
        };
        [zero.pick_below(crosses, error, kept), crosses * error / step]
    }

    /// The spring with its damping c' in explicit steps of the length 1/`rate` (s) at the overlap `o` (m), for the damping ratio
    /// `zeta`: see the module.
    #[inline(always)]
    pub fn in_explicit_step(&self, zeta: f64, rate: f64, o: L) -> Self {
        /// 2 b, and P' = 3/2 k sqrt(o/D).
        const HERTZ: f64 = 1.825_741_858_350_554;
        if zeta == 0.0 {
            return *self;
        }
        // sqrt(P'/m) = 2 zeta b P'/c
        let over = self.k / self.damping;
        let a = match self.law {
            ContactLaw::Linear => L::splat(2.0 * zeta / rate) * over,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => {
                L::splat(1.5 * HERTZ * zeta / rate) * over * (o / self.size).sqrt().sqrt()
            }
        };
        Self { damping: self.damping * lag_factor(a), ..*self }
    }

    /// C, the integral of c, N s.
    #[inline(always)]
    fn impulse(&self, o: L) -> L {
        let s = self.softening;
        match self.law {
            ContactLaw::Linear => {
                let stiff = self.damping * (o - s * L::splat(1.0 / 3.0));
                if !self.is_soft(o) {
                    return closed(o, stiff);
                }
                o.pick_below(s, self.resistance(o) * o * L::splat(1.0 / 1.5), stiff)
            }
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => self.resistance(o) * o / L::splat(1.25),
        }
    }

    /// The integral of C, J s.
    #[inline(always)]
    fn action(&self, o: L) -> L {
        let s = self.softening;
        match self.law {
            ContactLaw::Linear => {
                // C(s) s/2.5 at o = s
                let stiff = L::splat(0.5) * (o * o - s * s) - s / L::splat(3.0) * (o - s) + s * s / L::splat(3.75);
                o.pick_below(s, self.impulse(o) * o / L::splat(2.5), self.damping * stiff)
            }
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => self.impulse(o) * o / L::splat(2.25),
        }
    }
}

/// `value` at overlaps `o` > 0, and zero at others.
#[inline(always)]
fn closed<L: Lanes>(o: L, value: L) -> L {
    o.pick_below(L::splat(f64::MIN_POSITIVE), L::splat(0.0), value)
}

/// c'/c of the module, for a = dt sqrt(P'/m). Beyond what it was fitted for it is constant.
#[inline(always)]
pub(crate) fn lag_factor<L: Lanes>(a: L) -> L {
    const FITTED: f64 = 0.6;
    let (one, most) = (L::splat(1.0), L::splat(FITTED));
    let a = a.pick_below(most, a, most);
    (a * a.mul_add(a, one)).mul_add(L::splat(1.0 / 3.0), one)
}

/// Closing of two surfaces in a step: from the overlap `before` (m, >= 0), in 1/`rate` seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closing<N = f64> {
    /// Overlap at the start of the step, m; zero without one.
    pub before: N,
    /// Inverse of the time step, 1/s; zero without damping.
    pub rate: N,
}

/// A contact's spring and dashpot in a step.
#[derive(Clone, Copy, Debug)]
pub struct DampedNormalSpring<'a, N = f64> {
    /// Normal spring.
    pub spring: &'a NormalSpring<N>,
    /// Closing in the step.
    pub closing: Closing<N>,
}

impl<L: Lanes> DampedNormalSpring<'_, L> {
    /// Whether any lane is damped.
    #[inline(always)]
    fn is_damped(&self) -> bool {
        (self.closing.rate * self.spring.damping).not_below(L::splat(f64::MIN_POSITIVE)) != 0
    }

    /// P + (C - C_0)/dt, N: negative where the dashpot would pull.
    #[inline(always)]
    fn force(&self, o: L) -> L {
        let Closing { before, rate } = self.closing;
        self.spring.push(o) + (self.spring.impulse(o) - self.spring.impulse(before)) * rate
    }

    /// Force of the dashpot, N: negative in opening.
    #[inline(always)]
    pub(crate) fn resistance(&self, o: L) -> L {
        self.push(o) - self.spring.push(o)
    }

    /// [`Spring::stiffness`] in contact, and that at first contact otherwise.
    #[inline(always)]
    pub(crate) fn stiffness_about(&self, o: L) -> L {
        let zero = L::splat(0.0);
        zero.pick_below(o, self.stiffness(o.max(zero)), self.tangent_stiffness(zero))
    }

    #[inline(always)]
    fn tangent_stiffness(&self, o: L) -> L {
        self.spring.stiffness(o) + self.spring.resistance(o) * self.closing.rate
    }

    /// Overlap (m) at which [`Self::force`] is zero.
    #[inline(always)]
    fn start(&self) -> L {
        let mut o = self.closing.before;
        // the force is convex and increasing: Newton's iterates from above stay above, and one suffices for a linear
        // force
        for _ in 0..60 {
            let next = (o - self.force(o) / self.tangent_stiffness(o)).max(L::splat(0.0));
            let limit = o * L::splat(1.0 - 1e-15);
            if next.not_below(limit) == (1 << L::COUNT) - 1 {
                break;
            }
            o = next.pick_below(limit, next, o);
        }
        o
    }
}

impl<L: Lanes> NormalPotential<L> for DampedNormalSpring<'_, L> {
    #[inline(always)]
    fn energy(&self, o: L) -> L {
        if !self.is_damped() {
            return self.spring.energy(o);
        }
        let (start, Closing { before, rate }) = (self.start(), self.closing);
        let action = self.spring.action(o) - self.spring.action(start) - self.spring.impulse(before) * (o - start);
        let energy = self.spring.energy(o) - self.spring.energy(start) + action * rate;
        start.pick_below(o, energy, L::splat(0.0))
    }

    #[inline(always)]
    fn push(&self, o: L) -> L {
        if self.is_damped() { self.force(o).max(L::splat(0.0)) } else { self.spring.push(o) }
    }

    #[inline(always)]
    fn stiffness(&self, o: L) -> L {
        if !self.is_damped() {
            return self.spring.stiffness(o);
        }
        let zero = L::splat(0.0);
        zero.pick_below(self.force(o), self.tangent_stiffness(o), zero)
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
fn restitution_of(zeta: f64) -> f64 {
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
