use std::ops::Range;

/// Rows of a chunk's sums over the pairs i < j whose first node is in the chunk: a row for each of its own nodes, then one
/// for each node of its halo, the nodes of later chunks at the pairs' ends.
///
/// ```text
/// nodes          |  chunk 0  |  chunk 1  |  chunk 2  |
/// rows of 0      [   own     ][halo: of 1 .. of 2 ..]
/// rows of 1                  [   own     ][halo: of 2 ..]
/// ```
///
/// In a first phase each chunk adds its pairs to its own rows. In a second one each node gathers its row and those of
/// earlier chunks' halos, in their order. So no pair is computed twice, there is no race, and the order of every sum depends on
/// the pairs alone.
#[derive(Clone, Debug, Default)]
pub struct Halo {
    /// Nodes of the chunk.
    pub own: Range<usize>,
    /// Nodes of the halo, ascending.
    nodes: Vec<u32>,
    /// Chunks with this one's nodes in their halos, ascending, and the entries there.
    incoming: Vec<(u32, Range<u32>)>,
}

impl Halo {
    /// Rows of the chunk of the nodes `own`, with these second nodes of its pairs.
    pub fn new(own: Range<usize>, seconds: impl Iterator<Item = u32>) -> Self {
        let mut halo = Self::default();
        halo.set(own, seconds);
        halo
    }

    /// Sets what [`Self::new`] does, and keeps its room.
    pub fn set(&mut self, own: Range<usize>, seconds: impl Iterator<Item = u32>) {
        self.nodes.clear();
        self.nodes.extend(seconds.filter(|&j| j as usize >= own.end));
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.own = own;
    }

    /// Makes room for this many nodes of later chunks.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes.saturating_sub(self.nodes.len()));
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.own.len() + self.nodes.len()
    }

    /// Node of a row.
    pub(crate) fn node(&self, row: usize) -> usize {
        if row < self.own.len() { self.own.start + row } else { self.nodes[row - self.own.len()] as usize }
    }

    /// Row of the second node of a pair.
    ///
    /// # Panics
    /// If no pair of the chunk has this node.
    pub fn row_of(&self, node: u32) -> u32 {
        if self.own.contains(&(node as usize)) {
            return node - self.own.start as u32;
        }
        let place = self.nodes.binary_search(&node).expect("the second nodes of all pairs are in the halo");
        (self.own.len() + place) as u32
    }

    /// Sets which entries of each other's halos chunks of `len` nodes gather; `halo` is that of a chunk.
    pub fn link<C>(chunks: &mut [C], len: usize, halo: impl Fn(&mut C) -> &mut Self) {
        chunks.iter_mut().for_each(|chunk| halo(chunk).incoming.clear());
        for from in 0..chunks.len() {
            let nodes = std::mem::take(&mut halo(&mut chunks[from]).nodes);
            let mut start = 0;
            while start < nodes.len() {
                let to = nodes[start] as usize / len;
                let end = start + nodes[start..].partition_point(|&node| node as usize / len == to);
                halo(&mut chunks[to]).incoming.push((from as u32, start as u32..end as u32));
                start = end;
            }
            halo(&mut chunks[from]).nodes = nodes;
        }
    }

    /// Calls `add(row of this chunk, chunk, row of that one)` for each row of other chunks that this one gathers; `halo(chunk)`
    /// is that of another one.
    #[inline(always)]
    pub fn gather<'a>(&self, halo: impl Fn(usize) -> &'a Self, mut add: impl FnMut(usize, usize, usize)) {
        for (from, entries) in &self.incoming {
            let (from, other) = (*from as usize, halo(*from as usize));
            let entries = entries.start as usize..entries.end as usize;
            let first = other.own.len() + entries.start;
            for (k, &node) in other.nodes[entries].iter().enumerate() {
                add(node as usize - self.own.start, from, first + k);
            }
        }
    }
}
