//! Scene files: TOML types, their checks, and their conversion to a [`World`](bdem_core::model::World).
//!
//! ```text
//! text + --set ──source, overrides──> tree with places ──serde──> Scene ──check──> Scene ──build──> World, State
//! ```
//!
//! The types are the file's tables, as plain numbers in SI units. An error of meaning names a value by its keys. Only
//! then is the text parsed again, to find the line.

pub mod attribute;
mod body;
pub mod bond_file;
mod bond_strength;
mod build;
mod camera;
mod charge;
mod check;
mod checkpoints;
mod choice;
mod collider;
mod constraint;
mod control;
mod crumbs;
mod csv_file;
mod deformation;
mod density;
mod dimensions;
mod drive;
mod electrostatics;
mod error;
mod face_group;
mod factor;
mod field;
mod files;
mod filling;
mod forces_every;
mod frame_columns;
mod frame_coordinates;
mod gives_up;
mod glue;
mod grain_map;
mod inputs;
mod integrator;
mod key_file;
mod lammps_file;
mod loading;
mod look;
mod material;
mod material_preset;
mod mesh;
mod mesh_bodies;
mod motion;
mod names;
mod outer_faces;
mod overrides;
mod packing;
pub mod particle_file;
mod placement;
mod preset;
mod probe;
mod region;
mod rigid;
mod schema;
mod settings;
mod shape;
mod slips;
mod solver;
mod source;
mod specimen;
mod springs;
mod start;
mod stiffness;
mod store;
mod surface_map;
mod texture;
mod time;
mod toml_error;
mod until;
mod usual;
mod wholeness;
mod wind;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bdem_core::model;
use bdem_core::model::ContactLaw;
use bdem_core::simulate::SolverSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use body::{AxisAngle, SceneBody};
pub use bond_strength::{SceneCuts, SceneStrengthMap};
pub use build::requested_instructions;
pub use camera::SceneCamera;
pub use charge::{SceneCharge, SceneChargeKey, SceneExternalCharge};
pub use checkpoints::CheckpointEvery;
pub use collider::SceneCollider;
pub use constraint::SceneConstraint;
pub use deformation::SceneDeformation;
pub use density::{BodyMeasures, DensityOf};
pub use drive::SceneDrive;
pub use error::SceneError;
pub use face_group::FaceGroup;
pub use factor::FactorKey;
pub use field::{FieldAdjacency, FieldMethod, FieldSettings, SceneField, SceneFieldKind};
pub use filling::Filling;
pub use forces_every::ForcesEvery;
pub use frame_columns::{BondColumn, BondOutput, ParticleColumn};
pub use glue::Glue;
pub use grain_map::{BodyGrain, SceneGrainMap};
pub use inputs::SceneInputs;
pub(crate) use integrator::integrator_named;
pub use look::{Look, LookPreset, SceneLook};
pub use material::{Moduli, SceneGrain, SceneMaterial};
pub use material_preset::{MaterialPreset, material_presets};
pub use mesh::{MeshFile, Up};
pub use mesh_bodies::{MeshBodies, Mortar};
pub use motion::{SceneEase, SceneKey, SceneMotion};
pub use overrides::Setting;
pub use packing::{HexagonalPacking, Packing, ParticleFile, RandomPacking, ShellPacking};
pub use preset::Preset;
pub use probe::Probe;
pub use region::Region;
pub use schema::schema;
pub use settings::{ContactSettings, FractureSettings, GeneralSettings, OutputSettings};
pub use shape::SceneShape;
pub use specimen::{MaterialTest, Specimen};
pub use springs::SceneSprings;
pub use start::SceneStart;
pub use stiffness::{BodyModuli, PackingModuli};
pub use store::PackingStore;
pub use time::Time;
pub use until::Until;
pub use usual::usual_ranges;
pub use wholeness::Wholeness;
pub use wind::SceneWind;

