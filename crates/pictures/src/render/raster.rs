use std::ops::Range;

use rayon::prelude::*;

use super::Ball;
use super::view::{Outline, View};

/// Thing that a sample hits, and its distance (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub depth: f32,
    /// Number of the thing, or [`Hit::FLOOR`] or [`Hit::NOTHING`].
    pub id: u32,
}

impl Hit {
    pub(super) const NOTHING: u32 = u32::MAX;
    pub(super) const FLOOR: u32 = u32::MAX - 1;

    pub(super) const NONE: Self = Self { depth: f32::INFINITY, id: Self::NOTHING };

    /// Number of the thing, if one is hit.
    pub(super) fn thing(&self) -> Option<usize> {
        (self.id < Self::FLOOR).then_some(self.id as usize)
    }
}

/// Thing that views can draw.
pub(super) trait Thing {
    /// Form of the thing in a view's own axes.
    type Seen: Send + Sync;

    /// The thing as seen by a view, and the samples that it may cover. None where it is out of view.
    fn seen(&self, view: &impl View) -> Option<(Self::Seen, Outline)>;

    /// Depth (m) of the thing at a sample. None where it is not hit, and where it is beyond the `limit` (m), if that is
    /// found sooner.
    fn depth(seen: &Self::Seen, view: &impl View, sample: [usize; 2], limit: f64) -> Option<f64>;
}

impl Thing for Ball {
    type Seen = Self;

    fn seen(&self, view: &impl View) -> Option<(Self, Outline)> {
        let seen = self.seen_by(view);
        let outline = view.outline(&seen)?;
        Some((seen, outline))
    }

    #[inline]
    fn depth(seen: &Self, view: &impl View, sample: [usize; 2], limit: f64) -> Option<f64> {
        view.depth(seen, sample, limit)
    }
}

/// Rows of samples of one parallel task.
const BAND: usize = 16;

/// Draw things into `hits`, row by row, where they are nearer than the present hits. Of equally near things the first
/// wins. They are numbered from `first`.
pub(super) fn draw<V: View, T: Thing>(
    view: &V,
    things: impl IndexedParallelIterator<Item = T>,
    first: u32,
    hits: &mut [Hit],
) {
    let [width, height] = view.size();
    let seen: Vec<_> = things.map(|thing| thing.seen(view)).collect();
    // things that reach into each band, in their order
    let mut bands: Vec<Vec<u32>> = vec![Vec::new(); height.div_ceil(BAND)];
    for (i, seen) in (0..).zip(&seen) {
        seen.iter().flat_map(|(_, outline)| bands_of(outline)).for_each(|band| bands[band].push(i));
    }
    hits.par_chunks_mut(width * BAND).zip(&bands).enumerate().for_each(|(k, (rows, band))| {
        for &i in band {
            if let Some((seen, outline)) = &seen[i as usize] {
                draw_thing::<V, T>(view, seen, first + i, outline, (k * BAND, rows));
            }
        }
    });
}

/// Draw a thing into the rows of a band, which begin at row `first`.
fn draw_thing<V: View, T: Thing>(
    view: &V,
    seen: &T::Seen,
    id: u32,
    outline: &Outline,
    (first, rows): (usize, &mut [Hit]),
) {
    let width = view.size()[0];
    let end = outline.y.end.min(first + rows.len() / width);
    for y in outline.y.start.max(first)..end {
        let row = &mut rows[(y - first) * width..][outline.x.clone()];
        for (x, hit) in outline.x.clone().zip(row) {
            let depth = T::depth(seen, view, [x, y], hit.depth.into());
            if let Some(depth) = depth.filter(|depth| (*depth as f32) < hit.depth) {
                *hit = Hit { depth: depth as f32, id };
            }
        }
    }
}

/// Bands that an outline reaches into.
fn bands_of(outline: &Outline) -> Range<usize> {
    outline.y.start / BAND..outline.y.end.div_ceil(BAND)
}
