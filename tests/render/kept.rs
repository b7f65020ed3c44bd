use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use bdem_pictures::render::{ColourBy, Legend, Look, Picture, write_caption};

use super::{crumbs, floor_at, look_at, surface_of};

#[test]
fn a_picture_is_as_it_was_kept() {
    expect_kept(&crumbs_in_pieces(), "kept.png");
}

#[test]
fn a_picture_of_a_surface_is_as_it_was_kept() {
    let frame = crumbs();
    let look = Look { floor: floor_at(0.0), ..look_at(&frame) };
    expect_kept(&look.pieces_picture(&frame, &surface_of(&frame), &[], &[]), "kept_surface.png");
}

/// What was looked at and found good. `BDEM_KEEP=1 cargo test --test render kept` writes it anew, to be looked at again.
fn expect_kept(picture: &Picture, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render").join(name);
    if std::env::var_os("BDEM_KEEP").is_some() {
        picture.write_png(File::create(&path).expect("a file"), "").expect("space");
    }
    let kept = read(&path);
    let pixels = picture.pixels().as_flattened();
    assert_eq!(kept.len(), pixels.len());
    let differences: Vec<u32> = kept.iter().zip(pixels).map(|(a, b)| u32::from(a.abs_diff(*b))).collect();
    let mean = f64::from(differences.iter().sum::<u32>()) / pixels.len() as f64;
    let many = differences.iter().filter(|difference| **difference > 40).count();
    assert!(mean < 1.0 && many < pixels.len() / 200, "mean {mean}, {many} of {} far off", pixels.len());
}

fn crumbs_in_pieces() -> Picture {
    let frame = crumbs();
    let look = Look { floor: floor_at(0.0), ..look_at(&frame) };
    let mut picture = look.picture(&frame);
    write_caption(&mut picture, "", 7, &frame);
    Legend { colour: ColourBy::Damage, scale: look.scale }.write(&mut picture);
    picture
}

/// Red, green and blue of pixel after pixel.
fn read(path: &Path) -> Vec<u8> {
    let mut reader =
        png::Decoder::new(BufReader::new(File::open(path).expect("it is kept"))).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits into memory")];
    let info = reader.next_frame(&mut bytes).expect("a whole PNG");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    bytes
}
