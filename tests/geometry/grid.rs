use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::{first_pair_within, pairs_within};
use proptest::prelude::*;

fn all_pairs(points: &[Vec3], reach: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..points.len() {
        pairs.extend(
            (i + 1..points.len())
                .filter(|&j| (points[j] - points[i]).norm_squared() < reach * reach)
                .map(|j| [i as u32, j as u32]),
        );
    }
    pairs
}

proptest! {
    #[test]
    fn finds_the_same_pairs_as_trying_all(
        points in prop::collection::vec(prop::array::uniform3(-2.0..2.0), 0..200),
        reach in 0.01..5.0,
    ) {
        let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
        let all = all_pairs(&points, reach);
        let first = all.first().map(|pair| pair.map(|i| i as usize));
        prop_assert_eq!(first_pair_within(&points, |_, _| reach, reach), first);
        prop_assert_eq!(pairs_within(&points, |_, _| reach, reach), all);
    }
}

#[test]
fn one_reach_a_pair() {
    let points: Vec<Vec3> = (0..4).map(|x| Vec3::new(f64::from(x), 0.0, 0.0)).collect();
    let reach = |i: usize, _| if i == 0 { 2.5 } else { 0.5 };
    assert_eq!(pairs_within(&points, reach, 2.5), [[0, 1], [0, 2]]);
}

#[test]
fn far_outliers_cost_nothing_and_still_meet() {
    let far = Vec3::new(1e6, -1e6, 1e300);
    let points = [Vec3::zeros(), far, Vec3::new(1e-3, 0.0, 0.0), far, Vec3::repeat(f64::NAN)];
    assert_eq!(pairs_within(&points, |_, _| 2e-3, 2e-3), [[0, 2], [1, 3]]);
}

#[test]
fn none_among_none() {
    assert!(pairs_within(&[], |_, _| 1.0, 1.0).is_empty());
    assert!(pairs_within(&[Vec3::zeros(); 2], |_, _| 0.0, 0.0).is_empty());
    assert_eq!(first_pair_within(&[], |_, _| 1.0, 1.0), None);
    assert_eq!(first_pair_within(&[Vec3::zeros(); 2], |_, _| 0.0, 0.0), None);
}
