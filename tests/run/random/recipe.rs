//! Scenes at random: bodies of several shapes, packings and kinds that are thrown onto each other and onto walls.

use std::fmt::Write;
use std::path::Path;

use bdem::scene::Scene;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// What a scene is made of. Lengths are in particle radii, speeds in those of sound in the softest material.
#[derive(Clone, Debug)]
pub struct Recipe {
    radius: f64,
    seed: u32,
    materials: [Substance; 2],
    bodies: Vec<Body>,
    /// Share of the way to the one below that is glued, if any.
    glue: Option<usize>,
    hold: Option<Hold>,
    floor: Option<Floor>,
    /// Walls on all sides, too.
    box_around: bool,
    gravity: bool,
    speed: f64,
    hertz: bool,
    corrected: bool,
    restitution: f64,
    /// Of the linear law.
    softening: f64,
}

#[derive(Clone, Debug)]
struct Substance {
    density: f64,
    young: f64,
    poisson: f64,
    damping: f64,
    friction: f64,
    rolling: f64,
    /// Strain at which bonds break.
    breaks_at: Option<f64>,
    law: &'static str,
}

#[derive(Clone, Debug)]
struct Body {
    shape: usize,
    size: [f64; 3],
    packing: &'static str,
    kind: Kind,
    material: usize,
    aside: [f64; 2],
    gap: f64,
    heading: [f64; 3],
    spin: [f64; 3],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bonded,
    Granular,
    Rigid,
}

/// What a constraint does with the upper end of the first body.
#[derive(Clone, Debug)]
enum Hold {
    Fixed,
    Moved([f64; 3]),
    Turned(f64),
    Pushed([f64; 3]),
}

#[derive(Clone, Debug)]
enum Floor {
    Still,
    Rising(f64),
    Shaken(f64),
}

/// Numbers whose logarithms are evenly spread.
fn powers(from: f64, to: f64) -> impl Strategy<Value = f64> {
    (from.log10()..to.log10()).prop_map(|power| 10f64.powf(power))
}

fn vector(most: f64) -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-most..most)
}

/// Nothing, one time in two.
fn perhaps(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..most]
}

fn substance() -> impl Strategy<Value = Substance> {
    let elastic = (200f64..8000.0, powers(1e5, 3e9), 0.05f64..0.4, perhaps(0.4));
    let rubs = (perhaps(0.8), perhaps(0.1));
    let breaks = prop::option::of(powers(1e-4, 3e-2));
    (elastic, rubs, breaks, select(vec!["quaternion", "cosserat"])).prop_map(
        |((density, young, poisson, damping), (friction, rolling), breaks_at, law)| Substance {
            density,
            young,
            poisson,
            damping,
            friction,
            rolling,
            breaks_at,
            law,
        },
    )
}

fn body() -> impl Strategy<Value = Body> {
    let form = (0usize..6, prop::array::uniform3(3.0f64..6.0), select(vec!["hexagonal", "random", "shell"]));
    let kinds = vec![Kind::Bonded, Kind::Bonded, Kind::Granular, Kind::Rigid];
    let place = (prop::array::uniform2(-2.0f64..2.0), 0.05f64..2.0);
    let motion = (vector(1.0), vector(0.2));
    (form, select(kinds), 0usize..2, place, motion).prop_map(
        |((shape, size, packing), kind, material, (aside, gap), (heading, spin))| Body {
            shape,
            size,
            packing,
            kind,
            material,
            aside,
            gap,
            heading,
            spin,
        },
    )
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let hold = prop_oneof![
        Just(Hold::Fixed),
        vector(1.0).prop_map(Hold::Moved),
        (-0.3f64..0.3).prop_map(Hold::Turned),
        vector(1.0).prop_map(Hold::Pushed),
    ];
    let floor =
        prop_oneof![Just(Floor::Still), (0.1f64..1.0).prop_map(Floor::Rising), (0.1f64..1.0).prop_map(Floor::Shaken)];
    let solid = (substance(), substance(), powers(0.1, 10.0), prop::collection::vec(body(), 1..4));
    let joined = (prop::option::weighted(0.2, 0usize..2), prop::option::weighted(0.3, hold));
    let around = (prop::option::weighted(0.7, floor), prop::bool::weighted(0.2), any::<bool>());
    let numbers = (powers(1e-3, 3e-2), 0u32..1000, powers(2e-2, 0.15));
    let contact = (select(vec![1.0, 0.7, 0.7, 0.3]), select(vec![0.0, 0.0, 0.01]));
    (numbers, solid, joined, around, any::<bool>(), prop::bool::weighted(0.3), contact).prop_map(
        |(
            (radius, seed, speed),
            (a, b, stiffer, bodies),
            (glue, hold),
            (floor, box_around, gravity),
            hertz,
            corrected,
            (restitution, softening),
        )| {
            let materials = [Substance { young: b.young * stiffer, ..a }, b];
            Recipe {
                radius,
                seed,
                materials,
                bodies,
                glue,
                hold,
                floor,
                box_around,
                gravity,
                speed,
                hertz,
                corrected,
                restitution,
                softening,
            }
        },
    )
}

