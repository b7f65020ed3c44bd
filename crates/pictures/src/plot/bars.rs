//! Bar charts of numbers of whole runs.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Drawing;
use super::chart::{COLOURS, DrawResult, TEXT, message_of, short};

/// Panel of bars: its quantity and unit, and for each run, from top to bottom, the label left of its bar and the value, if it
/// is known.
pub type BarPanel = (&'static str, Vec<(String, Option<f64>)>);

/// Panels in two columns, each with its own scale.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    /// Title above the panels.
    pub title: String,
    /// Panels, row by row.
    pub panels: Vec<BarPanel>,
}

/// Sizes in pixels: a panel's width, a bar with the gap around it, the labels beside the bars, and a line of text.
const WIDTH: i32 = 720;
const ROW: i32 = 34;
const LABEL: i32 = 250;
const NUMBER: i32 = 90;
const LINE: i32 = 44;

impl BarChart {
    fn panel_height(&self) -> i32 {
        let most = self.panels.iter().map(|(_, bars)| bars.len()).max().unwrap_or(0);
        LINE + ROW * most as i32 + ROW / 2
    }
}

impl Drawing for BarChart {
    fn size(&self) -> (u32, u32) {
        let rows = self.panels.len().div_ceil(2) as i32;
        ((2 * WIDTH) as u32, (LINE + rows * self.panel_height()) as u32)
    }

    fn draw<B: DrawingBackend>(&self, page: &DrawingArea<B, Shift>) -> DrawResult {
        page.fill(&WHITE).map_err(message_of)?;
        write(page, &self.title, (WIDTH, LINE / 2), TEXT + 5, HPos::Center)?;
        for (k, panel) in (0..).zip(&self.panels) {
            draw_panel(page, panel, (k % 2 * WIDTH, LINE + k / 2 * self.panel_height()))?;
        }
        page.present().map_err(message_of)
    }
}

fn draw_panel<B: DrawingBackend>(
    page: &DrawingArea<B, Shift>,
    (title, bars): &BarPanel,
    (left, top): (i32, i32),
) -> DrawResult {
    write(page, title, (left + LABEL, top + LINE / 2), TEXT + 3, HPos::Left)?;
    let values = || bars.iter().filter_map(|(_, value)| *value).filter(|value| value.is_finite());
    let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let room = f64::from(WIDTH - LABEL - NUMBER);
    let at = |value: f64| left + LABEL + if low < high { (room * (value - low) / (high - low)) as i32 } else { 0 };
    for ((row, (label, value)), colour) in (0..).zip(bars).zip(COLOURS.iter().cycle()) {
        let (from, to) = (top + LINE + row * ROW, top + LINE + (row + 1) * ROW - 8);
        let middle = (from + to) / 2;
        write(page, label, (left + LABEL - 10, middle), TEXT, HPos::Right)?;
        let value = value.filter(|value| value.is_finite());
        let ends = value.map_or([at(0.0); 2], |value| [at(value.min(0.0)), at(value.max(0.0))]);
        page.draw(&Rectangle::new([(ends[0], from), (ends[1], to)], colour.filled())).map_err(message_of)?;
        let number = value.map_or("not known".to_owned(), |value| short(&value));
        write(page, &number, (ends[1] + 6, middle), TEXT, HPos::Left)?;
    }
    Ok(())
}

fn write<B: DrawingBackend>(
    page: &DrawingArea<B, Shift>,
    text: &str,
    at: (i32, i32),
    height: u32,
    side: HPos,
) -> DrawResult {
    let style = ("sans-serif", height).into_text_style(page).pos(Pos::new(side, VPos::Center));
    page.draw_text(text, &style, at).map_err(message_of)
}
