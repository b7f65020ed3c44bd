use std::fs::File;
use std::io::{BufReader, Error};

use bdem_pictures::render::{Animation, Picture, write_animation};
use bdem_run::output::ply::Frame;

use super::{crumbs, look_at};

/// Three pictures, in which the last ball falls.
fn pictures() -> Vec<Picture> {
    let look = look_at(&crumbs());
    let fallen = |k: u8| {
        let mut frame: Frame = crumbs();
        frame.vertices.iter_mut().for_each(|vertex| vertex.z -= 0.005 * f32::from(k));
        look.picture(&frame)
    };
    (0..3).map(fallen).collect()
}

#[test]
fn an_apng_has_all_pictures() {
    let (pictures, file) = (pictures(), tempfile::NamedTempFile::new().expect("a file"));
    write_animation(Animation::Apng, file.as_file(), 25, pictures.iter().cloned().map(Ok)).expect("space");

    let decoder = png::Decoder::new(BufReader::new(File::open(file.path()).expect("it is there")));
    let mut reader = decoder.read_info().expect("a PNG");
    let control = reader.info().animation_control.expect("it moves");
    assert_eq!((control.num_frames, control.num_plays), (3, 0));
    for picture in &pictures {
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits into memory")];
        reader.next_frame(&mut bytes).expect("a picture");
        assert!(bytes == picture.pixels().as_flattened());
        let frame = reader.info().frame_control.expect("it moves");
        assert_eq!((frame.delay_num, frame.delay_den), (1, 25));
    }
}

#[test]
fn a_picture_that_fails_fails_the_animation() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut all: Vec<_> = pictures().into_iter().map(Ok).collect();
    all.insert(1, Err(Error::other("no such frame")));
    let error = write_animation(Animation::Apng, file.as_file(), 25, all.into_iter()).expect_err("a picture failed");
    assert_eq!(error.to_string(), "no such frame");
}
