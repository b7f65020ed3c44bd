//! The file of a fit.

use std::ops::Range;
use std::path::{Path, PathBuf};

use bdem_fit::minimize::{Bounds, Limits, Method};
use bdem_run::scene::{SceneError, error_at, read_tables};
use serde::Deserialize;
use toml::Spanned;

use crate::files::is_name;

/// File of a fit (TOML), checked: see `bdem new fit` for its keys.
#[derive(Debug)]
pub struct FitFile {
    path: PathBuf,
    text: String,
    pub(super) tables: Tables,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    pub fit: General,
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    #[serde(default)]
    pub targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct General {
    /// Name of the fit, of its folder.
    pub name: String,
    /// Scene file, from the fit's folder.
    pub scene: PathBuf,
    pub method: Spanned<MethodName>,
    /// Most evaluations of the loss.
    #[serde(default = "evaluations")]
    evaluations: Spanned<usize>,
    /// Loss at which it ends.
    #[serde(default = "loss")]
    loss: Spanned<f64>,
    /// Runs of the first sample of nelder-mead.
    #[serde(default = "samples")]
    samples: usize,
    /// Memory for the states of a run, MiB.
    #[serde(default = "memory")]
    memory: Spanned<u64>,
    /// Whether states go to a file in the fit's folder.
    #[serde(default)]
    pub disk: bool,
}

/// Default, which is at no place of the file.
fn default<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn evaluations() -> Spanned<usize> {
    default(100)
}

fn loss() -> Spanned<f64> {
    default(0.0)
}

fn samples() -> usize {
    8
}

fn memory() -> Spanned<u64> {
    default(512)
}

/// Limit on the evaluations: more take too long, and their points too much memory.
const MAX_EVALUATIONS: usize = 1_000_000;

/// Bytes of a MiB.
const MEBIBYTE: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MethodName {
    Lbfgs,
    GaussNewton,
    NelderMead,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    /// Key of the scene, or several that have the same value.
    pub key: Spanned<Keys>,
    /// First value.
    pub start: Spanned<f64>,
    /// Lower and upper bound.
    pub bounds: Spanned<[f64; 2]>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Keys {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    /// Run, or folder of PLY frames: positions of all particles.
    pub frames: Option<Spanned<PathBuf>>,
    /// CSV of time, x, y, z of a point.
    pub track: Option<Spanned<PathBuf>>,
    /// Point of a body at the start, m, which has the track.
    pub point: Option<Spanned<[f64; 3]>>,
    /// CSV of a run: metrics.csv.
    pub metrics: Option<Spanned<PathBuf>>,
    /// Column of it.
    pub column: Option<String>,
    /// Run of a specimen, or a table, whose load curve it is.
    pub load_curve: Option<Spanned<PathBuf>>,
    /// Abscissa of a run's load curve.
    pub over: Option<Over>,
    /// Columns of a table's load curve.
    pub columns: Option<CurveColumns>,
    #[serde(default = "weight")]
    weight: Spanned<f64>,
}

fn weight() -> Spanned<f64> {
    default(1.0)
}

/// Abscissa of a load curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Over {
    Time,
    #[default]
    Displacement,
}

/// Columns of a load curve in a table: the load, and either time or displacement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurveColumns {
    time: Option<Column>,
    displacement: Option<Column>,
    pub load: Column,
}

/// Column of a table, and its unit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub name: String,
    unit: Spanned<Unit>,
}

/// Unit of time, displacement or load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Unit {
    #[serde(rename = "s")]
    Second,
    #[serde(rename = "ms")]
    Millisecond,
    #[serde(rename = "min")]
    Minute,
    #[serde(rename = "m")]
    Metre,
    #[serde(rename = "mm")]
    Millimetre,
    #[serde(rename = "um")]
    Micrometre,
    #[serde(rename = "in")]
    Inch,
    #[serde(rename = "N")]
    Newton,
    #[serde(rename = "kN")]
    Kilonewton,
    #[serde(rename = "MN")]
    Meganewton,
    #[serde(rename = "lbf")]
    PoundForce,
}

