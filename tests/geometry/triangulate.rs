use std::collections::BTreeMap;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::triangulate::{Triangulated, sphere, torus};

/// Volume, after a check that each edge is in one triangle in each direction, and each corner in one at least.
fn volume(surface: &Triangulated) -> f64 {
    let mut edges = BTreeMap::new();
    for &[a, b, c] in &surface.faces {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    assert!(edges.iter().all(|(&[a, b], count)| *count == 1 && edges.contains_key(&[b, a])));
    assert!((0..surface.x.len() as u32).all(|corner| surface.faces.iter().any(|face| face.contains(&corner))));
    let six = |face: &[u32; 3]| {
        let [a, b, c]: [Vec3; 3] = face.map(|corner| surface.x[corner as usize]);
        a.dot(&b.cross(&c))
    };
    surface.faces.iter().map(six).sum::<f64>() / 6.0
}

#[test]
fn a_torus_is_closed_and_turned_outwards() {
    let torus = torus([60, 40], 3.0, 0.5);
    assert_eq!((torus.x.len(), torus.faces.len()), (2400, 4800));
    let exact = 2.0 * std::f64::consts::PI.powi(2) * 3.0 * 0.25;
    assert!((volume(&torus) / exact - 1.0).abs() < 0.01, "{}", volume(&torus));
}

#[test]
fn a_sphere_is_closed_and_turned_outwards() {
    for (divisions, corners) in [(0, 12), (1, 42), (3, 642)] {
        let sphere = sphere(divisions);
        assert_eq!((sphere.x.len(), sphere.faces.len()), (corners, 2 * corners - 4));
        assert!(sphere.x.iter().all(|x| (x.norm() - 1.0).abs() < 1e-15));
        let share = volume(&sphere) / (4.0 / 3.0 * std::f64::consts::PI);
        assert!((0.6..1.0).contains(&share) && (divisions < 3 || share > 0.98), "{share}");
    }
}
