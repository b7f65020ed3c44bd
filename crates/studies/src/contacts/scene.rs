//! Scenes of the cases, as TOML.

use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::simulate::Simulation;
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::Setting;
use super::advance::{Stop, advance};
use super::law::mass;

/// Radius of a grain, m.
pub(super) const RADIUS: f64 = 0.01;
/// Radius of a block's particles, m.
pub(super) const BLOCK_RADIUS: f64 = 0.005;
/// Young's modulus, Pa: soft, so that contacts are long and explicit steps few. No right value depends on it but overlaps
/// and durations.
pub(super) const YOUNG: f64 = 1e7;
/// Density, kg/m3.
pub(super) const DENSITY: f64 = 2500.0;
/// Acceleration of gravity, m/s2.
pub(super) const G: f64 = 9.81;
/// Frames a second of a usual scene. One frame bounds an implicit step: it does not resolve a contact of 0.8 ms.
pub(super) const FRAME_RATE: f64 = 240.0;

/// Conditions of a run besides its bodies and walls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    /// m/s2.
    pub(super) gravity: Vec3,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    pub(super) rolling_friction: f64,
    /// Frames a second.
    pub(super) frame_rate: f64,
    pub(super) frames: u32,
}

impl Default for Conditions {
    fn default() -> Self {
        let (gravity, frame_rate) = (Vec3::zeros(), FRAME_RATE);
        Self { gravity, restitution: 1.0, friction: 0.0, rolling_friction: 0.0, frame_rate, frames: 1 }
    }
}

impl Conditions {
    /// Conditions on a level floor.
    pub(super) fn level() -> Self {
        Self { gravity: Vec3::z() * -G, restitution: 0.5, ..Self::default() }
    }

    /// The same over at least `seconds`, in two frames at least.
    pub(super) fn lasting(self, seconds: f64) -> Self {
        Self { frames: ((seconds * self.frame_rate).ceil() as u32).max(2), ..self }
    }

    fn text(&self, setting: &Setting, objects: &str) -> String {
        let Self { gravity, restitution, friction, rolling_friction, frame_rate, frames } = self;
        let (gravity, damping) = (array(gravity), BOND_DAMPING);
        let (law, rule) = (word(&setting.law), word(&setting.rule));
        format!(
            "[scene]\nname = \"contacts\"\ngravity = {gravity}\n[time]\nframe_rate = {frame_rate:?}\nframes = {frames}\n\
             [materials.m]\ndensity = {DENSITY:?}\nyoung_modulus = {YOUNG:?}\npoisson_ratio = 0.25\n\
             damping = {damping:?}\nfriction = {friction:?}\nrolling_friction = {rolling_friction:?}\n\
             [contact]\nrestitution = {restitution:?}\nlaw = {law}\nfriction = {rule}\n{objects}"
        )
    }

    /// Scene of `objects` under a setting.
    pub(super) fn scene(&self, setting: &Setting, objects: &str) -> Result<Scene, RunError> {
        let mut scene = Scene::parse(Path::new("contacts.toml"), &self.text(setting, objects), &[])?;
        (scene.time.integrator, scene.time.step) = (setting.integrator, setting.step);
        Ok(scene)
    }

    /// Runs `objects` to the end, and calls `look` at the start and at every frame.
    pub(super) fn run(
        &self,
        setting: &Setting,
        objects: &str,
        look: impl FnMut(&Simulation),
    ) -> Result<Simulation, Stop> {
        advance(&self.scene(setting, objects)?, look)
    }

    /// Value `of` the state at the start and at every frame.
    pub(super) fn trace<T>(
        &self,
        setting: &Setting,
        objects: &str,
        of: impl Fn(&Simulation) -> T,
    ) -> Result<Vec<T>, Stop> {
        let mut values = Vec::new();
        self.run(setting, objects, |at| values.push(of(at)))?;
        Ok(values)
    }
}

/// Damping of a block's bonds, as a fraction of critical damping.
const BOND_DAMPING: f64 = 0.2;

/// Name of a unit variant as scenes have it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a name")
}

/// Vector in TOML.
pub(super) fn array(v: &Vec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// Grain of `radius` (m) at `p` (m), with velocity `v` (m/s) and angular velocity `w` (rad/s).
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) radius: f64,
    pub(super) p: Vec3,
    pub(super) v: Vec3,
    pub(super) w: Vec3,
}

impl Ball {
    /// Grain without spin.
    pub(super) fn new(p: Vec3, v: Vec3) -> Self {
        Self { radius: RADIUS, p, v, w: Vec3::zeros() }
    }

    /// Body of this `name`.
    pub(super) fn text(&self, name: &str) -> String {
        // a hexagonal packing has one particle in a sphere a little larger
        let (radius, shape) = (self.radius, 1.01 * self.radius);
        let [p, v, w] = [self.p, self.v, self.w].map(|vector| array(&vector));
        format!(
            "[[bodies]]\nname = \"{name}\"\nmaterial = \"m\"\nparticle_radius = {radius:?}\nbonded = false\n\
             shape = {{ sphere = {{ radius = {shape:?} }} }}\nposition = {p}\nvelocity = {v}\nangular_velocity = {w}\n"
        )
    }

    /// Mass, kg.
    pub(super) fn mass(&self) -> f64 {
        mass(self.radius)
    }
}

/// Touching grains in a row along x, turned by `degrees` about y, as one rigid body with its centre at `p` (m).
pub(super) fn rod(grains: u32, degrees: f64, p: &Vec3, v: &Vec3) -> String {
    let ([p, v], length) = ([p, v].map(array), 2.0 * RADIUS * f64::from(grains));
    format!(
        "[[bodies]]\nname = \"rod\"\nmaterial = \"m\"\nparticle_radius = {RADIUS:?}\nrigid = true\n\
         packing = {{ rope = {{ length = {length:?}, strands = 1 }} }}\nposition = {p}\nvelocity = {v}\n\
         rotation = {{ axis = [0.0, 1.0, 0.0], degrees = {degrees:?} }}\n"
    )
}

/// Block of some ten particles whose origin is at the height `z` (m).
fn block_at(z: f64, rigid: bool) -> String {
    format!(
        "[[bodies]]\nname = \"block\"\nmaterial = \"m\"\nparticle_radius = {BLOCK_RADIUS:?}\nrigid = {rigid}\n\
         shape = {{ box = {{ size = [0.035, 0.025, 0.02] }} }}\nposition = [0.0, 0.0, {z:?}]\n"
    )
}

/// Block that touches the floor z = 0.
pub(super) fn block(setting: &Setting, rigid: bool) -> Result<String, RunError> {
    let (_, state) = Conditions::default().scene(setting, &block_at(0.0, rigid))?.build()?;
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    Ok(block_at(BLOCK_RADIUS - low, rigid))
}

/// Half-space as a shape, with the free side at `normal`.
pub(super) fn half_space(normal: &Vec3) -> String {
    format!("{{ half_space = {{ normal = {}, offset = 0.0 }} }}", array(normal))
}

/// Wall of a shape, with further keys.
pub(super) fn wall(shape: &str, keys: &str) -> String {
    format!("[[colliders]]\nshape = {shape}\n{keys}\n")
}

/// Floor z = 0 at rest.
pub(super) fn floor() -> String {
    wall(&half_space(&Vec3::z()), "")
}
