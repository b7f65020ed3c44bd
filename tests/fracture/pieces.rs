use bdem_core::fracture::Pieces;
use proptest::prelude::*;

use crate::common::system::{chain, material};

/// The smallest index that each particle can be reached from, found by walking along the pairs.
fn flooded(particles: usize, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut piece = vec![u32::MAX; particles];
    for first in 0..particles as u32 {
        let mut reached = vec![first];
        while let Some(i) = reached.pop() {
            if piece[i as usize] == u32::MAX {
                piece[i as usize] = first;
                let across = |&[a, b]: &[u32; 2]| [(a, b), (b, a)].into_iter().find(|(from, _)| *from == i);
                reached.extend(pairs.iter().filter_map(across).map(|(_, to)| to));
            }
        }
    }
    piece
}

/// A number of particles, and pairs of them, some more than once.
fn particles_and_pairs() -> impl Strategy<Value = (usize, Vec<[u32; 2]>)> {
    (2u32..60).prop_flat_map(|particles| {
        let pair = (0..particles, 1..particles).prop_map(move |(a, step)| {
            let b = (a + step) % particles;
            [a.min(b), a.max(b)]
        });
        (Just(particles as usize), prop::collection::vec(pair, 0..50))
    })
}

proptest! {
    #[test]
    fn pieces_are_what_a_flood_reaches((particles, pairs) in particles_and_pairs()) {
        let pieces = Pieces::new(particles, pairs.iter().copied());
        let want = flooded(particles, &pairs);
        let size = |piece: u32| want.iter().filter(|&&p| p == piece).count();
        let sizes: Vec<usize> = (0..particles as u32).map(size).collect();
        prop_assert_eq!(&pieces.of_particle, &want);
        prop_assert_eq!(pieces.count, sizes.iter().filter(|&&s| s > 0).count());
        prop_assert_eq!(pieces.largest, sizes.into_iter().max().unwrap());
    }
}

#[test]
fn a_long_chain_is_one_piece_and_a_cut_makes_two() {
    let (mut world, _) = chain(material(1e7, 4e6, 1000.0), 100_000, 0.01);
    let whole = Pieces::of(&world);
    assert_eq!((whole.count, whole.largest), (1, 100_000));
    world.remove_bonds(&[29_999]);
    let halves = Pieces::of(&world);
    assert_eq!((halves.count, halves.largest), (2, 70_000));
    assert_eq!([halves.of_particle[29_999], halves.of_particle[30_000]], [0, 30_000]);
}

#[test]
fn nothing_has_no_pieces() {
    assert_eq!(Pieces::new(0, []), Pieces { of_particle: Vec::new(), count: 0, largest: 0 });
}
