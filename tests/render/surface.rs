use std::f64::consts::{PI, TAU};

use bdem_core::geometry::Vec3;
use bdem_pictures::render::{Camera, ColourBy, ColourScale, Look, Viewpoint};
use bdem_pictures::surface::{Corner, Face, SurfaceMesh};
use bdem_run::scene;

use super::{LENS, crumbs, floor_at, frame, is_backdrop, look, look_at, surface_of, vertex};

fn from_before(distance: f64) -> Camera {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -distance, 0.0), target: Vec3::zeros() };
    Camera::new(&viewpoint, &Vec3::z(), &LENS)
}

/// A sphere of 48 x 96 quadrilaterals.
fn sphere(radius: f64) -> SurfaceMesh {
    const ROWS: u32 = 48;
    let corner = |k: u32| {
        let (row, column) = (f64::from(k / (2 * ROWS)), f64::from(k % (2 * ROWS)));
        let (tilt, turn) = (PI * row / f64::from(ROWS), TAU * column / f64::from(2 * ROWS));
        let across = radius * libm::sin(tilt);
        let [x, y, z] =
            [across * libm::cos(turn), across * libm::sin(turn), radius * libm::cos(tilt)].map(|x| x as f32);
        Corner { x, y, z, ..Corner::default() }
    };
    let quadrilateral = |k: u32| {
        let next = k - k % (2 * ROWS) + (k + 1) % (2 * ROWS);
        [[k, k + 2 * ROWS, next], [next, k + 2 * ROWS, next + 2 * ROWS]]
    };
    let corners = (0..(ROWS + 1) * 2 * ROWS).map(corner).collect();
    let triangles = (0..ROWS * 2 * ROWS).flat_map(quadrilateral).collect();
    SurfaceMesh { corners, triangles, ..SurfaceMesh::default() }
}

/// A square that faces the camera, its lower right triangle on a crack, its right corners damaged and of positive charge; the
/// left ones of negative.
fn square() -> SurfaceMesh {
    let corner = |x: f32, z: f32| Corner {
        x,
        z,
        damage: f32::from(u8::from(x > 0.0)),
        charge: x.signum() * 1e-6,
        ..Corner::default()
    };
    let corners = vec![corner(-0.3, -0.2), corner(0.3, -0.2), corner(0.3, 0.2), corner(-0.3, 0.2)];
    let faces = [true, false].map(|is_crack| Face { is_crack, ..Face::default() }).to_vec();
    SurfaceMesh { corners, triangles: vec![[0, 1, 2], [0, 2, 3]], faces, ..SurfaceMesh::default() }
}

#[test]
fn a_sphere_of_facets_looks_like_a_ball() {
    let ball = frame(vec![vertex([0.0; 3], 0.3, 0)]);
    let look = Look { floor: floor_at(-0.3), ..look(from_before(2.0)) };
    let (round, facets) = (look.picture(&ball), look.pieces_picture(&ball, &sphere(0.3), &[], &[]));
    let pairs = round.pixels().as_flattened().iter().zip(facets.pixels().as_flattened());
    let differences: Vec<u32> = pairs.map(|(a, b)| u32::from(a.abs_diff(*b))).collect();
    let far_off = differences.iter().filter(|difference| **difference > 12).count();
    assert!(far_off < differences.len() / 200, "{far_off} of {}", differences.len());
}

#[test]
fn surfaces_are_seen_from_outside_only() {
    let (look, particle) = (look(from_before(2.0)), frame(vec![vertex([0.0; 3], 0.1, 0)]));
    let mut mesh = square();
    let seen = |mesh: &SurfaceMesh| {
        let picture = look.pieces_picture(&particle, mesh, &[], &[]);
        picture.pixels().iter().filter(|pixel| !is_backdrop(**pixel, &picture)).count() as f64
    };
    let pixels = f64::from(LENS.size.height) / (2.0 * libm::tan(15_f64.to_radians()) * 2.0);
    let area = 0.6 * 0.4 * pixels * pixels;
    assert!((seen(&mesh) / area - 1.0).abs() < 0.07, "{} of {area}", seen(&mesh));
    mesh.triangles.iter_mut().for_each(|corners| corners.reverse());
    assert!(seen(&mesh) == 0.0);
}

