//! What the user writes: a TOML file, its checks, and how it becomes a [`World`](crate::model::World).
//!
//! ```text
//! text + --set ──source, overrides──> tree with places ──serde──> Scene ──check──> Scene ──build──> World, State
//! ```
//!
//! The types here are the file's tables, as plain numbers in SI units. An error of meaning names a value by its keys; only
//! then is the tree made again, to find the line.

mod body;
mod build;
mod camera;
mod check;
mod checkpoints;
mod collider;
mod constraint;
mod control;
mod error;
mod files;
mod filling;
mod glue;
mod integrator;
mod material;
mod mesh;
mod motion;
mod overrides;
mod packing;
pub mod particle_file;
mod placement;
mod region;
mod rigid;
mod schema;
mod settings;
mod shape;
mod solver;
mod source;
mod time;
mod toml_error;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use body::{AxisAngle, SceneBody};
pub use camera::SceneCamera;
pub use checkpoints::CheckpointEvery;
pub use collider::SceneCollider;
pub use constraint::SceneConstraint;
pub use control::ControlSettings;
pub use error::SceneError;
pub use filling::Filling;
pub use glue::Glue;
pub use integrator::SceneIntegrator;
pub use material::{Moduli, SceneGrain, SceneMaterial};
pub use mesh::{MeshFile, Up};
pub use motion::{SceneKey, SceneMotion};
pub use packing::{HexagonalPacking, Packing, ParticleFile, RandomPacking, ShellPacking};
pub use region::Region;
pub use schema::schema;
pub use settings::{ContactSettings, FractureSettings, GeneralSettings, OutputSettings};
pub use shape::SceneShape;
pub use time::{StepSize, Time};

use crate::model;
use crate::optimize::SolverSettings;
use body::Matter;
use check::{At, Fault};
use files::Files;
use schema::NAME;
use source::Source;

/// A scene: the file's tables, checked.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    #[serde(rename = "scene")]
    pub general: GeneralSettings,
    pub time: Time,
    #[serde(default)]
    pub solver: SolverSettings,
    #[serde(default)]
    pub contact: ContactSettings,
    #[serde(default)]
    pub fracture: FractureSettings,
    #[serde(default)]
    pub output: OutputSettings,
    /// What bodies and glue are made of, by names that are yours.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": NAME }))]
    pub materials: BTreeMap<String, SceneMaterial>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<SceneCamera>,
    /// What is simulated: one at least.
    #[serde(default)]
    #[schemars(required, length(min = 1))]
    pub bodies: Vec<SceneBody>,
    /// What holds bodies together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glue: Vec<Glue>,
    /// What holds, moves or pushes particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<SceneConstraint>,
    /// What particles rest on and bounce off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<SceneCollider>,
    /// What the bodies are made of, in their order.
    #[serde(skip)]
    matters: Vec<Matter>,
    #[serde(skip)]
    walls: Vec<model::Collider>,
    /// What it says, files by the names that it gives them.
    #[serde(skip)]
    as_given: String,
    #[serde(skip)]
    files: Files,
    #[serde(skip)]
    source: Source,
}

/// How large a scene will be, before it is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// A little more than there will be.
    pub particles: u64,
    /// A little more than there will be: half of twelve neighbours a particle.
    pub bonds: u64,
}

