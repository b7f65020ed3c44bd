use bdem_core::geometry::Vec3;
use bdem_pictures::render::{Camera, ColourBy, ColourScale, Look, Viewpoint};
use bdem_run::output::ply::{Frame, Vertex};

use super::{LENS, frame, look, vertex};

/// What is seen of the middle of each ball of a row.
fn seen(frame: &Frame, colour: ColourBy, scale: ColourScale) -> Vec<[u8; 3]> {
    let viewpoint = Viewpoint { eye: Vec3::new(0.0, -4.0, 0.0), target: Vec3::zeros() };
    let look = Look { colour, scale, ..look(Camera::new(&viewpoint, &Vec3::z(), &LENS)) };
    let picture = look.picture(frame);
    let middle = |vertex: &Vertex| {
        let place = Vec3::new(vertex.x.into(), f64::from(vertex.y - vertex.pscale), vertex.z.into());
        let [x, y] = look.camera.pixel(&place)?;
        picture.pixel(x as u32, y as u32)
    };
    frame.vertices.iter().map(|vertex| middle(vertex).expect("in the picture")).collect()
}

/// Balls of these pieces in a row, apart.
fn row(pieces: &[i32]) -> Frame {
    let ball = |(i, piece): (usize, &i32)| vertex([0.25 * i as f32 - 0.75, 0.0, 0.0], 0.08, *piece);
    frame(pieces.iter().enumerate().map(ball).collect())
}

const SCALE: ColourScale = ColourScale { low: 0.0, high: 2.0 };

fn differ(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// Greatest less least of red, green and blue.
fn vividness(pixel: [u8; 3]) -> u8 {
    pixel.iter().max().expect("three") - pixel.iter().min().expect("three")
}

#[test]
fn pieces_have_colours_and_the_largest_is_calm() {
    let colours = seen(&row(&[0, 0, 2, 3, 4, 0]), ColourBy::Piece, SCALE);
    assert!(vividness(colours[0]) < 40, "{colours:?}");
    assert!(differ(colours[0], colours[1]) < 20 && differ(colours[0], colours[5]) < 20, "{colours:?}");
    for (i, a) in [0, 2, 3, 4].into_iter().enumerate() {
        assert!([0, 2, 3, 4][..i].iter().all(|b| differ(colours[a], colours[*b]) > 40), "{colours:?}");
    }
}

#[test]
fn a_piece_keeps_its_colour_when_others_break_off() {
    let before = seen(&row(&[0, 0, 0, 3, 0, 0]), ColourBy::Piece, SCALE);
    let after = seen(&row(&[0, 0, 2, 3, 4, 0]), ColourBy::Piece, SCALE);
    assert_eq!(before[3], after[3]);
    assert_ne!(before[2], after[2]);
}

#[test]
fn numbers_have_the_colours_of_the_bar() {
    let mut frame = row(&[0; 5]);
    for (vertex, stress) in frame.vertices.iter_mut().zip([-1.0, 0.0, 1.0, 2.0, 50.0]) {
        vertex.stress = stress;
    }
    let colours = seen(&frame, ColourBy::Stress, SCALE);
    // viridis: from violet over green to yellow; beyond its ends the same
    assert!(differ(colours[0], colours[1]) < 15 && differ(colours[3], colours[4]) < 15, "{colours:?}");
    let [violet, green, yellow] = [colours[1], colours[2], colours[3]];
    assert!(violet[2] > violet[1] && green[1] > green[0] && yellow[0] > 2 * yellow[2], "{colours:?}");
    // of nothing else
    let plain = seen(&frame, ColourBy::Plain, SCALE);
    assert!(plain.windows(2).all(|pair| differ(pair[0], pair[1]) < 40), "{plain:?}");
}

#[test]
fn scales_end_where_few_particles_go_beyond() {
    let stressed = |stress: &dyn Fn(usize) -> f32| {
        let mut frame = row(&[0; 1000]);
        frame.vertices.iter_mut().enumerate().for_each(|(i, vertex)| vertex.stress = stress(i));
        frame
    };
    let scale = |colour, frame: &Frame| ColourScale::of(colour, std::iter::once(frame));
    let (outlier, none) = (stressed(&|i| if i == 7 { 1e12 } else { 1234.0 }), stressed(&|_| 0.0));
    assert_eq!(scale(ColourBy::Stress, &outlier), ColourScale { low: 0.0, high: 1300.0 });
    assert_eq!(scale(ColourBy::Stress, &none), ColourScale { low: 0.0, high: 1.0 });
    assert_eq!(scale(ColourBy::Stress, &stressed(&|_| f32::NAN)), ColourScale { low: 0.0, high: 1.0 });
    assert_eq!(scale(ColourBy::Damage, &outlier), ColourScale { low: 0.0, high: 1.0 });
}

#[test]
fn speed_is_the_length_of_velocity() {
    let moving = Vertex { vx: 2.0, vy: -3.0, vz: 6.0, ..Vertex::default() };
    assert_eq!(ColourBy::Speed.value(&moving), Some(7.0));
}

/// Charges have a scale of both signs, also where the frames that are fitted have one: others may have the other.
#[test]
fn charges_are_on_a_scale_of_their_signs() {
    let charged = |charges: [f32; 3]| {
        let mut frame = row(&[0; 3]);
        frame.vertices.iter_mut().zip(charges).for_each(|(vertex, charge)| vertex.charge = charge);
        frame
    };
    let scale = |charges| ColourScale::of(ColourBy::Charge, [charged(charges)].iter());
    let positive = scale([1e-6, 2e-6, 3e-6]);
    assert!((3e-6..3.2e-6).contains(&positive.high) && positive.low == -positive.high, "{positive:?}");
    let signed = scale([-3e-6, 0.0, 1e-6]);
    assert!((3e-6..3.2e-6).contains(&signed.high) && signed.low == -signed.high, "{signed:?}");
    let colours = seen(&charged([-3e-6, 0.0, 3e-6]), ColourBy::Charge, signed);
    assert!(differ(colours[0], colours[1]) > 60 && differ(colours[1], colours[2]) > 60, "{colours:?}");
    let [blue, white, red] = [colours[0], colours[1], colours[2]];
    assert!(blue[2] > blue[0] + 40 && red[0] > red[2] + 40 && vividness(white) < 40, "{colours:?}");
}
