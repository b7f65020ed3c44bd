//! Scenes of the cases, as TOML.

use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{FractureEvent, Simulation};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::advance::{Stop, advance};
use super::{Setting, name_of};

/// Radius of a grain, m.
pub(crate) const RADIUS: f64 = 0.01;
/// Radius of a block's particles, m.
pub(crate) const BLOCK_RADIUS: f64 = 0.005;
/// Young's modulus, Pa: soft, so that contacts are long and explicit steps few. No right value depends on it but overlaps
/// and durations.
pub(crate) const YOUNG: f64 = 1e7;
/// Poisson's ratio.
pub(crate) const POISSON: f64 = 0.25;
/// Density, kg/m3.
pub(crate) const DENSITY: f64 = 2500.0;
/// Acceleration of gravity, m/s2.
pub(crate) const G: f64 = 9.81;
/// Frames a second of a usual scene. One frame bounds an implicit step: it does not resolve a contact of 0.8 ms.
pub(crate) const FRAME_RATE: f64 = 240.0;

/// Conditions of a run besides its bodies and walls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// m/s2.
    pub(crate) gravity: Vec3,
    pub(crate) restitution: f64,
    pub(crate) friction: f64,
    pub(crate) rolling_friction: f64,
    /// Young's modulus, Pa.
    pub(crate) young: f64,
    /// Damping of bonds, as a fraction of critical damping.
    pub(crate) damping: f64,
    /// Strength of bonds in tension and in shear, Pa.
    pub(crate) strength: f64,
    /// Frames a second.
    pub(crate) frame_rate: f64,
    pub(crate) frames: u32,
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            gravity: Vec3::zeros(),
            restitution: 1.0,
            friction: 0.0,
            rolling_friction: 0.0,
            young: YOUNG,
            damping: BOND_DAMPING,
            strength: f64::INFINITY,
            frame_rate: FRAME_RATE,
            frames: 1,
        }
    }
}

impl Conditions {
    /// Conditions on a level floor.
    pub(crate) fn level() -> Self {
        Self { gravity: Vec3::z() * -G, restitution: 0.5, ..Self::default() }
    }

    /// The same over at least `seconds`, in two frames at least.
    pub(crate) fn lasting(self, seconds: f64) -> Self {
        Self { frames: ((seconds * self.frame_rate).ceil() as u32).max(2), ..self }
    }

    fn text(&self, setting: &Setting, objects: &str) -> String {
        let Self { gravity, restitution, friction, rolling_friction, young, damping, strength, frame_rate, frames } =
            self;
        let gravity = array(gravity);
        let (law, rule) = (name_of(&setting.law), name_of(&setting.rule));
        format!(
            "[scene]\nname = \"case\"\ngravity = {gravity}\n[time]\nframe_rate = {frame_rate:?}\nframes = {frames}\n\
             [materials.m]\ndensity = {DENSITY:?}\ndensity_of = \"grains\"\nyoung_modulus = {young:?}\npoisson_ratio = {POISSON:?}\n\
             damping = {damping:?}\ntensile_strength = {strength:?}\nshear_strength = {strength:?}\nfriction = {friction:?}\nrolling_friction = {rolling_friction:?}\n\
             [contact]\nrestitution = {restitution:?}\nlaw = \"{law}\"\nfriction = \"{rule}\"\n{objects}"
        )
    }

    /// Scene of `objects` under a setting.
    pub(crate) fn scene(&self, setting: &Setting, objects: &str) -> Result<Scene, RunError> {
        let mut scene = Scene::parse(Path::new("case.toml"), &self.text(setting, objects), &[])?;
        (scene.time.integrator, scene.time.step) = (setting.integrator, setting.step);
        Ok(scene)
    }

    /// Runs `objects` to the end, and calls `look` at the start and at every frame.
    pub(crate) fn run(
        &self,
        setting: &Setting,
        objects: &str,
        look: impl FnMut(&Simulation),
    ) -> Result<Simulation, Stop> {
        Ok(advance(&self.scene(setting, objects)?, look)?.0)
    }

    /// Bonds that break, in the order of time.
    pub(crate) fn breaks(&self, setting: &Setting, objects: &str) -> Result<Vec<FractureEvent>, Stop> {
        Ok(advance(&self.scene(setting, objects)?, |_| ())?.1.broken)
    }

    /// Value `of` the state at the start and at every frame.
    pub(crate) fn trace<T>(
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

/// Mass of a grain, kg.
pub(crate) fn mass(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius * DENSITY
}

/// Damping of a block's bonds, as a fraction of critical damping.
const BOND_DAMPING: f64 = 0.2;

/// Vector in TOML.
pub(crate) fn array(v: &Vec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// Grain of `radius` (m) at `p` (m), with velocity `v` (m/s) and angular velocity `w` (rad/s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) radius: f64,
    pub(crate) p: Vec3,
    pub(crate) v: Vec3,
    pub(crate) w: Vec3,
}

impl Ball {
    /// Grain without spin.
    pub(crate) fn new(p: Vec3, v: Vec3) -> Self {
        Self { radius: RADIUS, p, v, w: Vec3::zeros() }
    }

    /// Body of this `name`.
    pub(crate) fn text(&self, name: &str) -> String {
        // a hexagonal packing has one particle in a sphere a little larger
        let (radius, shape) = (self.radius, 1.01 * self.radius);
        let [p, v, w] = [self.p, self.v, self.w].map(|vector| array(&vector));
        format!(
            "[[bodies]]\nname = \"{name}\"\nmaterial = \"m\"\nparticle_radius = {radius:?}\nbonded = false\n\
             shape = {{ sphere = {{ radius = {shape:?} }} }}\nposition = {p}\nvelocity = {v}\nangular_velocity = {w}\n"
        )
    }

    /// Mass, kg.
    pub(crate) fn mass(&self) -> f64 {
        mass(self.radius)
    }
}

/// Touching grains in a row along x, turned by `degrees` about y, as one rigid body with its centre at `p` (m).
pub(crate) fn rod(grains: u32, degrees: f64, p: &Vec3, v: &Vec3) -> String {
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
pub(crate) fn block(setting: &Setting, rigid: bool) -> Result<String, RunError> {
    let (_, state) = Conditions::default().scene(setting, &block_at(0.0, rigid))?.build()?;
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    Ok(block_at(BLOCK_RADIUS - low, rigid))
}

/// Half-space as a shape, with the free side at `normal`.
pub(crate) fn half_space(normal: &Vec3) -> String {
    format!("{{ half_space = {{ normal = {}, offset = 0.0 }} }}", array(normal))
}

/// Wall of a shape, with further keys.
pub(crate) fn wall(shape: &str, keys: &str) -> String {
    format!("[[colliders]]\nshape = {shape}\n{keys}\n")
}

/// Floor z = 0 at rest.
pub(crate) fn floor() -> String {
    wall(&half_space(&Vec3::z()), "")
}

/// Mean of vectors of all particles, which are of one size.
pub(crate) fn mean(all: &[Vec3]) -> Vec3 {
    all.iter().sum::<Vec3>() / all.len() as f64
}
