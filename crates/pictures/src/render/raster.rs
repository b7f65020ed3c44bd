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
    let bands = Bands::new(seen.iter().map(|seen| Some(&seen.as_ref()?.1)), height.div_ceil(BAND));
    hits.par_chunks_mut(width * BAND).enumerate().for_each(|(k, rows)| {
        for &i in bands.of(k) {
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

/// Things that reach into each band, in their order.
struct Bands {
    starts: Vec<usize>,
    ids: Vec<u32>,
}

impl Bands {
    /// Bands of these outlines, where things have any.
    fn new<'a>(outlines: impl Iterator<Item = Option<&'a Outline>> + Clone, count: usize) -> Self {
        let outlines = outlines.zip(0_u32..).filter_map(|(outline, id)| Some((outline?, id)));
        let mut starts = vec![0; count + 1];
        outlines.clone().flat_map(|(outline, _)| bands_of(outline)).for_each(|band| starts[band + 1] += 1);
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let mut next = starts.clone();
        let mut ids = vec![0; starts[count]];
        for (outline, id) in outlines {
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