impl Unit {
    /// Quantity, and the unit's size in s, m or N. Pound and inch are those of NIST SP 811.
    fn quantity(self) -> (&'static str, f64) {
        match self {
            Self::Second => ("time", 1.0),
            Self::Millisecond => ("time", 1e-3),
            Self::Minute => ("time", 60.0),
            Self::Metre => ("displacement", 1.0),
            Self::Millimetre => ("displacement", 1e-3),
            Self::Micrometre => ("displacement", 1e-6),
            Self::Inch => ("displacement", 0.0254),
            Self::Newton => ("load", 1.0),
            Self::Kilonewton => ("load", 1e3),
            Self::Meganewton => ("load", 1e6),
            Self::PoundForce => ("load", 4.448_221_615_260_5),
        }
    }
}

impl Column {
    /// Unit in s, m or N.
    pub(super) fn unit(&self) -> f64 {
        self.unit.get_ref().quantity().1
    }
}

impl CurveColumns {
    pub(super) fn over(&self) -> Over {
        if self.time.is_some() { Over::Time } else { Over::Displacement }
    }

    /// Column of time or displacement.
    pub(super) fn at(&self) -> &Column {
        self.time.as_ref().or(self.displacement.as_ref()).expect("it was checked")
    }

    /// Columns with the quantity that each must have.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        let all =
            [("time", self.time.as_ref()), ("displacement", self.displacement.as_ref()), ("load", Some(&self.load))];
        all.into_iter().filter_map(|(name, column)| Some((name, column?)))
    }
}

impl General {
    pub(super) fn limits(&self) -> Limits {
        Limits { evaluations: *self.evaluations.get_ref(), loss: *self.loss.get_ref() }
    }

    /// Limit on the stored states of a run, bytes.
    pub(super) fn memory(&self) -> u64 {
        self.memory.get_ref().saturating_mul(MEBIBYTE)
    }
}

impl Keys {
    pub(super) fn list(&self) -> &[String] {
        match self {
            Self::One(key) => std::slice::from_ref(key),
            Self::Several(keys) => keys,
        }
    }

    /// First key, for tables.
    pub(super) fn name(&self) -> &str {
        self.list().first().map_or("", String::as_str)
    }
}

impl Target {
    /// Files of each kind that are given.
    fn given(&self) -> impl Iterator<Item = &Spanned<PathBuf>> {
        [&self.frames, &self.track, &self.metrics, &self.load_curve].into_iter().flatten()
    }

    /// File or folder of the target.
    pub(super) fn path(&self) -> Option<&Spanned<PathBuf>> {
        self.given().next()
    }

    pub(super) fn weight(&self) -> f64 {
        *self.weight.get_ref()
    }

    /// Whether its values are of a run's tables.
    pub(super) fn is_curve(&self) -> bool {
        self.metrics.is_some() || self.load_curve.is_some()
    }
}

impl Parameter {
    pub(super) fn bounds(&self) -> Bounds {
        let [low, high] = *self.bounds.get_ref();
        Bounds { low, high }
    }

    /// Settings of the scene for a value.
    pub(super) fn set(&self, value: f64) -> impl Iterator<Item = String> + '_ {
        self.key.get_ref().list().iter().map(move |key| format!("{key}={value:?}"))
    }
}

impl FitFile {
    /// The file at `path`, checked as far as it can be without its scene.
    ///
    /// # Errors
    /// When it cannot be read, or a value is wrong.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let (tables, text) = read_tables(path)?;
        let file = Self { path: path.to_owned(), text, tables };
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<(), SceneError> {
        let Tables { fit, parameters, targets } = &self.tables;
        let last = self.last_line();
        if !is_name(&fit.name) {
            return Err(self.error(last, format!("fit.name is {:?}", fit.name), "use letters, digits, - and _ alone"));
        }
        if parameters.is_empty() {
            return Err(self.error(
                last,
                "no parameter varies".to_owned(),
                "add [[parameters]] with key, start and bounds",
            ));
        }
        self.check_limits()?;
        parameters.iter().try_for_each(|parameter| self.check_parameter(parameter))?;
        targets.iter().try_for_each(|target| self.check_target(target, &last))
    }

