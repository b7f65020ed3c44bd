//! Bodies whose bonds are of different models, glued together, move as one of a single model does.

use bdem_run::run::advance_to;

use crate::common::scenes::{built, scene};

/// A cantilever of two halves, which sags by a tenth of its height.
const CANTILEVER: &str = r#"
[scene]
name = "cantilever"

[time]
frame_rate = 100.0
frames = 4

[materials.root]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2

[materials.tip]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2

[[bodies]]
name = "root"
material = "root"
particle_radius = 0.01
shape = { box = { size = [0.2, 0.061, 0.061] } }

[[bodies]]
name = "tip"
material = "tip"
particle_radius = 0.01
shape = { box = { size = [0.2, 0.061, 0.061] } }
position = [0.2, 0.0, 0.0]

[[glue]]
bodies = ["root", "tip"]
material = "tip"

[[constraints]]
region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.08, 1.0, 1.0] } }
motion = "fixed"
"#;

/// How far the tip has sunk, m.
fn sag(bonds: [&str; 2], integrator: &str) -> f64 {
    let [root, tip] = bonds;
    let set = [
        format!("materials.root.bond={root}"),
        format!("materials.tip.bond={tip}"),
        format!("time.integrator={integrator}"),
    ];
    let scene = scene(CANTILEVER, &set.each_ref().map(String::as_str));
    let (_, rest) = built(&scene);
    let end = advance_to(&scene, 4, true).expect("it runs to its end");
    let last = (0..rest.len()).max_by(|&i, &j| rest.p[i].x.total_cmp(&rest.p[j].x)).expect("a particle");
    rest.p[last].z - end.state.p[last].z
}

#[test]
fn models_mix() {
    let pure = sag(["quaternion"; 2], "explicit-verlet");
    assert!(pure > 1e-3, "it sags by {pure}");
    for bonds in [["quaternion", "cosserat"], ["cosserat", "force-2021"], ["force-2021", "quaternion"]] {
        let mixed = sag(bonds, "explicit-verlet");
        assert!(mixed != pure, "{bonds:?}: the models are told apart");
        assert!((mixed / pure - 1.0).abs() < 5e-3, "{bonds:?}: {mixed} and {pure}");
    }
    let pure = sag(["quaternion"; 2], "implicit-bdf2");
    for bonds in [["quaternion", "cosserat"], ["cosserat"; 2]] {
        let mixed = sag(bonds, "implicit-bdf2");
        assert!(mixed != pure, "{bonds:?}: the models are told apart");
        assert!((mixed / pure - 1.0).abs() < 5e-3, "{bonds:?}: {mixed} and {pure}");
    }
}
