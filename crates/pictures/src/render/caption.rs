use std::collections::BTreeSet;

use bdem_run::output::ply::Frame;

use super::camera::Margins;
use super::colours::{CRACK, ColourBy, ColourScale, NEUTRAL, Rgb, vivid};
use super::picture::{Picture, Size, pixel};
use super::shade::BACKDROP;
use super::text::Letters;

/// Opacity of the veil under letters, of 255.
const VEIL: u8 = 200;

/// Draw the caption of a frame in the upper left corner: the run's name (where it has one), the frame's number, its time, and
/// its number of pieces. A picture that is too narrow cuts off its end.
pub fn write_caption(picture: &mut Picture, name: &str, number: u32, frame: &Frame) {
    let pieces: BTreeSet<i32> = frame.vertices.iter().map(|vertex| vertex.piece).collect();
    let pieces = if pieces.len() == 1 { "1 piece".to_owned() } else { format!("{} pieces", pieces.len()) };
    let time = frame.time().map(|seconds| quantity(seconds, "s"));
    let parts = [(!name.is_empty()).then(|| name.to_owned()), Some(format!("frame {number}")), time, Some(pieces)];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("  ");
    let letters = Letters::fit(picture.size().height);
    picture.cover_rows(0..Legend::line(picture.size()), pixel(BACKDROP), VEIL);
    letters.write(picture, &text, [letters.height() * 3 / 4, letters.height() / 2]);
}

/// Legend below a picture: the meaning of its colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Legend {
    /// Quantity shown by the colours.
    pub colour: ColourBy,
    /// Range of the colour bar.
    pub scale: ColourScale,
}

impl Legend {
    /// Margins of a picture of this size, for captions and, below, a legend.
    pub(crate) fn margins(size: Size, has_legend: bool) -> Margins {
        let line = f64::from(Self::line(size));
        let bottom = if has_legend { line } else { 0.25 * line };
        Margins { top: line, bottom, sides: 0.04 * f64::from(size.width) }
    }

    /// Height of a line of text with its spacing, pixels.
    pub(super) fn line(size: Size) -> u32 {
        2 * Letters::fit(size.height).height()
    }

    /// Draw the legend in the lower left corner. Plain colours have none.
    pub fn write(&self, picture: &mut Picture) {
        if matches!(self.colour, ColourBy::Plain | ColourBy::Look) {
            return;
        }
        let (line, height) = (Self::line(picture.size()), picture.size().height);
        picture.cover_rows(height - line..height, pixel(BACKDROP), VEIL);
        let letters = Letters::fit(height);
        let mut row = Row { x: letters.height() * 3 / 4, y: height - line * 3 / 4, letters, picture };
        match self.ends() {
            Some([low, high]) => row.bar(&self.scale, &low, &high),
            None if self.colour == ColourBy::Face => row.faces(),
            None => row.pieces(),
        }
    }

    /// Labels at the ends of the colour bar, where there is one.
    fn ends(&self) -> Option<[String; 2]> {
        let ColourScale { low, high } = self.scale;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let range = |name: &str, unit: &str| {
            [format!("{name}  {}", quantity(low, unit)), format!("{} and more", quantity(high, unit))]
        };
        match self.colour {
            ColourBy::Piece | ColourBy::Face | ColourBy::Plain | ColourBy::Look => None,
            ColourBy::Damage => Some([format!("broken bonds  {}", percent(low)), percent(high)]),
            ColourBy::Stress => Some(range("stress", "Pa")),
            ColourBy::Speed => Some(range("speed", "m/s")),
            ColourBy::Charge => Some(range("charge", "C")),
        }
    }
}

/// Line of text and colours, from left to right.
struct Row<'a> {
    picture: &'a mut Picture,
    letters: Letters,
    x: u32,
    y: u32,
}

impl Row<'_> {
    fn pieces(&mut self) {
        let swatch = self.letters.height();
        self.colours(swatch, |_| NEUTRAL);
        self.text("largest piece");
        self.x += swatch;
        self.colours(6 * swatch, |share| vivid(0.70, share));
        self.text("others");
    }

    fn faces(&mut self) {
        let swatch = self.letters.height();
        self.colours(swatch, |_| NEUTRAL);
        self.text("outer faces");
        self.x += swatch;
        self.colours(swatch, |_| CRACK);
        self.text("cracks");
    }

    fn bar(&mut self, scale: &ColourScale, low: &str, high: &str) {
        self.text(low);
        self.x += self.letters.height() / 2;
        self.colours(10 * self.letters.height(), |share| scale.colour(share));
        self.text(high);
    }

    fn text(&mut self, text: &str) {
        self.x += self.letters.height() / 2;
        self.x = self.letters.write(self.picture, text, [self.x, self.y]);
    }

    /// Colours over `width` pixels, by the share of the width to the left.
    fn colours(&mut self, width: u32, colour: impl Fn(f64) -> Rgb) {
        for dx in 0..width {
            let colour = pixel(colour(f64::from(dx) / f64::from(width)));
            let height = self.letters.height();
            (height / 8..height).for_each(|dy| self.picture.cover(self.x + dx, self.y + dy, colour, 255));
        }
        self.x += width;
    }
}

/// Number in three digits with its unit, as `3.2 MPa`. A number without a unit has no prefix either.
fn quantity(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")];
    let fits = |(scale, _): &&(f64, &str)| value.abs() >= 0.9995 * scale;
    let (scale, prefix) = if value == 0.0 { (1.0, "") } else { *PREFIXES.iter().find(fits).unwrap_or(&PREFIXES[6]) };
    let shown = value / scale;
    let decimals = if shown.abs() >= 99.95 {
        0
    } else if shown.abs() >= 9.995 {
        1
    } else {
        2
    };
    let digits = format!("{shown:.decimals$}");
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits} {prefix}{unit}").trim_end().to_owned()
}
