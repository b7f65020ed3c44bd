use std::fmt::Write as _;
use std::path::Path;

use super::rounds::{Measured, Seen};
use super::target::{Property, Target, TargetFile};
use super::typed::Typed;
use crate::CliError;
use crate::output::write_text;

/// Share of the tolerances within which a calibration ends: other seeds scatter about it.
pub(super) const MARGIN: f64 = 0.5;

/// Rounds of a calibration, and the measurement of its answer.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub rounds: Vec<(Typed, Measured)>,
    pub seen: Seen,
}

/// Line about a round.
pub(super) fn line(round: usize, target: &Target, measured: &Measured) -> String {
    let of = |(name, property): (&'static str, Property)| {
        let mean = measured.mean(name).map_or("none".to_owned(), |mean| format!("{mean:.4e}"));
        format!("{name} {mean} of {:.4e}", property.value)
    };
    format!("round {}: {}", round + 1, target.named().map(of).collect::<Vec<_>>().join(", "))
}

impl Report {
    /// Index of the round nearest to the target.
    pub(super) fn best(&self, target: &Target) -> usize {
        let off = |k: &usize| self.rounds[*k].1.off(target);
        (0..self.rounds.len()).min_by(|a, b| off(a).total_cmp(&off(b))).expect("a round at least")
    }

    /// Material for the next round: each key by its own property, by the secant through the last two rounds in logarithms. Without
    /// two, properties count as proportional to their keys.
    pub(super) fn corrected(&self, target: &Target) -> Typed {
        /// Change of a key, as a share of it, from which on it shows a slope. Less is scatter.
        const SHOWN: f64 = 0.02;
        /// Bounds on slopes.
        const SLOPES: [f64; 2] = [0.4, 2.5];
        let (last, measured) = self.rounds.last().expect("a round at least");
        let mut next = last.clone();
        for (name, Property { value, .. }) in target.named() {
            let (Some(key), Some(found)) = (next.of(name), measured.mean(name)) else { continue };
            if name == "poisson_ratio" {
                *key = (*key + value - found).clamp(-0.1, 0.4);
                continue;
            }
            let before = self
                .rounds
                .iter()
                .rev()
                .nth(1)
                .and_then(|(typed, measured)| Some((*typed.clone().of(name)?, measured.mean(name)?)));
            let slope = before.map(|(typed, seen)| (libm::log(*key / typed), libm::log(found / seen)));
            let slope = slope.filter(|(by_key, _)| by_key.abs() > SHOWN).map_or(1.0, |(by_key, seen)| seen / by_key);
            *key *= libm::exp(libm::log(value / found) / slope.clamp(SLOPES[0], SLOPES[1]));
        }
        next
    }

    /// Properties of the answer outside their tolerances on other seeds or at the other radius, as text.
    pub(super) fn misses(&self, target: &Target) -> Vec<String> {
        let on = [("other seeds", &self.seen.seeds), ("another radius", &self.seen.finer)];
        let all = target.named().flat_map(|of| on.map(|on| (of, on)));
        let miss =
            |((name, property), (place, seen)): ((&'static str, Property), (&str, &Measured))| match seen.mean(name) {
                Some(mean) if property.off(name, mean) <= 1.0 => None,
                Some(mean) => Some(format!("{name} is {mean:.4e} of {:.4e} at {place}", property.value)),
                None => Some(format!("{name} was not measured at {place}: no run broke")),
            };
        all.filter_map(miss).collect()
    }

    /// Writes the material block and the tables.
    pub(super) fn write(&self, folder: &Path, file: &TargetFile, best: usize) -> Result<(), CliError> {
        let (tables, typed) = (&file.tables, &self.rounds[best].0);
        let name = &tables.calibrate.name;
        let mut block = format!(
            "# {name}: by `bdem calibrate`, for particles of {:?} m in packing = \"random\". See report.md\n[materials.{name}]\n",
            tables.calibrate.radius
        );
        for (key, value) in typed.keys(&tables.target) {
            // writing to a string cannot fail
            let _ = writeln!(block, "{key} = {value}");
        }
        write_text(&folder.join("material.toml"), &block)?;
        let (head, rows) = self.table(file, best);
        let lines = std::iter::once(&head).chain(&rows).map(|cells| cells.join(",") + "\n");
        write_text(&folder.join("report.csv"), &lines.collect::<String>())?;
        write_text(&folder.join("report.md"), &self.markdown(file, best))
    }

    /// Headings and rows of the table.
    fn table(&self, file: &TargetFile, best: usize) -> (Vec<String>, Vec<Vec<String>>) {
        let head =
            ["property", "target", "tolerance", "typed", "calibration", "other seeds", "scatter", "other radius"];
        let (typed, calibration) = &self.rounds[best];
        let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6e}"));
        let row = |(name, Property { value, tolerance }): (&'static str, Property)| {
            vec![
                name.to_owned(),
                format!("{value:?}"),
                format!("{tolerance:?}"),
                cell(typed.clone().of(name).copied()),
                cell(calibration.mean(name)),
                cell(self.seen.seeds.mean(name)),
                cell(self.seen.seeds.scatter(name)),
                cell(self.seen.finer.mean(name)),
            ]
        };
        (head.map(str::to_owned).to_vec(), file.tables.target.named().map(row).collect())
    }

    fn markdown(&self, file: &TargetFile, best: usize) -> String {
        let (head, rows) = self.table(file, best);
        let rounds: String =
            self.rounds.iter().enumerate().map(|(k, (_, m))| line(k, &file.tables.target, m) + "\n").collect();
        format!(
            "# {}\n\nSI units. \"typed\" is the key of the material: for the compressive strength the cohesion, `shear_strength`. \
             \"other seeds\" and \"other radius\" were not seen by the calibration; scatter is half of the range over these seeds. The \
             other radius is 0.8 of the tests'.\n\n{}\n{rounds}",
            file.tables.calibrate.name,
            bdem_studies::markdown(&head, &rows)
        )
    }

    /// Words at the end.
    pub(super) fn summary(&self, folder: &Path, file: &TargetFile, best: usize) -> String {
        let mut text = String::new();
        for (name, Property { value, .. }) in file.tables.target.named() {
            let cell = |mean: Option<f64>| mean.map_or("none".to_owned(), |mean| format!("{mean:.4e}"));
            let (seeds, finer) = (cell(self.seen.seeds.mean(name)), cell(self.seen.finer.mean(name)));
            // writing to a string cannot fail
            let _ = writeln!(text, "{name:<21}{seeds} on other seeds, {finer} at another radius, of {value:.4e}");
        }
        let _ = writeln!(text, "after {} rounds; the material is {}", best + 1, folder.join("material.toml").display());
        text
    }
}
