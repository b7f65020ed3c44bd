use std::fs::{self, File};
use std::io::BufReader;
use std::process::Command;

use png::Info;

use super::Workplace;

/// With the run `run`, of frames 0 to 3.
fn run() -> Workplace {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place
}

/// What the header of a PNG says.
fn header(place: &Workplace, path: &str) -> Info<'static> {
    let file = File::open(place.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG").info().clone()
}

fn size(place: &Workplace, path: &str) -> (u32, u32) {
    let header = header(place, path);
    (header.width, header.height)
}

fn pictures(place: &Workplace, run: &str) -> Vec<String> {
    place.files(run).into_iter().filter(|file| file.ends_with(".png")).collect()
}

#[test]
fn every_frame_becomes_a_picture() {
    let place = run();
    place.run(&["render", "run", "--size", "128x72"]).expect(0);
    let expected = [0, 1, 2, 3].map(|frame| format!("render/plate.000{frame}.png"));
    assert_eq!(pictures(&place, "run"), expected);
    assert_eq!(size(&place, "run/render/plate.0003.png"), (128, 72));
}

#[test]
fn chosen_frames_go_where_they_are_wanted_and_are_the_same_there() {
    let place = run();
    place.run(&["render", "run", "--size", "128x72", "--threads", "1"]).expect(0);
    place.run(&["render", "run", "--size", "128x72", "--frames", "1-3x2", "-o", "some", "-q"]).expect(0);
    assert_eq!(pictures(&place, "some"), ["plate.0001.png", "plate.0003.png"]);
    for name in ["plate.0001.png", "plate.0003.png"] {
        let read = |folder: &str| fs::read(place.path(folder).join(name)).expect("a picture");
        assert!(read("some") == read("run/render"), "{name}");
    }
}

#[test]
fn pictures_that_are_there_stay_unless_told_otherwise() {
    let place = run();
    fs::create_dir_all(place.path("some")).expect("space");
    fs::write(place.path("some/plate.0001.png"), "mine").expect("space");
    let draw = ["render", "run", "--size", "128x72", "--frames", "1", "-o", "some"];
    let kept = place.run(&draw);
    kept.expect(0);
    kept.expect_error(&["plate.0001.png", "exists"]);
    assert_eq!(place.read("some/plate.0001.png"), "mine");
    place.run(&[&draw[..], &["--overwrite"]].concat()).expect(0);
    assert_eq!(size(&place, "some/plate.0001.png"), (128, 72));
}

/// A run that was resumed ends with other pieces, and its default camera sees more: pictures of before do not stay among the new.
#[test]
fn all_pictures_are_of_one_cut() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let draw = |output: &str, options: &[&str]| {
        let words = ["render", "run", "--size", "128x72", "-o", output];
        place.run(&[&words[..], options].concat()).expect(0);
    };
    draw("some", &[]);
    draw("other", &["--fov", "50"]);
    let other = place.files("other");
    place.simulate("run", &["--frames", "3", "--resume"]);
    draw("some", &[]);
    draw("other", &[]);
    draw("whole", &[]);
    for file in place.files("whole") {
        let read = |folder: &str| fs::read(place.path(folder).join(&file)).expect("a picture");
        assert!(read("some") == read("whole"), "{file} is of an earlier cut");
        assert!((read("other") == read("whole")) != other.contains(&file), "{file}: other options keep pictures");
    }
}

#[test]
fn one_frame_is_drawn_without_its_run() {
    let place = run();
    place.run(&["render", "run/ply/plate.0002.ply", "--size", "128x72", "-o", ".", "--bare"]).expect(0);
    assert_eq!(size(&place, "plate.0002.png"), (128, 72));
}

#[test]
fn colours_and_cameras_make_other_pictures() {
    let place = run();
    let looks: [&[&str]; 6] = [
        &["--color", "piece"],
        &["--color", "damage"],
        &["--color", "stress"],
        &["--color", "stress", "--range", "0,1e3"],
        &["--color", "speed"],
        &["--camera", "-0.2,-0.3,0.1", "--target", "0,0,0.02", "--fov", "40"],
    ];
    let draw = |(i, look): (usize, &&[&str])| {
        let folder = format!("look{i}");
        let words = ["render", "run", "--size", "128x72", "--frames", "3", "-o", &folder];
        place.run(&[&words[..], look].concat()).expect(0);
        fs::read(place.path(&folder).join("plate.0003.png")).expect("a picture")
    };
    let pictures: Vec<Vec<u8>> = looks.iter().enumerate().map(draw).collect();
    for (i, picture) in pictures.iter().enumerate() {
        assert!(!pictures[..i].contains(picture), "{:?}", looks[i]);
    }
}

