use rayon::prelude::*;

use super::Link;

/// What each particle was linked to at rest.
pub(super) struct Neighbours {
    /// Particle `i` has the entries `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// A link, seen from one of its ends.
#[derive(Clone, Copy)]
struct Entry {
    other: u32,
    link: u32,
}

impl Neighbours {
    pub(super) fn new(particles: usize, links: &[Link]) -> Self {
        let numbered = links.iter().zip(0..);
        let mut ends: Vec<(u32, Entry)> = numbered
            .flat_map(|(&Link { ends: [i, j], .. }, link)| {
                [(i, Entry { other: j, link }), (j, Entry { other: i, link })]
            })
            .collect();
        ends.par_sort_unstable_by_key(|(i, entry)| (*i, entry.other, entry.link));
        let mut starts = vec![0; particles + 1];
        ends.iter().for_each(|(i, _)| starts[*i as usize + 1] += 1);
        (0..particles).for_each(|i| starts[i + 1] += starts[i]);
        Self { starts, entries: ends.into_iter().map(|(_, entry)| entry).collect() }
    }

    /// How many links a particle has.
    pub(super) fn count(&self, i: u32) -> usize {
        self.range(i).len()
    }

    fn range(&self, i: u32) -> std::ops::Range<usize> {
        self.starts[i as usize] as usize..self.starts[i as usize + 1] as usize
    }
}

/// What has become of two particles that were linked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    Whole,
    /// Their bond broke, but a third holds both.
    Bridged,
    Cut,
}

/// Which particles hold together in a frame.
pub(super) struct Ties<'a> {
    neighbours: &'a Neighbours,
    /// One for each of the neighbours' entries.
    ties: Vec<Tie>,
}

impl<'a> Ties<'a> {
    /// With those links whole of which `is_whole`, an entry a link, says so.
    pub(super) fn new(neighbours: &'a Neighbours, is_whole: &[bool]) -> Self {
        let tie = |entry: &Entry| if is_whole[entry.link as usize] { Tie::Whole } else { Tie::Cut };
        let mut ties = Self { neighbours, ties: neighbours.entries.par_iter().map(tie).collect() };
        let bridged: Vec<usize> = (0..neighbours.starts.len() as u32 - 1)
            .into_par_iter()
            .flat_map_iter(|i| {
                let ties = &ties;
                neighbours.range(i).filter(move |&k| ties.ties[k] == Tie::Cut && ties.bridged(i, ties.other(k)))
            })
            .collect();
        bridged.into_iter().for_each(|k| ties.ties[k] = Tie::Bridged);
        ties
    }

    /// Whether two particles are held together within their neighbourhood (\[BDEM21\] section 3.2): by a whole bond, or by
    /// whole bonds to a third.
    pub(super) fn hold(&self, i: u32, j: u32) -> bool {
        match self.entry(i, j) {
            _ if i == j => true,
            Some(k) => self.ties[k] != Tie::Cut,
            None => self.bridged(i, j),
        }
    }

    /// Those of a particle's neighbours at rest that are held together with it.
    pub(super) fn held(&self, i: u32) -> impl Iterator<Item = u32> {
        self.neighbours.range(i).filter(|&k| self.ties[k] != Tie::Cut).map(|k| self.other(k))
    }

    /// Those that are not.
    pub(super) fn cut(&self, i: u32) -> impl Iterator<Item = u32> {
        self.neighbours.range(i).filter(|&k| self.ties[k] == Tie::Cut).map(|k| self.other(k))
    }

    fn bridged(&self, i: u32, j: u32) -> bool {
        let is_whole = |k: usize| self.ties[k] == Tie::Whole;
        let to_third = self.neighbours.range(i).filter(|&k| is_whole(k));
        to_third.map(|k| self.other(k)).any(|third| self.entry(third, j).is_some_and(is_whole))
    }

    fn entry(&self, i: u32, j: u32) -> Option<usize> {
        self.neighbours.range(i).find(|&k| self.other(k) == j)
    }

    fn other(&self, k: usize) -> u32 {
        self.neighbours.entries[k].other
    }
}
