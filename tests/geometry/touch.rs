//! Where a sphere touches a solid: the points of its surface that are locally nearest.

use std::sync::Arc;

use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::shape::{HalfSpace, Shape, Touches};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::Wall;
use proptest::prelude::*;

use crate::common::solids::{cube, sphere};

fn touches(shape: Shape, p: Vec3, reach: f64) -> Touches {
    Wall::new(shape).surface().touches(&p, reach)
}

fn at(shape: Shape, position: Vec3) -> Shape {
    Shape::Placed { shape: Box::new(shape), position, rotation: Quat::identity() }
}

fn cuboid(low: Vec3, high: Vec3) -> Shape {
    at(Shape::Box { size: (high - low).into() }, 0.5 * (low + high))
}

fn inside(shape: Shape) -> Shape {
    Shape::Complement(Box::new(shape))
}

#[test]
fn a_sphere_in_a_corner_touches_each_wall() {
    let room = inside(Shape::Box { size: [1.0; 3] });
    let silo = inside(Shape::Cylinder { radius: 0.5, height: 1.0 });
    let hopper = inside(Shape::Cone { radius: 0.2, top_radius: 0.5, height: 1.0 });
    for (count, p) in [(1, [0.0, 0.1, 0.45]), (2, [0.0, 0.45, 0.45]), (3, [-0.45, 0.45, 0.45]), (0, [0.0, 0.1, 0.2])] {
        assert_eq!(touches(room.clone(), p.into(), 0.06).len(), count, "{p:?}");
    }
    assert_eq!(touches(silo, Vec3::new(0.0, 0.45, -0.46), 0.06).len(), 2);
    let found = touches(hopper, Vec3::new(0.16, 0.0, -0.46), 0.06);
    let [slope, side] = [0.3, 1.0f64.hypot(0.3)];
    let distance = (0.2 + slope * 0.04 - 0.16) / side;
    assert!(found.len() == 2 && found.iter().any(|touch| (touch.distance - distance).abs() < 1e-12), "{found:?}");
}

#[test]
fn the_seam_of_two_boxes_is_no_edge() {
    let pair = || {
        Shape::Union(vec![
            cuboid(Vec3::new(-1.0, -1.0, -1.0), Vec3::zeros() + Vec3::y()),
            cuboid(Vec3::new(0.0, -1.0, -1.0), Vec3::new(1.0, 1.0, 0.0)),
        ])
    };
    for k in -100..=100 {
        let found = touches(pair(), Vec3::new(f64::from(k) * 1e-3, 0.1, 0.09), 0.1);
        assert!(found.len() == 1 && (found[0].normal - Vec3::z()).norm() < 1e-12, "{k} {found:?}");
        assert!((found[0].distance - 0.09).abs() < 1e-14);
    }
}

/// A prism of this outline (x, z), from y = -1 to 1.
fn prism(outline: &[[f64; 2]]) -> Mesh {
    let n = outline.len() as u32;
    let ring = |y: f64| outline.iter().map(move |&[x, z]| Vec3::new(x, y, z));
    let corners: Vec<Vec3> = ring(-1.0).chain(ring(1.0)).collect();
    let sides = (0..n).flat_map(|k| {
        let next = (k + 1) % n;
        [[k, n + next, next], [k, n + k, n + next]]
    });
    // a fan from the bottom of the groove
    let ends = (1..n - 1).flat_map(|k| [[0, k, k + 1], [n, n + k + 1, n + k]]);
    Mesh::new(&corners, &sides.chain(ends).collect::<Vec<_>>()).expect("a solid")
}

#[test]
fn a_sphere_in_the_groove_of_a_mesh_touches_both_sides() {
    // counterclockwise from the bottom of the groove
    let groove = prism(&[[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]]);
    let mesh = Shape::Mesh(Arc::new(groove));
    for y in [-0.5, 0.0, 0.3] {
        let found = touches(mesh.clone(), Vec3::new(0.0, y, 0.14), 0.1);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|touch| (touch.distance - 0.14 / 2f64.sqrt()).abs() < 1e-12), "{found:?}");
    }
    let found = touches(mesh, Vec3::new(0.3, 0.0, 0.38), 0.1);
    assert!(found.len() == 1, "{found:?}");
}

