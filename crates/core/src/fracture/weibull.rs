//! Random bond strengths by Weibull's distribution: `P(strength < s) = 1 - exp(-(s/s0)^m)`.
//!
//! The papers give no formula. A scene's strength is the mean, `s0 Gamma(1 + 1/m)`. One random number a bond determines
//! both strengths: that of a [`RandomField`](super::RandomField) at its first particle, or one of the seed and the bond's id
//! alone. So neither threads nor order matter.

pub use crate::geometry::keyed::uniform;
use crate::model::{Bond, Material};

/// `strength/mean` at the probability `u` in [0, 1): `s0 (-ln(1-u))^(1/m)` with `s0 = 1/Gamma(1 + 1/m)`.
pub fn quantile_over_mean(u: f64, modulus: f64) -> f64 {
    libm::pow(-libm::log1p(-u), 1.0 / modulus) / libm::tgamma(1.0 + 1.0 / modulus)
}

/// Sets the strengths of `bond` of `material`, which are the mean before, to those of the probability `u`.
pub fn draw(bond: &mut Bond, material: &Material, u: f64) {
    let share = material.weibull_modulus.map_or(1.0, |m| quantile_over_mean(u, m));
    bond.strength = bond.strength.map(|mean| mean * share);
}
