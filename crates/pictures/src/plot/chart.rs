//! Line charts: panels side by side over a common axis.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use serde::Serialize;

use super::Drawing;

/// Lines that share their axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panel {
    /// Title above the panel.
    pub title: String,
    /// Lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// Line through points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Label in the legend.
    pub label: String,
    /// Coordinates (x, y) of the points, in the units of the axes.
    pub points: Vec<(f64, f64)>,
}

/// Scale of the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    /// Linear axes.
    Linear,
    /// Logarithmic vertical axis. Values that are not positive are left out.
    Upright,
    /// Logarithmic axes. Points with a coordinate that is not positive are left out.
    Both,
}

/// Panels side by side, on axes of the same range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// Name of the file, without its ending.
    pub name: &'static str,
    /// Quantity and unit of the horizontal axis.
    pub x_label: &'static str,
    /// Quantity and unit of the vertical axis.
    pub y_label: &'static str,
    /// Scale of the axes.
    pub scale: AxisScale,
    /// Panels from left to right.
    pub panels: Vec<Panel>,
}

/// Colours that readers with any colour vision can tell apart: M. Okabe, K. Ito, "Color Universal Design", 2008.
pub(super) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
    RGBColor(86, 180, 233),
    RGBColor(160, 160, 160),
];

/// Size of a panel, pixels.
const PANEL: [u32; 2] = [720, 440];
/// Font size, pixels.
pub(super) const TEXT: u32 = 15;

/// Limit on the points of a line that is drawn as dots.
const FEW: usize = 10;

pub(super) type DrawResult = Result<(), String>;

impl Drawing for Chart {
    fn size(&self) -> (u32, u32) {
        (PANEL[0] * self.panels.len().max(1) as u32, PANEL[1])
    }

    fn draw<B: DrawingBackend>(&self, page: &DrawingArea<B, Shift>) -> DrawResult {
        page.fill(&WHITE).map_err(message_of)?;
        let (x, y) = (self.range(|point| point.0), self.range(|point| point.1));
        for (area, panel) in page.split_evenly((1, self.panels.len().max(1))).iter().zip(&self.panels) {
            match self.scale {
                AxisScale::Linear => self.panel(area, panel, x.start..widened(&x).end, widened(&y))?,
                AxisScale::Upright => self.panel(area, panel, x.start..widened(&x).end, beyond(&y).log_scale())?,
                AxisScale::Both => self.panel(area, panel, beyond(&x).log_scale(), beyond(&y).log_scale())?,
            }
        }
        page.present().map_err(message_of)
    }
}

impl Chart {
    /// Points within the range of the scale.
    fn points<'a>(&self, line: &'a Line) -> impl Iterator<Item = (f64, f64)> + 'a {
        let scale = self.scale;
        let fits = move |(x, y): &(f64, f64)| {
            (scale == AxisScale::Linear || *y > 0.0) && (scale != AxisScale::Both || *x > 0.0)
        };
        line.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).filter(fits)
    }

    /// Range of all points' coordinates.
    fn range(&self, of: impl Fn((f64, f64)) -> f64) -> Range<f64> {
        let numbers = self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| self.points(line)).map(of);
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low < high {
            low..high
        } else {
            Some(low).filter(|low| low.is_finite()).map_or(0.0..1.0, |x| x - 0.5..x + 0.5)
        }
    }

    fn panel<B, X, Y>(&self, area: &DrawingArea<B, Shift>, panel: &Panel, x: X, y: Y) -> DrawResult
    where
        B: DrawingBackend,
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.title, ("sans-serif", TEXT + 3))
            .margin(12)
            .margin_right(28)
            .x_label_area_size(44)
            .y_label_area_size(76)
            .build_cartesian_2d(x, y)
            .map_err(message_of)?;
        let mut mesh = chart.configure_mesh();
        if self.scale == AxisScale::Both {
            // a logarithmic axis would draw more labels than fit
            mesh.x_labels(4);
        }
        mesh.x_desc(self.x_label).y_desc(self.y_label).label_style(("sans-serif", TEXT)).light_line_style(WHITE);
        // marks of a linear axis are sums of steps: zero is one but for rounding
        let (range, is_linear) = (self.range(|point| point.1), self.scale == AxisScale::Linear);
        let y_label = |y: &f64| {
            let is_zero = is_linear && y.abs() < 1e-9 * (range.end - range.start);
            short(if is_zero { &0.0 } else { y })
        };
        mesh.bold_line_style(BLACK.mix(0.1))
            .x_label_formatter(&short)
            .y_label_formatter(&y_label)
            .draw()
            .map_err(message_of)?;
        for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
            let style = colour.stroke_width(2);
            let dot = if line.points.len() <= FEW { 3 } else { 0 };
            let series =
                chart.draw_series(LineSeries::new(self.points(line), style).point_size(dot)).map_err(message_of)?;
            series.label(&line.label).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        let mut legend = chart.configure_series_labels();
        legend.background_style(WHITE.mix(0.8)).label_font(("sans-serif", TEXT)).position(self.free_corner(panel));
        legend.draw().map_err(message_of)
    }

    /// Corner of the panel without lines, for the legend.
    fn free_corner(&self, panel: &Panel) -> SeriesLabelPosition {
        let (x, y) = (self.range(|point| point.0), self.range(|point| point.1));
        let is_right = |at: f64| at >= middle(&x, self.scale == AxisScale::Both);
        let is_up = |at: f64| at >= middle(&y, self.scale != AxisScale::Linear);
        let points = || panel.lines.iter().flat_map(|line| self.points(line));
        let crowd = |right, up| points().filter(|(x, y)| is_right(*x) == right && is_up(*y) == up).count();
        let corners = [
            (SeriesLabelPosition::UpperLeft, crowd(false, true)),
            (SeriesLabelPosition::UpperRight, crowd(true, true)),
            (SeriesLabelPosition::LowerRight, crowd(true, false)),
            (SeriesLabelPosition::LowerLeft, crowd(false, false)),
        ];
        corners.into_iter().min_by_key(|(_, crowd)| *crowd).expect("four").0
    }
}

/// Middle of an axis.
fn middle(range: &Range<f64>, is_logarithmic: bool) -> f64 {
    if is_logarithmic { (range.start * range.end).sqrt() } else { 0.5 * (range.start + range.end) }
}

/// Range with a margin for the ends of the lines.
fn widened(range: &Range<f64>) -> Range<f64> {
    let margin = 0.04 * (range.end - range.start);
    range.start - margin..range.end + margin
}

/// Range with a margin on a logarithmic axis.
fn beyond(range: &Range<f64>) -> Range<f64> {
    0.8 * range.start.max(1e-300)..1.4 * range.end
}

/// Label of a number on an axis.
pub(super) fn short(number: &f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e5).contains(&size) => {
            let text = format!("{number:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{number:.1e}"),
    }
}

pub(super) fn message_of(error: impl std::error::Error) -> String {
    error.to_string()
}
