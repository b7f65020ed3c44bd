use bdem_core::geometry::packing::{Packed, Rope};

use super::{contacts, deepest_overlap};

const RADIUS: f64 = 0.002;

fn rope(strands: u32, yarns: u32, turns: f64) -> Packed {
    Rope { length: 0.4, strands, yarns, turns }.pack(RADIUS)
}

#[test]
fn a_straight_rope_is_yarns_side_by_side() {
    let packed = rope(3, 1, 0.0);
    assert_eq!((packed.centres.len(), packed.bonds.len()), (300, 297));
    assert!(packed.centres.iter().all(|p| p.x.abs() <= 0.2 - RADIUS + 1e-12));
    // in a section each of the three touches the other two
    assert_eq!(contacts(&packed, 1e-9), 300);
    assert!(deepest_overlap(&packed) < 1e-9);
}

#[test]
fn yarns_touch_and_never_overlap_however_they_are_twisted() {
    for (strands, yarns) in [(2, 1), (3, 1), (4, 1), (3, 3), (3, 7), (7, 7), (1, 19)] {
        let untwisted = Rope { length: 0.4, strands, yarns, turns: 1.0 };
        let most = Rope::MAX_SLOPE / untwisted.slope(RADIUS);
        let gentle = 0.2 * most;
        for turns in [gentle, -0.6 * most, most] {
            let packed = rope(strands, yarns, turns);
            assert!(deepest_overlap(&packed) < 1e-6, "{strands} {yarns} {turns}: {}", deepest_overlap(&packed));
            // where yarns touch, each sphere is at most half a diameter beside the middle of another: sqrt(5) r away
            let near = contacts(&packed, 0.15);
            let expected = if turns == gentle { packed.centres.len() / 2 } else { 1 };
            assert!(near >= expected, "{strands} {yarns} {turns}: {near}");
            let estimate = Rope { turns, ..untwisted }.estimate(RADIUS);
            assert!((0.95..1.5).contains(&(estimate / packed.centres.len() as f64)), "{estimate}");
        }
    }
}

#[test]
fn a_yarn_turns_as_often_as_it_shall() {
    let packed = rope(3, 1, 10.0);
    let yarn = &packed.centres[..packed.centres.len() / 3];
    let angle = |p: &bdem_core::geometry::Vec3| p.z.atan2(p.y);
    let turned =
        |pair: &[bdem_core::geometry::Vec3]| (angle(&pair[1]) - angle(&pair[0])).rem_euclid(std::f64::consts::TAU);
    let turns = yarn.windows(2).map(turned).sum::<f64>() / std::f64::consts::TAU;
    assert!((turns / (yarn[yarn.len() - 1].x - yarn[0].x) - 10.0).abs() < 1e-6, "{turns}");
    assert!(yarn.windows(2).all(|pair| ((pair[1] - pair[0]).norm() - 2.0 * RADIUS).abs() < 1e-9 * RADIUS));
}
