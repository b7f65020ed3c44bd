use rayon::ThreadPoolBuilder;

use crate::surface::{Broken, RESOLUTION, share, volumes};

const SOLIDS: [&str; 4] = [
    "shape = { sphere = { radius = 0.1 } }",
    "shape = { sphere = { radius = 0.06 } }",
    "shape = { box = { size = [0.2, 0.2, 0.2] } }\nrotation = { axis = [1.0, 2.0, 3.0], degrees = 25.0 }",
    "shape = { box = { size = [0.3, 0.2, 0.06] } }",
];

fn volume_error(body: &str, resolution: f64) -> f64 {
    let whole = Broken::new(&[body], |_, _| false);
    let volumes = volumes(&whole.surface_at(resolution));
    assert_eq!(volumes.len(), 1, "{body}");
    volumes[&0] / (whole.particles.len() as f64 * share()) - 1.0
}

#[test]
fn unbroken_solids_have_their_particles_volume() {
    for body in SOLIDS {
        let error = volume_error(body, RESOLUTION);
        assert!(error.abs() < 0.03, "{body}: {error}");
    }
}

#[test]
fn thin_ones_have_it_too() {
    let sheet = "shape = { box = { size = [0.4, 0.4, 0.0201] } }";
    let file = "shape = { box = { size = [0.4, 0.0201, 0.0201] } }";
    let alone = "shape = { sphere = { radius = 0.0101 } }";
    // finer: cubes as large as what is round cut much of it off
    for body in [sheet, file, alone] {
        let error = volume_error(body, 0.25);
        assert!(error.abs() < 0.05, "{body}: {error}");
    }
}

#[test]
fn bodies_that_touch_stay_apart() {
    let left = "shape = { sphere = { radius = 0.05 } }";
    for gap in [0.0, 0.1] {
        let right = format!("{left}\nposition = [{}, 0.0, 0.0]", 0.1 * (1.0 + gap));
        let volumes = volumes(&Broken::new(&[left, &right], |_, _| false).surface());
        assert_eq!(volumes.len(), 2);
        let volumes: Vec<f64> = volumes.into_values().collect();
        assert!((volumes[0] / volumes[1] - 1.0).abs() < 0.01, "{volumes:?}");
    }
}

#[test]
fn threads_change_no_bit() {
    let cut = || Broken::new(&[SOLIDS[2]], |a, b| a.x * b.x < 0.0 && a.y > -0.02).surface();
    let on = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(cut);
    assert_eq!(on(1), on(2));
}
