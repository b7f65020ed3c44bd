//! Bodies that bounce end with no more energy than they began with. The restitution of grains is tested in `study::contacts`.
//!
//! `cargo test --release --test program bounces::all -- --ignored --nocapture` prints the table of all.

use bdem_core::simulate::{GaveUp, Progress};

use super::INTEGRATORS;
use crate::common::scenes::{scene, simulated};

/// Energy that no bounce may make, as a share of what it began with.
const GAIN: f64 = 0.005;

/// One body of radius 4 mm spheres that comes at 2 m/s to a floor, or to one like it that comes likewise.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    body: &'static str,
    on_floor: bool,
    /// Pa.
    young: f64,
    restitution: f64,
    /// Of the first gap, m.
    gap: f64,
}

/// What came of a bounce.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// The centre's speed, over what it was.
    speed: f64,
    /// The energy at the end over what it was.
    energy: f64,
}

const SPEED: f64 = 2.0;

impl Bounce {
    fn text(&self) -> String {
        let Self { body, on_floor, young, restitution, gap } = self;
        let (shape, low) = match *body {
            "sphere" => ("sphere = { radius = 0.0041 }", 0.004),
            "ball" => ("sphere = { radius = 0.03 }", 0.0305),
            _ => ("box = { size = [0.05, 0.05, 0.03] }", 0.0166),
        };
        let low = low + gap;
        let bonded = *body != "sphere";
        let one = |name: &str, z: f64, v: f64| {
            format!(
                "[[bodies]]\nname = \"{name}\"\nmaterial = \"m\"\nparticle_radius = 0.004\nbonded = {bonded}\n\
                 shape = {{ {shape} }}\nposition = [0.0, 0.0, {z}]\nvelocity = [0.0, 0.0, {v}]\n"
            )
        };
        let other = match on_floor {
            true => "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }\n".to_owned(),
            false => one("low", -low, SPEED),
        };
        format!(
            "[scene]\nname = \"bounce\"\ngravity = [0.0, 0.0, 0.0]\n[time]\nframe_rate = 960.0\nframes = 15\n\
             [materials.m]\ndensity = 2000.0\nyoung_modulus = {young:e}\npoisson_ratio = 0.25\n\
             [contact]\nrestitution = {restitution}\n{}{other}",
            one("high", low, -SPEED)
        )
    }

    /// Under an integrator, with a step.
    fn run(&self, integrator: &str, step: &str) -> Result<Outcome, GaveUp> {
        let settings = [format!("time.integrator={integrator}"), format!("time.step={step}")];
        let scene = scene(&self.text(), &settings.each_ref().map(String::as_str));
        let mut simulation = simulated(&scene);
        let high: Vec<bool> = simulation.state.p.iter().map(|p| p.z > 0.0).collect();
        let mut progress = Progress::default();
        let before = simulation.energy();
        for _ in 0..scene.time.frames * simulation.plan.per_frame {
            simulation.advance(&mut progress)?;
        }
        let count = high.iter().filter(|high| **high).count() as f64;
        let up = simulation.state.v.iter().zip(&high).filter(|(_, high)| **high).map(|(v, _)| v.z).sum::<f64>() / count;
        let after = simulation.energy();
        Ok(Outcome { speed: up / SPEED, energy: after / before })
    }
}

/// All bounces.
fn bounces() -> impl Iterator<Item = Bounce> {
    let of = |body, on_floor| {
        [1e7, 1e9].into_iter().flat_map(move |young| {
            [1.0, 0.7, 0.3].map(|restitution| Bounce { body, on_floor, young, restitution, gap: 5e-4 })
        })
    };
    ["sphere", "ball", "block"]
        .into_iter()
        .flat_map(move |body| [true, false].into_iter().flat_map(move |f| of(body, f)))
}

/// No bounce ends with more energy than it began with, wherever in a step the contact begins.
#[test]
fn bounces_make_no_energy() {
    let bodies = [("sphere", true), ("sphere", false), ("ball", true), ("block", false)];
    for ((body, on_floor), restitution) in bodies.into_iter().flat_map(|b| [1.0, 0.7].map(|e| (b, e))) {
        for (k, integrator) in [0, 1, 2, 3].into_iter().flat_map(|k| INTEGRATORS.map(|i| (k, i))) {
            // under the midpoint rule what bonds hold rings, and gains up to 14 %: not solved yet
            let is_slow = k > 0 && integrator.starts_with("implicit");
            if body != "sphere" && (is_slow || integrator == "implicit-midpoint") {
                continue;
            }
            let bounce = Bounce { body, on_floor, young: 1e9, restitution, gap: 5e-4 + f64::from(k) * 3.1e-6 };
            let Outcome { energy, .. } = bounce.run(integrator, "auto").expect("it holds");
            assert!(energy <= 1.0 + GAIN, "{bounce:?} under {integrator}: {energy}");
        }
    }
}

#[test]
#[ignore = "minutes"]
fn all() {
    for bounce in bounces() {
        for integrator in INTEGRATORS {
            let steps: &[&str] = if integrator.starts_with("explicit") {
                &["auto", "{ limit = 0.2 }"]
            } else {
                &["auto", "{ periods = 1 }", "{ periods = 5 }", "{ periods = 20 }", "{ periods = 100 }"]
            };
            for step in steps {
                let Bounce { body, on_floor, young, restitution, .. } = bounce;
                let on = if on_floor { "floor" } else { "itself" };
                match bounce.run(integrator, step) {
                    Ok(Outcome { speed, energy }) => println!(
                        "{body:6} on {on:6} E {young:.0e} e {restitution} {integrator:17} {step:17} speed {speed:.3} energy {energy:.4}{}",
                        if energy > 1.0 + GAIN { " GAIN" } else { "" }
                    ),
                    Err(why) => {
                        println!("{body:6} on {on:6} E {young:.0e} e {restitution} {integrator:17} {step:17} {why}")
                    }
                }
            }
        }
    }
}
