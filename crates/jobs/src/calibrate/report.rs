use std::fmt::{self, Display, Formatter, Write as _};
use std::path::{Path, PathBuf};

use bdem_run::output::OutputError;

use super::rounds::{Measured, Validation};
use super::target::{Property, Target, TargetFile};
use super::typed::Typed;
use crate::files::write_text;

/// File of the material in a calibration's folder.
const MATERIAL: &str = "material.toml";

/// Share of the tolerances within which a calibration ends: other seeds scatter about it.
pub(super) const MARGIN: f64 = 0.5;

/// Answer of a calibration. Its text is what `bdem calibrate` prints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// Properties that were to be met.
    pub target: Target,
    /// Rounds, in their order.
    pub rounds: Vec<Round>,
    /// Index of the round nearest to the target, whose material is the answer.
    pub best: usize,
    /// Measurement of the answer where the calibration did not see.
    pub validation: Validation,
    /// Properties of the answer outside their tolerances there, in words. None where it may be relied upon.
    pub misses: Vec<String>,
    /// File of the material (TOML).
    pub material: PathBuf,
}

/// Round of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Material of its tests.
    pub typed: Typed,
    /// Properties that they measured.
    pub measured: Measured,
}

/// Line about a round.
pub(super) fn line(round: usize, target: &Target, measured: &Measured) -> String {
    let of = |(name, property): (&'static str, Property)| {
        let mean = measured.mean(name).map_or("none".to_owned(), |mean| format!("{mean:.4e}"));
        format!("{name} {mean} of {:.4e}", property.value)
    };
    format!("round {}: {}", round + 1, target.named().map(of).collect::<Vec<_>>().join(", "))
}

/// Index of the round nearest to the target.
pub(super) fn best(rounds: &[Round], target: &Target) -> usize {
    let off = |k: &usize| rounds[*k].measured.off(target);
    (0..rounds.len()).min_by(|a, b| off(a).total_cmp(&off(b))).expect("a round at least")
}

/// Material for the next round: each key by its own property, by the secant through the last two rounds in logarithms. Without
/// two, properties count as proportional to their keys.
pub(super) fn corrected(rounds: &[Round], target: &Target) -> Typed {
    /// Change of a key, as a share of it, from which on it shows a slope. Less is scatter.
    const SHOWN: f64 = 0.02;
    /// Bounds on slopes.
    const SLOPES: [f64; 2] = [0.4, 2.5];
    let Round { typed, measured } = rounds.last().expect("a round at least");
    let mut next = typed.clone();
    for (name, Property { value, .. }) in target.named() {
        let (Some(key), Some(found)) = (next.of(name), measured.mean(name)) else { continue };
        if name == "poisson_ratio" {
            *key = (*key + value - found).clamp(-0.1, 0.4);
            continue;
        }
        let before = rounds.iter().rev().nth(1);
        let before =
            before.and_then(|Round { typed, measured }| Some((*typed.clone().of(name)?, measured.mean(name)?)));
        let slope = before.map(|(typed, seen)| (libm::log(*key / typed), libm::log(found / seen)));
        let slope = slope.filter(|(by_key, _)| by_key.abs() > SHOWN).map_or(1.0, |(by_key, seen)| seen / by_key);
        *key *= libm::exp(libm::log(value / found) / slope.clamp(SLOPES[0], SLOPES[1]));
    }
    next
}

/// Properties of the answer outside their tolerances on other seeds or at the other radius, as text.
fn misses(validation: &Validation, target: &Target) -> Vec<String> {
    let on = [("other seeds", &validation.seeds), ("another radius", &validation.finer)];
    let all = target.named().flat_map(|of| on.map(|on| (of, on)));
    let miss = |((name, property), (place, seen)): ((&'static str, Property), (&str, &Measured))| match seen.mean(name)
    {
        Some(mean) if property.off(name, mean) <= 1.0 => None,
        Some(mean) => Some(format!("{name} is {mean:.4e} of {:.4e} at {place}", property.value)),
        None => Some(format!("{name} was not measured at {place}: no run broke")),
    };
    all.filter_map(miss).collect()
}

impl Calibration {
    pub(super) fn new(
        file: &TargetFile,
        rounds: Vec<Round>,
        best: usize,
        validation: Validation,
        folder: &Path,
    ) -> Self {
        let target = file.target().clone();
        Self { misses: misses(&validation, &target), target, rounds, best, validation, material: folder.join(MATERIAL) }
    }

    /// Material of the answer.
    pub fn typed(&self) -> &Typed {
        &self.rounds[self.best].typed
    }

    /// Writes the material block and the tables.
    pub(super) fn write(&self, folder: &Path, file: &TargetFile) -> Result<(), OutputError> {
        let (tables, typed) = (&file.tables, self.typed());
        let name = &tables.calibrate.name;
        let mut block = format!(
            "# {name}: by `bdem calibrate`, for particles of {:?} m in packing = \"random\". See report.md\n[materials.{name}]\n",
            tables.calibrate.radius
        );
        for (key, value) in typed.keys(&tables.target) {
            // writing to a string cannot fail
            let _ = writeln!(block, "{key} = {value}");
        }
        write_text(&self.material, &block)?;
        let (head, rows) = self.table();
        let lines = std::iter::once(&head).chain(&rows).map(|cells| cells.join(",") + "\n");
        write_text(&folder.join("report.csv"), &lines.collect::<String>())?;
        write_text(&folder.join("report.md"), &self.markdown(file))
    }

    /// Headings and rows of the table.
    fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let head =
            ["property", "target", "tolerance", "typed", "calibration", "other seeds", "scatter", "other radius"];
        let Round { typed, measured } = &self.rounds[self.best];
        let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6e}"));
        let row = |(name, Property { value, tolerance }): (&'static str, Property)| {
            vec![
                name.to_owned(),
                format!("{value:?}"),
                format!("{tolerance:?}"),
                cell(typed.clone().of(name).copied()),
                cell(measured.mean(name)),
                cell(self.validation.seeds.mean(name)),
                cell(self.validation.seeds.scatter(name)),
                cell(self.validation.finer.mean(name)),
            ]
        };
        (head.map(str::to_owned).to_vec(), self.target.named().map(row).collect())
    }

    fn markdown(&self, file: &TargetFile) -> String {
        let (head, rows) = self.table();
        let rounds: String =
            self.rounds.iter().enumerate().map(|(k, round)| line(k, &self.target, &round.measured) + "\n").collect();
        format!(
            "# {}\n\nSI units. \"typed\" is the key of the material: for the compressive strength the cohesion, `shear_strength`. \
             \"other seeds\" and \"other radius\" were not seen by the calibration; scatter is half of the range over these seeds. The \
             other radius is 0.8 of the tests'.\n\n{}\n{rounds}",
            file.tables.calibrate.name,
            markdown(&head, &rows)
        )
    }
}

impl Display for Calibration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let cell = |mean: Option<f64>| mean.map_or("none".to_owned(), |mean| format!("{mean:.4e}"));
        for (name, Property { value, .. }) in self.target.named() {
            let Validation { seeds, finer } = &self.validation;
            let (seeds, finer) = (cell(seeds.mean(name)), cell(finer.mean(name)));
            writeln!(f, "{name:<21}{seeds} on other seeds, {finer} at another radius, of {value:.4e}")?;
        }
        writeln!(f, "after {} rounds; the material is {}", self.best + 1, self.material.display())
    }
}

/// Table in Markdown of headings and rows.
fn markdown(headings: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!("{}|{}\n{rows}", row(headings), "---|".repeat(headings.len()))
}
