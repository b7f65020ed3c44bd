//! Neighbour search by a hashed cell grid.

use rayon::prelude::*;

use super::Vec3;

/// Points sorted into the cubic cells of an unbounded grid (a cell list).
///
/// Cells are hashed into about as many buckets as there are points, so that memory does not depend on distances.
/// Consecutive cells in z have consecutive buckets, so the 27 cells around a point are nine runs of members:
///
/// ```text
/// bucket   |  b  | b+1 | b+2 | ..        b = hash(x, y) + z
/// members  [ 4 9 | 17  |     | ..        indices of points, ascending within a bucket
/// ```
pub struct CellGrid {
    cell_size: f64,
    /// Bucket `b` holds `members[starts[b]..starts[b + 1]]`. The number of buckets is a power of two.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl CellGrid {
    /// Sorts `points` (m), fewer than 2^32, into cells of `cell_size` (m, positive). Linear time.
    pub fn new(points: &[Vec3], cell_size: f64) -> Self {
        assert!(u32::try_from(points.len()).is_ok() && cell_size > 0.0, "{} points, {cell_size} m", points.len());
        let mask = points.len().next_power_of_two() - 1;
        let buckets: Vec<u32> = points.par_iter().map(|p| bucket(cell(p, cell_size), mask) as u32).collect();
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
        let mut members = vec![0; points.len()];
        for (i, &b) in buckets.iter().enumerate().rev() {
            starts[b as usize] -= 1;
            members[starts[b as usize] as usize] = i as u32;
        }
        Self { cell_size, starts, members }
    }

    /// Indices of all points nearer to `p` than the cell size, and of some beyond it. Their order depends on the points
    /// alone. An index may occur twice.
    pub fn near(&self, p: &Vec3) -> impl Iterator<Item = u32> + '_ {
        let [x, y, z] = cell(p, self.cell_size);
        let offsets = [-1, 0, 1];
        offsets
            .into_iter()
            .flat_map(move |dx| offsets.map(|dy| [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_sub(1)]))
            .flat_map(|first| self.run_of_three(first))
            .copied()
    }

    /// Members of a cell and of the next two in z.
    fn run_of_three(&self, first: [i64; 3]) -> impl Iterator<Item = &u32> {
        let buckets = self.starts.len() - 1;
        let b = bucket(first, buckets - 1);
        let end = (b + 3).min(buckets);
        let wrapped = (b + 3 - end).min(b);
        let members = |from: usize, to: usize| &self.members[self.starts[from] as usize..self.starts[to] as usize];
        members(b, end).iter().chain(members(0, wrapped))
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
    points.par_iter().enumerate().find_map_first(|(i, p)| {
        let others = grid.near(p).map(|j| j as usize).filter(|&j| near(i, j));
        others.min().map(|j| [i, j])
    })
}

/// [`pairs_within`] without pairs of two `skipped` points.
pub fn pairs_within_except(
    points: &[Vec3],
    skipped: impl Fn(usize) -> bool + Sync,
    reach: impl Fn(usize, usize) -> f64 + Sync,
    max_reach: f64,
) -> Vec<[u32; 2]> {
    if points.is_empty() || max_reach <= 0.0 {
        return Vec::new();
    }
    /// Minimum number of points a task.
    const CHUNK: usize = 1024;
    let grid = CellGrid::new(points, max_reach);
    // a pair is found at its first point, or at the only one that is not skipped
    let near = |i: usize, j: usize| {
        (i < j || (i > j && skipped(j))) && (points[j] - points[i]).norm_squared() < reach(i, j).max(0.0).powi(2)
    };
    let chunks: Vec<Vec<[u32; 2]>> = points
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, part)| {
            let mut pairs = Vec::new();
            for (i, p) in (chunk * CHUNK..).zip(part).filter(|&(i, _)| !skipped(i)) {
                let ends = |j: u32| [j.min(i as u32), j.max(i as u32)];
                pairs.extend(grid.near(p).filter(|&j| near(i, j as usize)).map(ends));
            }
            pairs
        })
        .collect();
    let mut pairs = chunks.concat();
    pairs.par_sort_unstable();
    pairs.dedup();
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