impl Recipe {
    /// The recipe of a number: the same for the same one.
    pub fn of(number: u64) -> Self {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        recipe().new_tree(&mut runner).expect("nothing is rejected").current()
    }

    /// The scene with these `settings`.
    pub fn scene(&self, settings: &[String]) -> Scene {
        Scene::parse(Path::new("random.toml"), &self.text(), settings).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Whether nothing takes momentum from the bodies, or gives them any.
    pub fn is_free(&self) -> bool {
        self.floor.is_none() && !self.box_around && self.hold.is_none() && !self.gravity
    }

    /// Whether there are rigid bodies.
    pub fn has_rigid(&self) -> bool {
        self.bodies.iter().any(|body| body.kind == Kind::Rigid)
    }

    /// The least speed of sound, m/s.
    fn sound(&self) -> f64 {
        let used = self.bodies.iter().map(|body| &self.materials[body.material]);
        used.map(|m| (m.young / m.density).sqrt()).fold(f64::INFINITY, f64::min)
    }

    /// As TOML.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("a string takes all");
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let (r, v) = (self.radius, self.speed * self.sound());
        let gravity = if self.gravity { -v * v / (20.0 * r) } else { 0.0 };
        writeln!(out, "[scene]\nname = \"random\"\nseed = {}\ngravity = [0.0, 0.0, {gravity:e}]", self.seed)?;
        // twenty radii on the way
        writeln!(out, "[time]\nframe_rate = {:e}\nframes = 8", 8.0 * v / (20.0 * r))?;
        let law = if self.hertz { "hertz" } else { "linear" };
        let friction = if self.corrected { "velocity-correction" } else { "tangential-spring" };
        let (restitution, softening) = (self.restitution, if self.hertz { 0.0 } else { self.softening });
        writeln!(out, "[contact]\nlaw = \"{law}\"\nfriction = \"{friction}\"")?;
        writeln!(out, "restitution = {restitution}\nsoftening = {softening}")?;
        for (name, m) in ["a", "b"].iter().zip(&self.materials) {
            writeln!(out, "[materials.{name}]\ndensity = {}\nyoung_modulus = {:e}", m.density, m.young)?;
            writeln!(out, "poisson_ratio = {}\ndamping = {}\nbond = \"{}\"", m.poisson, m.damping, m.law)?;
            writeln!(out, "friction = {}\nrolling_friction = {}", m.friction, m.rolling)?;
            if let Some(strain) = m.breaks_at {
                let strength = strain * m.young;
                writeln!(out, "tensile_strength = {strength:e}\nshear_strength = {strength:e}")?;
            }
        }
        self.write_bodies(out, v)?;
        self.write_walls(out, v)?;
        self.write_hold(out, v)
    }

    fn write_bodies(&self, out: &mut String, v: f64) -> std::fmt::Result {
        let r = self.radius;
        let mut z = 0.5 * r;
        for (k, body) in self.bodies.iter().enumerate() {
            let half = body.size.map(|size| size * r);
            let glued = self.glue.is_some_and(|glue| glue + 1 == k);
            z += half[2] + if glued { 0.1 * r } else { body.gap * r };
            let [x, y] = body.aside.map(|aside| if glued { 0.0 } else { aside * r });
            let [[vx, vy, vz], [wx, wy, wz]] = [body.heading.map(|h| h * v), body.spin.map(|w| w * v / r)];
            writeln!(out, "[[bodies]]\nname = \"body{k}\"\nmaterial = \"{}\"", ["a", "b"][body.material])?;
            writeln!(out, "particle_radius = {r:e}\npacking = \"{}\"\nshape = {}", body.packing, body.shape(half))?;
            writeln!(out, "position = [{x:e}, {y:e}, {z:e}]")?;
            let speed = if glued { [0.0; 3] } else { [vx, vy, vz - 0.5 * v * k as f64] };
            writeln!(out, "velocity = [{:e}, {:e}, {:e}]", speed[0], speed[1], speed[2])?;
            writeln!(out, "angular_velocity = [{wx:e}, {wy:e}, {wz:e}]")?;
            match body.kind {
                Kind::Bonded => {}
                Kind::Granular => writeln!(out, "bonded = false")?,
                Kind::Rigid => writeln!(out, "rigid = true")?,
            }
            z += half[2];
        }
        match self.glue {
            Some(k) if self.can_glue(k) => {
                writeln!(out, "[[glue]]\nbodies = [\"body{k}\", \"body{}\"]\nmaterial = \"a\"\ngap = 1.0", k + 1)
            }
            _ => Ok(()),
        }
    }