#[test]
fn surfaces_are_drawn_instead_of_particles() {
    let place = run();
    let draw = |name: &str, more: &[&str]| {
        let words = ["render", "run", "--size", "128x72", "--frames", "3", "-o", name];
        place.run(&[&words[..], more].concat()).expect(0);
        fs::read(place.path(name).join("plate.0003.png")).expect("a picture")
    };
    let mut pictures = vec![draw("balls", &[])];
    for colour in ["piece", "damage", "speed", "face", "plain"] {
        let picture = draw(colour, &["--surface", "--color", colour]);
        assert!(!pictures.contains(&picture), "{colour}");
        pictures.push(picture);
    }
}

#[test]
fn a_sheet_has_many_frames() {
    let place = run();
    place.run(&["render", "run", "--sheet", "2x2", "--size", "320x200", "--color", "damage"]).expect(0);
    assert_eq!(pictures(&place, "run"), ["render/plate.sheet.png"]);
    assert_eq!(size(&place, "run/render/plate.sheet.png"), (320, 200));
}

#[test]
fn an_animation_has_all_frames() {
    let place = run();
    place.run(&["render", "run", "--animate", "apng", "--fps", "10", "--size", "128x72"]).expect(0);
    let control = header(&place, "run/render/plate.animated.png").animation_control.expect("it moves");
    assert_eq!(control.num_frames, 4);
}

#[test]
fn an_mp4_has_all_frames() {
    let is_there = |program: &str| Command::new(program).arg("-version").output().is_ok();
    if !is_there("ffmpeg") || !is_there("ffprobe") {
        println!("skipped: ffmpeg is not installed here");
        return;
    }
    let place = run();
    place.run(&["render", "run", "--animate", "mp4", "--fps", "10", "--size", "129x73"]).expect(0);
    let told = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-show_entries", "stream=width,height,r_frame_rate,nb_read_frames"])
        .args(["-of", "default=noprint_wrappers=1", "run/render/plate.mp4"])
        .current_dir(place.path(""))
        .output()
        .expect("ffprobe starts");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    for line in ["width=130", "height=74", "r_frame_rate=10/1", "nb_read_frames=4"] {
        assert!(told.contains(line), "no {line} in {told}");
    }
}

#[test]
fn without_ffmpeg_mp4_says_what_to_do() {
    let place = run();
    let mut command = place.command(&["render", "run", "--animate", "mp4", "--size", "128x72"]);
    let ended: super::Ended = command.env("PATH", "").output().expect("the program starts").into();
    ended.expect(5);
    ended.expect_error(&["plate.mp4", "ffmpeg is not installed", "--animate apng"]);
    assert!(!place.path("run/render/plate.mp4").exists());
}

#[test]
fn wrong_words_are_named() {
    let place = Workplace::new();
    for (words, fragment) in [
        (&["--size", "10x10"][..], "1280x720"),
        (&["--sheet", "0x2"], "4x2"),
        (&["--camera", "1,2,3"], "--target"),
        (&["--camera", "1,2", "--target", "0,0,0"], "X,Y,Z"),
        (&["--camera", "1,2,inf", "--target", "0,0,0"], "X,Y,Z"),
        (&["--fov", "180"], "150"),
        (&["--range", "2,1"], "LOW,HIGH"),
        (&["--frames", "5-3"], "1-100x2"),
        (&["--fps", "10"], "--animate"),
        (&["--sheet", "2x2", "--animate", "apng"], "--animate"),
        (&["--color", "mood"], "damage"),
        (&["--color", "face"], "--surface"),
        (&["--color", "stress", "--surface"], "--surface"),
    ] {
        let ended = place.run(&[&["render", "run"], words].concat());
        ended.expect(2);
        ended.expect_error(&[fragment]);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Workplace::new();
    let missing = place.run(&["render", "run"]);
    missing.expect(5);
    missing.expect_error(&["run"]);
    fs::create_dir_all(place.path("run/ply")).expect("space");
    fs::write(place.path("run/ply/plate.0000.ply"), "no frame").expect("space");
    let broken = place.run(&["render", "run"]);
    broken.expect(5);
    broken.expect_error(&["plate.0000.ply", "PLY"]);
    assert!(pictures(&place, "run").is_empty());
}

#[test]
fn sheets_whose_pictures_were_too_small_are_refused() {
    let place = run();
    let ended = place.run(&["render", "run", "--sheet", "8x2", "--size", "320x200"]);
    ended.expect(2);
    ended.expect_error(&["--size"]);
}
