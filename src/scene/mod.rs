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
mod check;
mod collider;
mod constraint;
mod error;
mod filling;
mod material;
mod motion;
mod overrides;
mod packing;
mod particle_file;
mod placement;
mod settings;
mod shape;
mod solver;
mod source;
mod time;
mod toml_error;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use body::{Body, Turn};
pub use collider::{Collider, ColliderShape};
pub use constraint::{Constraint, Region};
pub use error::SceneError;
pub use filling::Filling;
pub use material::{Grain, Material, Moduli};
pub use motion::{Key, Motion};
pub use packing::{Hexagonal, Packing, ParticleFile, Random, Shell};
pub use settings::{Contact, Fracture, General, Output};
pub use shape::Shape;
pub use time::{Integrator, Step, Time};

use crate::geometry::shape::Shape as Solid;
use crate::optimize::SolverSettings;
use check::{At, Fault};
use source::Source;

/// A scene: the file's tables, checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    #[serde(rename = "scene")]
    pub general: General,
    pub time: Time,
    #[serde(default)]
    pub solver: SolverSettings,
    #[serde(default)]
    pub contact: Contact,
    #[serde(default)]
    pub fracture: Fracture,
    #[serde(default)]
    pub output: Output,
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    #[serde(default)]
    pub bodies: Vec<Body>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// What the bodies fill, in their order; none for those that fill no shape.
    #[serde(skip)]
    solids: Vec<Option<Solid>>,
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
        scene.solids = scene.check(source.folder()).map_err(|fault| source.locate(fault))?;
        scene.source = source;
        Ok(scene)
    }

    /// The scene's name, fit for a file name.
    pub fn name(&self) -> &str {
        &self.general.name
    }

    /// The scene as TOML, with every default filled in and every override set.
    pub fn resolved_toml(&self) -> String {
        toml::to_string(self).expect("a checked scene has only what TOML can say")
    }

    /// SHA-256 of the scene's text and overrides, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new_with_prefix(&self.source.text);
        for given in self.source.overrides() {
            hash.update([0]);
            hash.update(given);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The scene's size, by the volumes of its bodies.
    pub fn estimate(&self) -> Estimate {
        let bodies = self.bodies.iter().zip(&self.solids);
        let folder = self.source.folder();
        let particles = bodies.map(|(body, solid)| body.estimate(solid.as_ref(), folder)).sum::<f64>().ceil();
        Estimate { particles: particles as u64, bonds: (6.0 * particles) as u64 }
    }

    /// All that can be found wrong before particles are made; and what the bodies fill. Files are named from `folder` on.
    fn check(&self, folder: &Path) -> Result<Vec<Option<Solid>>, Fault> {
        let root = At::root();
        self.general.check(&root.key("scene"))?;
        self.time.check(&root.key("time"))?;
        solver::check(&self.solver, &root.key("solver"))?;
        self.contact.check(&root.key("contact"))?;
        self.output.check(&root.key("output"))?;
        for (name, material) in &self.materials {
            material.check(name, &root.key("materials").key(name))?;
        }
        let solids = body::load_all(&self.bodies, &self.materials, folder, &root.key("bodies"))?;
        for (i, constraint) in self.constraints.iter().enumerate() {
            constraint.check(&root.key("constraints").key(i))?;
        }
        for (i, collider) in self.colliders.iter().enumerate() {
            collider.check(&root.key("colliders").key(i))?;
        }
        Ok(solids)
    }
}
