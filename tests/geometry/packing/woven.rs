use bdem_core::geometry::packing::Woven;

use super::{contacts, deepest_overlap};

const RADIUS: f64 = 0.001;

#[test]
fn yarns_cross_over_and_under_in_turn_and_touch_where_they_do() {
    for spacing in [None, Some(0.002), Some(0.005), Some(0.007), Some(0.012)] {
        let woven = Woven { size: [0.1, 0.06], spacing };
        let packed = woven.pack(RADIUS);
        assert!(deepest_overlap(&packed) < 1e-9, "{spacing:?}: {}", deepest_overlap(&packed));
        assert_eq!(packed.centres.len() as f64, woven.estimate(RADIUS), "{spacing:?}");
        let yarns = packed.centres.len() - packed.bonds.len();
        let warp =
            packed.bonds.iter().take_while(|[i, j]| packed.centres[*i as usize].x == packed.centres[*j as usize].x);
        let warp = 1 + warp.zip(1..).filter(|([i, _], n)| i + 1 != *n).count();
        assert!(warp > 1 && yarns > 2, "{warp} {yarns}");
        let half = packed.centres.iter().fold([0.0f64; 2], |[x, y], p| [x.max(p.x.abs()), y.max(p.y.abs())]);
        assert!(half[0] + RADIUS <= 0.05 + 1e-9 && half[1] + RADIUS <= 0.03 + 1e-9, "{half:?}");
    }
}

#[test]
fn each_crossing_is_a_contact() {
    let packed = Woven { size: [0.05, 0.05], spacing: Some(0.01) }.pack(RADIUS);
    let yarns = packed.centres.len() - packed.bonds.len();
    // square: half of them go each way
    assert_eq!(contacts(&packed, 1e-9), yarns * yarns / 4);
    assert!(packed.centres.iter().all(|p| p.z.abs() <= RADIUS * (1.0 + 1e-12)));
}

#[test]
fn spacing_is_rounded_to_whole_particles() {
    let spacing = |wanted: f64| {
        let packed = Woven { size: [0.1, 0.1], spacing: Some(wanted) }.pack(RADIUS);
        let mut xs: Vec<f64> = packed
            .bonds
            .iter()
            .map(|[i, j]| (packed.centres[*i as usize].x, packed.centres[*j as usize].x))
            .filter(|(a, b)| a == b)
            .map(|(a, _)| a)
            .collect();
        xs.dedup();
        xs[1] - xs[0]
    };
    assert!((spacing(0.001) - 12f64.sqrt() * RADIUS).abs() < 1e-9);
    for wanted in [0.004, 0.006, 0.0073, 0.0128] {
        assert!((spacing(wanted) - wanted).abs() < 1.1 * RADIUS, "{wanted}: {}", spacing(wanted));
    }
}
