use std::f64::consts::PI;

use bdem_core::geometry::{Quat, Vec3, packing, rotation, shape::Shape};
use serde_json::Value;

use crate::common::golden::{list, load, number, numbers, vec3s};

const TOUCH: f64 = 1e-6;

/// The shape that a golden domain names, with the golden anchor of its lattice left out.
fn shape_of(domain: &Value) -> Shape {
    let length = |key| number(domain, key);
    match domain["shape"].as_str().expect("a domain has a shape") {
        "box" => Shape::Box { size: numbers(&domain["size"])[..].try_into().expect("three sides") },
        "sphere" => Shape::Sphere { radius: length("radius") },
        "cylinder" => Shape::Cylinder { radius: length("radius"), height: length("height") },
        other => panic!("no golden packing of {other}"),
    }
}

/// Moved so that the outermost lie evenly about the origin, in the order z, y, x up to rounding.
fn aligned(mut points: Vec<Vec3>, r: f64) -> Vec<Vec3> {
    let (low, high) = points.iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)));
    points.iter_mut().for_each(|p| *p -= (low + high) * 0.5);
    points.sort_by_key(|p| [p.z, p.y, p.x].map(|x| (x / r * 1e6).round() as i64));
    points
}

#[test]
fn golden_hcp_packings() {
    for golden in list(&load("hcp"), "packings") {
        let (shape, r) = (shape_of(&golden["domain"]), number(golden, "r"));
        let centres = aligned(packing::hexagonal(&shape, r), r);
        let expected = aligned(vec3s(&golden["centres_sorted_z_y_x"]), r);
        assert_eq!(centres.len(), expected.len());
        for (ours, theirs) in centres.iter().zip(&expected) {
            assert!((ours - theirs).norm() < 1e-9 * r, "{ours} {theirs}");
        }
        let solid = centres.len() as f64 * 4.0 / 3.0 * PI * r.powi(3);
        assert!((solid / shape.volume() - number(golden, "filled_volume_fraction")).abs() < 1e-9);
        golden_hcp_bonds(golden, &centres, r);
    }
}

fn golden_hcp_bonds(golden: &Value, centres: &[Vec3], r: f64) {
    let pairs = packing::touching_pairs(centres, &vec![r; centres.len()], TOUCH);
    assert_eq!(pairs.len() as f64, number(golden, "n_bonds"));
    let mut neighbours = vec![0.0; centres.len()];
    for [i, j] in pairs.iter().map(|pair| pair.map(|i| i as usize)) {
        let length = (centres[j] - centres[i]).norm();
        assert!((length - number(golden, "bond_length")).abs() < 1e-9 * r);
        neighbours[i] += 1.0;
        neighbours[j] += 1.0;
    }
    assert_eq!(neighbours, numbers(&golden["neighbour_counts"]));
    let histogram = |count: usize| neighbours.iter().filter(|&&n| n == count as f64).count() as f64;
    assert_eq!((0..=12).map(histogram).collect::<Vec<_>>(), numbers(&golden["neighbour_histogram"]));
}

#[test]
fn golden_hcp_bulk() {
    let bulk = &load("hcp")["bulk"];
    let cube = Shape::Box { size: [1.0; 3] };
    let r = 0.02;
    let density = packing::estimate(cube.volume(), r);
    assert!((density * r.powi(3) - number(bulk, "number_density_r3")).abs() < 1e-9);
    assert!((density * 4.0 / 3.0 * PI * r.powi(3) - number(bulk, "packing_fraction")).abs() < 1e-9);

    let centres = packing::hexagonal(&cube, r);
    let pairs = packing::touching_pairs(&centres, &vec![r; centres.len()], TOUCH);
    let inner = |i: usize| centres[i].amax() < 0.5 - 4.0 * r;
    for i in (0..centres.len()).filter(|&i| inner(i)) {
        let neighbours = pairs.iter().filter(|pair| pair.contains(&(i as u32))).count();
        assert_eq!(neighbours as f64, number(bulk, "coordination"));
    }
    let z = |k: f64| centres.iter().any(|c| (c.z + 0.5 - r - k * r * number(bulk, "layer_spacing_over_r")).abs() < r);
    assert!(z(0.0) && z(1.0));
}

#[test]
fn a_packing_is_sorted_centred_and_inside_of_its_size() {
    let shapes = [
        Shape::Box { size: [0.3, 0.2, 0.1] },
        Shape::Sphere { radius: 0.1 },
        Shape::Cylinder { radius: 0.1, height: 0.05 },
    ];
    for shape in shapes {
        let centres = packing::hexagonal(&shape, 0.01);
        assert!(centres.is_sorted_by(|a, b| (a.x, a.y, a.z) < (b.x, b.y, b.z)));
        assert!((centres.len() as f64) < packing::estimate(shape.volume(), 0.01));
        let (low, high) = centres.iter().fold((centres[0], centres[0]), |(l, h), c| (l.inf(c), h.sup(c)));
        assert!((low + high).norm() < 1e-15);
        let (lowest, highest) = shape.bounds();
        assert!((high - low).add_scalar(0.02) <= highest - lowest + Vec3::repeat(1e-9));
    }
}

/// How many of the points can be reached from the first along the pairs.
fn reached(points: usize, pairs: &[[u32; 2]]) -> usize {
    let mut near = vec![Vec::new(); points];
    for &[i, j] in pairs {
        near[i as usize].push(j as usize);
        near[j as usize].push(i as usize);
    }
    let (mut seen, mut open) = (vec![false; points], vec![0]);
    seen[0] = true;
    while let Some(i) = open.pop() {
        for &j in &near[i] {
            if !std::mem::replace(&mut seen[j], true) {
                open.push(j);
            }
        }
    }
    seen.into_iter().filter(|seen| *seen).count()
}

