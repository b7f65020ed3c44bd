use bdem_core::internals::parallel::Halo;
use proptest::prelude::*;

/// Nodes per chunk.
const LEN: usize = 16;

/// Sums over `pairs` (i, j), i < j, of each node's terms, by chunks and halos.
fn by_halos(nodes: usize, pairs: &[[u32; 2]]) -> Vec<f64> {
    let own = |chunk: usize| chunk * LEN..((chunk + 1) * LEN).min(nodes);
    let of = |chunk: usize| pairs.iter().filter(move |[i, _]| own(chunk).contains(&(*i as usize)));
    let halo = |chunk| Halo::new(own(chunk), of(chunk).map(|pair| pair[1]));
    let mut halos: Vec<Halo> = (0..nodes.div_ceil(LEN)).map(halo).collect();
    Halo::link(&mut halos, LEN, |halo| halo);
    let rows = |(chunk, halo): (usize, &Halo)| {
        let mut rows = vec![0.0; halo.rows()];
        of(chunk).for_each(|&[i, j]| {
            rows[halo.row_of(i) as usize] += term(i, j);
            rows[halo.row_of(j) as usize] -= term(i, j);
        });
        rows
    };
    let rows: Vec<Vec<f64>> = halos.iter().enumerate().map(rows).collect();
    let mut sums = vec![0.0; nodes];
    for (chunk, halo) in halos.iter().enumerate() {
        let sums = &mut sums[own(chunk)];
        sums.copy_from_slice(&rows[chunk][..sums.len()]);
        halo.gather(|other| &halos[other], |row, other, there| sums[row] += rows[other][there]);
    }
    sums
}

/// A whole number, so that sums are exact in any order.
fn term(i: u32, j: u32) -> f64 {
    f64::from(1000 * i + j)
}

proptest! {
    /// Pairs within a chunk, of neighbouring and of distant chunks; nodes without pairs.
    #[test]
    fn what_chunks_gather_is_the_sum_over_all_pairs(
        nodes in 1usize..200,
        ends in prop::collection::vec((0u32..200, 0u32..200), 0..400),
    ) {
        let within = |(i, j): (u32, u32)| [i.min(j) % nodes as u32, i.max(j) % nodes as u32];
        let pairs: Vec<[u32; 2]> = ends.into_iter().map(within).filter(|[i, j]| i < j).collect();
        let mut wanted = vec![0.0; nodes];
        for &[i, j] in &pairs {
            wanted[i as usize] += term(i, j);
            wanted[j as usize] -= term(i, j);
        }
        prop_assert_eq!(by_halos(nodes, &pairs), wanted);
    }
}

#[test]
#[should_panic(expected = "the second nodes of all pairs are in the halo")]
fn a_node_of_no_pair_has_no_row() {
    Halo::new(0..4, [5, 9].into_iter()).row_of(7);
}
