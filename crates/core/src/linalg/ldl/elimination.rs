use super::dissection;
use crate::geometry::Vec3;

/// No node.
const NONE: u32 = u32::MAX;

/// Elimination of a matrix of a given pattern: order of the nodes, elimination tree, columns of L (Davis, Direct Methods
/// for Sparse Linear Systems, section 4).
#[derive(Clone, Debug)]
pub struct Elimination {
    /// Node of each place.
    pub(super) order: Vec<u32>,
    /// Parent of each place in the elimination tree, or [`NONE`].
    parent: Vec<u32>,
    /// Starts of the rows of `below`, and one more.
    row_start: Vec<u32>,
    /// Entries left of the diagonal.
    below: Vec<Below>,
    /// Starts of the columns of L, and one more.
    pub(super) column_start: Vec<usize>,
}

/// Entry of the matrix left of the diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    /// Place of the column.
    pub(super) column: u32,
    /// Index of the edge.
    pub(super) edge: u32,
    /// Whether the column is the first end of the edge.
    pub(super) from_first: bool,
}

impl Elimination {
    /// Elimination of a matrix with an entry for each of `edges`, and a diagonal. The nodes are at `x` (m), one a row;
    /// they determine the order alone.
    ///
    /// # Panics
    /// When an edge has a node without position, or joins a node with itself.
    pub fn new(x: &[Vec3], edges: &[[u32; 2]]) -> Self {
        let mut neighbours = vec![Vec::new(); x.len()];
        for &[a, b] in edges {
            assert_ne!(a, b, "an edge joins two nodes");
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let order = dissection::order(x, &neighbours);
        let (row_start, below) = rows(&order, edges);
        let mut elimination = Self { parent: vec![NONE; x.len()], order, row_start, below, column_start: Vec::new() };
        elimination.grow_tree();
        elimination.count_columns();
        elimination
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.order.len()
    }

    /// Number of entries of L below its diagonal.
    pub fn entries(&self) -> usize {
        self.column_start[self.nodes()]
    }

    pub(super) fn row(&self, place: usize) -> &[Below] {
        &self.below[self.row_start[place] as usize..self.row_start[place + 1] as usize]
    }

    fn grow_tree(&mut self) {
        let mut ancestor = vec![NONE; self.nodes()];
        for place in 0..self.nodes() {
            for k in self.row_start[place] as usize..self.row_start[place + 1] as usize {
                let mut at = self.below[k].column;
                while at != NONE && at != place as u32 {
                    let next = std::mem::replace(&mut ancestor[at as usize], place as u32);
                    if next == NONE {
                        self.parent[at as usize] = place as u32;
                    }
                    at = next;
                }
            }
        }
    }

    fn count_columns(&mut self) {
        let mut count = vec![0; self.nodes() + 1];
        let mut reach = Reach::new(self.nodes());
        for place in 0..self.nodes() {
            reach.update(self, place).iter().for_each(|&column| count[column as usize + 1] += 1);
        }
        (1..count.len()).for_each(|k| count[k] += count[k - 1]);
        self.column_start = count;
    }
}

/// Rows of the entries left of the diagonal, in the order of elimination.
fn rows(order: &[u32], edges: &[[u32; 2]]) -> (Vec<u32>, Vec<Below>) {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &node)| place[node as usize] = k as u32);
    let mut rows = vec![Vec::new(); order.len()];
    for (edge, ends) in edges.iter().enumerate() {
        let [a, b] = ends.map(|node| place[node as usize]);
        let (column, row) = (a.min(b), a.max(b));
        rows[row as usize].push(Below { column, edge: edge as u32, from_first: a < b });
    }
    let mut starts = vec![0; order.len() + 1];
    rows.iter().enumerate().for_each(|(k, row)| starts[k + 1] = starts[k] + row.len() as u32);
    (starts, rows.concat())
}

/// Columns of a row of L: all places on the paths of the elimination tree from the row's entries to the row.
pub(super) struct Reach {
    /// Row that met each place last.
    met: Vec<u32>,
    columns: Vec<u32>,
}

impl Reach {
    pub(super) fn new(nodes: usize) -> Self {
        Self { met: vec![NONE; nodes], columns: Vec::new() }
    }

    /// Columns of row `place`, in ascending order.
    pub(super) fn update(&mut self, elimination: &Elimination, place: usize) -> &[u32] {
        self.columns.clear();
        self.met[place] = place as u32;
        for below in elimination.row(place) {
            let mut at = below.column;
            while self.met[at as usize] != place as u32 {
                self.met[at as usize] = place as u32;
                self.columns.push(at);
                at = elimination.parent[at as usize];
            }
        }
        // an ancestor is behind its descendants
        self.columns.sort_unstable();
        &self.columns
    }
}