#[test]
fn round_shapes_are_filled_in_one_piece() {
    let shapes = [
        Shape::Ellipsoid { radii: [0.1, 0.05, 0.07] },
        Shape::Tube { radius: 0.1, inner_radius: 0.06, height: 0.1 },
        Shape::Cone { radius: 0.08, top_radius: 0.0, height: 0.12 },
        Shape::Cone { radius: 0.03, top_radius: 0.08, height: 0.1 },
        Shape::Capsule { radius: 0.04, height: 0.2 },
        Shape::Torus { radius: 0.1, tube_radius: 0.03 },
    ];
    for shape in shapes {
        let r = 0.005;
        let centres = packing::hexagonal(&shape, r);
        // centring moves what fits by less than a radius
        assert!(centres.iter().all(|c| shape.distance(c) <= 0.0), "{shape:?}");
        let pairs = packing::touching_pairs(&centres, &vec![r; centres.len()], 1e-6);
        assert_eq!(reached(centres.len(), &pairs), centres.len(), "{shape:?}");
        let filled = centres.len() as f64 / packing::estimate(shape.volume(), r);
        assert!((0.6..1.0).contains(&filled), "{shape:?}: {filled}");
    }
}

#[test]
fn a_cone_stands_on_its_base() {
    let shape = Shape::Cone { radius: 0.08, top_radius: 0.0, height: 0.12 };
    let lowest = packing::hexagonal(&shape, 0.005).iter().fold(0.0, |low: f64, c| low.min(c.z));
    assert!((lowest - (0.005 - 0.06)).abs() < 1e-12, "{lowest}");
}

#[test]
fn a_cylinder_takes_as_many_layers_as_fit_its_height() {
    let spacing = 0.01 * 2.0 / 3.0 * 6f64.sqrt();
    for layers in 1..6 {
        let height = 0.02 + f64::from(layers - 1) * spacing;
        let centres = packing::hexagonal(&Shape::Cylinder { radius: 0.05, height }, 0.01);
        assert_eq!(centres.iter().map(|c| (c.z / spacing * 2.0).round() as i32).max(), Some(layers - 1));
    }
}

#[test]
fn one_sphere_fits_its_own_size_and_none_fits_less() {
    assert_eq!(packing::hexagonal(&Shape::Box { size: [0.02; 3] }, 0.01), [Vec3::zeros()]);
    assert!(packing::hexagonal(&Shape::Box { size: [0.02, 0.02, 0.0199] }, 0.01).is_empty());
}

#[test]
fn what_is_moved_or_combined_stays_in_its_place() {
    let r = 0.005;
    let cube = Shape::Box { size: [0.1; 3] };
    let ball = |x| Shape::Placed {
        shape: Box::new(Shape::Sphere { radius: 0.04 }),
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Quat::identity(),
    };
    for shape in [ball(0.3), Shape::difference(cube.clone(), [ball(0.03)]), Shape::Union(vec![cube, ball(0.05)])] {
        let centres = packing::hexagonal(&shape, r);
        assert!(centres.len() > 20 && centres.iter().all(|c| shape.holds(c, r)), "{shape:?}");
        let middle: Vec3 = centres.iter().sum::<Vec3>() / centres.len() as f64;
        let (low, high) = shape.bounds();
        let filled = centres.len() as f64 / packing::estimate(shape.volume(), r);
        assert!((0.4..1.0).contains(&filled) && (middle - (low + high) * 0.5).norm() < 3.0 * r, "{filled} {middle}");
    }
}

#[test]
fn a_turned_lattice_is_the_same_lattice_turned() {
    let (shape, r) = (Shape::Sphere { radius: 0.1 }, 0.01);
    let turn = rotation::exp(&Vec3::new(0.3, -0.1, 0.2));
    // about its centre a sphere looks the same, and what fits is then centred
    let mut upright = packing::hexagonal(&shape, r);
    let turned = packing::hexagonal_turned(&shape, r, &turn);
    assert_eq!(turned.len(), upright.len());
    let pairs = |centres: &[Vec3]| packing::touching_pairs(centres, &vec![r; centres.len()], TOUCH).len();
    assert_eq!(pairs(&turned), pairs(&upright));
    upright.iter_mut().for_each(|p| *p = rotation::rotate(&turn, p));
    // each lies at the same place but for the centring of all
    let shift = turned[0]
        - upright.iter().copied().min_by(|a, b| (a - turned[0]).norm().total_cmp(&(b - turned[0]).norm())).unwrap();
    let near = |p: &Vec3| upright.iter().any(|q| (p - shift - q).norm() < 1e-9);
    assert!(turned.iter().all(near));
}

#[test]
fn boxes_take_lattices_of_any_turn() {
    let shape = Shape::Box { size: [0.3, 0.2, 0.1] };
    for angle in [0.2, 0.5, 1.0] {
        let turn = rotation::exp(&(Vec3::new(1.0, 2.0, -0.5).normalize() * angle));
        let centres = packing::hexagonal_turned(&shape, 0.01, &turn);
        assert!(centres.iter().all(|c| shape.holds(c, 0.01)));
        let filled = centres.len() as f64 / packing::estimate(shape.volume(), 0.01);
        assert!((0.65..1.0).contains(&filled), "{filled}");
    }
}
