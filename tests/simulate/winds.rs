//! Fields of acceleration: gusts and explosions.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{Progress, Simulation};

use crate::common::scenes;

const TWO_BLOCKS: &str = r#"
[scene]
name = "wind"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 10000.0
frames = 100
[materials.hard]
density = 2000.0
young_modulus = 1e8
poisson_ratio = 0.2
[[bodies]]
name = "near"
material = "hard"
particle_radius = 0.005
shape = { box = { size = [0.03, 0.03, 0.03] } }
position = [0.2, 0.0, 0.0]
[[bodies]]
name = "far"
material = "hard"
particle_radius = 0.005
shape = { box = { size = [0.03, 0.03, 0.03] } }
position = [0.0, 1.0, 0.0]
"#;

/// Acceleration at a place, m/s2.
type Field = fn(&Vec3) -> Vec3;

/// A pulse of 4 ms with the integral 0.002 s.
const PULSE: &str =
    "keyframes = [{ time = 0.001, factor = 0.0 }, { time = 0.003, factor = 1.0 }, { time = 0.005, factor = 0.0 }]\n";

const INTEGRATORS: [&str; 5] = ["auto", "implicit-euler", "implicit-bdf2", "implicit-midpoint", "explicit-verlet"];

fn run(winds: &str, integrator: &str) -> (Simulation, [Vec3; 2]) {
    let scene = scenes::scene(&format!("{TWO_BLOCKS}{winds}"), &[&format!("time.integrator={integrator}")]);
    let mut run = scenes::simulated(&scene);
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        run.advance_frame(&mut progress).unwrap_or_else(|error| panic!("{error}"));
    }
    let momentum = |body: u16| {
        let own = (0..run.state.len()).filter(|&i| run.world.particles.body[i] == body);
        own.map(|i| run.state.v[i] * run.world.particles.mass[i]).sum::<Vec3>()
    };
    let momenta = [momentum(0), momentum(1)];
    (run, momenta)
}

/// Momentum of each body after the sum over its particles of m a times the integral of the factor.
fn closed_form(of: impl Fn(&Vec3) -> Vec3) -> [Vec3; 2] {
    let (world, start) = scenes::built(&scenes::scene(TWO_BLOCKS, &[]));
    [0, 1].map(|body| {
        let own = (0..start.len()).filter(|&i| world.particles.body[i] == body);
        own.map(|i| of(&start.p[i]) * (world.particles.mass[i] * 0.002)).sum::<Vec3>()
    })
}

#[test]
fn a_gust_and_an_explosion_have_the_impulse_of_their_closed_form() {
    let cases: [(&str, Field); 2] = [
        ("direction = [0.0, 3.0, 4.0]\n", |_| Vec3::new(0.0, 0.6, 0.8) * 200.0),
        ("origin = [0.0, 0.0, 0.0]\nfalloff = 0.5\n", |p| {
            p.normalize() * (200.0 * libm::exp(-p.norm_squared() / (0.5 * 0.5)))
        }),
    ];
    for (wind, at) in cases {
        let wanted = closed_form(at);
        for integrator in INTEGRATORS {
            let (run, found) = run(&format!("[[winds]]\nacceleration = 200.0\n{wind}{PULSE}"), integrator);
            println!("{integrator}: {found:?} {wanted:?} {:?}", run.balance);
            for (found, wanted) in found.iter().zip(&wanted) {
                assert!((found - wanted).norm() < 0.005 * wanted.norm(), "{integrator}: {found:?} {wanted:?}");
            }
            assert!(run.balance.open() < 1e-3, "{integrator}: {:?}", run.balance);
        }
    }
}

#[test]
fn a_wind_ends_at_its_release_and_leaves_what_is_held() {
    let wind = "[[winds]]\nacceleration = 100.0\ndirection = [1.0, 0.0, 0.0]\nstart = 0.002\nrelease = 0.005\n\
                [[constraints]]\nbody = \"far\"\nmotion = \"fixed\"\n";
    let (run, [near, far]) = run(wind, "auto");
    let mass: f64 =
        (0..run.state.len()).filter(|&i| run.world.particles.body[i] == 0).map(|i| run.world.particles.mass[i]).sum();
    assert!((near.x / (mass * 100.0 * 0.003) - 1.0).abs() < 0.01, "{near:?}");
    assert_eq!(far, Vec3::zeros());
}
