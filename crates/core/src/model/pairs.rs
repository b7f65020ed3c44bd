//! Lists of particle pairs, and sums over them whose bits do not depend on the number of threads.

use std::ops::{AddAssign, Range};

use crate::parallel::{self, CHUNK};

/// A pair of particles, `i < j`.
pub trait Pair: Sync {
    /// Indices of the two particles.
    fn ends(&self) -> [usize; 2];
}

impl Pair for [u32; 2] {
    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self[0] as usize, self[1] as usize]
    }
}

/// Pairs of a list sorted by `(i, j)` whose first particle is in `firsts` (ascending), with their indices.
pub fn pairs_of<'a, P: Pair>(pairs: &'a [P], firsts: &'a [u32]) -> impl Iterator<Item = (usize, &'a P)> {
    let mut at = 0;
    firsts.iter().flat_map(move |&i| {
        let begins_before = |pair: &P| pair.ends()[0] < i as usize;
        // mostly consecutive, as are their pairs
        if pairs.get(at).is_some_and(begins_before) {
            at += pairs[at..].partition_point(begins_before);
        }
        let start = at;
        at += pairs[start..].iter().take_while(|pair| pair.ends()[0] == i as usize).count();
        (start..at).zip(&pairs[start..at])
    })
}

/// Inserts one value before the entry at each of these `places` (ascending) of a list.
pub(crate) fn insert_at<T: Copy>(list: &mut Vec<T>, places: &[usize], values: impl DoubleEndedIterator<Item = T>) {
    let Some(&filler) = list.first() else { return list.extend(values) };
    let mut end = list.len();
    list.resize(end + places.len(), filler);
    for ((k, &place), value) in places.iter().enumerate().rev().zip(values.rev()) {
        list.copy_within(place..end, place + k + 1);
        (list[place + k], end) = (value, place);
    }
}

/// Follows in `indices` (ascending) of a list the insertions [at these places](insert_at).
fn shift(indices: &mut [u32], places: &[usize]) {
    let Some(&first) = places.first() else { return };
    let unchanged = indices.partition_point(|index| (*index as usize) < first);
    for index in &mut indices[unchanged..] {
        *index += places.partition_point(|place| *place <= *index as usize) as u32;
    }
}

/// Particles in chunks of a fixed size, and the pairs of each chunk.
///
/// A list of pairs sorted by `(i, j)` divides into one range a chunk by `i`. A pair with its second particle in a later
/// chunk is computed twice, once in each chunk. Each chunk adds only to its own particles:
///
/// ```text
/// particles  |  chunk 0  |  chunk 1  |  chunk 2  |
/// pairs      [owned by 0][owned by 1][owned by 2 ]      i in the chunk: adds to i, and to j if j is in it too
/// incoming               [.. of 0   ][.. of 0, 1 ]      j in the chunk, i in an earlier one: adds to j only
/// ```
///
/// So there is no race, no atomic, no colouring, and the order of every sum depends on the list alone.
#[derive(Clone, Debug, Default)]
pub struct PairChunks {
    owned: Vec<Range<usize>>,
    incoming: Vec<Vec<u32>>,
    particles: usize,
}

