use std::fs;

use bdem_core::geometry::Vec3;
use bdem_pictures::render::{Camera, Look, Picture, Viewpoint};
use bdem_run::output::ply::Frame;

use super::{LENS, colliders, floor_at, frame, is_backdrop, look, vertex};

/// From before, 2 m away, at a particle out of view. `collider` has the keys of the collider.
fn picture(collider: &str, time: f64) -> Picture {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 0.0), target: Vec3::zeros() };
    let colliders = colliders(&format!("[[colliders]]\n{collider}"));
    let look = Look { colliders, ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
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
    let behind = "shape = { box = { size = [0.5, 1.0, 0.3] } }\nposition = [0.0, 0.5, 0.0]";
    for rotation in ["", "rotation = { axis = [0.0, 1.0, 0.0], degrees = 90.0 }"] {
        let share = covered(&picture(&format!("{behind}\n{rotation}"), 0.0)) / (0.5 * 0.3 * square_metre());
        assert!((share - 1.0).abs() < 0.07, "{share}");
    }
}

/// Its sides reach behind the eye, and its top is seen at a grazing angle.
#[test]
fn a_box_that_reaches_behind_the_eye_is_seen_to_its_far_edge() {
    let picture = picture("shape = { box = { size = [200.0, 200.0, 1.0] } }\nposition = [0.0, 0.0, -0.55]", 0.0);
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
    let ball = "shape = { sphere = { radius = 0.1 } }\nmotion = { velocity = [0.1, 0.0, 0.0] }";
    let (first, later) = (picture(ball, 0.0), picture(ball, 2.0));
    let middle = first.pixel(LENS.size.width / 2, LENS.size.height / 2).expect("in the picture");
    assert!(!is_backdrop(middle, &first));
    assert!(is_backdrop(later.pixel(LENS.size.width / 2, LENS.size.height / 2).expect("in the picture"), &later));
    assert!((covered(&first) / covered(&later) - 1.0).abs() < 0.06);
}

#[test]
fn what_has_no_end_or_may_hold_particles_is_not_drawn() {
    let unseen = [
        "shape = { tube = { radius = 0.2, inner_radius = 0.1, height = 0.3 } }",
        "shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }",
        "shape = { sphere = { radius = 1.0 } }\ninside = true",
    ];
    for collider in unseen {
        assert_eq!(covered(&picture(collider, 0.0)), 0.0, "{collider}");
    }
}

#[test]
fn walls_throw_shadows_on_particles() {
    let low = frame(vec![vertex([0.0; 3], 0.3, 0)]);
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 1.0), target: Vec3::zeros() };
    let open = Look { floor: floor_at(-0.3), ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
    let [x, y] = open.camera.pixel(&(0.3 * open.sun())).expect("in view");
    let brightness = |look: &Look| super::brightness(look.picture(&low).pixel(x as u32, y as u32).expect("in view"));
    let position = open.sun() * 1.2;
    let shade = format!(
        "[[colliders]]\nshape = {{ sphere = {{ radius = 0.2 }} }}\nposition = {:?}",
        <[f64; 3]>::from(position)
    );
    let shaded = Look { colliders: colliders(&shade), ..open.clone() };
    assert!(brightness(&shaded) < 700 * brightness(&open) / 1000, "{} {}", brightness(&shaded), brightness(&open));
}

/// Cube with a side of 0.5 m.
const CUBE: &str = "v -0.25 -0.25 -0.25
v 0.25 -0.25 -0.25
v -0.25 0.25 -0.25
v 0.25 0.25 -0.25
v -0.25 -0.25 0.25
v 0.25 -0.25 0.25
v -0.25 0.25 0.25
v 0.25 0.25 0.25
f 1 5 7 3
f 2 4 8 6
f 1 2 6 5
f 3 7 8 4
f 1 3 4 2
f 5 6 8 7
";

#[test]
fn unions_meshes_and_cut_solids_are_seen_where_they_are() {
    let folder = tempfile::tempdir().expect("space");
    let file = folder.path().join("cube.obj");
    fs::write(&file, CUBE).expect("space");
    let half = |x: f64| {
        let size = "box = { size = [0.25, 0.5, 0.5] }";
        format!("{{ moved = {{ shape = {{ {size} }}, position = [{x}, 0.0, 0.0] }} }}")
    };
    let whole = "{ box = { size = [0.5, 0.5, 0.5] } }".to_owned();
    let shapes = [
        format!("{{ union = [{}, {}] }}", half(0.125), half(-0.125)),
        format!("{{ mesh = {{ file = {:?} }} }}", file.to_str().expect("text")),
        format!("{{ difference = [{whole}, {{ box = {{ size = [0.1, 0.1, 0.1] }} }}] }}"),
    ];
    let behind = |shape: &str| picture(&format!("shape = {shape}\nposition = [0.0, 0.25, 0.0]"), 0.0);
    let [x, y] = [LENS.size.width / 2, LENS.size.height / 2];
    let light = |picture: &Picture| super::brightness(picture.pixel(x, y).expect("in the picture"));
    for shape in shapes {
        let picture = behind(&shape);
        let share = covered(&picture) / (0.5 * 0.5 * square_metre());
        assert!((share - 1.0).abs() < 0.07, "{shape}: {share}");
        // the front side of a box is lit as that of any other
        let (lit, known) = (light(&picture), light(&behind(&whole)));
        assert!(lit.abs_diff(known) < 30, "{shape}: {lit}, {known}");
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
