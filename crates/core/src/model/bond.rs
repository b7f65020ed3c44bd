use std::f64::consts::PI;

use crate::geometry::Vec3;

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
        let inertia = [0, 1].map(|a| 0.4 * mass[a] * radius[a] * radius[a]);
        let c = viscosity(material.damping, &k, l0, reduced(mass), reduced(inertia));
        let strength = [material.tensile_strength, material.shear_strength].map(|mean| mean * stronger);
        Self { i, j, model: material.bond, id, l0, r0, d0, k, c, strength, broken: false }
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
