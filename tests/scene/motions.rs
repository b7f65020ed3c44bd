//! Keys of motions: from files, and with ease.

use std::fs;

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::Motion;
use bdem_run::scene::Scene;

use crate::scene::PLATE;

/// Motion of a ball by this table of its keyframes, beside a file of keys.
fn motion(keyframes: &str, csv: &str) -> Result<(Scene, Motion), String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.csv"), csv).unwrap();
    let ball = format!(
        "\n[[colliders]]\nshape = {{ sphere = {{ radius = 0.1 }} }}\nposition = [0, 0, 9]\nmotion = {{ keyframes = {{ {keyframes} }} }}\n"
    );
    fs::write(folder.path().join("scene.toml"), PLATE.to_owned() + &ball).unwrap();
    let scene = Scene::load(&folder.path().join("scene.toml")).map_err(|error| error.to_string())?;
    let motion = scene.walls()[1].motion.clone();
    Ok((scene, motion))
}

const FILE: &str = "file = \"ball.csv\", pivot = [0, 0, 9]";

#[test]
fn keys_from_a_file_are_those_of_the_scene() {
    let csv = "time,x,y,z\n0.0, 0, 0, 0\n0.5, 1, 2, 3\n";
    let keys = "pivot = [0, 0, 9], keys = [{ time = 0.0 }, { time = 0.5, position = [1, 2, 3] }]";
    let (scene, from_file) = motion(FILE, csv).unwrap();
    assert_eq!(from_file, motion(keys, "").unwrap().1);
    // a run's own scene has the keys, and needs no file
    let again = Scene::parse(std::path::Path::new("run.toml"), &scene.resolved_toml(), &[]).unwrap();
    assert_eq!(again.walls()[1].motion, from_file);
    // semicolons with decimal commas, capital letters and comments
    let other = "# from a program\nTime;X;Y;Z\n0,0;0;0;0\n0,5;1,0;2,0;3,0\n";
    assert_eq!(motion(FILE, other).unwrap().1, from_file);
}

#[test]
fn rotations_of_a_file_go_on_over_whole_turns() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // a quarter of a turn a key, by quaternions of either sign and by angles
    let quaternions = format!(
        "time,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,{half},0,0,{half}\n2,0,0,0,0,0,0,-1\n3,0,0,0,-{half},0,0,{half}\n4,0,0,0,-1,0,0,0\n"
    );
    let angles =
        "time,x,y,z,rx,ry,rz\n0,0,0,0,0,0,0\n1,0,0,0,0,0,90\n2,0,0,0,0,0,180\n3,0,0,0,0,0,-90\n4,0,0,0,0,0,0\n";
    for csv in [&quaternions, angles] {
        let (_, motion) = motion(FILE, csv).unwrap();
        for time in [0.5, 1.5, 2.5, 3.5] {
            let spin = motion.twist(time).spin;
            assert!((spin - Vec3::z() * std::f64::consts::FRAC_PI_2).norm() < 1e-6, "{time}: {spin:?}");
        }
    }
    // x, then y, about the fixed axes: z goes to -y, and stays there
    let (_, motion) = motion(FILE, "time,x,y,z,rx,ry,rz\n0,0,0,0,0,0,0\n1,0,0,0,90,90,0\n").unwrap();
    let turned = rotation::rotate(&motion.pose(1.0).turn, &Vec3::z());
    assert!((turned + Vec3::y()).norm() < 1e-12, "{turned:?}");
}

#[test]
fn wrong_files_are_told_with_their_line() {
    let cases = [
        ("time,x,y\n0,0,0\n", "it has no column z, but time, x, y"),
        ("time,x,y,z\n", "it has no rows"),
        ("", "it has no"),
        ("time,x,y,z\n0,0,0,0\n1,a,0,0\n", "line 3: \"a\" is no number"),
        ("time,x,y,z\n0,0,0,0\n1,nan,0,0\n", "line 3: \"NaN\" is no number"),
        ("time,x,y,z\n1,0,0,0\n0,0,0,0\n", "key 2: time is 0.0, but must be later"),
        ("time,x,y,z\n0,0,0,0\n1e-9,1,0,0\n", "key 2: the motion jumps"),
        ("time,x,y,z,qw\n0,0,0,0,1\n", "it has a column qw, but not all of"),
        ("time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n", "line 2: the quaternion is zero"),
        ("time,x,y,z,qw,qx,qy,qz,rx,ry,rz\n0,0,0,0,1,0,0,0,0,0,0\n", "both a quaternion"),
    ];
    for (csv, wanted) in cases {
        let error = motion(FILE, csv).expect_err(csv);
        assert!(error.contains(wanted) && error.contains("ball.csv"), "{csv}: {error}");
    }
    let error = motion("file = \"none.csv\"", "").unwrap_err();
    assert!(error.contains("none.csv: cannot be read"), "{error}");
    let both = motion("file = \"ball.csv\", keys = [{ time = 0.0 }]", "time,x,y,z\n0,0,0,0\n").unwrap_err();
    assert!(both.contains("keyframes have either keys, or a file of them"), "{both}");
    let neither = motion("pivot = [0, 0, 0]", "").unwrap_err();
    assert!(neither.contains("keys is 0, but must be a list of at least one key"), "{neither}");
}

#[test]
fn keys_have_an_ease_of_their_own_or_that_of_all() {
    let keys = "keys = [{ time = 0.0 }, { time = 1.0, position = [1, 0, 0], ease = \"linear\" }, { time = 2.0, position = [2, 0, 0] }]";
    let (_, all) = motion(&format!("ease = \"ease-in-out\", {keys}"), "").unwrap();
    // from rest, at its fastest in the middle; then uniform
    assert!(all.twist(1e-4).velocity.norm() < 1e-2 && all.twist(0.5).velocity.x > 1.5, "{:?}", all.twist(0.5));
    assert!((all.twist(1.5).velocity.x - 1.0).abs() < 1e-12);
    let (_, bezier) = motion(&format!("ease = {{ bezier = [0.42, 0.0, 0.58, 1.0] }}, {keys}"), "").unwrap();
    assert_eq!(bezier, all);
    let file = motion(&format!("ease = \"ease-out\", {FILE}"), "time,x,y,z\n0,0,0,0\n1,1,0,0\n").unwrap().1;
    assert!(file.twist(0.01).velocity.x > 1.5 && file.twist(0.99).velocity.x < 0.1);
    for (ease, wanted) in [
        ("{ bezier = [1.5, 0, 0.5, 1] }", "with x1 and x2 from 0 to 1"),
        ("{ bezier = [0.5, nan, 0.5, 1] }", "four numbers"),
        ("{ bezier = [0.0, 1.0, 0.5, 1] }", "the motion jumps"),
        ("\"bounce\"", "unknown name `bounce`"),
    ] {
        let error = motion(&format!("ease = {ease}, {keys}"), "").expect_err(ease);
        assert!(error.contains(wanted), "{ease}: {error}");
    }
}
