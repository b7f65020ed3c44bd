//! Random bond strengths after Weibull: `P(strength < s) = 1 - exp(-(s/s0)^m)`.
//!
//! The papers give no formula. A scene's strength is the mean, `s0 Gamma(1 + 1/m)`. One random number a bond serves both
//! strengths, and it depends on the seed and the bond's id alone, so that neither threads nor order matter.

use crate::model::{Bond, Material};

/// `strength/mean` at the probability `u` in [0, 1): `s0 (-ln(1-u))^(1/m)` with `s0 = 1/Gamma(1 + 1/m)`.
pub fn quantile_over_mean(u: f64, modulus: f64) -> f64 {
    (-(-u).ln_1p()).powf(1.0 / modulus) / libm::tgamma(1.0 + 1.0 / modulus)
}

/// A number in (0, 1) that belongs to `seed` and `id`.
pub fn uniform(seed: u64, id: u32) -> f64 {
    let bits = mix(mix(seed).wrapping_add(u64::from(id)));
    ((bits >> 11) as f64 + 0.5) * (-53f64).exp2()
}

/// Draws the strengths of `bond`, made of `material`: they were the mean.
pub fn draw(bond: &mut Bond, material: &Material, seed: u64) {
    let share = material.weibull_modulus.map_or(1.0, |m| quantile_over_mean(uniform(seed, bond.id), m));
    bond.strength = bond.strength.map(|mean| mean * share);
}

/// SplitMix64's output function (Steele, Lea, Flood 2014), one step on from `x`.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
