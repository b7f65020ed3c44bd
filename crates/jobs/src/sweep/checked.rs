use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::path::Path;

use bdem_core::simulate::IntegratorKind;
use bdem_run::run::memory;
use bdem_run::scene::{Scene, SceneError, SceneInputs};
use sha2::{Digest, Sha256};

use super::points::Point;
use super::{Sweep, SweepOptions};
use crate::error::JobError;

/// A sweep whose scenes are all right, with the files that they are made of: a change of these meanwhile has no effect.
#[derive(Debug)]
pub struct CheckedSweep {
    /// The sweep itself.
    pub sweep: Sweep,
    /// Its runs.
    pub points: Vec<Point>,
    /// Name of the scene, of the first run if it varies.
    pub name: String,
    /// Values outside their usual ranges, in words, each once.
    pub warnings: Vec<String>,
    inputs: SceneInputs,
    /// Index of the run of [`CheckedSweep::device_scene`].
    device_point: usize,
    /// Memory of each run, bytes.
    memory: Vec<u64>,
    /// Digest of what the frames of each run depend on.
    pub(super) digests: Vec<String>,
}

impl Sweep {
    /// The sweep with the scenes of all its runs checked.
    ///
    /// # Errors
    /// [`JobError::Run`] when the scene is wrong by itself. [`JobError::Usage`] when it is wrong with the values of a run, when two runs
    /// have the same scene, and as of [`Sweep::points`].
    pub fn check(self) -> Result<CheckedSweep, JobError> {
        let points = self.points()?;
        let inputs = SceneInputs::read(&self.scene)?;
        let (mut name, mut warnings) = (String::new(), BTreeSet::new());
        let (mut memory, mut digests) = (Vec::new(), Vec::new());
        let mut device_point = None;
        let mut seen: HashMap<[u8; 32], usize> = HashMap::new();
        for (k, point) in points.iter().enumerate() {
            let scene = scene_of(&inputs, point).map_err(|error| self.explain(&error, &inputs, point))?;
            if let Some(first) = seen.insert(Sha256::digest(scene.resolved_toml()).into(), k) {
                let (first, again) = (&points[first].name, &point.name);
                let message = format!(
                    "the runs {first} and {again} have the same scene: two of the keys are the same, or one replaces another's value\n  \
                     = help: give --vary keys that each change the scene"
                );
                return Err(JobError::Usage(message));
            }
            if k == 0 {
                scene.name().clone_into(&mut name);
            }
            if scene.time.integrator != IntegratorKind::ExplicitVerlet {
                device_point = device_point.or(Some(k));
            }
            warnings.extend(scene.warnings().iter().cloned());
            memory.push(memory::estimate(&scene));
            digests.push(scene.physics_digest());
        }
        Ok(CheckedSweep {
            sweep: self,
            points,
            name,
            warnings: warnings.into_iter().collect(),
            inputs,
            device_point: device_point.unwrap_or(0),
            memory,
            digests,
        })
    }

    /// Error of a run's scene: of the scene itself where it has the same one without the values of the run.
    fn explain(&self, error: &SceneError, inputs: &SceneInputs, point: &Point) -> JobError {
        let text = error.to_string();
        let own = Point { settings: self.settings.clone(), ..point.clone() };
        let of_scene = scene_of(inputs, &own).err().filter(|error| error.to_string() == text);
        let mut options = point.settings.iter().filter_map(|setting| Some((&setting.set, setting.option.as_ref()?)));
        let named = options.find_map(|(set, option)| {
            let rest = text.strip_prefix(&format!("--set {set}:"))?;
            Some(format!("{option}:{rest}"))
        });
        match (of_scene, named) {
            (Some(error), None) => error.into(),
            (Some(_), Some(text)) => JobError::Usage(text),
            (None, named) => JobError::Usage(format!("{}\n  = run: {}", named.unwrap_or(text), point.name)),
        }
    }
}

/// Scene of a run.
fn scene_of(inputs: &SceneInputs, point: &Point) -> Result<Scene, SceneError> {
    let settings: Vec<String> = point.settings.iter().map(|setting| setting.set.clone()).collect();
    inputs.scene(&settings)
}

impl CheckedSweep {
    /// Scene of a run.
    pub(super) fn scene(&self, point: &Point) -> Result<Scene, SceneError> {
        scene_of(&self.inputs, point)
    }

    /// Scene by which a device is chosen for all runs: of the first run without explicit-verlet, or else of the first run.
    ///
    /// # Errors
    /// As of [`Sweep::check`], which found none.
    pub fn device_scene(&self) -> Result<Scene, SceneError> {
        self.scene(&self.points[self.device_point])
    }

    /// Runs at once: those that were asked for, or one on a device, or as many of the largest as threads and memory allow.
    ///
    /// # Errors
    /// When they do not fit into memory.
    pub(super) fn jobs(&self, options: &SweepOptions, threads: usize) -> Result<NonZeroUsize, JobError> {
        let mut largest: Vec<usize> = (0..self.points.len()).collect();
        largest.sort_by_key(|k| Reverse(self.memory[*k]));
        let limit = options.max_memory.or_else(|| memory::free(Path::new("/"))).unwrap_or(u64::MAX);
        let mut left = Some(limit);
        let fitting = largest.iter().take_while(|k| {
            left = left.and_then(|left| left.checked_sub(self.memory[**k]));
            left.is_some()
        });
        let most = if options.run.device.is_some() { 1 } else { threads.max(1) };
        let fitting = fitting.count().clamp(1, most);
        let jobs = options.jobs.map_or(fitting, NonZeroUsize::get).min(self.points.len());
        let scenes = largest[..jobs].iter().map(|k| self.scene(&self.points[*k])).collect::<Result<Vec<_>, _>>()?;
        memory::check(&scenes.iter().collect::<Vec<_>>(), options.max_memory)?;
        Ok(NonZeroUsize::new(jobs).expect("a sweep has a run"))
    }
}
