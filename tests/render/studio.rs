use std::fs::{self, File};
use std::path::Path;

use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{AxialStress, Particles, State};
use bdem_pictures::render::{ColourBy, Picture, Settings, Studio, Viewpoint};
use bdem_run::output::frames_of;
use bdem_run::output::ply::{BondGroups, FrameView, write_frame};
use tempfile::TempDir;

use super::{SIZE, extent};

/// Frames of three balls, the third of which flies off; it, or all, have broken off.
fn run(damage: [f32; 3]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("ply")).expect("space");
    for frame in 0..4 {
        write(&folder.path().join(format!("ply/crumbs.{frame:04}.ply")), frame, damage);
    }
    folder
}

fn write(path: &Path, frame: u32, damage: [f32; 3]) {
    let p = vec![Vec3::zeros(), Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.2 + f64::from(frame), 0.0, 0.0)];
    write_balls(path, frame, p, &[0, 0, 2], &damage);
}

/// Frame of balls at `p` (m), in these pieces and of this damage.
fn write_balls(path: &Path, frame: u32, p: Vec<Vec3>, piece: &[u32], damage: &[f32]) {
    let count = p.len();
    let still = vec![Vec3::zeros(); count];
    let state = State { time: 0.0, p, q: vec![Quat::identity(); count], v: still.clone(), w: still };
    let mut particles = Particles::default();
    (0..count).for_each(|_| particles.push(0.05, 1000.0, 0, 0));
    let view = FrameView {
        state: &state,
        particles: &particles,
        piece,
        damage,
        stress: &vec![0.0; count],
        softening: None,
        charge: None,
        start: None,
        tensor: None,
        bonds: None,
        bond_groups: BondGroups::default(),
        axial: AxialStress::default(),
        time: 0.0,
        frame,
        frame_rate: 1.0,
        gravity: Vec3::new(0.0, 0.0, -9.81),
        origin: Vec3::zeros(),
        digest: "",
    };
    write_frame(&mut File::create(path).expect("a file"), &view).expect("space");
}

fn picture(run: &Path, number: &str, fit: Option<&str>) -> Picture {
    picture_from(None, run, number, fit)
}

fn picture_from(viewpoint: Option<Viewpoint>, run: &Path, number: &str, fit: Option<&str>) -> Picture {
    let settings =
        Settings { size: SIZE, colour: ColourBy::Piece, scale: None, viewpoint, field_of_view: None, captions: false };
    let fit = fit.map(|fit| fit.parse().expect("good ranges"));
    let studio = Studio::new(run, fit.as_ref(), None, settings).expect("frames");
    assert_eq!(studio.name(), "crumbs");
    let files = frames_of(run, &number.parse().expect("a good range")).expect("a frame");
    studio.picture(&files[0]).expect("a frame")
}

/// Columns over which something is seen.
fn width(picture: &Picture) -> u32 {
    let ([left, right], _) = extent(picture).expect("something is seen");
    right - left
}

#[test]
fn what_has_broken_off_alone_does_not_move_the_camera_away() {
    let (dust_flies, part_flies, all_dust) = (run([0.0, 0.5, 1.0]), run([0.0, 0.5, 0.9]), run([1.0; 3]));
    let seen = |run: &TempDir| width(&picture(run.path(), "3", None));
    assert!(seen(&dust_flies) > SIZE.width / 2, "{}", seen(&dust_flies));
    // all are seen: two balls at one end, one at the other
    assert_eq!(seen(&part_flies), seen(&all_dust));
    assert!(seen(&part_flies) > SIZE.width / 2);
    assert!(picture(part_flies.path(), "3", None) != picture(dust_flies.path(), "3", None));
}

#[test]
fn one_camera_sees_all_frames_and_fits_what_it_is_told() {
    let run = run([0.0, 0.5, 0.9]);
    let (first, last) = (picture(run.path(), "0", None), picture(run.path(), "3", None));
    assert!(width(&first) < width(&last) / 4, "{} {}", width(&first), width(&last));
    assert!(width(&picture(run.path(), "0", Some("0"))) > SIZE.width / 2);
}

#[test]
fn a_folder_of_frames_without_a_run_is_drawn() {
    let run = run([0.0; 3]);
    let frames = run.path().join("ply");
    assert!(picture(&frames, "1", None) == picture(run.path(), "1", None));
}

#[test]
fn the_scene_s_camera_is_taken_unless_another_is_named() {
    let run = run([0.0, 0.5, 0.9]);
    let fitted = picture(run.path(), "3", None);
    let scene = r#"
        scene = { name = "crumbs" }
        time = { frame_rate = 1.0, frames = 3 }
        camera = { position = [3.0, -8.0, 5.0], target = [0.1, 0.2, 0.3], field_of_view = 30.0 }
        materials.stone = { density = 2000.0, young_modulus = 1e7, poisson_ratio = 0.2 }
        bodies = [{ name = "ball", material = "stone", particle_radius = 0.1, shape = { sphere = { radius = 1.0 } } }]
    "#;
    fs::write(run.path().join("scene.resolved.toml"), scene).expect("space");
    let of_scene = picture(run.path(), "3", None);
    assert!(of_scene != fitted);
    let viewpoint = |x: f64| Viewpoint { eye: Vec3::new(x, -8.0, 5.0), target: Vec3::new(0.1, 0.2, 0.3) };
    assert!(picture_from(Some(viewpoint(3.0)), run.path(), "3", None) == of_scene);
    assert!(picture_from(Some(viewpoint(-3.0)), run.path(), "3", None) != of_scene);
}

#[test]
fn small_pieces_do_not_move_the_camera_away() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("ply")).expect("space");
    // 40 balls in one piece, and two that are bonded to each other and fly off: 2 of 42 are less than 5 %
    for frame in 0..2 {
        let mut p: Vec<Vec3> =
            (0..40).map(|i| Vec3::new(0.1 * f64::from(i % 8), 0.0, 0.1 * f64::from(i / 8))).collect();
        p.extend([0.0, 0.1].map(|x| Vec3::new(x + 30.0 * f64::from(frame), 0.0, 0.8)));
        let piece: Vec<u32> = (0..42).map(|i| if i < 40 { 0 } else { 40 }).collect();
        write_balls(&folder.path().join(format!("ply/crumbs.{frame:04}.ply")), frame, p, &piece, &[0.5; 42]);
    }
    let seen = width(&picture(folder.path(), "0", None));
    assert!(seen > SIZE.width / 2, "{seen}");
}
