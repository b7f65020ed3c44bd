//! Scenes after bug reports of other programs, with the right values.

use bdem_core::fracture::Pieces;
use bdem_core::model::{Constraint, Motion};
use bdem_core::prelude::*;
use bdem_run::scene::Scene;

use crate::on_card_with;
use crate::scenes::{FLOOR, advance, both, scene};

/// Scene of one body: frames a second, gravity (m/s2), keys of its material, those of the body, and other tables.
fn body(frame_rate: f64, gravity: [f64; 3], material: &str, rest: &str) -> Scene {
    let text = format!(
        "gravity = {gravity:?}\n[time]\nframe_rate = {frame_rate:?}\nframes = 1\nintegrator = \"explicit-verlet\"\n\
         step = \"auto\"\n[materials.m]\ndensity = 2500.0\npoisson_ratio = 0.25\n{material}\n[[bodies]]\nname = \"b\"\n\
         material = \"m\"\n{rest}"
    );
    scene(&text, 1)
}

const WEIGHT: [f64; 3] = [0.0, 0.0, -9.81];

/// Position, velocity and angular velocity of a grain of 1 cm under its weight after 0.4 s, on a card and on the processor.
fn grain(material: &str, rest: &str) -> [[Vec3; 3]; 2] {
    let grain = "particle_radius = 0.01\nbonded = false\nshape = { sphere = { radius = 0.0101 } }\n";
    both(&body(50.0, WEIGHT, &format!("young_modulus = 1e6\n{material}"), &format!("{grain}{rest}"))).map(|mut run| {
        assert_eq!(run.state.len(), 1);
        advance(&mut run, 20);
        let State { p, v, w, .. } = &run.state;
        println!("{:?}", [p[0], v[0], w[0]]);
        [p[0], v[0], w[0]]
    })
}

/// Mean of vectors over all particles.
fn mean(of: &[Vec3]) -> Vec3 {
    of.iter().sum::<Vec3>() / of.len() as f64
}

/// Bonded blocks at slopes below the angle of friction: they move by 0.05 mm/s at most once they have settled.
#[test]
fn blocks_stick_to_slopes() {
    for (degrees, size, radius, material) in [
        (30.0_f64, [0.2, 0.2, 0.06], 0.01, "young_modulus = 1e6\nfriction = 0.8\ndamping = 0.2"),
        (28.0, [0.07, 0.06, 0.03], 0.005, "young_modulus = 3e6\nfriction = 0.7\ndamping = 0.1"),
    ] {
        let (sin, cos) = (libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()));
        let text = format!(
            "particle_radius = {radius:?}\nshape = {{ box = {{ size = {size:?} }} }}\nposition = [0.0, 0.0, {:?}]\n{FLOOR}",
            0.5 * size[2]
        );
        let [mut card, _] = both(&body(20.0, [9.81 * sin, 0.0, -9.81 * cos], material, &text));
        advance(&mut card, 4);
        let from = mean(&card.state.p);
        advance(&mut card, 2);
        let speed = (mean(&card.state.p) - from).norm() / 0.1;
        println!("{degrees} degrees: {speed} m/s after {} m", from.x);
        assert!(speed < 5e-5 && from.x > 1e-5, "{speed} m/s after {} m", from.x);
    }
}

/// Every bond of a cube breaks as it strikes a floor.
#[test]
fn a_cube_breaks_into_dust() {
    let text = format!(
        "particle_radius = 0.01\nshape = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\n\
         rotation = {{ axis = [1.0, 0.3, 0.0], degrees = 25.0 }}\nposition = [0.0, 0.0, 0.08]\nvelocity = [1.0, 0.0, -12.0]\n\
         angular_velocity = [0.0, 0.0, 300.0]\n{FLOOR}"
    );
    let material = "young_modulus = 1e9\ntensile_strength = 1.5e5\nshear_strength = 1.5e5\nfriction = 0.3";
    for mut run in both(&body(240.0, WEIGHT, material, &text)) {
        let bonds = run.world.bonds().len();
        assert!(bonds > 400);
        assert_eq!(advance(&mut run, 6).broken.len(), bonds);
        assert_eq!(Pieces::of(&run.world).count, run.state.len());
    }
}

/// Between two half spaces in one union.
#[test]
fn a_ball_comes_to_rest_in_a_groove() {
    let text = "position = [0.002, 0.0, 0.0191]\n[contact]\nrestitution = 0.3\n[[colliders]]\nshape = { union = [\
                { half_space = { normal = [1.0, 0.0, 1.0], offset = 0.0 } }, \
                { half_space = { normal = [-1.0, 0.0, 1.0], offset = 0.0 } }] }\n";
    let [card, here] = grain("friction = 0.5", text);
    assert!(card[1].norm() < 1e-6 && card[2].norm() < 1e-3, "{card:?}");
    assert!((card[0] - here[0]).norm() < 1e-8 && (card[0].z - 0.0141).abs() < 1e-4, "{card:?}");
}

