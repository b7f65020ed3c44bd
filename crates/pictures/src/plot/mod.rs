//! Charts of runs and of comparisons. Runs have lines over time, in a panel each; comparisons have bars.
//!
//! ```text
//! chart        panels of lines, drawn by plotters
//! bars         panels of bars
//! comparison   bars of a comparison
//! forces       lines of forces, and load curves
//! ```

mod bars;
mod chart;
mod comparison;
mod forces;

use std::collections::BTreeMap;
use std::sync::Once;

use bdem_core::energy::Energy;
use bdem_run::output::{Columns, Metrics};
use bdem_run::run::LoadCurve;
use plotters::coord::Shift;
use plotters::prelude::{BitMapBackend, DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::{FontStyle, register_font};

pub use bars::{BarChart, BarPanel};
pub use chart::{AxisScale, Chart, Line, Panel};
pub use comparison::comparison_chart;

/// Data of a run's charts.
#[derive(Clone, Debug, Default)]
pub struct RunCurves {
    /// Title of the run's panels.
    pub title: String,
    /// Rows of `metrics.csv`, one a frame.
    pub metrics: Vec<Metrics>,
    /// Particles of each piece in the last frame.
    pub piece_sizes: Vec<usize>,
    /// Columns of forces, if the run measured any.
    pub forces: Columns,
    /// Load curve of its specimen, if it has one.
    pub load: Option<LoadCurve>,
}

/// All charts of some runs: those of every run, of forces and of material tests.
pub fn all_charts(runs: &[RunCurves]) -> Vec<Chart> {
    charts(runs).into_iter().chain(forces::forces(runs)).chain(forces::loads(runs)).collect()
}

/// Charts of all runs, with a panel for each run.
pub fn charts(runs: &[RunCurves]) -> [Chart; 5] {
    [
        over_time(runs, "energy", "energy, J", AxisScale::Linear, energies),
        over_time(runs, "breakage", "number", AxisScale::Linear, breakage),
        over_time(runs, "iterations", "number in a frame", AxisScale::Upright, iterations),
        over_time(runs, "step", "mean step of a frame, s", AxisScale::Upright, steps),
        pieces(runs),
    ]
}

fn over_time(
    runs: &[RunCurves],
    name: &'static str,
    y_label: &'static str,
    scale: AxisScale,
    lines: fn(&[Metrics]) -> Vec<Line>,
) -> Chart {
    let panel = |run: &RunCurves| Panel { title: run.title.clone(), lines: lines(&run.metrics) };
    Chart { name, x_label: "time, s", y_label, scale, panels: runs.iter().map(panel).collect() }
}

fn line(label: &'static str, rows: &[Metrics], of: impl Fn(&Metrics) -> f64) -> Line {
    Line { label: label.to_owned(), points: rows.iter().map(|row| (row.time, of(row))).collect() }
}

fn energies(rows: &[Metrics]) -> Vec<Line> {
    let sum = |label, of: &[Energy]| line(label, rows, |row| of.iter().map(|column| row.energies[*column]).sum());
    vec![
        line("kinetic", rows, |row| row.energies.kinetic()),
        sum("bonds", &[Energy::Stretch, Energy::Shear, Energy::Twist, Energy::Bend]),
        sum("contacts and walls", &[Energy::Contact, Energy::Wall]),
        sum("gravity", &[Energy::Gravity]),
        line("total", rows, |row| row.total),
    ]
}

fn breakage(rows: &[Metrics]) -> Vec<Line> {
    vec![
        line("bonds broken", rows, |row| row.bonds_broken as f64),
        line("pieces", rows, |row| row.pieces as f64),
        line("particles of the largest", rows, |row| row.largest_piece as f64),
    ]
}

fn iterations(rows: &[Metrics]) -> Vec<Line> {
    vec![
        line("steps", rows, |row| row.steps as f64),
        line("repeated, shorter", rows, |row| row.step_cuts as f64),
        line("Newton", rows, |row| row.newton_iterations as f64),
        line("conjugate gradients", rows, |row| row.cg_iterations as f64),
    ]
}

/// Mean step of each frame. The initial state has none.
fn steps(rows: &[Metrics]) -> Vec<Line> {
    let mean = |pair: &[Metrics]| (pair[1].time, (pair[1].time - pair[0].time) / pair[1].steps as f64);
    vec![Line { label: "step".to_owned(), points: rows.windows(2).map(mean).collect() }]
}

/// Number of pieces over their least size.
fn pieces(runs: &[RunCurves]) -> Chart {
    let panel = |run: &RunCurves| {
        let mut by_size = BTreeMap::new();
        run.piece_sizes.iter().for_each(|&size| *by_size.entry(size).or_insert(0usize) += 1);
        let mut at_least = run.piece_sizes.len();
        let point = |(size, count): (usize, usize)| {
            let point = (size as f64, at_least as f64);
            at_least -= count;
            point
        };
        let points = by_size.into_iter().map(point).collect();
        Panel {
            title: run.title.clone(),
            lines: vec![Line { label: "pieces of this size or larger".to_owned(), points }],
        }
    };
    let (x_label, y_label) = ("particles", "pieces");
    Chart { name: "pieces", x_label, y_label, scale: AxisScale::Both, panels: runs.iter().map(panel).collect() }
}

/// Drawing that becomes an image file.
pub trait Drawing {
    /// Width and height, pixels.
    fn size(&self) -> (u32, u32);

    /// Draw on a page of that size.
    ///
    /// # Errors
    /// Those of the page.
    fn draw<B: DrawingBackend>(&self, page: &DrawingArea<B, Shift>) -> Result<(), String>;
}

/// Drawing as SVG.
///
/// # Errors
/// When it cannot be drawn.
pub fn svg(drawing: &impl Drawing) -> Result<String, String> {
    register();
    let mut text = String::new();
    drawing.draw(&SVGBackend::with_string(&mut text, drawing.size()).into_drawing_area())?;
    Ok(text)
}

/// Drawing as PNG.
///
/// # Errors
/// When it cannot be drawn.
pub fn png(drawing: &impl Drawing) -> Result<Vec<u8>, String> {
    register();
    let (width, height) = drawing.size();
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    drawing.draw(&BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(&pixels).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(file)
}

/// Font of the charts, the same on all machines.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
            .unwrap_or_else(|_| unreachable!("the font is a good one"));
    });
}