use crate::mesh::MeshReport;
use body::Matter;
use bond_strength::StrengthFactors;
use check::{At, Fault};
use files::Files;
use grain_map::GrainMap;
use schema::NAME;
use source::Source;

/// Checked scene: the tables of a TOML file.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Row of settings as a paper has them, for keys that the scene does not give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Name, gravity and seed.
    #[serde(rename = "scene")]
    pub general: GeneralSettings,
    /// Frames and steps.
    pub time: Time,
    /// Settings of an implicit step's solver. Every value has a default.
    #[serde(default)]
    pub solver: SolverSettings,
    /// Repulsion and friction of particles that are not bonded.
    #[serde(default)]
    pub contact: ContactSettings,
    /// Rule of breakage.
    #[serde(default)]
    pub fracture: FractureSettings,
    /// Files that a run writes.
    #[serde(default)]
    pub output: OutputSettings,
    /// Materials of bodies and glue, by names of your choice.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": NAME }))]
    pub materials: BTreeMap<String, SceneMaterial>,
    /// Camera of the pictures of the run. Without one the camera sees the whole scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<SceneCamera>,
    /// Bodies: the particles that are simulated. One at least.
    #[serde(default)]
    #[schemars(required, length(min = 1))]
    pub bodies: Vec<SceneBody>,
    /// Bonds between bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glue: Vec<Glue>,
    /// Prescribed motions, forces and torques of particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<SceneConstraint>,
    /// Solids that particles rest on and bounce off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<SceneCollider>,
    /// Fields of acceleration: gusts and explosions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winds: Vec<SceneWind>,
    /// Electric charges of particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charges: Vec<SceneCharge>,
    /// Point charges from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_charges: Vec<SceneExternalCharge>,
    /// Electric fields from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_fields: Vec<SceneField>,
    /// Computation of the electric field of the particles' charges.
    #[serde(default, skip_serializing_if = "FieldSettings::is_default")]
    pub field: FieldSettings,
    /// Material test that the scene is. `bdem info` and `bdem plot` then print its strength and modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specimen: Option<Specimen>,
    /// Content of the bodies, in their order.
    #[serde(skip)]
    matters: Vec<Matter>,
    /// Factors on the strengths of the bodies' bonds, in their order.
    #[serde(skip)]
    strength_factors: Vec<StrengthFactors>,
    /// Maps of the bodies' grain, in their order; none of those without.
    #[serde(skip)]
    grain_maps: Vec<Option<GrainMap>>,
    /// For each of `charges`, charges (C) of its body's particles from their file; none where they are from no file.
    #[serde(skip)]
    charges_from_files: Vec<Arc<[f64]>>,
    /// Approximate number of particles.
    #[serde(skip)]
    particles: f64,
    #[serde(skip)]
    walls: Vec<model::Wall>,
    /// TOML of the simulated part, with the names of files as given.
    #[serde(skip)]
    as_given: String,
    #[serde(skip)]
    files: Files,
    #[serde(skip)]
    source: Source,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// Tables of another TOML file than a scene, with its text. Errors are placed as those of scenes.
///
/// # Errors
/// When the file cannot be read, or is no such tables.
pub fn read_tables<T: serde::de::DeserializeOwned>(path: &Path) -> Result<(T, String), SceneError> {
    let source = Source::read(path, &[])?;
    let tables = toml::from_str(&source.text).map_err(|e| toml_error::explain(&source, &e))?;
    Ok((tables, source.text))
}

/// Error of the value at the bytes `span` of such a file's text, with a remedy.
pub fn error_at(path: &Path, text: &str, span: std::ops::Range<usize>, message: String, help: &str) -> SceneError {
    Source::new(path, text.to_owned(), &[]).error(span, message, Some(help.to_owned()))
}

