//! Aggregation: the partition of a level's nodes into nodes of the next coarser level.

use sprs::CsMatI;

use crate::linalg::RowSource;
use crate::parallel::{self, map_chunks};

/// Strength of coupling: row i holds the neighbours j of node i and the strength of each.
pub type Graph = CsMatI<f32, u32>;

/// A partition of some of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregates {
    /// Aggregate of each node; `None` for a node that is in none.
    pub of: Vec<Option<u32>>,
    /// Number of aggregates.
    pub count: usize,
}

/// Graph of strong couplings, |A_ij|^2/(|A_ii| |A_jj|) in the Frobenius norm, above a threshold. Nodes whose `skip` is
/// true have none.
pub fn coupling_graph(matrix: &impl RowSource, skip: &[bool]) -> Graph {
    /// Threshold of strength. Bonds of all stiffnesses pass, even under large inertia; zero blocks and rounding do not.
    const MIN_STRENGTH: f64 = 1e-6;
    let nodes = matrix.nodes();
    let sizes = parallel::map(nodes, 256, |i| matrix.diagonal(i).norm_squared());
    let parts = map_chunks(nodes, |nodes| {
        let (mut ends, mut couplings) = (Vec::with_capacity(nodes.len()), Vec::new());
        for rows in matrix.pieces(nodes) {
            for i in rows.range() {
                for (j, block) in rows.row(i).filter(|&(j, _)| i != j && !skip[i] && !skip[j]) {
                    let strength = block.norm_squared() / (sizes[i] * sizes[j]).sqrt();
                    if strength > MIN_STRENGTH {
                        couplings.push((j as u32, strength as f32));
                    }
                }
                ends.push(couplings.len() as u32);
            }
        }
        (ends, couplings)
    });
    let mut starts = Vec::with_capacity(nodes + 1);
    starts.push(0);
    for (ends, _) in &parts {
        let before = starts[starts.len() - 1];
        starts.extend(ends.iter().map(|end| before + end));
    }
    let (neighbours, strengths) = parts.into_iter().flat_map(|(_, couplings)| couplings).unzip();
    CsMatI::new((nodes, nodes), starts, neighbours, strengths)
}

/// Greedy aggregation (Vanek et al., algorithm 5.1). First, a node without aggregated neighbours forms an aggregate
/// with all of them. Then a remaining node joins the aggregate of its strongest coupling. Remaining nodes without an
/// aggregated neighbour form aggregates of their own. A node without neighbours is in none.
pub fn aggregate(graph: &Graph) -> Aggregates {
    let mut aggregates = Aggregates { of: vec![None; graph.rows()], count: 0 };
    aggregates.seed(graph, |of, neighbours| neighbours.iter().all(|&j| of[j as usize].is_none()));
    aggregates.join(graph);
    aggregates.seed(graph, |_, _| true);
    aggregates
}

impl Aggregates {
    /// Makes an aggregate of each free node for which `may` (given the aggregates and its neighbours), with its free
    /// neighbours.
    fn seed(&mut self, graph: &Graph, may: impl Fn(&[Option<u32>], &[u32]) -> bool) {
        for (i, row) in graph.outer_iterator().enumerate() {
            if row.nnz() == 0 || self.of[i].is_some() || !may(&self.of, row.indices()) {
                continue;
            }
            let aggregate = Some(self.count as u32);
            self.count += 1;
            self.of[i] = aggregate;
            for &j in row.indices() {
                self.of[j as usize] = self.of[j as usize].or(aggregate);
            }
        }
    }

    /// Adds every free node to the seeded aggregate with the largest sum of couplings.
    fn join(&mut self, graph: &Graph) {
        let seeded = self.of.clone();
        let mut sums = vec![0.0f32; self.count];
        for (i, row) in graph.outer_iterator().enumerate().filter(|&(i, _)| seeded[i].is_none()) {
            let coupled = || row.iter().filter_map(|(j, &strength)| Some((seeded[j]? as usize, strength)));
            coupled().for_each(|(aggregate, strength)| sums[aggregate] += strength);
            // Ties go to the highest number, so that the order of the neighbours does not matter.
            let best =
                coupled().map(|(aggregate, _)| aggregate).max_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(a.cmp(&b)));
            self.of[i] = best.map(|aggregate| aggregate as u32);
            coupled().for_each(|(aggregate, _)| sums[aggregate] = 0.0);
        }
    }
}
