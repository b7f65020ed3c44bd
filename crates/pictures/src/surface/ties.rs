use rayon::prelude::*;

use super::Link;

/// Links of each particle at rest.
pub(super) struct Neighbours {
    /// Entries of particle `i` are at `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
    /// Other end of a link, and the link's number.
    entries: Vec<(u32, u32)>,
}

impl Neighbours {
    pub(super) fn new(particles: usize, links: &[Link]) -> Self {
        let numbered = links.iter().zip(0..);
        let mut ends: Vec<(u32, (u32, u32))> =
            numbered.flat_map(|(&Link { ends: [i, j], .. }, link)| [(i, (j, link)), (j, (i, link))]).collect();
        ends.par_sort_unstable();
        let mut starts = vec![0; particles + 1];
        ends.iter().for_each(|(i, _)| starts[*i as usize + 1] += 1);
        (0..particles).for_each(|i| starts[i + 1] += starts[i]);
        Self { starts, entries: ends.into_iter().map(|(_, entry)| entry).collect() }
    }

    /// Number of a particle's links.
    pub(super) fn count(&self, i: u32) -> usize {
        self.range(i).len()
    }

    fn range(&self, i: u32) -> std::ops::Range<usize> {
        self.starts[i as usize] as usize..self.starts[i as usize + 1] as usize
    }
}

/// State of a link between two particles in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    Whole,
    /// Their bond broke, but a third particle is bonded to both.
    Bridged,
    Cut,
}

/// Ties of particles in a frame.
pub(super) struct Ties<'a> {
    neighbours: &'a Neighbours,
    /// State of each of the neighbours' entries.
    ties: Vec<Tie>,
    /// Piece of each particle.
    pieces: Vec<i32>,
}

impl<'a> Ties<'a> {
    /// Ties with those links whole for which `is_whole` holds, an entry for each link, and the piece of each particle.
    pub(super) fn new(neighbours: &'a Neighbours, is_whole: &[bool], pieces: Vec<i32>) -> Self {
        let tie = |(_, link): &(u32, u32)| if is_whole[*link as usize] { Tie::Whole } else { Tie::Cut };
        let mut ties = Self { neighbours, ties: neighbours.entries.par_iter().map(tie).collect(), pieces };
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

    /// Whether two particles are tied within their neighbourhood (\[BDEM21\] section 3.2): by a whole bond, or by
    /// whole bonds to a third. Those that never were, as in a loose packing, are tied while they are of one piece: what
    /// did not break is no crack.
    pub(super) fn hold(&self, i: u32, j: u32) -> bool {
        match self.entry(i, j) {
            _ if i == j => true,
            Some(k) => self.ties[k] != Tie::Cut,
            None => self.bridged(i, j) || self.pieces[i as usize] == self.pieces[j as usize] && !self.met_at_rest(i, j),
        }
    }

    /// Neighbours at rest that are tied to the particle.
    pub(super) fn held(&self, i: u32) -> impl Iterator<Item = u32> {
        self.neighbours.range(i).filter(|&k| self.ties[k] != Tie::Cut).map(|k| self.other(k))
    }

    /// Neighbours at rest that are not.
    pub(super) fn cut(&self, i: u32) -> impl Iterator<Item = u32> {
        self.neighbours.range(i).filter(|&k| self.ties[k] == Tie::Cut).map(|k| self.other(k))
    }

    fn bridged(&self, i: u32, j: u32) -> bool {
        let is_whole = |k: usize| self.ties[k] == Tie::Whole;
        let to_third = self.neighbours.range(i).filter(|&k| is_whole(k));
        to_third.map(|k| self.other(k)).any(|third| self.entry(third, j).is_some_and(is_whole))
    }

    /// Whether two particles had links to a common third.
    fn met_at_rest(&self, i: u32, j: u32) -> bool {
        self.neighbours.range(i).any(|k| self.entry(self.other(k), j).is_some())
    }

    fn entry(&self, i: u32, j: u32) -> Option<usize> {
        self.neighbours.range(i).find(|&k| self.other(k) == j)
    }

    fn other(&self, k: usize) -> u32 {
        self.neighbours.entries[k].0
    }
}