/// From its spin and from rest.
#[test]
fn a_grain_turns_with_its_table() {
    for spin in [7.0, 0.0] {
        let text = format!(
            "position = [0.0, 0.0, 0.01]\nangular_velocity = [0.0, 0.0, {spin:?}]\n[[colliders]]\n\
             shape = {{ cylinder = {{ radius = 1.0, height = 0.1 }} }}\nposition = [0.0, 0.0, -0.05]\n\
             motion = {{ rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], rate = 7.0 }} }}\n"
        );
        let [card, _] = grain("friction = 0.5\nrolling_friction = 0.3", &text);
        assert!((card[2] - Vec3::z() * 7.0).norm() < 1e-4 && card[1].norm() < 1e-6, "{card:?}");
    }
}

/// At the bottom of a drum that turns at 3 rad/s, without slip.
#[test]
fn a_grain_rolls_in_a_drum() {
    let text = "position = [0.0, 0.0, -0.1]\n[[colliders]]\ninside = true\n\
                shape = { cylinder = { radius = 0.11, height = 0.2 } }\nrotation = { axis = [1.0, 0.0, 0.0], degrees = 90.0 }\n\
                motion = { rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], rate = 3.0 } }\n";
    let [card, here] = grain("friction = 0.5", text);
    let [p, v, w] = card;
    let arm = p.normalize() * 0.01;
    let slip = v + w.cross(&arm) - (Vec3::y() * 3.0).cross(&(p + arm));
    assert!(slip.norm() < 1e-3 * 3.0 * 0.11 && w.y > 20.0, "{} m/s", slip.norm());
    assert!((p - here[0]).norm() < 1e-6 && (w - here[2]).norm() < 1e-3, "{card:?} and {here:?}");
}

#[test]
fn a_bond_of_held_grains_breaks_at_its_strength() {
    let mut builder = World::builder();
    let strong = Material { tensile_strength: 2e6, shear_strength: 2e6, ..Material::elastic("m", 2500.0, 1e9, 0.25) };
    let strong = builder.material(strong);
    for x in [0.0, 0.02] {
        builder.particle(Vec3::x() * x, 0.01, strong);
    }
    builder.bond(0, 1);
    builder.constraint(Constraint::moved(vec![0], Motion::Fixed));
    builder.constraint(Constraint::moved(vec![1], Motion::Velocity(Vec3::x() * 0.1)));
    let (world, state) = builder.build().expect("a world");
    let step = Some(StepSize::Seconds(1e-6));
    let settings = SimulationSettings { step, frame: 5e-4, ..crate::settings() };
    let broken = advance(&mut on_card_with(&settings, world, state), 1).broken;
    println!("{broken:?}");
    assert!(broken.len() == 1 && (broken[0].time - 4e-4).abs() < 1.1e-6, "{broken:?}");
    assert!((broken[0].sigma / 2e6 - 1.0).abs() < 3e-3, "{broken:?}");
}

/// A bar that is swung about a point and released, and a slab that spins about its stiff axis: spin, momentum and energy stay.
#[test]
fn free_bodies_keep_their_spin() {
    let bar = "particle_radius = 0.005\nshape = { box = { size = [0.06, 0.03, 0.03] } }\nposition = [0.5, 0.0, 0.0]\n\
               [[constraints]]\nbody = \"b\"\nrelease = 0.05\n\
               motion = { rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], rate = -20.0 } }\n";
    let slab =
        "particle_radius = 0.01\nshape = { box = { size = [0.1, 0.06, 0.02] } }\nangular_velocity = [0.0, 0.0, 5.0]\n";
    for (material, text, spin) in
        [("young_modulus = 1e8\ndamping = 0.1", bar, -20.0 * Vec3::y()), ("young_modulus = 1e8", slab, 5.0 * Vec3::z())]
    {
        let [mut card, _] = both(&body(480.0, [0.0; 3], material, text));
        // beyond the release
        advance(&mut card, 25);
        let figures = |run: &Simulation| (run.energy(), run.state.momentum(&run.world.particles).1);
        let (energy, momentum) = figures(&card);
        advance(&mut card, 50);
        let (now, turned) = figures(&card);
        println!("{now} of {energy} J, {momentum:?} and {turned:?} kg m2/s, {:?}", mean(&card.state.w));
        assert!((now / energy - 1.0).abs() < 1e-6 && card.balance.imbalance() < 1e-6, "{now} of {energy} J");
        assert!((turned - momentum).norm() < 1e-6 * momentum.norm());
        assert!((mean(&card.state.w) - spin).norm() < 1e-3 * spin.norm());
    }
}