    /// Checks that there is a target.
    pub(super) fn check_targets(&self) -> Result<(), SceneError> {
        if !self.tables.targets.is_empty() {
            return Ok(());
        }
        let help = "add [[targets]] with frames, track, metrics or load_curve";
        Err(self.error(self.last_line(), "there is no target".to_owned(), help))
    }

    /// Checks that the method does without gradients, which residuals of the caller do not have.
    pub(super) fn check_method_of_residuals(&self) -> Result<(), SceneError> {
        let method = &self.tables.fit.method;
        if *method.get_ref() != MethodName::Lbfgs {
            return Ok(());
        }
        let message = "the method lbfgs needs gradients, and residuals of runs have none".to_owned();
        Err(self.error(method.span(), message, "take the method gauss-newton or nelder-mead"))
    }

    /// Bytes of the last line: the place of errors about missing tables.
    fn last_line(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        self.text[..end].rfind('\n').map_or(0, |newline| newline + 1)..end
    }

    fn check_limits(&self) -> Result<(), SceneError> {
        let General { evaluations, loss, memory, .. } = &self.tables.fit;
        if !(1..=MAX_EVALUATIONS).contains(evaluations.get_ref()) {
            let message = format!("evaluations is {}", evaluations.get_ref());
            return Err(self.error(evaluations.span(), message, &format!("allow 1 to {MAX_EVALUATIONS}")));
        }
        if !(*loss.get_ref() >= 0.0 && loss.get_ref().is_finite()) {
            let message = format!("loss is {:?}", loss.get_ref());
            return Err(self.error(loss.span(), message, "give a finite loss of at least 0"));
        }
        if memory.get_ref().checked_mul(MEBIBYTE).is_none() {
            let message = format!("memory is {} MiB, more than any machine has", memory.get_ref());
            return Err(self.error(memory.span(), message, "give MiB, such as 512"));
        }
        Ok(())
    }

    fn check_parameter(&self, parameter: &Parameter) -> Result<(), SceneError> {
        let (Bounds { low, high }, start) = (parameter.bounds(), *parameter.start.get_ref());
        if parameter.key.get_ref().list().is_empty() {
            return Err(self.error(
                parameter.key.span(),
                "there is no key".to_owned(),
                "name a key of the scene, as of --set",
            ));
        }
        let is_ratio_finite = low <= 0.0 || (high / low).is_finite();
        if !(low < high && (high - low).is_finite() && is_ratio_finite) {
            let message = format!("the bounds are {low:?} and {high:?}");
            let help = "give a lower and a greater upper bound, whose difference and ratio are finite";
            return Err(self.error(parameter.bounds.span(), message, help));
        }
        if !parameter.bounds().contain(start) {
            let message = format!("the start {start:?} is not between the bounds {low:?} and {high:?}");
            return Err(self.error(parameter.start.span(), message, "start strictly within, or widen the bounds"));
        }
        Ok(())
    }

    fn check_target(&self, target: &Target, last: &Range<usize>) -> Result<(), SceneError> {
        let given: Vec<_> = target.given().collect();
        let [place] = given[..] else {
            let span = given.get(1).map_or(last.clone(), |place| place.span());
            let message = format!("a target has {} of frames, track, metrics and load_curve", given.len());
            return Err(self.error(span, message, "give each target one of them"));
        };
        if target.track.is_some() != target.point.is_some() {
            let message = "a track needs a point, and nothing else does".to_owned();
            return Err(self.error(
                place.span(),
                message,
                "add point = [x, y, z]: the point of a body at the start that has the track",
            ));
        }
        if let Some(point) = target.point.as_ref().filter(|point| !point.get_ref().iter().all(|x| x.is_finite())) {
            let message = format!("the point is {:?}", point.get_ref());
            return Err(self.error(point.span(), message, "give three finite coordinates, m"));
        }
        if target.metrics.is_some() != target.column.is_some() {
            let message = "metrics need a column, and nothing else does".to_owned();
            return Err(self.error(place.span(), message, "add column = \"kinetic_linear\" or another of metrics.csv"));
        }
        self.check_load_curve(target, place)?;
        if *self.tables.fit.method.get_ref() == MethodName::Lbfgs && target.is_curve() {
            let message = "the method lbfgs needs gradients, and this target has none".to_owned();
            return Err(self.error(
                place.span(),
                message,
                "take frames or a track, or the method gauss-newton or nelder-mead",
            ));
        }
        if !(target.weight() > 0.0 && target.weight().is_finite()) {
            let message = format!("the weight is {:?}", target.weight());
            return Err(self.error(target.weight.span(), message, "give a finite weight above 0"));
        }
        Ok(())
    }

