//! Table, charts and text of a fit.

use std::fmt::{self, Display, Formatter};
use std::io::Write;
use std::path::{Path, PathBuf};

use bdem_fit::minimize::{Evaluation, Minimum};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel, png, svg};
use bdem_run::output::write_whole;

use super::file::FitFile;
use super::folder;
use crate::error::JobError;
use crate::files::write_text;

/// An evaluation.
#[derive(Clone, Debug)]
pub(super) struct Row {
    number: usize,
    loss: f64,
    parameters: Vec<f64>,
    gradient: Vec<f64>,
}

impl Row {
    pub(super) fn new(evaluation: &Evaluation) -> Self {
        Self {
            number: evaluation.number,
            loss: evaluation.loss,
            parameters: evaluation.parameters.to_vec(),
            gradient: evaluation.gradient.unwrap_or_default().to_vec(),
        }
    }
}

/// Line of an evaluation, with the time left if all that are allowed are made.
pub(super) fn line(file: &FitFile, evaluation: &Evaluation, seconds: f64, most: usize) -> String {
    let values = file.names().zip(evaluation.parameters).map(|(name, value)| format!("{name} = {value:.6e}"));
    let left = seconds * most.saturating_sub(evaluation.number) as f64;
    format!(
        "evaluation {} of at most {most}: loss {:.4e}{}, {} ({seconds:.1} s each, at most {left:.0} s left)",
        evaluation.number,
        evaluation.loss,
        if evaluation.is_best { ", the least" } else { "" },
        values.collect::<Vec<_>>().join(", ")
    )
}

/// Answer of a fit. Its text is what `bdem fit` prints.
#[derive(Debug)]
#[non_exhaustive]
pub struct FitReport {
    /// Value of each parameter, by its key.
    pub parameters: Vec<(String, f64)>,
    /// The same as settings of the scene, `key.path=value`, also where a parameter has several keys.
    pub settings: Vec<String>,
    /// Least loss, evaluations, and the reason for the end.
    pub minimum: Minimum,
    /// Steps of the last sweep in which contacts opened or closed, where gradients are those of the contacts as they were.
    pub contact_changes: usize,
    /// File of the fitted scene.
    pub scene: PathBuf,
    /// Reasons why the answer may be wrong; none where nothing speaks against it. An error where the runs that look for them failed: the
    /// answer is written all the same.
    pub doubts: Result<Vec<String>, JobError>,
}

impl Display for FitReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Minimum { loss, evaluations, why, .. } = &self.minimum;
        writeln!(f, "loss {loss:.6e} after {evaluations} evaluations: {why}")?;
        if self.contact_changes > 0 {
            let steps = self.contact_changes;
            writeln!(
                f,
                "contacts opened or closed in {steps} steps of the last sweep: gradients are those of the contacts as they were"
            )?;
        }
        self.settings.iter().try_for_each(|set| writeln!(f, "  --set {set}"))?;
        writeln!(f, "the fitted scene is {}", self.scene.display())
    }
}

/// Writes evaluations.csv and the charts of the rows.
pub(super) fn write(folder: &Path, file: &FitFile, rows: &[Row]) -> Result<(), JobError> {
    let derivatives = rows.iter().any(|row| !row.gradient.is_empty());
    let mut head = vec!["evaluation".to_owned(), "loss".to_owned()];
    head.extend(file.names().map(str::to_owned));
    head.extend(file.names().filter(|_| derivatives).map(|name| format!("d_loss/d_{name}")));
    let mut table = head.join(",") + "\n";
    for row in rows {
        let numbers = [row.loss].into_iter().chain(row.parameters.iter().copied()).chain(row.gradient.iter().copied());
        let cells: Vec<String> = numbers.map(|x| format!("{x:?}")).collect();
        table += &format!("{},{}\n", row.number, cells.join(","));
    }
    write_text(&folder.join(folder::TABLE), &table)?;
    if rows.is_empty() {
        return Ok(());
    }
    for chart in charts(file, rows) {
        let failed = |why| JobError::Resources(format!("cannot draw {}: {why}", chart.name));
        let picture = png(&chart).map_err(failed)?;
        write_whole(&folder.join(format!("{}.png", chart.name)), |out| out.write_all(&picture))?;
        write_text(&folder.join(format!("{}.svg", chart.name)), &svg(&chart).map_err(failed)?)?;
    }
    Ok(())
}

fn charts(file: &FitFile, rows: &[Row]) -> [Chart; 2] {
    let points = |of: &dyn Fn(&Row) -> f64| rows.iter().map(|row| (row.number as f64, of(row))).collect();
    let mut least = f64::INFINITY;
    let best = rows.iter().map(|row| {
        least = least.min(row.loss);
        (row.number as f64, least)
    });
    let lines = vec![
        Line { label: "loss".to_owned(), points: points(&|row| row.loss) },
        Line { label: "least so far".to_owned(), points: best.collect() },
    ];
    let starts = file.start();
    let of = |(k, name): (usize, &str)| Line {
        label: name.to_owned(),
        points: points(&|row| if starts[k] == 0.0 { row.parameters[k] } else { row.parameters[k] / starts[k] }),
    };
    let chart = |name, y_label, scale, lines| {
        let panels = vec![Panel { title: file.tables.fit.name.clone(), lines }];
        Chart { name, x_label: "evaluation", y_label, scale, panels }
    };
    [
        chart("loss", "loss", AxisScale::Upright, lines),
        chart("parameters", "parameter over its start", AxisScale::Linear, file.names().enumerate().map(of).collect()),
    ]
}
