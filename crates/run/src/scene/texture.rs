//! Brightness of PNG pictures at texture coordinates.

use std::io::Cursor;

/// Brightness of a picture, from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    width: usize,
    height: usize,
    /// Of each pixel, row by row from the top.
    pixels: Vec<f32>,
}

impl Texture {
    /// Texture in the bytes of a PNG file: the mean of red, green and blue, as stored.
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
        let colours = if samples > 2 { 3 } else { 1 };
        let brightness = |pixel: &[u8]| {
            pixel[..colours].iter().map(|&value| f32::from(value)).sum::<f32>() / (255.0 * colours as f32)
        };
        let pixels = data[..info.buffer_size()].chunks_exact(samples).map(brightness).collect();
        Ok(Self { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// Brightness at texture coordinates, linear between the centres of pixels. v points up, and the picture repeats.
    pub(super) fn at(&self, [u, v]: [f64; 2]) -> f64 {
        let place = |share: f64, count: usize| {
            let x = (share - share.floor()) * count as f64 - 0.5;
            let first = x.floor();
            let index = |x: f64| x.rem_euclid(count as f64) as usize % count;
            ([index(first), index(first + 1.0)], x - first)
        };
        let ([left, right], across) = place(u, self.width);
        let ([top, bottom], down) = place(1.0 - v, self.height);
        let pixel = |x: usize, y: usize| f64::from(self.pixels[y * self.width + x]);
        let row = |y: usize| pixel(left, y) * (1.0 - across) + pixel(right, y) * across;
        row(top) * (1.0 - down) + row(bottom) * down
    }
}
