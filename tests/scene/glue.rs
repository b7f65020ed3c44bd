use bdem_core::energy::Potential;
use bdem_core::fracture::Pieces;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Gradient, State, World};

use crate::scene::parse;

/// Two blocks on each other, the upper one turned, nearly touching; particles of 0.02 and 0.015 m.
const BLOCKS: &str = r#"[scene]
name = "blocks"
seed = 3
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 100.0
frames = 1
[materials.stone]
density = 2600.0
young_modulus = 1e8
poisson_ratio = 0.25
tensile_strength = 1e6
[materials.mortar]
density = 1.0
young_modulus = 1e7
poisson_ratio = 0.25
tensile_strength = 2e5
weibull_modulus = 5.0
[[bodies]]
name = "lower"
material = "stone"
particle_radius = 0.02
shape = { box = { size = [0.2, 0.2, 0.1] } }
rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }
[[bodies]]
name = "upper"
material = "stone"
particle_radius = 0.015
shape = { box = { size = [0.2, 0.2, 0.1] } }
position = [0.0, 0.0, 0.08]
rotation = { axis = [0.0, 0.0, 1.0], degrees = 20.0 }
[[glue]]
bodies = ["upper", "lower"]
material = "mortar"
gap = 0.3
"#;

fn blocks() -> (World, State) {
    parse(BLOCKS).and_then(|scene| scene.build()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn glue_bonds_what_is_near_enough_across_two_bodies() {
    let (world, _) = blocks();
    let body = |i: u32| world.particles.body[i as usize];
    let across: Vec<_> = world.bonds().iter().filter(|b| body(b.i) != body(b.j)).collect();
    assert!(across.len() > 20, "{}", across.len());
    for bond in &across {
        assert!(bond.l0 < 0.035 * 1.3 && (bond.r0 - 0.0175).abs() < 1e-15);
        assert!((bond.k.n / bond.area() * bond.l0 / 1e7 - 1.0).abs() < 1e-12, "it is made of mortar");
        assert!(bond.strength[0] != 2e5, "strengths are drawn");
    }
    let own = world.bonds().len() - across.len();
    let mut ids: Vec<u32> = across.iter().map(|b| b.id).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(own as u32..world.bonds().len() as u32), "ids follow those of the bodies");
    assert_eq!(Pieces::of(&world).count, 1);
}

#[test]
fn glued_bodies_are_at_rest_however_they_are_turned() {
    let (world, state) = blocks();
    assert!(state.q.iter().all(|q| *q == state.q[0]));
    let contacts = Contacts::new(&world, &state);
    let mut forces = vec![Gradient::default(); state.len()];
    Potential::new(&world, &contacts).gradient(&state, &mut forces);
    let stiffest = world.bonds().iter().map(|b| b.k.n * b.l0).fold(0.0, f64::max);
    for wrench in forces {
        assert!(wrench.p.norm() + wrench.theta.norm() / 0.02 < 1e-12 * stiffest, "{wrench:?}");
    }
}
