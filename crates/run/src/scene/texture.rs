//! Colours of PNG pictures at texture coordinates.

use std::io::Cursor;

/// Picture of a PNG file.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel, row by row from the top.
    pixels: Vec<[u8; 3]>,
}

impl Texture {
    /// Texture in the bytes of a PNG file: red, green and blue as stored, without opacity.
    ///
    /// # Errors
    /// A message, when the file is no PNG picture.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        /// Limit on the bytes of a decoded picture: 16384 pixels in each direction.
        const MOST: usize = 1 << 30;
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MOST });
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let size = reader.output_buffer_size().filter(|size| *size <= MOST).ok_or("the picture is too large")?;
        let mut data = vec![0; size];
        let info = reader.next_frame(&mut data).map_err(|error| error.to_string())?;
        let samples = info.color_type.samples();
        // the last of two or four is opacity
        let rgb = |pixel: &[u8]| if samples > 2 { [pixel[0], pixel[1], pixel[2]] } else { [pixel[0]; 3] };
        let pixels = data[..info.buffer_size()].chunks_exact(samples).map(rgb).collect();
        Ok(Self { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// Colours of all pixels, from 0 to 1.
    pub(super) fn pixels(&self) -> impl Iterator<Item = [f64; 3]> {
        self.pixels.iter().map(colour)
    }

    /// Colours of the four pixels around texture coordinates, from 0 to 1, with their shares: linear between the centres of pixels. v
    /// points up, and the picture repeats.
    pub(super) fn samples(&self, [u, v]: [f64; 2]) -> [(f64, [f64; 3]); 4] {
        let place = |share: f64, count: usize| {
            let x = (share - share.floor()) * count as f64 - 0.5;
            let first = x.floor();
            let index = |x: f64| x.rem_euclid(count as f64) as usize % count;
            ([index(first), index(first + 1.0)], x - first)
        };
        let ([left, right], across) = place(u, self.width);
        let ([top, bottom], down) = place(1.0 - v, self.height);
        let pixel = |x: usize, y: usize| colour(&self.pixels[y * self.width + x]);
        [
            ((1.0 - across) * (1.0 - down), pixel(left, top)),
            (across * (1.0 - down), pixel(right, top)),
            ((1.0 - across) * down, pixel(left, bottom)),
            (across * down, pixel(right, bottom)),
        ]
    }
}

fn colour(pixel: &[u8; 3]) -> [f64; 3] {
    pixel.map(|part| f64::from(part) / 255.0)
}
