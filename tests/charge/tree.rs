use bdem_core::charge::{Charges, Method, field_at};
use bdem_core::geometry::Vec3;

use super::{cloud, errors, expect_same_bits, field_of};

const TOLERANCES: [f64; 4] = [1e-2, 1e-3, 1e-6, 1e-9];

fn hold(x: &[Vec3], q: &[f64], softening: f64) {
    let exact = field_of(x, q, softening, Method::Exact);
    for tolerance in TOLERANCES {
        let tree = field_of(x, q, softening, Method::Tree { tolerance });
        let [global, median] = errors(&tree.e, &exact.e);
        assert!(global < tolerance && median < tolerance, "{tolerance}: {global} {median}");
        let (energy, right) = (tree.energy(q), exact.energy(q));
        // the tolerance is of the field
        assert!((energy - right).abs() < 10.0 * tolerance * right.abs(), "{tolerance}: {energy} {right}");
    }
}

#[test]
fn tolerances_hold_for_like_charges_in_a_box() {
    let (x, q) = cloud(6000, 1, false);
    hold(&x, &q, 0.0);
}

#[test]
fn tolerances_hold_for_random_signs() {
    let (x, q) = cloud(6000, 2, true);
    hold(&x, &q, 0.0);
}

/// Where the softening is longer than most distances all of it counts.
#[test]
fn tolerances_hold_for_softened_charges() {
    let (x, q) = cloud(4000, 3, false);
    hold(&x, &q, 0.02);
    hold(&x, &q, 0.5);
}

/// Charges on a thin sheet, on a line, and in clusters of very different sizes.
#[test]
fn tolerances_hold_for_sheets_lines_and_clusters() {
    let (x, q) = cloud(4000, 4, false);
    let sheet: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.x, x.y, 0.3)).collect();
    hold(&sheet, &q, 0.0);
    let line: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.x, -2.0, 0.3)).collect();
    hold(&line, &q, 0.0);
    let cluster = |(i, x): (usize, &Vec3)| x * [1.0, 1e-3, 1e-6][i % 3] + Vec3::repeat((i % 3) as f64);
    let clusters: Vec<Vec3> = x.iter().enumerate().map(cluster).collect();
    hold(&clusters, &q, 0.0);
}

#[test]
fn bits_depend_on_neither_threads_nor_instructions() {
    expect_same_bits(Method::Tree { tolerance: 1e-4 }, 5000);
}

#[test]
fn fields_at_points_hold_the_tolerance() {
    let (x, q) = cloud(5000, 8, false);
    let (points, _) = cloud(3000, 9, false);
    let points: Vec<Vec3> = points.iter().map(|x| 3.0 * x - Vec3::repeat(1.0)).collect();
    let charges = Charges::new(&x, &q, 0.0).expect("charges");
    let of = |method| field_at(&charges, &points, &method).expect("a field");
    let exact = of(Method::Exact);
    let [global, median] = errors(&of(Method::Tree { tolerance: 1e-5 }).e, &exact.e);
    assert!(global < 1e-5 && median < 1e-5, "{global} {median}");
}

/// Few charges, charges at one place, charges of zero.
#[test]
fn degenerate_clouds_have_fields() {
    let tree = Method::Tree { tolerance: 1e-3 };
    for n in [0, 1, 2, 17] {
        let (x, q) = cloud(n, 5, false);
        assert_eq!(field_of(&x, &q, 0.0, tree).e.len(), n);
    }
    let together = vec![Vec3::new(1.0, 2.0, 3.0); 200];
    assert!(field_of(&together, &[1e-6; 200], 0.1, tree).e.iter().all(|e| e.norm() == 0.0));
    let (x, _) = cloud(300, 6, false);
    assert!(field_of(&x, &[0.0; 300], 0.0, tree).e.iter().all(|e| e.norm() == 0.0));
}

#[test]
fn auto_is_exact_for_few_and_the_tree_for_many() {
    let auto = |tolerance| Method::Auto { tolerance };
    assert_eq!(auto(1e-3).resolve(1000), Ok(Method::Exact));
    assert_eq!(auto(1e-3).resolve(10_000), Ok(Method::Tree { tolerance: 1e-3 }));
    // a smaller error takes a longer walk
    assert_eq!(auto(1e-8).resolve(10_000), Ok(Method::Exact));
    assert_eq!(auto(1e-8).resolve(100_000), Ok(Method::Tree { tolerance: 1e-8 }));
}
