use std::collections::HashSet;

use std::f64::consts::PI;

use bdem_pictures::surface::Fillings;

use crate::surface::{Broken, expect_closed, scene, volumes};

/// As it starts, cut where x = 0 if so, with the shapes that its bodies fill for its outer surface.
fn filled(bodies: &[&str], is_cut: bool) -> Broken {
    let mut broken = Broken::new(bodies, |a, b| is_cut && (a.x < 1e-6) != (b.x < 1e-6));
    let scene = scene(bodies);
    let (world, _) = scene.build().unwrap();
    broken.rest.fillings = Fillings { shapes: scene.solids(), body: world.particles.body };
    broken
}

const TURNED: &str = "position = [0.3, 0.1, -0.2]\nrotation = { axis = [1.0, 2.0, 3.0], degrees = 25.0 }";

#[test]
fn shapes_have_their_own_volume() {
    let solids = [
        ("{ sphere = { radius = 0.1 } }", 4.0 / 3.0 * PI * 1e-3),
        ("{ box = { size = [0.3, 0.2, 0.06] } }", 0.3 * 0.2 * 0.06),
        ("{ cylinder = { radius = 0.1, height = 0.05 } }", PI * 0.01 * 0.05),
    ];
    for (shape, volume) in solids {
        let body = format!("shape = {shape}\n{TURNED}");
        let volumes = volumes(&filled(&[&body], false).surface());
        assert_eq!(volumes.len(), 1, "{shape}");
        let error = volumes[&0] / volume - 1.0;
        assert!(error.abs() < 0.02, "{shape}: {error}");
    }
}

#[test]
fn pieces_share_the_shape_out() {
    let body = "shape = { box = { size = [0.3, 0.2, 0.06] } }";
    let mesh = filled(&[body], true).surface();
    expect_closed(&mesh);
    let volumes = volumes(&mesh);
    assert_eq!(volumes.len(), 2);
    assert!((volumes.values().sum::<f64>() / (0.3 * 0.2 * 0.06) - 1.0).abs() < 0.02, "{volumes:?}");
}

#[test]
fn every_corner_outside_a_crack_is_on_the_shape() {
    let body = "shape = { sphere = { radius = 0.08 } }";
    let mesh = filled(&[body], true).surface();
    let is_outer = |k: &usize| !mesh.face(*k).is_crack;
    let outer = (0..mesh.triangles.len()).filter(is_outer).flat_map(|k| mesh.triangles[k]);
    let cracks: HashSet<u32> =
        (0..mesh.triangles.len()).filter(|&k| mesh.face(k).is_crack).flat_map(|k| mesh.triangles[k]).collect();
    let outer = outer.filter(|corner| !cracks.contains(corner)).map(|corner| &mesh.corners[corner as usize]);
    let furthest = outer.map(|c| (f64::from(c.x.hypot(c.y).hypot(c.z)) - 0.08).abs()).fold(0.0, f64::max);
    assert!(furthest < 0.002, "{furthest}");
}

#[test]
fn what_fills_no_shape_is_meshed_by_its_particles() {
    let rope = "packing = { rope = { length = 0.3, strands = 3, yarns = 1, turns = 0.5 } }";
    let shell =
        "shape = { sphere = { radius = 0.08 } }\npacking = { shell = { layers = 1 } }\nposition = [0.0, 0.3, 0.0]";
    let bodies = [rope, shell];
    assert!(scene(&bodies).solids().iter().all(Option::is_none));
    let [by_particles, asked] = [Broken::new(&bodies, |_, _| false), filled(&bodies, false)].map(|b| b.surface());
    assert!(by_particles == asked);
}