impl PairChunks {
    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.owned.len()
    }

    /// Whether there are no chunks, for there are no particles.
    pub fn is_empty(&self) -> bool {
        self.owned.is_empty()
    }

    /// Pairs whose first particle is in `chunk`.
    pub(crate) fn owned(&self, chunk: usize) -> Range<usize> {
        self.owned[chunk].clone()
    }

    /// The same of all chunks.
    pub(crate) fn all_owned(&self) -> &[Range<usize>] {
        &self.owned
    }

    /// Pairs whose second particle alone is in `chunk`, ascending.
    pub(crate) fn incoming(&self, chunk: usize) -> &[u32] {
        &self.incoming[chunk]
    }

    /// Chunks of `particles` particles for `pairs`.
    ///
    /// # Panics
    /// If the pairs are not sorted by `(i, j)` with `i < j`, or name particles that do not exist.
    pub fn new<P: Pair>(particles: usize, pairs: &[P]) -> Self {
        let chunks = particles.div_ceil(CHUNK);
        let mut owned = Vec::with_capacity(chunks);
        let mut incoming = vec![Vec::new(); chunks];
        let mut end = 0;
        let is_pair = |p: &P| p.ends()[0] < p.ends()[1] && p.ends()[1] < particles;
        assert!(pairs.iter().all(is_pair) && pairs.is_sorted_by_key(P::ends), "pairs of these particles, sorted");
        for chunk in 0..chunks {
            let start = end;
            while end < pairs.len() && pairs[end].ends()[0] < (chunk + 1) * CHUNK {
                let there = pairs[end].ends()[1] / CHUNK;
                if there != chunk {
                    incoming[there].push(end as u32);
                }
                end += 1;
            }
            owned.push(start..end);
        }
        Self { owned, incoming, particles }
    }

    /// Follows `new` pairs at these `places` (ascending) of the list.
    pub(crate) fn insert<P: Pair>(&mut self, places: &[usize], new: &[P]) {
        let before = |first: usize| new.partition_point(|pair| pair.ends()[0] < first);
        for (chunk, owned) in self.owned.iter_mut().enumerate() {
            *owned = owned.start + before(chunk * CHUNK)..owned.end + before((chunk + 1) * CHUNK);
        }
        self.incoming.iter_mut().for_each(|indices| shift(indices, places));
        for (k, (place, pair)) in places.iter().zip(new).enumerate() {
            let [from, to] = pair.ends().map(|i| i / CHUNK);
            if from != to {
                let (index, indices) = ((place + k) as u32, &mut self.incoming[to]);
                indices.insert(indices.partition_point(|other| *other < index), index);
            }
        }
    }

    /// Sums of `term(index, pair) = (value, to i, to j)` over every particle's pairs into `out`, in a fixed
    /// order. Returns the sum of the values.
    pub fn scatter<P: Pair, T: AddAssign + Copy + Default + Send, V: Copy + Default + AddAssign + Send>(
        &self,
        pairs: &[P],
        out: &mut [T],
        term: impl Fn(usize, &P) -> (V, T, T) + Sync + Send,
    ) -> V {
        self.fill_chunks(out, |chunk, out| {
            let (mut sum, first) = (V::default(), chunk * CHUNK);
            out.fill(T::default());
            self.owned(chunk).for_each(|k| {
                let [i, j] = pairs[k].ends();
                let (value, to_i, to_j) = term(k, &pairs[k]);
                sum += value;
                out[i - first] += to_i;
                if let Some(mine) = out.get_mut(j - first) {
                    *mine += to_j;
                }
            });
            for &k in self.incoming(chunk) {
                let pair = &pairs[k as usize];
                out[pair.ends()[1] - first] += term(k as usize, pair).2;
            }
            sum
        })
    }

    /// Calls `fill(chunk, its part of out)` for each chunk. Returns the sum of its results, in a fixed order.
    pub(crate) fn fill_chunks<T: Send, V: AddAssign + Copy + Default + Send>(
        &self,
        out: &mut [T],
        fill: impl Fn(usize, &mut [T]) -> V + Sync + Send,
    ) -> V {
        assert_eq!(out.len(), self.particles);
        parallel::sum(parallel::chunks_mut(out, CHUNK), fill)
    }

    /// Sum of `value(index, pair)` over all pairs, in a fixed order.
    pub fn sum<P: Pair, T: Copy + Default + AddAssign + Send>(
        &self,
        pairs: &[P],
        value: impl Fn(usize, &P) -> T + Sync,
    ) -> T {
        parallel::sum(parallel::each(&self.owned), |_, range| {
            range.clone().fold(T::default(), |mut sum, k| {
                sum += value(k, &pairs[k]);
                sum
            })
        })
    }

    /// Calls `visit(part, index, pair, own)` for every pair and the part of each chunk with one of its particles, in a
    /// fixed order. `own` tells which of the two particles belong to the chunk. `parts` has one entry per chunk.
    pub fn visit<P: Pair, T: Send>(
        &self,
        pairs: &[P],
        mut parts: Vec<T>,
        visit: impl Fn(&mut T, usize, &P, [bool; 2]) + Sync,
    ) {
        assert_eq!(parts.len(), self.owned.len());
        let work = (parallel::each_mut(&mut parts), parallel::each(&self.owned), parallel::each(&self.incoming));
        parallel::for_each(work, |chunk, (part, owned, incoming)| {
            for k in owned.clone() {
                visit(part, k, &pairs[k], [true, pairs[k].ends()[1] / CHUNK == chunk]);
            }
            for &k in incoming {
                visit(part, k as usize, &pairs[k as usize], [false, true]);
            }
        });
    }

    /// Particles of `chunk`.
    pub(crate) fn range(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.particles)
    }

    /// Particle ranges of the chunks.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.owned.len()).map(|chunk| self.range(chunk))
    }
}