    fn can_glue(&self, k: usize) -> bool {
        self.bodies.get(k..k + 2).is_some_and(|both| both.iter().all(|body| body.kind == Kind::Bonded))
    }

    fn write_walls(&self, out: &mut String, v: f64) -> std::fmt::Result {
        let r = self.radius;
        if let Some(floor) = &self.floor {
            writeln!(out, "[[colliders]]\nshape = {{ half_space = {{ normal = [0.0, 0.0, 1.0], offset = 0.0 }} }}")?;
            match floor {
                // it would crush what is held to nothing
                _ if self.is_held() => {}
                Floor::Still => {}
                Floor::Rising(share) => {
                    writeln!(out, "motion = {{ velocity = [{:e}, 0.0, {:e}] }}", share * v, 0.5 * share * v)?;
                }
                Floor::Shaken(share) => {
                    let (time, up) = (5.0 * r / v, share * r);
                    writeln!(
                        out,
                        "motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = {time:e}, position = [0, 0, {up:e}] }}, \
                         {{ time = {:e}, position = [0, 0, 0] }}] }} }}",
                        2.0 * time
                    )?;
                }
            }
        }
        if self.box_around {
            for normal in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
                let [x, y] = normal;
                let offset = -8.0 * r;
                writeln!(
                    out,
                    "[[colliders]]\nshape = {{ half_space = {{ normal = [{x}, {y}, 0], offset = {offset:e} }} }}"
                )?;
            }
        }
        Ok(())
    }

    fn is_held(&self) -> bool {
        self.hold.as_ref().is_some_and(|hold| !matches!(hold, Hold::Pushed(_)))
    }

    fn write_hold(&self, out: &mut String, v: f64) -> std::fmt::Result {
        let Some(hold) = &self.hold else { return Ok(()) };
        let (r, first) = (self.radius, &self.bodies[0]);
        let middle = (0.5 + first.gap + first.size[2]) * r;
        writeln!(out, "[[constraints]]\nbody = \"body0\"")?;
        if first.kind != Kind::Rigid {
            writeln!(out, "region = {{ box = {{ min = [-1.0, -1.0, {middle:e}], max = [1.0, 1.0, 1.0] }} }}")?;
        }
        let mass = self.materials[first.material].density * r.powi(3);
        match hold {
            Hold::Fixed => writeln!(out, "motion = \"fixed\""),
            // into a wall it would be crushed to nothing
            Hold::Moved(_) if self.floor.is_some() || self.box_around => writeln!(out, "motion = \"fixed\""),
            Hold::Moved([x, y, z]) => {
                writeln!(out, "motion = {{ velocity = [{:e}, {:e}, {:e}] }}", x * v, y * v, z * v)
            }
            Hold::Turned(rate) => {
                let rate = rate * v / r;
                writeln!(
                    out,
                    "motion = {{ rotation = {{ point = [0.0, 0.0, {middle:e}], axis = [0.0, 0.0, 1.0], rate = {rate:e} }} }}"
                )
            }
            Hold::Pushed(force) => {
                let [x, y, z] = force.map(|f| 10.0 * f * mass * v * v / r);
                writeln!(out, "force = [{x:e}, {y:e}, {z:e}]")
            }
        }
    }
}

impl Body {
    /// As TOML, within `half` its size (m) of its origin.
    fn shape(&self, [x, y, z]: [f64; 3]) -> String {
        let round = x.min(y);
        match self.shape {
            0 => format!("{{ box = {{ size = [{:e}, {:e}, {:e}] }} }}", 2.0 * x, 2.0 * y, 2.0 * z),
            1 => format!("{{ sphere = {{ radius = {:e} }} }}", round.min(z)),
            2 => format!("{{ ellipsoid = {{ radii = [{x:e}, {y:e}, {z:e}] }} }}"),
            3 => format!("{{ cylinder = {{ radius = {round:e}, height = {:e} }} }}", 2.0 * z),
            4 => format!("{{ capsule = {{ radius = {:e}, height = {:e} }} }}", round.min(0.8 * z), 2.0 * z),
            _ => {
                format!("{{ cone = {{ radius = {round:e}, top_radius = {:e}, height = {:e} }} }}", 0.6 * round, 2.0 * z)
            }
        }
    }
}
