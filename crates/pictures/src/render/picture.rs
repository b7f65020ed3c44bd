use std::io::{self, Write};
use std::ops::Range;
use std::str::FromStr;

use super::colours::{Rgb, srgb};

/// Size of a picture, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// Limits of a side. A picture of 8192 by 8192 takes 2 GiB to draw.
        const SIDES: std::ops::RangeInclusive<u32> = 64..=8192;
        let (width, height) = text.split_once('x').ok_or("expected WIDTHxHEIGHT in pixels, such as 1280x720")?;
        let side = |side: &str| side.parse().ok().filter(|side| SIDES.contains(side));
        let sides = side(width).zip(side(height));
        let (width, height) = sides.ok_or("expected width and height from 64 to 8192 pixels, such as 1280x720")?;
        Ok(Self { width, height })
    }
}

/// Pixels in rows from the upper left corner, sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    size: Size,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Picture in one colour.
    pub(super) fn plain(size: Size, colour: [u8; 3]) -> Self {
        Self { size, pixels: vec![colour; size.width as usize * size.height as usize] }
    }

    /// Picture of these pixels.
    ///
    /// # Panics
    /// When their number is not that of `size`.
    pub(super) fn from_pixels(size: Size, pixels: Vec<[u8; 3]>) -> Self {
        assert_eq!(pixels.len(), size.width as usize * size.height as usize, "a picture is a rectangle");
        Self { size, pixels }
    }

    /// Size of the picture.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Pixels row by row from the top: red, green and blue, sRGB.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// Pixel in column `x` of row `y`. None outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        self.index(x, y).map(|i| self.pixels[i])
    }

    fn index(&self, x: u32, y: u32) -> Option<usize> {
        (x < self.size.width && y < self.size.height).then(|| y as usize * self.size.width as usize + x as usize)
    }

    /// Blend a colour over a pixel, with an opacity of 0 to 255. Outside the picture nothing happens.
    pub(super) fn cover(&mut self, x: u32, y: u32, colour: [u8; 3], share: u8) {
        let Some(i) = self.index(x, y) else { return };
        let mix =
            |from: u8, to: u8| (u32::from(from) * (255 - u32::from(share)) + u32::from(to) * u32::from(share)) / 255;
        for (from, to) in self.pixels[i].iter_mut().zip(colour) {
            *from = mix(*from, to) as u8;
        }
    }

    /// Blend a colour over whole rows, with an opacity of 0 to 255.
    pub(super) fn cover_rows(&mut self, rows: Range<u32>, colour: [u8; 3], share: u8) {
        for y in rows {
            (0..self.size.width).for_each(|x| self.cover(x, y, colour, share));
        }
    }

    /// Copy another picture to (x, y), its upper left corner. The part outside is cut off.
    pub(super) fn put(&mut self, x: u32, y: u32, other: &Self) {
        for row in 0..other.size.height {
            for column in 0..other.size.width {
                if let (Some(to), Some(from)) = (self.index(x + column, y + row), other.index(column, row)) {
                    self.pixels[to] = other.pixels[from];
                }
            }
        }
    }

    /// Write the picture as PNG, with a comment.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_png(&self, out: impl Write, comment: &str) -> io::Result<()> {
        let mut encoder = self.encoder(out);
        encoder.add_text_chunk("Comment".to_owned(), comment.to_owned())?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.bytes())?;
        Ok(writer.finish()?)
    }

    pub(super) fn encoder<W: Write>(&self, out: W) -> png::Encoder<'static, W> {
        let mut encoder = png::Encoder::new(out, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        encoder
    }

    /// Red, green and blue of each pixel.
    pub(super) fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}

/// Pixel of linear light, by a table: computing the power takes long.
pub(super) fn develop() -> impl Fn(Rgb) -> [u8; 3] {
    const LAST: f32 = ((1 << 14) - 1) as f32;
    let table: Vec<u8> = (0..=LAST as usize).map(|i| byte(i as f32 / LAST)).collect();
    move |light| light.map(|x| table[(x.clamp(0.0, 1.0) * LAST + 0.5) as usize])
}

/// sRGB byte of linear light.
fn byte(linear: f32) -> u8 {
    (255.0 * srgb(linear) + 0.5) as u8
}

/// Pixel of linear light.
pub(super) fn pixel(light: Rgb) -> [u8; 3] {
    light.map(byte)
}
