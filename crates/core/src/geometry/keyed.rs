//! Keyed random numbers: functions of a seed and an id, so that neither threads nor order matter.

/// A uniform number in (0, 1), a function of `seed` and `id`.
pub fn uniform(seed: u64, id: impl Into<u64>) -> f64 {
    let bits = mix(mix(seed).wrapping_add(id.into()));
    ((bits >> 11) as f64 + 0.5) * libm::exp2(-53.0)
}

/// SplitMix64's output function (Steele, Lea, Flood 2014), one step after `x`.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
