use std::str::FromStr;

use super::caption::Legend;
use super::picture::{Picture, Size, pixel};
use super::shade::BACKDROP;

/// Gap between pictures, pixels.
const GUTTER: u32 = 4;
const WHITE: [u8; 3] = [255; 3];

/// Columns and rows of a contact sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetGrid {
    /// Number of columns.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
}

impl FromStr for SheetGrid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SIDES: std::ops::RangeInclusive<u32> = 1..=32;
        let side = |side: &str| side.parse().ok().filter(|side| SIDES.contains(side));
        let sides = text.split_once('x').and_then(|(columns, rows)| side(columns).zip(side(rows)));
        let (columns, rows) = sides.ok_or("expected COLUMNSxROWS, from 1 to 32 each, such as 4x2")?;
        Ok(Self { columns, rows })
    }
}

impl SheetGrid {
    /// Indices of `count` things for the places of the sheet, evenly spread. The first and the last are among them;
    /// fewer things than places are all taken.
    pub fn choose(&self, count: usize) -> Vec<usize> {
        let chosen = count.min((self.columns * self.rows) as usize);
        let nth = |k: usize| if chosen > 1 { (k * (count - 1) + (chosen - 1) / 2) / (chosen - 1) } else { count - 1 };
        (0..chosen).map(nth).collect()
    }
}

/// Contact sheet of many pictures, with one legend below.
#[derive(Clone, Debug)]
pub struct Sheet {
    grid: SheetGrid,
    legend: Legend,
    picture: Picture,
    filled: u32,
}

impl Sheet {
    /// Empty sheet.
    ///
    /// # Errors
    /// When `size` is too small for the tiles.
    pub fn new(size: Size, grid: SheetGrid, legend: Legend) -> Result<Self, String> {
        const LEAST: u32 = 64;
        let sheet = Self { grid, legend, picture: Picture::plain(size, pixel(BACKDROP)), filled: 0 };
        let Size { width, height } = sheet.tile();
        if width < LEAST || height < LEAST {
            let (columns, rows) = (grid.columns, grid.rows);
            return Err(format!(
                "{columns}x{rows} pictures of a sheet would be {width}x{height} pixels each; choose a larger --size"
            ));
        }
        Ok(sheet)
    }

    /// Size of its pictures.
    pub fn tile(&self) -> Size {
        let Size { width, height } = self.picture.size();
        let height = height.saturating_sub(Legend::line(self.picture.size()));
        let share = |room: u32, count: u32| room.saturating_sub((count - 1) * GUTTER) / count;
        Size { width: share(width, self.grid.columns), height: share(height, self.grid.rows) }
    }

    /// Draw a picture at the next place.
    pub fn push(&mut self, picture: &Picture) {
        let Size { width, height } = self.tile();
        let [column, row] = [self.filled % self.grid.columns, self.filled / self.grid.columns];
        self.picture.put(column * (width + GUTTER), row * (height + GUTTER), picture);
        self.filled += 1;
    }

    /// Finished sheet.
    pub fn finish(mut self) -> Picture {
        self.rule();
        self.legend.write(&mut self.picture);
        self.picture
    }

    /// Draw the gaps between pictures.
    fn rule(&mut self) {
        let (Size { width, height }, SheetGrid { columns, rows }) = (self.tile(), self.grid);
        for x in (1..columns).flat_map(|column| (column * (width + GUTTER) - GUTTER..).take(GUTTER as usize)) {
            (0..rows * (height + GUTTER)).for_each(|y| self.picture.cover(x, y, WHITE, 255));
        }
        for below in (1..rows).map(|row| row * (height + GUTTER)) {
            self.picture.cover_rows(below - GUTTER..below, WHITE, 255);
        }
    }
}