    fn check_load_curve(&self, target: &Target, place: &Spanned<PathBuf>) -> Result<(), SceneError> {
        if target.load_curve.is_none() && (target.over.is_some() || target.columns.is_some()) {
            let message = "over and columns are of a load curve".to_owned();
            return Err(self.error(place.span(), message, "leave them out, or name a load_curve"));
        }
        let Some(columns) = &target.columns else { return Ok(()) };
        if columns.time.is_some() == columns.displacement.is_some() || target.over.is_some() {
            let message = "a table's load is over either time or displacement".to_owned();
            return Err(self.error(place.span(), message, "name one of these two columns, and leave out over"));
        }
        let wrong = columns.named().find(|(name, column)| column.unit.get_ref().quantity().0 != *name);
        wrong.map_or(Ok(()), |(name, column)| {
            let message = format!("this is no unit of {name}");
            let help = "time has s, ms or min; displacement m, mm, um or in; load N, kN, MN or lbf";
            Err(self.error(column.unit.span(), message, help))
        })
    }

    /// Error of a value of the file.
    pub(super) fn error(&self, span: Range<usize>, message: String, help: &str) -> SceneError {
        error_at(&self.path, &self.text, span, message, help)
    }

    /// Error of a parameter's setting, at its line.
    pub(super) fn at_parameter(&self, error: SceneError) -> SceneError {
        let text = error.to_string();
        let is_set = |key: &Keys| key.list().iter().any(|key| text.starts_with(&format!("--set {key}=")));
        match self.tables.parameters.iter().find(|parameter| is_set(parameter.key.get_ref())) {
            Some(parameter) => {
                let (message, help) = text.split_once("\n  = help: ").unwrap_or((&text, "name a key of the scene"));
                self.error(parameter.key.span(), message.to_owned(), help)
            }
            None => error,
        }
    }

    /// Name of the fit.
    pub fn name(&self) -> &str {
        &self.tables.fit.name
    }

    /// Names of the parameters: their keys, or the first of several.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.parameters.iter().map(|parameter| parameter.key.get_ref().name())
    }

    /// Path of the file, for messages.
    pub(super) fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// A path of the file, which is from its folder.
    pub(super) fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    pub(super) fn scene(&self) -> PathBuf {
        self.beside(&self.tables.fit.scene)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn method(&self) -> Method {
        /// Pairs that L-BFGS keeps: Nocedal and Wright, section 7.2, take 3 to 20.
        const MEMORY: usize = 7;
        match self.tables.fit.method.get_ref() {
            MethodName::Lbfgs => Method::Lbfgs { memory: MEMORY },
            MethodName::GaussNewton => Method::GaussNewton,
            MethodName::NelderMead => Method::NelderMead { samples: self.tables.fit.samples },
        }
    }

    pub(super) fn start(&self) -> Vec<f64> {
        self.tables.parameters.iter().map(|parameter| *parameter.start.get_ref()).collect()
    }

    pub(super) fn bounds(&self) -> Vec<Bounds> {
        self.tables.parameters.iter().map(Parameter::bounds).collect()
    }

    /// Settings of the scene for values of the parameters.
    pub(super) fn settings(&self, values: &[f64]) -> Vec<String> {
        self.tables.parameters.iter().zip(values).flat_map(|(parameter, value)| parameter.set(*value)).collect()
    }
}
