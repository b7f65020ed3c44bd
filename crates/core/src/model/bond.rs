use std::f64::consts::PI;

use crate::geometry::Vec3;
use crate::simd::Lanes;

use super::{BondModel, Material, Pair};

/// A number for each of a bond's four modes: stretch, shear, twist, bend.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Modes {
    /// Stretch: N/m for a stiffness.
    pub n: f64,
    /// Shear: N m (energy per angle squared).
    pub s: f64,
    /// Twist: N m.
    pub t: f64,
    /// Bend: N m.
    pub b: f64,
}

impl Modes {
    /// `self + factor other`.
    pub(crate) fn plus(&self, other: &Self, factor: f64) -> Self {
        Self {
            n: self.n + factor * other.n,
            s: self.s + factor * other.s,
            t: self.t + factor * other.t,
            b: self.b + factor * other.b,
        }
    }
}

/// Terms of the criterion of breakage besides both strengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// Tangent of the angle of internal friction: the strength against tau grows by this times the pressure on the bond's
    /// section, and falls by it in tension (C. A. Coulomb 1773, O. Mohr 1900).
    pub friction: f64,
    /// Share of bending and twisting moments in the stresses (D. O. Potyondy 2011, "Parallel-bonded refinements to match
    /// macroproperties of hard rock", eq 5: its moment-contribution factor).
    pub moment_share: f64,
}

impl Default for Criterion {
    fn default() -> Self {
        Self { friction: 0.0, moment_share: 1.0 }
    }
}

/// Linear softening of a bond beyond its strength, by isotropic damage of its stiffnesses (the crack band of Z. P. Bazant,
/// B. H. Oh 1983, "Crack band theory for fracture of concrete", eqs 12-16, with the bond as the band).
///
/// With x the greatest strain so far over that at the strength, and X the strain without stress, a bond has the strength
/// `s = (X - x)/(X - 1)` and the stiffnesses `s/x` of its first ones. So it unloads to the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Softening {
    /// Greatest strain so far over that at the strength, x >= 1.
    pub reached: f64,
    /// Strain at which it breaks over that at the strength, X > 1.
    pub limit: f64,
    /// First stiffnesses, viscous coefficients and strengths.
    first: (Modes, Modes, [f64; 2]),
}

impl Softening {
    /// Lost share of the stiffness.
    pub fn damage(&self) -> f64 {
        1.0 - Self::shares(self.reached, self.limit)[0]
    }

    /// Shares that are left of the first stiffness and of the first strength at the greatest strain x, for the limit X.
    #[inline(always)]
    pub fn shares<L: Lanes>(reached: L, limit: L) -> [L; 2] {
        let strength = (limit - reached) / (limit - L::splat(1.0));
        [strength / reached, strength]
    }

    /// Greatest strain after a load of `utilisation` times the strength, from that before it, and the share that is left of the
    /// stiffness before. The bond breaks where the strain is not below the `limit`: that share is zero.
    #[inline(always)]
    pub fn after<L: Lanes>(before: L, limit: L, utilisation: L) -> [L; 2] {
        let (one, zero) = (L::splat(1.0), L::splat(0.0));
        let reached = before * utilisation;
        let kept = Self::shares(reached, limit)[0] / Self::shares(before, limit)[0];
        let kept = reached.pick_below(limit, kept, zero);
        [utilisation.pick_below(one, before, reached), utilisation.pick_below(one, one, kept)]
    }
}

/// Result of a load beyond the strength of a bond that softens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softened {
    /// Greatest strain so far over that at the strength: see [`Softening::reached`].
    pub reached: f64,
    /// Share that is left of its stiffness before.
    pub kept: f64,
}

/// A bond between particles `i < j`.
#[derive(Clone, Debug)]
pub struct Bond {
    /// Index of the first particle.
    pub i: u32,
    /// Index of the second particle.
    pub j: u32,
    /// Bond law.
    pub model: &'static BondModel,
    /// Number, constant while others break; the key of the random strength.
    pub id: u32,
    /// Rest length, m.
    pub l0: f64,
    /// Mean radius r0 of both particles, m.
    pub r0: f64,
    /// Unit rest direction from i to j in the body frame.
    pub d0: Vec3,
    /// Stiffnesses k of the four modes.
    pub k: Modes,
    /// Viscous coefficients c of the four modes, the stiffnesses' units times s.
    pub c: Modes,
    /// Strengths against sigma and tau, Pa.
    pub strength: [f64; 2],
    /// Terms of its criterion of breakage.
    pub criterion: Criterion,
    /// Softening beyond its strength. None for a bond that breaks there.
    pub softening: Option<Box<Softening>>,
    /// Whether it is broken: see [`World::mark_broken`](super::World::mark_broken).
    pub broken: bool,
}