#[test]
fn inner_edges_of_a_flat_mesh_are_no_edges_and_outer_ones_are() {
    let (corners, faces) = cube(2.0);
    let mesh = Shape::Mesh(Arc::new(Mesh::new(&corners, &faces).unwrap()));
    for k in -90..=90 {
        let along = f64::from(k) * 0.01;
        let found = touches(mesh.clone(), Vec3::new(along, 0.9 * along, 1.09), 0.1);
        assert!(found.len() == 1 && (found[0].distance - 0.09).abs() < 1e-14, "{k} {found:?}");
    }
    let found = touches(mesh.clone(), Vec3::new(1.03, 0.2, 1.04), 0.1);
    assert!(found.len() == 1 && (found[0].distance - 0.05).abs() < 1e-14, "{found:?}");
    let ball = sphere(0.5, 60);
    let ball = Shape::Mesh(Arc::new(Mesh::new(&ball.0, &ball.1).unwrap()));
    for k in 0..200 {
        let way = Vec3::new((f64::from(k) * 0.37).sin(), (f64::from(k) * 0.73).cos(), 0.3).normalize();
        assert_eq!(touches(ball.clone(), way * 0.59, 0.1).len(), 1, "{k}");
    }
}

#[test]
fn a_thin_plate_of_a_wide_mesh_has_two_faces() {
    let (mut corners, faces) = cube(1.0);
    corners.iter_mut().for_each(|p| p.z *= 0.003);
    let mesh = Shape::Mesh(Arc::new(Mesh::new(&corners, &faces).unwrap()));
    for (z, distance) in [(0.0035, 0.002), (-0.0025, 0.001), (0.0005, -0.001)] {
        let found = touches(mesh.clone(), Vec3::new(0.123, 0.2, z), 0.004);
        assert!(found.len() == 1 && (found[0].distance - distance).abs() < 1e-15, "{found:?}");
        assert!((found[0].normal.z - z.signum()).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn there_is_no_wall_between_rooms_that_share_a_face() {
    let left = cuboid(Vec3::zeros(), Vec3::repeat(1.0));
    let right = cuboid(Vec3::x(), Vec3::new(2.0, 1.0, 1.0));
    let rooms = inside(Shape::Union(vec![left, right]));
    for k in -20..=20 {
        let found = touches(rooms.clone(), Vec3::new(1.0 + f64::from(k) * 0.01, 0.5, 0.09), 0.1);
        assert!(found.len() == 1 && (found[0].normal - Vec3::z()).norm() < 1e-12, "{k} {found:?}");
    }
    assert_eq!(touches(rooms, Vec3::new(1.95, 0.05, 0.06), 0.1).len(), 3);
}

#[test]
fn a_hole_in_a_plate_has_a_rim_and_a_wall() {
    let plate = Shape::Box { size: [2.0, 2.0, 0.2] };
    let hole = Shape::Cylinder { radius: 0.3, height: 0.3 };
    let holed = Shape::difference(plate, [hole]);
    assert!(touches(holed.clone(), Vec3::z() * 0.12, 0.1).is_empty());
    let rim = touches(holed.clone(), Vec3::new(0.27, 0.0, 0.14), 0.1);
    assert!(rim.len() == 1 && (rim[0].distance - 0.05).abs() < 1e-8, "{rim:?}");
    let wall = touches(holed, Vec3::new(0.25, 0.0, 0.01), 0.1);
    assert!(wall.len() == 1 && (wall[0].distance - 0.05).abs() < 1e-12, "{wall:?}");
}

/// Whether a point is within a box, and not on its surface.
fn is_inner((low, high): &(Vec3, Vec3), p: &Vec3) -> bool {
    (p - low).min() > 1e-9 && (high - p).min() > 1e-9
}

/// Points on the surface of a union of boxes, on a grid.
fn surface(boxes: &[(Vec3, Vec3)], spacing: f64) -> Vec<Vec3> {
    let mut points = Vec::new();
    for (low, high) in boxes {
        let counts = (high - low).map(|side| (side / spacing).round() as i32);
        for (i, j, k) in
            (0..=counts.x).flat_map(|i| (0..=counts.y).flat_map(move |j| (0..=counts.z).map(move |k| (i, j, k))))
        {
            let is_face = |n: i32, count: i32| n == 0 || n == count;
            let p = low + Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * spacing;
            if (is_face(i, counts.x) || is_face(j, counts.y) || is_face(k, counts.z))
                && !boxes.iter().any(|of| is_inner(of, &p))
            {
                points.push(p);
            }
        }
    }
    points
}

/// Whether no way from a surface point `foot` into a union of boxes comes nearer to `p`. Next to `foot` the union is one of
/// octants, each spanned by three axes.
fn is_locally_nearest(boxes: &[(Vec3, Vec3)], foot: &Vec3, p: &Vec3) -> bool {
    let octants = (0..8).map(|bits| Vec3::from_fn(|axis, _| if bits >> axis & 1 == 0 { 1.0 } else { -1.0 }));
    let is_solid = |octant: &Vec3| boxes.iter().any(|of| is_inner(of, &(foot + octant * 1e-7)));
    let mut solid = octants.filter(is_solid).peekable();
    solid.peek().is_some() && solid.all(|octant| octant.component_mul(&(p - foot)).max() < 1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Boxes on a lattice of a quarter, seen from nearby: each locally nearest sample of the surface is at a touch, and each
    /// touch at one.
    #[test]
    fn a_union_of_boxes_is_touched_where_its_surface_is_locally_nearest(
        corners in prop::collection::vec((prop::array::uniform3(0..6), prop::array::uniform3(1..4)), 2..5),
        place in prop::array::uniform3(-0.2..2.0),
    ) {
        const REACH: f64 = 0.3;
        const SPACING: f64 = 0.03125;
        let quarter = |a: [i32; 3]| Vec3::from(a.map(|x| 0.25 * f64::from(x)));
        let boxes: Vec<_> =
            corners.iter().map(|&(low, size)| (quarter(low), quarter(low) + quarter(size))).collect();
        let p = Vec3::from(place);
        let union = Shape::Union(boxes.iter().map(|(low, high)| cuboid(*low, *high)).collect());
        prop_assume!(union.distance(&p) > 0.02);
        let points = surface(&boxes, SPACING);
        let lowest = |q: &Vec3| {
            let near = points.iter().filter(|other| (*other - q).norm() < 2.9 * SPACING);
            near.map(|other| (other - p).norm()).fold(f64::INFINITY, f64::min)
        };
        let minima: Vec<_> = points
            .iter()
            .filter(|q| (*q - p).norm() < REACH - SPACING && (*q - p).norm() <= lowest(q))
            .collect();
        let found = touches(union, p, REACH);
        for q in &minima {
            let is_found = found.iter().any(|touch| (touch.foot(&p) - *q).norm() < 2.0 * SPACING);
            prop_assert!(is_found, "{p} {q} {found:?} {boxes:?}");
        }
        for touch in found.iter().filter(|touch| touch.distance < REACH - 2.0 * SPACING) {
            let foot = touch.foot(&p);
            prop_assert!(is_locally_nearest(&boxes, &foot, &p), "{p} {foot} {touch:?} {boxes:?}");
        }
    }
}

#[test]
fn a_v_of_two_half_spaces_is_touched_twice() {
    let side = |x: f64| Shape::HalfSpace(HalfSpace { normal: Vec3::new(x, 0.0, 1.0).normalize(), offset: 0.0 });
    let found = touches(Shape::Union(vec![side(1.0), side(-1.0)]), Vec3::z() * 0.1, 0.08);
    assert!(found.len() == 2 && found.iter().all(|touch| (touch.distance - 0.1 / 2f64.sqrt()).abs() < 1e-15));
}
