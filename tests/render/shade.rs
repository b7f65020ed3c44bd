use bdem_core::geometry::Vec3;
use bdem_pictures::render::{Camera, Look, Picture, Viewpoint};

use super::{LENS, SIZE, brightness, crumbs, extent, floor_at, frame, is_backdrop, look, look_at, vertex};

/// From before, level.
fn from_before(distance: f64) -> Camera {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -distance, 0.0), target: Vec3::zeros() };
    Camera::new(&viewpoint, &Vec3::z(), &LENS)
}

#[test]
fn a_ball_covers_the_disc_that_it_must() {
    let (radius, distance): (f64, f64) = (0.25, 1.5);
    let ball = frame(vec![vertex([0.0; 3], radius as f32, 0)]);
    let picture = look(from_before(distance)).picture(&ball);
    let pixels = f64::from(SIZE.height) / (2.0 * libm::tan(15_f64.to_radians()));
    let expected = pixels * radius / (distance * distance - radius * radius).sqrt();
    let ([left, right], [top, bottom]) = extent(&picture).expect("it is seen");
    for [first, last] in [[left, right], [top, bottom]] {
        assert!((f64::from(last - first + 1) - 2.0 * expected).abs() < 1.5, "{first} {last}, not {expected}");
    }
    let covered = picture.pixels().iter().filter(|pixel| !is_backdrop(**pixel, &picture)).count() as f64;
    let area = std::f64::consts::PI * expected * expected;
    assert!((covered / area - 1.0).abs() < 0.04, "{covered} of {area}");
}

#[test]
fn what_faces_the_sun_is_brightest() {
    let ball = frame(vec![vertex([0.0; 3], 0.3, 0)]);
    let look = look(from_before(2.0));
    let picture = look.picture(&ball);
    let seen = |normal: Vec3| {
        let [x, y] = look.camera.pixel(&(0.3 * normal.normalize())).expect("in view");
        brightness(picture.pixel(x as u32, y as u32).expect("in the picture"))
    };
    let sun = look.sun();
    let to_camera = -Vec3::y();
    let across = (sun - to_camera * sun.dot(&to_camera)).normalize();
    let series = [0.8, 0.4, 0.0, -0.4, -0.8].map(|share: f64| seen(across * share + to_camera * 0.6));
    assert!(series.windows(2).all(|pair| pair[0] > pair[1]), "{series:?}");
}

#[test]
fn nearer_hides_farther_in_any_order() {
    let (near, far) = (vertex([0.0, -0.5, 0.0], 0.1, 5), vertex([0.0, 0.5, 0.0], 0.1, 9));
    let draw = |vertices: Vec<_>| look(from_before(2.0)).picture(&frame(vertices));
    let middle = |picture: &Picture| picture.pixel(SIZE.width / 2, SIZE.height / 2).expect("in the picture");
    let third = vertex([0.3, 0.0, 0.3], 0.05, 1);
    let [alone, both, turned] =
        [vec![near, third], vec![near, far, third], vec![far, near, third]].map(|vertices| middle(&draw(vertices)));
    assert_eq!(both, turned);
    let differences = alone.iter().zip(both).map(|(a, b)| a.abs_diff(b));
    assert!(differences.max() <= Some(2), "{alone:?} {both:?}");
}

#[test]
fn shadows_fall_away_from_the_sun() {
    let ball = frame(vec![vertex([0.0, 0.0, 0.3], 0.05, 0)]);
    let viewpoint = Viewpoint { eye: Vec3::new(0.3, -1.5, 1.5), target: Vec3::zeros() };
    let look = Look { floor: floor_at(0.0), ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
    let picture = look.picture(&ball);
    let seen = |place: Vec3| {
        let [x, y] = look.camera.pixel(&place).expect("in view");
        picture.pixel(x as u32, y as u32).expect("in the picture")
    };
    let sun = look.sun();
    let shadow = Vec3::new(0.0, 0.0, 0.3) - sun * (0.3 / sun.z);
    assert!(shadow.z.abs() < 1e-12);
    assert!(brightness(seen(shadow)) < 700 * brightness(seen(-shadow)) / 1000, "{:?}", seen(shadow));
    assert!(is_backdrop(seen(-shadow), &picture), "{:?}", seen(-shadow));
}

#[test]
fn corners_are_darker_than_open_ground() {
    let look_down = Viewpoint { eye: Vec3::new(0.0, -0.01, 1.0), target: Vec3::zeros() };
    let look = Look { floor: floor_at(-0.02), ..look(Camera::new(&look_down, &Vec3::z(), &LENS)) };
    let wall = |i: i32| vertex([0.02 * i as f32, 0.0, 0.0], 0.02, 0);
    let picture = look.picture(&frame((-4..5).map(wall).collect()));
    // on the side that the sun shines on
    let side = look.sun().y.signum();
    let ground = |distance: f64| {
        let [x, y] = look.camera.pixel(&Vec3::new(0.0, side * distance, -0.02)).expect("in view");
        brightness(picture.pixel(x as u32, y as u32).expect("in the picture"))
    };
    assert!(ground(0.023) + 20 < ground(0.2), "{} {}", ground(0.023), ground(0.2));
}

#[test]
fn pictures_are_neither_black_nor_white() {
    let frame = crumbs();
    let picture = Look { floor: floor_at(0.0), ..look_at(&frame) }.picture(&frame);
    let share = |is: &dyn Fn(u8) -> bool| {
        let found = picture.pixels().iter().filter(|pixel| pixel.iter().all(|part| is(*part))).count();
        found as f64 / picture.pixels().len() as f64
    };
    assert!(share(&|part| part > 250) < 0.001, "{}", share(&|part| part > 250));
    assert!(share(&|part| part < 40) < 0.02, "{}", share(&|part| part < 40));
    assert!(share(&|part| part > 200) < 0.9, "{}", share(&|part| part > 200));
}

#[test]
fn threads_do_not_change_a_bit() {
    let frame = crumbs();
    let look = Look { floor: floor_at(0.0), ..look_at(&frame) };
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| look.picture(&frame))
    };
    let one = on(1);
    assert!([2, 3, 7].into_iter().all(|threads| on(threads) == one));
}