impl Bond {
    /// A bond of `material` between two particles at rest at identity orientation, separated by `d` = p_j - p_i (m), with
    /// radii (m) and masses (kg) of i and j:
    /// k_n = E S/l0, k_s = G S l0, k_t = G Jp/l0, k_b = E I/l0 (\[IBDEM\] eqs 7-11 in SI units), with the material's grain.
    pub fn new(id: u32, [i, j]: [u32; 2], d: Vec3, radius: [f64; 2], mass: [f64; 2], material: &Material) -> Self {
        let l0 = d.norm();
        let r0 = 0.5 * (radius[0] + radius[1]);
        let (s, second) = (area(r0), second_moment(r0));
        let d0 = d / l0;
        let [stiffer, stronger] = material.grain_factors(&d0);
        let (e, g) = (material.young_modulus * stiffer, material.shear_modulus * stiffer);
        let mut k = Modes { n: e * s / l0, s: g * s * l0, t: g * 2.0 * second / l0, b: e * second / l0 };
        if material.bond.keeps_contact() {
            // binder rotates alike about all axes: [RODR] eq 44
            k.t = k.b;
        }
        let strength = [material.tensile_strength, material.shear_strength].map(|mean| mean * stronger);
        let mut bond = Self {
            i,
            j,
            model: material.bond,
            id,
            l0,
            r0,
            d0,
            k,
            c: Modes::default(),
            strength,
            criterion: material.criterion,
            softening: None,
            broken: false,
        };
        bond.damp(material.damping, mass, [0, 1].map(|a| 0.4 * mass[a] * radius[a] * radius[a]));
        bond
    }

    /// Damps each mode by the ratio `zeta`, for masses (kg) and moments of inertia (kg m2) of i and j.
    pub fn damp(&mut self, zeta: f64, mass: [f64; 2], inertia: [f64; 2]) {
        self.c = viscosity(zeta, &self.k, self.l0, reduced(mass), reduced(inertia));
    }

    /// Lets the bond soften from its strength on, so that it takes up the `energy` (J) until it breaks in pure tension: half
    /// of strength times section times the elongation without stress. One that holds as much at its strength breaks there.
    pub fn soften_by(&mut self, energy: f64) {
        let limit = self.softening_limit(energy);
        if limit > 1.0 && limit.is_finite() {
            self.softening = Some(Box::new(Softening { reached: 1.0, limit, first: (self.k, self.c, self.strength) }));
        }
    }

    /// Strain without stress over that at the strength, of a bond that takes up the `energy` (J): that over the energy that it
    /// holds at its strength.
    pub fn softening_limit(&self, energy: f64) -> f64 {
        let load = self.strength[0] * self.area();
        let elongation = load / self.k.n;
        2.0 * energy / (load * elongation)
    }

    /// State after a load of `utilisation` > 1 times its strength. None if it breaks.
    pub fn softened(&self, utilisation: f64) -> Option<Softened> {
        let softening = self.softening.as_ref()?;
        let [reached, kept] = Softening::after(softening.reached, softening.limit, utilisation);
        (reached < softening.limit).then_some(Softened { reached, kept })
    }

    /// Softens the bond, whose strain has `reached` this multiple of that at its first strength. None if it cannot.
    pub fn soften_to(&mut self, reached: f64) -> Option<()> {
        let softening = self.softening.as_mut()?;
        softening.reached = reached;
        let ([left, share], (k, c, strength)) = (Softening::shares(reached, softening.limit), &softening.first);
        let of = |modes: &Modes| Modes::default().plus(modes, left);
        (self.k, self.c, self.strength) = (of(k), of(c), strength.map(|first| first * share));
        Some(())
    }

    /// Marks the bond as broken: no stiffness, infinite strength.
    pub(super) fn mark_broken(&mut self) {
        self.broken = true;
        self.k = Modes::default();
        self.c = Modes::default();
        self.strength = [f64::INFINITY; 2];
    }

    /// Whether the bond is broken.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Cross section S = pi r0^2, m2.
    pub fn area(&self) -> f64 {
        area(self.r0)
    }

    /// Second moment of area I = pi r0^4/4, m4; the polar one is twice that.
    pub fn second_moment(&self) -> f64 {
        second_moment(self.r0)
    }
}

impl Pair for Bond {
    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self.i as usize, self.j as usize]
    }
}

fn area(r0: f64) -> f64 {
    PI * r0 * r0
}

fn second_moment(r0: f64) -> f64 {
    0.25 * PI * r0.powi(4)
}

/// Reduced mass, or reduced moment of inertia.
fn reduced([a, b]: [f64; 2]) -> f64 {
    a * b / (a + b)
}

/// c = 2 zeta sqrt(k m_eff) for each mode. Shear is an angle, with the effective moment m_eff l0^2.
fn viscosity(zeta: f64, k: &Modes, l0: f64, mass: f64, inertia: f64) -> Modes {
    let c = |k: f64, m: f64| 2.0 * zeta * (k * m).sqrt();
    Modes { n: c(k.n, mass), s: c(k.s, mass * l0 * l0), t: c(k.t, inertia), b: c(k.b, inertia) }
}
