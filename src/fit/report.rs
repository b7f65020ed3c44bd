//! Table, charts and words about a fit.

use std::io::Write;
use std::path::Path;

use bdem_fit::minimize::{Evaluation, Minimum};
use bdem_fit::sweep::Report;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel, png, svg};
use bdem_run::output::write_whole;

use super::file::FitFile;
use super::folder;
use crate::CliError;
use crate::output::write_text;

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

fn names(file: &FitFile) -> impl Iterator<Item = &str> {
    file.tables.parameters.iter().map(|parameter| parameter.key.get_ref().name())
}

/// Line of an evaluation, with the time left if all that are allowed are made.
pub(super) fn line(file: &FitFile, evaluation: &Evaluation, seconds: f64, most: usize) -> String {
    let values = names(file).zip(evaluation.parameters).map(|(name, value)| format!("{name} = {value:.6e}"));
    let left = seconds * most.saturating_sub(evaluation.number) as f64;
    format!(
        "evaluation {} of at most {most}: loss {:.4e}{}, {} ({seconds:.1} s each, at most {left:.0} s left)",
        evaluation.number,
        evaluation.loss,
        if evaluation.is_best { ", the least" } else { "" },
        values.collect::<Vec<_>>().join(", ")
    )
}

/// Words at the end.
pub(super) fn summary(file: &FitFile, folder: &Path, minimum: &Minimum, report: &Report) -> String {
    let sets: String = file.settings(&minimum.parameters).iter().map(|set| format!("  --set {set}\n")).collect();
    let contact = match report.contact_changes.len() {
        0 => String::new(),
        n => format!(
            "contacts opened or closed in {n} steps of the last sweep: gradients are those of the contacts as they were\n"
        ),
    };
    format!(
        "loss {:.6e} after {} evaluations: {}\n{contact}{sets}the fitted scene is {}\n",
        minimum.loss,
        minimum.evaluations,
        minimum.why,
        folder.join(folder::FITTED).display()
    )
}

/// Writes evaluations.csv and the charts of the rows.
pub(super) fn write(folder: &Path, file: &FitFile, rows: &[Row]) -> Result<(), CliError> {
    let derivatives = rows.iter().any(|row| !row.gradient.is_empty());
    let mut head = vec!["evaluation".to_owned(), "loss".to_owned()];
    head.extend(names(file).map(str::to_owned));
    head.extend(names(file).filter(|_| derivatives).map(|name| format!("d_loss/d_{name}")));
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
        let failed = |why| CliError { code: 5, message: format!("cannot draw {}: {why}", chart.name) };
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
        chart("parameters", "parameter over its start", AxisScale::Linear, names(file).enumerate().map(of).collect()),
    ]
}
