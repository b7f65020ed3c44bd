//! Which particles of different pieces may meet on straight ways.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::Ways;

use crate::common::system::noise;

/// Whether two come nearer than their radii and `off` on straight ways in equal times, by trying many.
fn meet(ways: &Ways, [i, j]: [usize; 2], off: f64) -> bool {
    let at = |i: usize, t: f64| ways.from[i] + (ways.to[i] - ways.from[i]) * t;
    let reach = ways.radius[i] + ways.radius[j] + off;
    (0..=1000).map(|k| f64::from(k) / 1000.0).any(|t| (at(i, t) - at(j, t)).norm() < reach)
}

#[test]
fn none_that_meet_are_missed() {
    for seed in 0..20 {
        let n = 200;
        // pieces of five that fly together, some fast
        let piece = |i: usize| i / 5;
        let from: Vec<Vec3> = (0..n).map(|i| noise(seed, piece(i)) * 0.1 + noise(seed + 100, i) * 0.01).collect();
        let fast = |i: usize| if piece(i).is_multiple_of(7) { 0.15 } else { 0.01 };
        let common = Vec3::new(0.0, 0.0, -0.3);
        let to: Vec<Vec3> = (0..n).map(|i| from[i] + common + noise(seed + 200, piece(i)) * fast(i)).collect();
        let radius: Vec<f64> = (0..n).map(|i| 2e-3 + 1e-3 * noise(seed + 300, i).x.abs()).collect();
        let pieces: Vec<u32> = (0..n).map(|i| piece(i) as u32).collect();
        let off = |piece: u32| if piece.is_multiple_of(3) { 1e-3 } else { 0.0 };
        let ways = Ways { radius: &radius, from: &from, to: &to, pieces: &pieces };
        let found = ways.meetings(off);
        assert!(found.is_sorted_by(|a, b| a < b) && !found.is_empty());
        for i in 0..n {
            for j in i + 1..n {
                let sum = off(pieces[i]) + off(pieces[j]);
                let is_found = found.binary_search(&[i as u32, j as u32]).is_ok();
                assert!(is_found || pieces[i] == pieces[j] || !meet(&ways, [i, j], sum), "{seed}: {i} {j}");
                // and none is found that passes by
                assert!(!is_found || pieces[i] != pieces[j] && meet(&ways, [i, j], sum + 2e-4), "{seed}: {i} {j}");
            }
        }
    }
}
