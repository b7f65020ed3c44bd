use std::sync::Arc;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::shape::{Profile, Shape};

use crate::common::solids::{cube, sphere};

fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 0.02, "{got}, not {want}");
}

#[test]
fn walls_of_hollow_shapes_are_as_thick_as_they_were_made() {
    let ball = |radius| Shape::Sphere { radius };
    let hollow = Shape::difference(ball(0.05), [ball(0.044)]);
    near(hollow.thicknesses().thinnest(), 0.006);
    near(hollow.thicknesses().thinner(0.5), 0.006);
    let bowl = [[0.0, 0.0], [0.05, 0.0], [0.05, 0.1], [0.045, 0.1], [0.045, 0.005], [0.0, 0.005]];
    let bowl = Shape::Revolve(Profile::new(bowl.to_vec()).expect("a profile"));
    near(bowl.thicknesses().thinnest(), 0.005);
    near(bowl.thicknesses().thinner(0.5), 0.005);
    // the lowest part is thinner than the rest
    let stepped = [[0.0, 0.0], [0.05, 0.0], [0.05, 0.02], [0.0, 0.02]];
    let plate = Shape::Revolve(Profile::new(stepped.to_vec()).expect("a profile"));
    let cut = Shape::difference(
        plate,
        [Shape::Placed {
            shape: Box::new(Shape::Box { size: [0.2; 3] }),
            position: Vec3::new(0.12, 0.0, 0.104),
            rotation: bdem_core::geometry::Quat::identity(),
        }],
    );
    near(cut.thicknesses().thinnest(), 0.004);
    near(cut.thicknesses().thinner(0.5), 0.02);
}

#[test]
fn walls_of_meshes_are_as_thick_as_the_solids() {
    let mesh = |(corners, faces): (Vec<Vec3>, Vec<[u32; 3]>)| {
        Shape::Mesh(Arc::new(Mesh::new(&corners, &faces).expect("a solid")))
    };
    near(mesh(cube(0.3)).thicknesses().thinner(0.5), 0.3);
    near(mesh(sphere(0.1, 40)).thicknesses().thinner(0.5), 0.2);
    // a sphere in a sphere, inside out
    let ((mut corners, mut faces), (inner, holes)) = (sphere(0.1, 40), sphere(0.09, 40));
    let first = corners.len() as u32;
    corners.extend(inner);
    faces.extend(holes.iter().map(|&[a, b, c]| [first + a, first + c, first + b]));
    near(mesh((corners, faces)).thicknesses().thinner(0.5), 0.01);
}

#[test]
fn walls_go_through_the_faces_that_members_share() {
    let half = |z| Shape::Placed {
        shape: Box::new(Shape::Box { size: [1.0, 1.0, 0.1] }),
        position: Vec3::new(0.0, 0.0, z),
        rotation: bdem_core::geometry::Quat::identity(),
    };
    for gap in [0.0, -1e-3] {
        near(Shape::Union(vec![half(0.05), half(-0.05 - gap)]).thicknesses().thinner(0.5), 0.2 + gap);
    }
}

#[test]
fn a_straight_way_connects_points_if_it_stays_inside() {
    let ball = |x| Shape::Placed {
        shape: Box::new(Shape::Sphere { radius: 1.0 }),
        position: Vec3::new(x, 0.0, 0.0),
        rotation: bdem_core::geometry::Quat::identity(),
    };
    let ends = [&Vec3::zeros(), &Vec3::new(3.0, 0.0, 0.0)];
    for (x, joined) in [(1.5, true), (1.9, true), (2.001, false), (2.5, false)] {
        let pair = Shape::Union(vec![ball(0.0), ball(x), ball(3.0)]);
        assert_eq!(pair.connects(ends, 0.01), joined, "{x}");
    }
}
