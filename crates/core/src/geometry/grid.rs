//! Neighbour search by a hashed cell grid.

use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use super::Vec3;
use crate::parallel;

/// Points sorted into the cubic cells of an unbounded grid (a cell list).
///
/// Cells are hashed into about as many buckets as there are points, so that memory does not depend on distances.
/// Consecutive cells in z have consecutive buckets, so the 27 cells around a point are nine runs of members:
///
/// ```text
/// bucket   |  b  | b+1 | b+2 | ..        b = hash(x, y) + z
/// members  [ 4 9 | 17  |     | ..        indices of points, ascending within a bucket
/// places   [ . . | .   |     | ..        their positions, read in a row
/// ```
pub struct CellGrid {
    cell_size: f64,
    /// Bucket `b` holds `members[starts[b]..starts[b + 1]]`. The number of buckets is a power of two.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Position of each member, m.
    places: Vec<Vec3>,
}

impl CellGrid {
    /// Sorts `points` (m), fewer than 2^32, into cells of `cell_size` (m, positive). Linear time.
    pub fn new(points: &[Vec3], cell_size: f64) -> Self {
        assert!(u32::try_from(points.len()).is_ok() && cell_size > 0.0, "{} points, {cell_size} m", points.len());
        let mask = points.len().next_power_of_two() - 1;
        let buckets = parallel::map(points.len(), 1024, |i| bucket(cell(&points[i], cell_size), mask) as u32);
        let mut starts = vec![0; mask + 2];
        for &b in &buckets {
            starts[b as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Backwards from each bucket's end: leaves its start behind.
        let (mut members, mut places) = (vec![0; points.len()], vec![Vec3::zeros(); points.len()]);
        for (i, &b) in buckets.iter().enumerate().rev() {
            starts[b as usize] -= 1;
            let at = starts[b as usize] as usize;
            (members[at], places[at]) = (i as u32, points[i]);
        }
        Self { cell_size, starts, members, places }
    }

    /// Indices of all points nearer to `p` than the cell size, and of some beyond it. Their order depends on the points
    /// alone. An index may occur twice.
    pub fn near(&self, p: &Vec3) -> impl Iterator<Item = u32> + '_ {
        self.runs(p).into_iter().flatten().flat_map(|run| &self.members[run]).copied()
    }

    /// Appends to `found` the indices of all points nearer to `p` (m) than `reach` (m), at most the cell size. An index may
    /// occur twice.
    fn append_near(&self, p: &Vec3, reach: f64, found: &mut Vec<u32>) {
        let limit = reach * reach;
        for run in self.runs(p).into_iter().flatten() {
            let mut count = found.len();
            found.resize(count + run.len(), 0);
            for (&j, place) in self.members[run.clone()].iter().zip(&self.places[run]) {
                // written without a branch: a third of all candidates are near
                found[count] = j;
                count += usize::from((place - p).norm_squared() < limit);
            }
            found.truncate(count);
        }
    }

    /// The 27 cells around `p` as runs of members: nine, of which those that wrap around come in two parts.
    fn runs(&self, p: &Vec3) -> [[Range<usize>; 2]; 9] {
        let [x, y, z] = cell(p, self.cell_size);
        let offset = |k: usize| k as i64 - 1;
        std::array::from_fn(|k| {
            self.run_of_three([x.wrapping_add(offset(k / 3)), y.wrapping_add(offset(k % 3)), z.wrapping_sub(1)])
        })
    }

    /// Members of a cell and of the next two in z.
    fn run_of_three(&self, first: [i64; 3]) -> [Range<usize>; 2] {
        let buckets = self.starts.len() - 1;
        let b = bucket(first, buckets - 1);
        let end = (b + 3).min(buckets);
        let wrapped = (b + 3 - end).min(b);
        [(b, end), (0, wrapped)].map(|(from, to)| self.starts[from] as usize..self.starts[to] as usize)
    }
}

/// Pairs `i < j` of `points` (m) nearer than `reach(i, j) <= max_reach` (m). Sorted, and equal for any number of
/// threads.
pub fn pairs_within(points: &[Vec3], reach: impl Fn(usize, usize) -> f64 + Sync, max_reach: f64) -> Vec<[u32; 2]> {
    pairs_within_except(points, |_| false, reach, max_reach)
}

/// The first pair of [`pairs_within`], if any, without a search for the others.
pub fn first_pair_within(
    points: &[Vec3],
    reach: impl Fn(usize, usize) -> f64 + Sync,
    max_reach: f64,
) -> Option<[usize; 2]> {
    if points.is_empty() || max_reach <= 0.0 {
        return None;
    }
    let grid = CellGrid::new(points, max_reach);
    let near = |i: usize, j: usize| i < j && (points[j] - points[i]).norm_squared() < reach(i, j).powi(2);
    let others = |i: usize| grid.near(&points[i]).map(|j| j as usize).filter(move |&j| near(i, j));
    let first = parallel::find_first(points.len(), 256, |i| others(i).next().is_some())?;
    others(first).min().map(|j| [first, j])
}

/// [`pairs_within`] without pairs of two `skipped` points.
pub(crate) fn pairs_within_except(
    points: &[Vec3],
    skipped: impl Fn(usize) -> bool + Sync,
    reach: impl Fn(usize, usize) -> f64 + Sync,
    max_reach: f64,
) -> Vec<[u32; 2]> {
    if points.is_empty() || max_reach <= 0.0 {
        return Vec::new();
    }
    let grid = CellGrid::new(points, max_reach);
    // pairs found at their first point, in order; then those found at their second, for the first is skipped
    let chunks: Vec<[Vec<[u32; 2]>; 2]> = parallel::map_chunks(points.len(), |chunk| {
        let [mut first, mut second] = [Vec::new(), Vec::new()];
        let mut found = Vec::new();
        for (i, p) in chunk.clone().zip(&points[chunk]).filter(|&(i, _)| !skipped(i)) {
            found.clear();
            grid.append_near(p, max_reach, &mut found);
            found.retain(|&j| {
                let is_other = j as usize > i || (j as usize) < i && skipped(j as usize);
                is_other && (points[j as usize] - p).norm_squared() < reach(i, j as usize).max(0.0).powi(2)
            });
            found.sort_unstable();
            found.dedup();
            let after = found.partition_point(|&j| (j as usize) < i);
            second.extend(found[..after].iter().map(|&j| [j, i as u32]));
            first.extend(found[after..].iter().map(|&j| [i as u32, j]));
        }
        [first, second]
    });
    let mut pairs: Vec<_> = chunks.iter().flat_map(|[first, _]| first).copied().collect();
    if chunks.iter().any(|[_, second]| !second.is_empty()) {
        pairs.extend(chunks.iter().flat_map(|[_, second]| second));
        pairs.par_sort_unstable();
    }
    pairs
}

/// The cell of `p`. Cells beyond 2^63 are clamped.
fn cell(p: &Vec3, size: f64) -> [i64; 3] {
    [p.x, p.y, p.z].map(|x| (x / size).floor() as i64)
}

/// Odd multipliers for x and y (Teschner et al. 2003, "Optimized Spatial Hashing"); z is an offset.
fn bucket([x, y, z]: [i64; 3], mask: usize) -> usize {
    let row = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663);
    row.wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64).rotate_left(32).wrapping_add(z) as usize & mask
}
