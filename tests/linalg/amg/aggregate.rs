use bdem_core::internals::linalg::amg::{Graph, aggregate, coupling_graph};

use crate::linalg::beam::Beam;

/// The graph of the given edges, all as strong.
fn graph(nodes: usize, edges: &[[u32; 2]]) -> Graph {
    let mut rows = vec![Vec::new(); nodes];
    for &[i, j] in edges {
        rows[i as usize].push(j);
        rows[j as usize].push(i);
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    let starts = (0..=nodes).map(|end| rows[..end].iter().map(Vec::len).sum::<usize>() as u32).collect();
    let neighbours: Vec<u32> = rows.concat();
    let strengths = vec![1.0; neighbours.len()];
    Graph::new((nodes, nodes), starts, neighbours, strengths)
}

#[test]
fn a_chain_falls_into_threes() {
    let chain: Vec<_> = (0..8).map(|i| [i, i + 1]).collect();
    let aggregates = aggregate(&graph(9, &chain));
    // Seeds 0 and 3 take what they touch; 2 and 5 are between two and go to the later; 6 seeds again.
    assert_eq!(aggregates.of.iter().map(|a| a.expect("coupled")).collect::<Vec<_>>(), [0, 0, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(aggregates.count, 3);
}

#[test]
fn a_node_without_neighbours_is_in_none() {
    let aggregates = aggregate(&graph(4, &[[0, 2]]));
    assert_eq!((aggregates.of, aggregates.count), (vec![Some(0), None, Some(0), None], 1));
}

#[test]
fn skipped_nodes_and_zero_blocks_couple_nothing() {
    let beam = Beam::small();
    let mut matrix = beam.matrix(20.0).cast();
    let skip: Vec<bool> = (0..beam.nodes()).map(|i| i % 7 == 0).collect();
    let cut = 100;
    let slots = matrix.rows().slots(cut);
    let diagonal = matrix.diagonal_slots()[cut] as usize;
    slots.filter(|&slot| slot != diagonal).for_each(|slot| matrix.blocks_mut()[slot] = Default::default());
    let graph = coupling_graph(&matrix, &skip);
    for (i, row) in graph.outer_iterator().enumerate() {
        assert!(row.nnz() == 0 || !(skip[i] || i == cut));
        assert!(row.indices().iter().all(|&j| !skip[j as usize]));
    }
}

#[test]
fn aggregates_of_a_packing_hold_a_dozen_or_more() {
    let beam = Beam::peers();
    let aggregates = aggregate(&coupling_graph(&beam.matrix(20.0).cast(), &beam.held));
    let taken = aggregates.of.iter().flatten().count();
    assert_eq!(taken, beam.held.iter().filter(|held| !**held).count());
    assert!((10..20).contains(&(taken / aggregates.count)), "{}", taken / aggregates.count);
}
