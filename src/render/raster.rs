use std::ops::Range;

use rayon::prelude::*;

use super::Ball;
use super::view::{Outline, View};

/// What a sample hits, and how far away (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub depth: f32,
    /// The ball's index, or [`Hit::FLOOR`] or [`Hit::NOTHING`].
    pub id: u32,
}

impl Hit {
    pub const NOTHING: u32 = u32::MAX;
    pub const FLOOR: u32 = u32::MAX - 1;

    const NONE: Self = Self { depth: f32::INFINITY, id: Self::NOTHING };

    /// The index of the ball that is hit.
    pub fn ball(&self) -> Option<usize> {
        (self.id < Self::FLOOR).then_some(self.id as usize)
    }
}

/// Rows of samples that are drawn by one thread.
const BAND: usize = 16;

/// What each sample of `view` hits, row by row: the nearest ball, and of several as near the first.
pub(super) fn draw(view: &impl View, balls: &[Ball]) -> Vec<Hit> {
    let [width, height] = view.size();
    let seen: Vec<(Ball, Option<Outline>)> = balls
        .par_iter()
        .map(|ball| {
            let seen = view.see(ball);
            let outline = view.outline(&seen);
            (seen, outline)
        })
        .collect();
    let bands = Bands::new(&seen, height.div_ceil(BAND));
    let mut hits = vec![Hit::NONE; width * height];
    hits.par_chunks_mut(width * BAND).enumerate().for_each(|(k, rows)| {
        for &id in bands.of(k) {
            if let (ball, Some(outline)) = &seen[id as usize] {
                draw_ball(view, ball, id, outline, (k * BAND, rows));
            }
        }
    });
    hits
}

/// Draws a ball into the rows of a band, which begin at row `first`.
fn draw_ball(view: &impl View, ball: &Ball, id: u32, outline: &Outline, (first, rows): (usize, &mut [Hit])) {
    let width = view.size()[0];
    let end = outline.y.end.min(first + rows.len() / width);
    for y in outline.y.start.max(first)..end {
        let row = &mut rows[(y - first) * width..][outline.x.clone()];
        for (x, hit) in outline.x.clone().zip(row) {
            if let Some(depth) = view.depth(ball, x, y).filter(|depth| (*depth as f32) < hit.depth) {
                *hit = Hit { depth: depth as f32, id };
            }
        }
    }
}

/// Which balls reach into which bands, in their order.
struct Bands {
    starts: Vec<usize>,
    ids: Vec<u32>,
}

impl Bands {
    fn new(seen: &[(Ball, Option<Outline>)], count: usize) -> Self {
        let outlines = || seen.iter().zip(0_u32..).filter_map(|((_, outline), id)| Some((outline.as_ref()?, id)));
        let mut starts = vec![0; count + 1];
        outlines().flat_map(|(outline, _)| bands_of(outline)).for_each(|band| starts[band + 1] += 1);
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let mut next = starts.clone();
        let mut ids = vec![0; starts[count]];
        for (outline, id) in outlines() {
            for band in bands_of(outline) {
                ids[next[band]] = id;
                next[band] += 1;
            }
        }
        Self { starts, ids }
    }

    fn of(&self, band: usize) -> &[u32] {
        &self.ids[self.starts[band]..self.starts[band + 1]]
    }
}

fn bands_of(outline: &Outline) -> Range<usize> {
    outline.y.start / BAND..outline.y.end.div_ceil(BAND)
}