impl Scene {
    /// Reads and checks a scene file.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        Self::load_with(path, &[])
    }

    /// Reads a scene file, sets the values that `overrides` name (`key.path=value`), and checks the whole.
    pub fn load_with(path: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        Self::from_source(Source::read(path, overrides)?)
    }

    /// A scene from its text, which errors call `path`.
    pub fn parse(path: &Path, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        Self::from_source(Source::new(path, text.to_owned(), overrides))
    }

    fn from_source(source: Source) -> Result<Self, SceneError> {
        let tree = toml::de::Deserializer::from(source.tree()?);
        let mut scene = Self::deserialize(tree).map_err(|e| toml_error::explain(&source, &e))?;
        let mut files = Files::beside(source.path());
        (scene.matters, scene.walls) = scene.check(&mut files).map_err(|fault| source.locate(fault))?;
        scene.as_given = scene.what_is_simulated();
        scene.name_in_full(&files);
        scene.files = files;
        scene.source = source;
        Ok(scene)
    }

    /// Gives the files that it names names that are right from anywhere.
    fn name_in_full(&mut self, files: &Files) {
        for body in &mut self.bodies {
            body.shape.iter_mut().for_each(|shape| shape.name_in_full(files));
            body.packing.name_in_full(files);
        }
        self.colliders.iter_mut().for_each(|collider| collider.shape.name_in_full(files));
    }

    /// The scene's name, fit for a file name.
    pub fn name(&self) -> &str {
        &self.general.name
    }

    /// What particles rest on and bounce off.
    pub fn walls(&self) -> &[model::Collider] {
        &self.walls
    }

    /// The scene as TOML, with every default filled in, every override set and the names of files in full.
    pub fn resolved_toml(&self) -> String {
        toml::to_string(self).expect("a checked scene has only what TOML can say")
    }

    /// The scene as TOML, without what changes nothing in it but how long it is looked at and what is written of it.
    fn what_is_simulated(&self) -> String {
        let time = Time { frames: 0, ..self.time.clone() };
        Self { time, output: OutputSettings::default(), camera: None, ..self.clone() }.resolved_toml()
    }

    /// SHA-256 of all that a frame depends on, in hexadecimal: a run may go on from a checkpoint whose scene has the same.
    /// Comments, `time.frames`, `[output]` and `[camera]` are not part of it, nor is the folder that the scene lies in.
    pub fn physics_digest(&self) -> String {
        self.digest_of(Sha256::new_with_prefix(&self.as_given))
    }

    /// SHA-256 of the scene's text, its overrides and the contents of the files that it names, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new_with_prefix(&self.source.text);
        for given in self.source.overrides() {
            hash.update([0]);
            hash.update(given);
        }
        self.digest_of(hash)
    }

    /// The digest of what `hash` has and the files that the scene names.
    fn digest_of(&self, mut hash: Sha256) -> String {
        self.files.digests.iter().for_each(|digest| hash.update(digest));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The scene's size, by the volumes of its bodies.
    pub fn estimate(&self) -> Estimate {
        let bodies = self.bodies.iter().zip(&self.matters);
        let particles = bodies.map(|(body, matter)| body.estimate(matter)).sum::<f64>().ceil();
        Estimate { particles: particles as u64, bonds: (6.0 * particles) as u64 }
    }

    /// Whether the scene's integrator, which may not be the one that it was loaded with, can run it.
    ///
    /// # Errors
    /// When it takes not all of its bonds, or moves not all of its rigid bodies.
    pub fn check_integrator(&self) -> Result<(), SceneError> {
        let integrator = self.time.integrator;
        for (name, material) in &self.materials {
            let at = At::root().key("materials").key(name);
            material.check_bond(integrator, &at).map_err(|fault| self.source.locate(fault))?;
        }
        if self.bodies.iter().any(|body| body.rigid) && !integrator.moves_rigid_bodies() {
            // which of them are free shows when all is built
            self.build()?;
        }
        Ok(())
    }

    /// All that can be found wrong before particles are made; and what the bodies are made of, and the walls.
    fn check(&self, files: &mut Files) -> Result<(Vec<Matter>, Vec<model::Collider>), Fault> {
        let root = At::root();
        self.general.check(&root.key("scene"))?;
        self.time.check(&root.key("time"))?;
        solver::check(&self.solver, &root.key("solver"))?;
        self.contact.check(&root.key("contact"))?;
        self.output.check(&root.key("output"))?;
        self.camera.iter().try_for_each(|camera| camera.check(&root.key("camera")))?;
        for (name, material) in &self.materials {
            material.check(name, self.time.integrator, &root.key("materials").key(name))?;
        }
        let matters = body::load_all(&self.bodies, &self.materials, files, &root.key("bodies"))?;
        glue::check_all(&self.glue, &self.bodies, &self.materials)?;
        for (i, constraint) in self.constraints.iter().enumerate() {
            constraint.check(&self.bodies, &root.key("constraints").key(i))?;
        }
        let at = root.key("colliders");
        let walls = self.colliders.iter().enumerate().map(|(i, collider)| collider.load(files, &at.key(i)));
        Ok((matters, walls.collect::<Result<_, _>>()?))
    }
}
