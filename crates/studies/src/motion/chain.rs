//! Straight chains of bonded grains along x.

use bdem_core::geometry::Vec3;

use crate::cases::{RADIUS, array, mass};

/// Spacing of the grains, m.
pub(super) const SPACING: f64 = 2.0 * RADIUS;

/// Chain of `grains` of a `material`, the first of which is at `x` (m), with a velocity (m/s).
pub(super) fn chain([name, material]: [&str; 2], grains: u32, x: f64, v: &Vec3) -> String {
    let length = f64::from(grains) * SPACING;
    let middle = x + 0.5 * length - RADIUS;
    format!(
        "[[bodies]]\nname = \"{name}\"\nmaterial = \"{material}\"\nparticle_radius = {RADIUS:?}\n\
         packing = {{ rope = {{ length = {length:?}, strands = 1 }} }}\nposition = [{middle:?}, 0.0, 0.0]\n\
         velocity = {}\n",
        array(v)
    )
}

/// Constraint of the grain nearest to `x` (m).
pub(super) fn at(x: f64, keys: &str) -> String {
    format!("[[constraints]]\nregion = {{ nearest = {{ point = [{x:?}, 0.0, 0.0] }} }}\n{keys}\n")
}

/// Closed forms of bonds between grains of Young's modulus `young` (Pa) and Poisson's ratio 0.25, \[IBDEM\] eqs 7-11.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub(super) young: f64,
}

impl Bond {
    /// Cross-section S, m2.
    pub(super) fn area() -> f64 {
        std::f64::consts::PI * RADIUS * RADIUS
    }

    /// k_b = E I/l, N m.
    pub(super) fn bending(self) -> f64 {
        self.young * 0.25 * Self::area() * RADIUS * RADIUS / SPACING
    }

    /// k_s = G S l, N m.
    pub(super) fn shear(self) -> f64 {
        0.4 * self.young * Self::area() * SPACING
    }

    /// Angular frequency sqrt(k_n/m) of the lattice, with k_n = E S/l, rad/s. Long waves travel at this times the spacing.
    pub(super) fn lattice(self) -> f64 {
        (self.young * Self::area() / SPACING / mass(RADIUS)).sqrt()
    }
}
