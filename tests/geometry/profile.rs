use std::f64::consts::PI;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::{Profile, ProfileError, Shape};
use proptest::prelude::*;

fn revolved(corners: &[[f64; 2]]) -> Shape {
    Shape::Revolve(Profile::new(corners.to_vec()).expect("a profile"))
}

/// A polygon whose corners lie around a point off the axis, at any distance from it: it never crosses itself.
fn stars() -> impl Strategy<Value = Vec<[f64; 2]>> {
    let corner = (0.2..1.0f64, -0.3..0.3f64);
    (1.0..2.0f64, proptest::collection::vec(corner, 3..12)).prop_map(|(middle, corners)| {
        let count = corners.len() as f64;
        let at = |(k, (far, off)): (usize, (f64, f64))| {
            let angle = 2.0 * PI * (k as f64 + off) / count;
            [middle + far * libm::cos(angle), far * libm::sin(angle)]
        };
        corners.into_iter().enumerate().map(at).collect()
    })
}

/// Points (r, z) along the edges that are not on the axis, this far apart.
fn edge_points(corners: &[[f64; 2]], spacing: f64) -> Vec<[f64; 2]> {
    let next = corners.iter().cycle().skip(1);
    let edges = corners.iter().zip(next).filter(|(a, b)| a[0] > 0.0 || b[0] > 0.0);
    let along = |(a, b): (&[f64; 2], &[f64; 2])| {
        let count = (libm::hypot(b[0] - a[0], b[1] - a[1]) / spacing).ceil();
        let (a, b) = (*a, *b);
        (0..=count as u32).map(move |k| {
            let share = f64::from(k) / count;
            [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
        })
    };
    edges.flat_map(along).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Points all around the axis, so that the nearest one in space is looked for, not that of the half plane.
    #[test]
    fn the_distance_is_that_of_the_nearest_sample_of_the_surface(
        corners in stars(),
        (x, y, z) in (-3.0..3.0f64, -3.0..3.0f64, -1.5..1.5f64),
    ) {
        let (shape, p) = (revolved(&corners), Vec3::new(x, y, z));
        const SPACING: f64 = 0.01;
        const TURNS: u32 = 360;
        let angle = libm::atan2(y, x);
        let in_space = |[r, height]: [f64; 2]| {
            let turns = (0..TURNS).map(|k| angle + 2.0 * PI * f64::from(k) / f64::from(TURNS));
            turns.map(move |turn| (Vec3::new(r * libm::cos(turn), r * libm::sin(turn), height) - p).norm()).fold(f64::INFINITY, f64::min)
        };
        let nearest = edge_points(&corners, SPACING).into_iter().map(in_space).fold(f64::INFINITY, f64::min);
        let distance = shape.distance(&p).abs();
        prop_assert!(distance <= nearest + 1e-9 && nearest <= distance + 0.5 * SPACING, "{distance}, {nearest}");
    }

    #[test]
    fn the_volume_is_the_share_of_points_inside(corners in stars()) {
        let shape = revolved(&corners);
        // rings around the points of a grid in the half plane
        const CELLS: u32 = 200;
        let (low, high) = shape.bounds();
        let step = [high.x / f64::from(CELLS), (high.z - low.z) / f64::from(CELLS)];
        let at = |k: u32, step: f64| (f64::from(k) + 0.5) * step;
        let ring = |i: u32, k: u32| {
            let (r, z) = (at(i, step[0]), low.z + at(k, step[1]));
            if shape.contains(&Vec3::new(0.6 * r, -0.8 * r, z)) { 2.0 * PI * r * step[0] * step[1] } else { 0.0 }
        };
        let volume: f64 = (0..CELLS).flat_map(|i| (0..CELLS).map(move |k| ring(i, k))).sum();
        prop_assert!((volume / shape.volume() - 1.0).abs() < 0.03, "{volume}, {}", shape.volume());
    }

    #[test]
    fn the_direction_of_the_corners_does_not_matter(corners in stars(), x in -3.0..3.0f64, z in -1.5..1.5f64) {
        let reversed: Vec<[f64; 2]> = corners.iter().rev().copied().collect();
        let (p, [there, back]) = (Vec3::new(x, 0.3, z), [revolved(&corners), revolved(&reversed)]);
        prop_assert!((there.distance(&p) - back.distance(&p)).abs() < 1e-12);
        prop_assert!((there.volume() / back.volume() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn simple_profiles_are_the_solids_that_have_names() {
    let pairs = [
        (revolved(&[[0.0, -0.5], [0.4, -0.5], [0.4, 0.5], [0.0, 0.5]]), Shape::Cylinder { radius: 0.4, height: 1.0 }),
        (
            revolved(&[[0.2, -0.5], [0.2, 0.5], [0.4, 0.5], [0.4, -0.5]]),
            Shape::Tube { radius: 0.4, inner_radius: 0.2, height: 1.0 },
        ),
        (revolved(&[[0.0, -0.5], [0.4, -0.5], [0.0, 0.5]]), Shape::Cone { radius: 0.4, top_radius: 0.0, height: 1.0 }),
    ];
    for (ours, known) in pairs {
        assert!((ours.volume() / known.volume() - 1.0).abs() < 1e-12, "{known:?}");
        let ((low, high), (known_low, known_high)) = (ours.bounds(), known.bounds());
        assert!((low - known_low).norm() + (high - known_high).norm() < 1e-12, "{known:?}");
        for n in 0..1000 {
            let n = f64::from(n);
            let p = Vec3::new(libm::sin(n), libm::sin(2.3 * n), libm::cos(1.7 * n)) * 0.8;
            assert!((ours.distance(&p) - known.distance(&p)).abs() < 1e-12, "{known:?} {p}");
            assert_eq!(ours.contains(&p), known.contains(&p), "{known:?} {p}");
        }
        // on the axis, where an edge of the profile is no surface
        assert!((ours.distance(&Vec3::zeros()) - known.distance(&Vec3::zeros())).abs() < 1e-12, "{known:?}");
    }
}

#[test]
fn what_is_no_profile_is_told() {
    let error = |corners: &[[f64; 2]]| Profile::new(corners.to_vec()).unwrap_err();
    assert_eq!(error(&[[0.0, 0.0], [1.0, 0.0]]), ProfileError::TooFew(2));
    assert_eq!(error(&vec![[1.0, 0.0]; 2000]), ProfileError::TooMany(2000));
    assert_eq!(error(&[[0.0, 0.0], [-1.0, 0.0], [1.0, 1.0]]), ProfileError::Corner(1));
    assert_eq!(error(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]]), ProfileError::Corner(1));
    // a bow tie, a corner on an edge, a way back on itself, a corner that comes twice
    assert_eq!(error(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), ProfileError::Crossing([0, 2]));
    assert_eq!(error(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), ProfileError::Crossing([0, 2]));
    assert_eq!(error(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), ProfileError::Crossing([0, 1]));
    assert_eq!(error(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), ProfileError::Crossing([0, 1]));
}
