use bdem_core::geometry::Vec3;
use bdem_core::geometry::keyed::uniform;
use bdem_pictures::render::{Camera, Look, Viewpoint, balls};
use bdem_run::output::ply::Frame;

use super::{LENS, MARGINS, SIZE, extent, frame, look, look_at, vertex};

/// Clouds of all shapes, as places and a radius.
fn clouds() -> Vec<Frame> {
    let random = |i: u32, axis: u32| uniform(7, i * 3 + axis) as f32;
    let cloud = |size: [f32; 3], count: u32, radius: f32| {
        let place = |i| [0, 1, 2].map(|axis| size[axis as usize] * random(i, axis) - 3.0);
        frame((0..count).map(|i| vertex(place(i), radius, 0)).collect())
    };
    vec![
        cloud([0.0; 3], 1, 0.002),
        cloud([1.0, 0.0, 0.0], 40, 0.05),
        cloud([0.0, 0.0, 2.0], 40, 0.03),
        cloud([0.0, 1.0, 1.0], 100, 0.03),
        cloud([4.0, 4.0, 0.5], 200, 0.1),
        cloud([300.0, 200.0, 100.0], 50, 40.0),
    ]
}

#[test]
fn the_automatic_camera_shows_all_and_fills_the_picture() {
    let ups = [Vec3::z(), Vec3::y(), -Vec3::x()];
    for (cloud, up) in clouds().iter().flat_map(|cloud| ups.map(|up| (cloud, up))) {
        let camera = Camera::around(balls(cloud).iter(), &up, &LENS, &MARGINS);
        let picture = Look { up, ..look(camera) }.picture(cloud);
        let ([left, right], [top, bottom]) = extent(&picture).expect("something is seen");
        let free = [left, SIZE.width - 1 - right, top, SIZE.height - 1 - bottom];
        let least = [MARGINS.sides, MARGINS.sides, MARGINS.top, MARGINS.bottom];
        let over: Vec<f64> = free.iter().zip(least).map(|(free, least)| f64::from(*free) - least).collect();
        assert!(over.iter().all(|over| *over > -1.5), "{over:?}, {up:?}");
        // as near as it can: it fits across or down
        assert!(over[0].max(over[1]) < 3.0 || over[2].max(over[3]) < 3.0, "{over:?}, {up:?}");
    }
}

#[test]
fn what_is_looked_at_is_in_the_middle_and_up_is_up() {
    let viewpoint = Viewpoint { eye: Vec3::new(1.0, -2.0, 3.0), target: Vec3::new(0.1, 0.2, 0.3) };
    let camera = Camera::new(&viewpoint, &Vec3::z(), &LENS);
    let [x, y] = camera.pixel(&viewpoint.target).expect("it is in view");
    assert!((x - 80.0).abs() < 1e-9 && (y - 60.0).abs() < 1e-9, "{x} {y}");
    let [above_x, above_y] = camera.pixel(&(viewpoint.target + 0.1 * Vec3::z())).expect("in view");
    assert!((above_x - x).abs() < 1e-9 && above_y < y);
    assert_eq!(camera.pixel(&(viewpoint.eye * 2.0 - viewpoint.target)), None, "behind");
}

#[test]
fn the_field_of_view_is_the_picture_s_height() {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -2.0, 0.0), target: Vec3::zeros() };
    let camera = Camera::new(&viewpoint, &Vec3::z(), &LENS);
    let edge = Vec3::new(0.0, 0.0, 2.0 * libm::tan(15_f64.to_radians()));
    assert!(camera.pixel(&edge).expect("in view")[1].abs() < 1e-9);
}

#[test]
fn one_that_looks_straight_down_sees() {
    let ball = frame(vec![vertex([0.0; 3], 0.1, 0)]);
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, 0.0, 1.0), target: Vec3::zeros() };
    let picture = look(Camera::new(&viewpoint, &Vec3::z(), &LENS)).picture(&ball);
    assert!(extent(&picture).is_some());
}

#[test]
fn frames_that_make_no_sense_are_drawn_without_what_makes_none() {
    let wrong = [
        vertex([f32::NAN, 0.0, 0.0], 0.1, 0),
        vertex([0.0, f32::INFINITY, 0.0], 0.1, 0),
        vertex([0.0; 3], -0.1, 0),
        vertex([0.0; 3], f32::NAN, 0),
        vertex([f32::MAX; 3], f32::MIN_POSITIVE, 0),
    ];
    for vertices in [vec![], wrong[..4].to_vec(), wrong.to_vec()] {
        let frame = frame(vertices);
        assert_eq!(look_at(&frame).picture(&frame).size(), SIZE);
    }
    let good = vertex([0.0; 3], 0.1, 0);
    let among = frame(wrong[..4].iter().cloned().chain([good]).collect());
    let alone = frame(vec![vertex([0.0; 3], 0.1, 0)]);
    assert!(look_at(&among).picture(&among) == look_at(&alone).picture(&alone));
}