#[test]
fn colours_go_from_corner_to_corner() {
    let colours = |colour: ColourBy| {
        let scale = match colour {
            ColourBy::Charge => ColourScale { low: -1e-6, high: 1e-6 },
            _ => look(from_before(2.0)).scale,
        };
        let look = Look { colour, scale, ..look(from_before(2.0)) };
        let picture = look.pieces_picture(&frame(vec![vertex([0.0; 3], 0.1, 0)]), &square(), &[], &[]);
        let seen = |x: f64| {
            let [x, y] = look.camera.pixel(&Vec3::new(x, 0.0, 0.0)).expect("in view");
            picture.pixel(x as u32, y as u32).expect("in the picture")
        };
        [-0.29, 0.0, 0.29].map(seen)
    };
    // of viridis: violet and yellow
    let [violet, between, yellow] = colours(ColourBy::Damage);
    assert!(violet[2] > violet[1] && yellow[0] > 2 * yellow[2], "{violet:?} {yellow:?}");
    let is_between = |k: usize| (between[k] > violet[k]) != (between[k] > yellow[k]);
    assert!([0, 1, 2].into_iter().all(is_between), "{violet:?} {between:?} {yellow:?}");
    let [outer, _, crack] = colours(ColourBy::Face);
    assert!(outer[0] / 2 < outer[2] && crack[0] / 2 > crack[2], "{outer:?} {crack:?}");
    let [blue, _, red] = colours(ColourBy::Charge);
    assert!(blue[2] > blue[0] + 40 && red[0] > red[2] + 40, "{blue:?} {red:?}");
    let [plain, _, same] = colours(ColourBy::Piece);
    assert!(plain.iter().zip(same).all(|(a, b)| a.abs_diff(b) < 4), "{plain:?} {same:?}");
}

#[test]
fn looks_colour_outsides_cracks_and_crumbs() {
    let red_and_green =
        scene::Look { outside: [0.6, 0.0, 0.0], inside: [0.0, 0.6, 0.0], roughness: 1.0, ..scene::Look::default() };
    let look = Look { colour: ColourBy::Look, looks: vec![red_and_green], ..look(from_before(2.0)) };
    let frame = frame(vec![vertex([0.0, 0.0, 0.4], 0.1, 0)]);
    let picture = look.pieces_picture(&frame, &square(), &[0], &[0]);
    let seen = |x: f64, z: f64| {
        let [x, y] = look.camera.pixel(&Vec3::new(x, 0.0, z)).expect("in view");
        picture.pixel(x as u32, y as u32).expect("in the picture")
    };
    let [outside, inside, crumb] = [seen(-0.2, 0.1), seen(0.2, -0.1), seen(0.0, 0.4)];
    assert!(outside[0] > 2 * outside[1] && inside[1] > 2 * inside[0], "{outside:?} {inside:?}");
    assert!(crumb[1] > 2 * crumb[0], "crumbs are as the inside: {crumb:?}");
}

#[test]
fn threads_do_not_change_a_bit() {
    let frame = crumbs();
    let (look, mesh) = (Look { floor: floor_at(0.0), ..look_at(&frame) }, surface_of(&frame));
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| look.pieces_picture(&frame, &mesh, &[], &[]))
    };
    let one = on(1);
    assert!([2, 5].into_iter().all(|threads| on(threads) == one));
}

#[test]
fn meshes_that_make_no_sense_are_drawn_without_what_makes_none() {
    let mut mesh = square();
    let wrong = [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 1.0], [0.0, -9.0, 0.0]];
    for [x, y, z] in wrong {
        mesh.corners.push(Corner { x, y, z, ..Corner::default() });
        let last = mesh.corners.len() as u32 - 1;
        mesh.triangles.extend([[0, 1, last], [last, 2, 2]]);
    }
    let picture = look(from_before(2.0)).pieces_picture(&frame(vec![vertex([0.0; 3], 0.1, 0)]), &mesh, &[], &[]);
    assert!(picture.pixels().iter().any(|pixel| !is_backdrop(*pixel, &picture)));
}
