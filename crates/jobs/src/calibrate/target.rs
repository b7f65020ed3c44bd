use std::path::{Path, PathBuf};

use bdem_run::scene::{SceneError, error_at, read_tables};
use serde::Deserialize;

use crate::files::is_name;

/// File of a target (TOML), checked: see `bdem new calibrate` for its keys.
#[derive(Debug)]
pub struct TargetFile {
    path: PathBuf,
    text: String,
    pub(super) tables: Tables,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    pub calibrate: General,
    pub target: Target,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct General {
    /// Name of the material, and of the folder out/calibrate/NAME.
    pub name: String,
    /// Radius of the particles of the bodies that the material is for, m.
    pub radius: f64,
    /// Seeds of the tests that correct it.
    #[serde(default = "seeds")]
    pub seeds: Vec<u64>,
}

fn seeds() -> Vec<u64> {
    vec![1, 2]
}

/// Properties of a solid.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Density, kg/m3.
    pub density: f64,
    /// Young's modulus, Pa.
    pub young_modulus: Property,
    /// Poisson's ratio.
    pub poisson_ratio: Property,
    /// Tensile strength, Pa.
    pub tensile_strength: Property,
    /// Compressive strength, Pa.
    pub compressive_strength: Option<Property>,
    /// Fracture energy, J/m2.
    pub fracture_energy: Option<Property>,
    /// Friction of cracks and debris.
    #[serde(default = "friction")]
    pub friction: f64,
    /// Weibull's modulus of the bonds' strengths.
    #[serde(default = "weibull_modulus")]
    pub weibull_modulus: f64,
}

fn friction() -> f64 {
    0.5
}

fn weibull_modulus() -> f64 {
    10.0
}

/// Value to be met, and how nearly.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Value, in SI units.
    pub value: f64,
    /// Tolerance: a share of the value; of Poisson's ratio an amount.
    pub tolerance: f64,
}

/// Poisson's ratios of random packings of bonds: see the study `material`.
const POISSON: [f64; 2] = [-0.06, 0.31];

/// Ratios of compressive to tensile strength that the cohesion reaches at 30 degrees of friction: the same study.
pub(super) const STRENGTHS: [f64; 2] = [6.0, 13.0];

impl TargetFile {
    /// The file at `path`, checked.
    ///
    /// # Errors
    /// When it cannot be read, or a value is wrong or out of reach.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let (tables, text) = read_tables(path)?;
        let file = Self { path: path.to_owned(), text, tables };
        file.check()?;
        Ok(file)
    }

    /// Name of the material.
    pub fn name(&self) -> &str {
        &self.tables.calibrate.name
    }

    /// Properties of its solid.
    pub fn target(&self) -> &Target {
        &self.tables.target
    }

    fn check(&self) -> Result<(), SceneError> {
        let Tables { calibrate, target } = &self.tables;
        if !is_name(&calibrate.name) {
            return Err(self.error(
                "name",
                format!("the name is {:?}", calibrate.name),
                "use letters, digits, - and _ alone",
            ));
        }
        self.check_positive("radius", calibrate.radius)?;
        if calibrate.seeds.is_empty() {
            return Err(self.error("seeds", "there is no seed".to_owned(), "give two, such as [1, 2]"));
        }
        for (name, value) in [("density", target.density), ("weibull_modulus", target.weibull_modulus)] {
            self.check_positive(name, value)?;
        }
        if !(target.friction >= 0.0 && target.friction.is_finite()) {
            return Err(self.error(
                "friction",
                format!("friction is {}", target.friction),
                "give a number of at least 0",
            ));
        }
        for (name, property) in target.named().filter(|(name, _)| *name != "poisson_ratio") {
            self.check_positive(name, property.value)?;
        }
        for (name, Property { tolerance, .. }) in target.named() {
            if !(tolerance > 0.0 && tolerance < 1.0) {
                let message = format!("the tolerance is {tolerance}");
                return Err(self.error(name, message, "give a share between 0 and 1, such as 0.05"));
            }
        }
        let nu = target.poisson_ratio.value;
        if !(POISSON[0]..=POISSON[1]).contains(&nu) {
            let message =
                format!("Poisson's ratio is {nu}, and random packings of bonds have {} to {}", POISSON[0], POISSON[1]);
            return Err(self.error(
                "poisson_ratio",
                message,
                "take the nearest of these: it is a limit of the lattice of bonds",
            ));
        }
        let Some(compressive) = target.compressive_strength else { return Ok(()) };
        let ratio = compressive.value / target.tensile_strength.value;
        if !(STRENGTHS[0]..=STRENGTHS[1]).contains(&ratio) {
            let message = format!(
                "the compressive strength is {ratio:.3} times the tensile one, and bonds with 30 degrees of friction reach {} to {}",
                STRENGTHS[0], STRENGTHS[1]
            );
            return Err(self.error("compressive_strength", message, "leave it out, or take a strength within these"));
        }
        Ok(())
    }

    fn check_positive(&self, key: &str, value: f64) -> Result<(), SceneError> {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(self.error(key, format!("{key} is {value}"), "give a positive number"))
    }

    /// Error at the line of a key.
    fn error(&self, key: &str, message: String, help: &str) -> SceneError {
        let is_of_key =
            |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        let mut start = 0;
        let mut lines = self.text.split_inclusive('\n').map(|line| {
            let at = start;
            start += line.len();
            (at, line)
        });
        let (at, line) = lines.find(|(_, line)| is_of_key(line)).unwrap_or((0, ""));
        error_at(&self.path, &self.text, at..at + line.trim_end().len(), message, help)
    }
}

impl Target {
    /// Properties that it has, by their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Property)> {
        let all = [
            ("young_modulus", Some(self.young_modulus)),
            ("poisson_ratio", Some(self.poisson_ratio)),
            ("tensile_strength", Some(self.tensile_strength)),
            ("compressive_strength", self.compressive_strength),
            ("fracture_energy", self.fracture_energy),
        ];
        all.into_iter().filter_map(|(name, property)| Some((name, property?)))
    }
}

impl Property {
    /// Distance of a measured value in tolerances. `name` is that of the property.
    pub fn off(&self, name: &str, measured: f64) -> f64 {
        let scale = if name == "poisson_ratio" { 1.0 } else { self.value };
        (measured - self.value).abs() / (scale * self.tolerance)
    }
}
