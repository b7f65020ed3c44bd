use ab_glyph::{Font, FontRef, PxScaleFont, ScaleFont};

use super::picture::Picture;

/// Colour of text: dark, but not black.
const INK: [u8; 3] = [44, 48, 54];

/// Letters of one height: DejaVu Sans.
#[derive(Clone, Debug)]
pub(super) struct Letters(PxScaleFont<FontRef<'static>>);

impl Letters {
    /// Letters for a picture of this height, pixels.
    pub(super) fn fit(height: u32) -> Self {
        let font = FontRef::try_from_slice(dejavu::sans::regular()).expect("the font is a good one");
        Self(font.into_scaled((height / 38).max(14) as f32))
    }

    /// Height from the highest to the lowest letter, pixels.
    pub(super) fn height(&self) -> u32 {
        self.0.scale().y as u32
    }

    /// Draw a text with its upper left corner at (x, y). Returns the column of its end.
    pub(super) fn write(&self, picture: &mut Picture, text: &str, [x, y]: [u32; 2]) -> u32 {
        let (mut right, base) = (x as f32, y as f32 + self.0.ascent());
        for letter in text.chars() {
            let mut glyph = self.0.scaled_glyph(letter);
            glyph.position = ab_glyph::point(right, base);
            right += self.0.h_advance(glyph.id);
            if let Some(outline) = self.0.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                let [left, top] = [corner.x, corner.y].map(|end| end.max(0.0) as u32);
                outline.draw(|dx, dy, share| picture.cover(left + dx, top + dy, INK, (255.0 * share.min(1.0)) as u8));
            }
        }
        right as u32
    }
}
