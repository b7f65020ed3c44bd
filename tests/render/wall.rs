use std::sync::Arc;

use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Collider, Motion};
use bdem_pictures::render::{Camera, Look, Picture, Viewpoint};
use bdem_pictures::surface::solid_triangles;
use bdem_run::output::ply::Frame;

use super::{LENS, floor_at, frame, is_backdrop, look, vertex};

/// From before, 2 m away, at a particle out of view.
fn picture(collider: Collider, time: f64) -> Picture {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 0.0), target: Vec3::zeros() };
    let look = Look { colliders: vec![collider], ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
    let particle = frame(vec![vertex([9.0, 0.0, 0.0], 0.1, 0)]);
    look.picture(&Frame { comments: vec![format!("time: {time} s")], ..particle })
}

fn covered(picture: &Picture) -> f64 {
    picture.pixels().iter().filter(|pixel| !is_backdrop(**pixel, picture)).count() as f64
}

/// Pixels of 1 m2 that faces the camera from 2 m away.
fn square_metre() -> f64 {
    (f64::from(LENS.size.height) / (2.0 * libm::tan(15_f64.to_radians()) * 2.0)).powi(2)
}

#[test]
fn boxes_are_seen_where_they_are() {
    // its front side is 2 m away
    let shape = Shape::Box { size: [0.5, 1.0, 0.3] };
    let half = 0.5_f64.sqrt();
    let behind =
        |rotation| Shape::Moved { shape: Box::new(shape.clone()), position: Vec3::new(0.0, 0.5, 0.0), rotation };
    for rotation in [Quat::identity(), Quat::new(half, 0.0, half, 0.0)] {
        let share = covered(&picture(Collider::new(behind(rotation)), 0.0)) / (0.5 * 0.3 * square_metre());
        assert!((share - 1.0).abs() < 0.07, "{share}");
    }
}

/// Its bounding ball is around the eye, and its top is seen at a grazing angle.
#[test]
fn a_box_that_reaches_behind_the_eye_is_seen_to_its_far_edge() {
    let size = [200.0, 200.0, 1.0];
    let shape = Shape::Moved {
        shape: Box::new(Shape::Box { size }),
        position: Vec3::new(0.0, 0.0, -0.55),
        rotation: Quat::identity(),
    };
    let picture = picture(Collider::new(shape), 0.0);
    let ground = |y: u32| (0..LENS.size.width).all(|x| !is_backdrop(picture.pixel(x, y).expect("in it"), &picture));
    let middle = LENS.size.height / 2;
    assert!((middle + 2..LENS.size.height).all(ground));
    // its far edge is 102 m away and 0.05 m below the eye
    assert!(
        (0..middle - 1)
            .all(|y| (0..LENS.size.width).all(|x| is_backdrop(picture.pixel(x, y).expect("in it"), &picture)))
    );
}

#[test]
fn moving_walls_are_seen_where_they_are_at_a_frame_s_time() {
    let mut ball = Collider::new(Shape::Sphere { radius: 0.1 });
    ball.motion = Motion::Velocity(Vec3::new(0.1, 0.0, 0.0));
    let (first, later) = (picture(ball.clone(), 0.0), picture(ball, 2.0));
    let middle = first.pixel(LENS.size.width / 2, LENS.size.height / 2).expect("in the picture");
    assert!(!is_backdrop(middle, &first));
    assert!(is_backdrop(later.pixel(LENS.size.width / 2, LENS.size.height / 2).expect("in the picture"), &later));
    assert!((covered(&first) / covered(&later) - 1.0).abs() < 0.06);
}

#[test]
fn what_has_no_end_or_may_hold_particles_is_not_drawn() {
    let tube = Shape::Tube { radius: 0.2, inner_radius: 0.1, height: 0.3 };
    let plane = Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 });
    let around = Shape::Complement(Box::new(Shape::Sphere { radius: 1.0 }));
    for shape in [tube, plane, around] {
        assert_eq!(covered(&picture(Collider::new(shape), 0.0)), 0.0);
    }
}

#[test]
fn walls_throw_shadows_on_particles() {
    let low = frame(vec![vertex([0.0; 3], 0.3, 0)]);
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 1.0), target: Vec3::zeros() };
    let open = Look { floor: floor_at(-0.3), ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
    let [x, y] = open.camera.pixel(&(0.3 * open.sun())).expect("in view");
    let brightness = |look: &Look| super::brightness(look.picture(&low).pixel(x as u32, y as u32).expect("in view"));
    let shape = Box::new(Shape::Sphere { radius: 0.2 });
    let shade = Shape::Moved { shape, position: open.sun() * 1.2, rotation: Quat::identity() };
    let shaded = Look { colliders: vec![Collider::new(shade)], ..open.clone() };
    assert!(brightness(&shaded) < 700 * brightness(&open) / 1000, "{} {}", brightness(&shaded), brightness(&open));
}

#[test]
fn unions_meshes_and_cut_solids_are_seen_where_they_are() {
    let size = [0.5, 1.0, 0.3];
    let behind = |shape: Shape| {
        let shape = Box::new(shape);
        Shape::Moved { shape, position: Vec3::new(0.0, 0.5, 0.0), rotation: Quat::identity() }
    };
    let half = |x: f64| {
        let shape = Box::new(Shape::Box { size: [0.25, 1.0, 0.3] });
        Shape::Moved { shape, position: Vec3::new(x, 0.0, 0.0), rotation: Quat::identity() }
    };
    let solid = solid_triangles(&Shape::Box { size });
    let mesh = Shape::Mesh(Arc::new(Mesh::new(&solid.places, &solid.triangles).expect("a box")));
    let cut = Shape::difference(Shape::Box { size }, [Shape::Box { size: [0.1; 3] }]);
    for shape in [Shape::Union(vec![half(0.125), half(-0.125)]), mesh, cut] {
        for collider in [Collider::new(behind(shape.clone())), Collider::new(Shape::Union(vec![behind(shape.clone())]))]
        {
            let picture = picture(collider, 0.0);
            let share = covered(&picture) / (0.5 * 0.3 * square_metre());
            assert!((share - 1.0).abs() < 0.07, "{shape:?}: {share}");
            // the front side of a box is lit as that of any other
            let [x, y] = [LENS.size.width / 2, LENS.size.height / 2];
            let known = super::brightness(
                self::picture(Collider::new(behind(Shape::Box { size })), 0.0).pixel(x, y).expect("in the picture"),
            );
            let lit = super::brightness(picture.pixel(x, y).expect("in the picture"));
            assert!(lit.abs_diff(known) < 30, "{shape:?}: {lit}, {known}");
        }
    }
}

#[test]
fn balls_in_one_place_look_like_the_first_of_them() {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 0.0), target: Vec3::zeros() };
    let look = look(Camera::new(&viewpoint, &Vec3::z(), &LENS));
    let [one, many] =
        [1, 2000].map(|count| look.picture(&frame((0..count).map(|k| vertex([0.0; 3], 0.3, k)).collect())));
    assert!(one.pixels() == many.pixels());
    // within a ten-thousandth of the radius, in one cell of the places that count as one
    let near = |k: i32| vertex([3, 4, 5].map(|step| 1e-4 + 1e-8 * (k * step % 2000) as f32), 0.3, k);
    let many = look.picture(&frame((0..2000).map(near).collect()));
    let one = look.picture(&frame(vec![near(0)]));
    assert!(one.pixels() == many.pixels());
}