impl Scene {
    /// Scene from a file, checked.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        Self::load_with(path, &[])
    }

    /// Scene that a run has written, checked. Only a regular file is read, while [`Self::load`] reads pipes too.
    pub fn load_resolved(path: &Path) -> Result<Self, SceneError> {
        Self::from_source(Source::read_file(path)?)
    }

    /// Scene from a file with the values of `overrides` (`key.path=value`) set, checked.
    pub fn load_with(path: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        Self::load_set(path, &Setting::all(overrides))
    }

    /// [`Self::load_with`] with `settings` that know the options they come from, for errors.
    pub fn load_set(path: &Path, settings: &[Setting]) -> Result<Self, SceneError> {
        Self::from_source(Source::read(path, settings)?)
    }

    /// Scene from its text, with `path` for errors.
    pub fn parse(path: &Path, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        Self::from_source(Source::new(path, text.to_owned(), &Setting::all(overrides)))
    }

    fn from_source(source: Source) -> Result<Self, SceneError> {
        let files = Files::beside(source.path());
        Self::from_files(source, files)
    }

    fn from_files(mut source: Source, mut files: Files) -> Result<Self, SceneError> {
        source.find_parts(&mut files)?;
        let tree = toml::de::Deserializer::from(source.tree()?);
        let mut scene = Self::deserialize(tree).map_err(|e| toml_error::explain(&source, &e))?;
        for (name, material) in &mut scene.materials {
            let at = At::root().key("materials").key(name);
            material.soften(&at).map_err(|fault| source.locate(fault))?;
        }
        scene.read_motions(&mut files).map_err(|fault| source.locate(fault))?;
        scene.read_regions(&mut files).map_err(|fault| source.locate(fault))?;
        (scene.matters, scene.particles, scene.walls) =
            scene.check(&mut files).map_err(|fault| source.locate(fault))?;
        let at = At::root().key("bodies");
        let factors = scene.bodies.iter().enumerate().map(|(k, body)| body.strength_factors(&mut files, &at.key(k)));
        scene.strength_factors = factors.collect::<Result<_, _>>().map_err(|fault| source.locate(fault))?;
        let grains = scene.bodies.iter().enumerate().map(|(k, body)| body.load_grain_map(&mut files, &at.key(k)));
        scene.grain_maps = grains.collect::<Result<_, _>>().map_err(|fault| source.locate(fault))?;
        scene.charges_from_files = electrostatics::load(&scene, &mut files).map_err(|fault| source.locate(fault))?;
        let mut specimen = scene.complete_specimen().map_err(|fault| source.locate(fault))?;
        let mut slips = slips::find(&scene, &source)?;
        slips.append(&mut files.notices);
        slips.append(&mut specimen);
        scene.warnings = slips.into_iter().map(|fault| source.locate(fault).to_string()).collect();
        scene.as_given = scene.simulated_part();
        scene.make_paths_absolute(&files);
        files.forget_parts();
        scene.files = files;
        scene.source = source;
        Ok(scene)
    }

    /// Reads the keys of motions from their files.
    fn read_motions(&mut self, files: &mut Files) -> Result<(), Fault> {
        let of = |list: &str, k: usize| At::root().key(list).key(k).key("motion");
        for (k, collider) in self.colliders.iter_mut().enumerate() {
            collider.motion.read(files, &of("colliders", k))?;
        }
        for (k, constraint) in self.constraints.iter_mut().enumerate() {
            constraint.motion.iter_mut().try_for_each(|motion| motion.read(files, &of("constraints", k)))?;
        }
        for (k, charge) in self.external_charges.iter_mut().enumerate() {
            charge.motion.read(files, &of("external_charges", k))?;
        }
        for (k, field) in self.external_fields.iter_mut().enumerate() {
            field.motion.read(files, &of("external_fields", k))?;
        }
        Ok(())
    }

    /// Reads the faces of groups that are regions.
    fn read_regions(&mut self, files: &mut Files) -> Result<(), Fault> {
        let root = At::root();
        let Self { bodies, constraints, charges, output, .. } = self;
        let mut starts = Vec::new();
        for (k, body) in bodies.iter().enumerate() {
            let at = root.key("bodies").key(k).key("start");
            let mut own = body.start.clone();
            for (i, start) in own.iter_mut().enumerate() {
                start.region.read(bodies, Some(&body.name), files, &at.key(i).key("region"))?;
            }
            starts.push(own);
        }
        bodies.iter_mut().zip(starts).for_each(|(body, start)| body.start = start);
        for (k, constraint) in constraints.iter_mut().enumerate() {
            let (body, at) = (constraint.body.as_deref(), root.key("constraints").key(k).key("region"));
            constraint.region.iter_mut().try_for_each(|region| region.read(bodies, body, files, &at))?;
        }
        for (k, charge) in charges.iter_mut().enumerate() {
            let (body, at) = (charge.body.as_deref(), root.key("charges").key(k).key("region"));
            charge.region.iter_mut().try_for_each(|region| region.read(bodies, body, files, &at))?;
        }
        let at = root.key("output").key("probes");
        output.probes.iter_mut().enumerate().try_for_each(|(k, probe)| probe.read(bodies, files, &at.key(k)))
    }

    /// Absolute paths in place of the names of files.
    fn make_paths_absolute(&mut self, files: &Files) {
        for body in &mut self.bodies {
            body.shape.iter_mut().for_each(|shape| shape.make_paths_absolute(files));
            body.packing.make_paths_absolute(files);
            body.cuts.iter_mut().for_each(|cuts| cuts.file = files.absolute_path(&cuts.file));
            let strengths = body.strength_map.iter_mut().filter_map(|map| map.texture.as_mut());
            let grains = body.grain_map.iter_mut().filter_map(|map| map.texture.as_mut());
            strengths.chain(grains).for_each(|file| *file = files.absolute_path(file));
        }
        for collider in &mut self.colliders {
            collider.shape.make_paths_absolute(files);
            let deformation = collider.deformation.iter_mut();
            deformation.for_each(|deformation| deformation.files = files.absolute_path(&deformation.files));
        }
    }

    /// Name of the scene, fit for a file name.
    pub fn name(&self) -> &str {
        &self.general.name
    }

    /// Shells of each mesh that bodies and colliders are made of, by the name of its file.
    pub fn mesh_reports(&self) -> &[(String, MeshReport)] {
        &self.files.reports
    }

    /// Warnings of values outside their usual ranges, which are most likely in another unit. Each names its line.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Values that replaced the scene's own, by their keys, as given with `--set` and other options. The last of each
    /// key counts.
    pub fn settings(&self) -> BTreeMap<String, String> {
        let pair =
            |given: &str| given.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
        self.source.overrides().filter_map(pair).collect()
    }

    /// Keys and values of the preset, `key=value` each, with whether the scene has a value of its own in its place.
    pub fn preset_row(&self) -> Vec<(&str, bool)> {
        self.source.preset_row()
    }

    /// Row in its file of each particle of the body at an index; empty where its particles are from no file.
    pub fn file_rows(&self, body: usize) -> &[u32] {
        self.matters[body].rows()
    }

    /// Walls of the scene.
    pub fn walls(&self) -> &[model::Wall] {
        &self.walls
    }

    /// A part by its kind (`collider`, `constraint` or another) and index, and its name if it has one.
    pub(crate) fn part_name(&self, kind: &str, index: usize) -> String {
        let name = match kind {
            "collider" => self.colliders.get(index).and_then(|collider| collider.name.as_ref()),
            "constraint" => self.constraints.get(index).and_then(|constraint| constraint.name.as_ref()),
            _ => None,
        };
        format!("{kind} {index}") + &name.map_or_else(String::new, |name| format!(", {name:?}"))
    }

    /// Scene as TOML, with every default and override filled in, and absolute paths of files.
    pub fn resolved_toml(&self) -> String {
        toml::to_string(self).expect("a checked scene has only what TOML can say")
    }

    /// Scene as TOML, without keys that do not change the simulation: its length, output, camera, specimen and looks.
    fn simulated_part(&self) -> String {
        let time = Time { frames: 0, until: None, ..self.time.clone() };
        let output = OutputSettings::default();
        let mut part = Self { time, output, camera: None, specimen: None, ..self.clone() };
        part.materials.values_mut().for_each(|material| material.look = None);
        part.resolved_toml()
    }

    /// Look of a body: of its material, or the default of springs.
    pub fn look(&self, body: &SceneBody) -> Look {
        let name = body.material.as_deref().unwrap_or_default();
        self.materials.get(name).map_or_else(Look::default, |material| material.look(name))
    }

    /// SHA-256 of every input of a frame, in hexadecimal. A run may resume from a checkpoint whose scene has the same.
    /// Comments, `time.frames`, `time.until`, `[output]`, `[camera]`, `[specimen]`, looks and the scene's folder are not
    /// part of it.
    pub fn physics_digest(&self) -> String {
        self.digest_of(Sha256::new_with_prefix(&self.as_given))
    }

    /// SHA-256 of the scene's text, its overrides and the files that it names, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new_with_prefix(&self.source.text);
        for given in self.source.overrides() {
            hash.update([0]);
            hash.update(given);
        }
        self.digest_of(hash)
    }

    /// Digest of the data in `hash` and of the scene's files.
    fn digest_of(&self, mut hash: Sha256) -> String {
        self.files.digests.iter().for_each(|digest| hash.update(digest));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Slightly more than the particles that packing will make, by the volumes of the bodies.
    pub fn estimated_particles(&self) -> u64 {
        self.particles.ceil() as u64
    }

    /// Check that the scene's integrator can run it, with packings from a `store`. It may have been changed after loading.
    ///
    /// # Errors
    /// When the integrator cannot take a material's bonds, or cannot move a free rigid body.
    pub fn check_integrator(&self, store: &mut dyn PackingStore) -> Result<(), SceneError> {
        let integrator = self.time.integrator;
        for (name, material) in &self.materials {
            let at = At::root().key("materials").key(name);
            material.check_bond(integrator, &at).map_err(|fault| self.source.locate(fault))?;
        }
        if self.bodies.iter().any(|body| body.rigid) && !integrator.moves_rigid_bodies() {
            // the built world tells which rigid bodies are free
            self.build_with(store)?;
        }
        Ok(())
    }

    /// Every check that needs no particles. Returns the content of the bodies, the approximate number of their particles,
    /// and the walls.
    fn check(&self, files: &mut Files) -> Result<(Vec<Matter>, f64, Vec<model::Wall>), Fault> {
        let root = At::root();
        self.general.check(&root.key("scene"))?;
        self.time.check(&root.key("time"))?;
        solver::check(&self.solver, &root.key("solver"))?;
        self.contact.check(&root.key("contact"))?;
        self.output.check(&root.key("output"))?;
        self.camera.iter().try_for_each(|camera| camera.check(&root.key("camera")))?;
        for (name, material) in &self.materials {
            let at = root.key("materials").key(name);
            material.check(name, self.time.integrator, &at)?;
            if self.contact.law == ContactLaw::Hertz {
                material.check_elastic_contact(&at)?;
            }
        }
        let (matters, particles) = body::load_all(&self.bodies, &self.materials, files, &root.key("bodies"))?;
        glue::check_all(&self.glue, &self.bodies, &self.materials)?;
        for (i, constraint) in self.constraints.iter().enumerate() {
            constraint.check(&self.bodies, &root.key("constraints").key(i))?;
        }
        for (i, wind) in self.winds.iter().enumerate() {
            wind.check(&root.key("winds").key(i))?;
        }
        electrostatics::check(self, &root)?;
        self.check_names(&root)?;
        let at = root.key("colliders");
        let walls = self.colliders.iter().enumerate().map(|(i, collider)| collider.load(files, &at.key(i)));
        Ok((matters, particles, walls.collect::<Result<_, _>>()?))
    }
}
