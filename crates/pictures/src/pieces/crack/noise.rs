use bdem_core::geometry::Vec3;

use super::CrackNoise;

/// Displacement (m) at `x` (m): value noise of two octaves, with continuous second derivatives.
pub(super) fn displacement(x: &Vec3, noise: &CrackNoise) -> Vec3 {
    let octave = |x: Vec3, octave: u64| Vec3::from([0, 1, 2].map(|axis| value(&x, 3 * octave + axis)));
    // not a factor of two, so that the lattices of the octaves do not coincide
    const FINER: f64 = 2.03;
    let scaled = x / noise.wavelength;
    (octave(scaled, 0) + octave(scaled * FINER, 1) * 0.5) * noise.amplitude
}

/// Largest length of a displacement, m.
pub(super) fn reach(noise: &CrackNoise) -> f64 {
    1.5 * 3.0_f64.sqrt() * noise.amplitude
}

/// Noise from -1 to 1 of unit wavelength: random values at integer points, blended by a quintic.
fn value(x: &Vec3, channel: u64) -> f64 {
    let low = x.map(f64::floor);
    let blend = (x - low).map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let corner = |k: usize| {
        let bit = |axis: usize| k >> axis & 1;
        let weight: f64 = (0..3).map(|axis| if bit(axis) == 1 { blend[axis] } else { 1.0 - blend[axis] }).product();
        weight * random([0, 1, 2].map(|axis| low[axis] as i64 + bit(axis) as i64), channel)
    };
    (0..8).map(corner).sum()
}

/// Random number from -1 to 1 of an integer point: the finaliser of SplitMix64 over its coordinates.
fn random(point: [i64; 3], channel: u64) -> f64 {
    let mut z = channel;
    for coordinate in point {
        z = z.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(coordinate as u64);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
