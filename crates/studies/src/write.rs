use std::io::{self, Write};
use std::path::Path;

use bdem_pictures::plot::{png, svg};
use bdem_run::output::{OutputError, Result, write_whole};
use serde::Serialize;

use super::{Report, ReportTable, Setup, Study};

/// Content of the JSON file.
#[derive(Serialize)]
struct Record<'a> {
    study: &'a str,
    about: &'a str,
    /// Version of the program.
    version: &'a str,
    threads: usize,
    quick: bool,
    #[serde(flatten)]
    report: &'a Report,
}

/// Write the result of `study` into the existing `folder`: `NAME.csv`, `NAME.json`, `NAME.md`, and each chart as SVG
/// and PNG.
///
/// # Errors
/// When a file cannot be written. Existing files are then complete.
pub fn write(folder: &Path, study: &Study, setup: &Setup, report: &Report) -> Result<()> {
    let file = |name: &str, ending: &str| folder.join(format!("{name}.{ending}"));
    for chart in &report.charts {
        let path = file(chart.name, "svg");
        write_bytes(&path, svg(chart).map_err(cannot_draw(&path))?.as_bytes())?;
        let path = file(chart.name, "png");
        write_bytes(&path, &png(chart).map_err(cannot_draw(&path))?)?;
    }
    write_whole(&file(study.name, "csv"), |out| csv(&report.table, out))?;
    let (name, about, version) = (study.name, study.about, env!("CARGO_PKG_VERSION"));
    let (threads, quick) = (rayon::current_num_threads(), setup.quick);
    let record = Record { study: name, about, version, threads, quick, report };
    write_whole(&file(name, "json"), |out| Ok(serde_json::to_writer_pretty(out, &record)?))?;
    write_bytes(&file(name, "md"), page(&record).as_bytes())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, |out| out.write_all(bytes))
}

fn cannot_draw(path: &Path) -> impl FnOnce(String) -> OutputError {
    let error = OutputError::file("draw", path);
    |why| error(io::Error::other(why))
}

fn csv(table: &ReportTable, out: impl Write) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(table.headings())?;
    for row in &table.rows {
        out.write_record(row.iter().map(|cell| cell.full()))?;
    }
    out.flush()
}

/// Page for readers.
fn page(Record { study, about, version, threads, quick, report }: &Record) -> String {
    let trial = if *quick { ", at the small sizes of --quick" } else { "" };
    let charts: String = report.charts.iter().map(|chart| format!("![{0}]({0}.svg)\n", chart.name)).collect();
    format!(
        "# {study}: {about}\n\nbdem {version}; threads: {threads}{trial}.\n\n{}\n{charts}\n{}",
        report.claims_markdown(),
        report.table.markdown()
    )
}
