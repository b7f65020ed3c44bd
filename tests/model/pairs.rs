use std::collections::BTreeSet;

use bdem_core::model::{Pair, PairChunks, pairs_of};
use proptest::prelude::*;

/// Up to some thousand particles, which is several chunks, and sorted pairs of them, near and far.
fn particles_and_pairs() -> impl Strategy<Value = (usize, Vec<[u32; 2]>)> {
    (2u32..5000).prop_flat_map(|particles| {
        let far = (0..particles, 1..particles).prop_map(move |(a, step)| [a, (a + step) % particles]);
        let near = (1..particles).prop_map(|b| [b - 1, b]);
        let sorted = prop_oneof![far, near].prop_map(|[a, b]| [a.min(b), a.max(b)]);
        let list = prop::collection::vec(sorted, 0..300);
        let unique = list.prop_map(|pairs| pairs.into_iter().collect::<BTreeSet<_>>().into_iter().collect());
        (Just(particles as usize), unique)
    })
}

/// What a pair adds to its particles: whole numbers, so that every order of adding gives the same sum.
fn term(k: usize, [i, j]: [usize; 2]) -> [f64; 2] {
    [(7 * k + i) as f64, (3 * k + 2 * j) as f64]
}

proptest! {
    #[test]
    fn scatter_and_sum_are_the_naive_loops((particles, pairs) in particles_and_pairs()) {
        let chunks = PairChunks::new(particles, &pairs);
        let mut want = vec![0.0; particles];
        for (k, pair) in pairs.iter().enumerate() {
            let [to_i, to_j] = term(k, pair.ends());
            want[pair.ends()[0]] += to_i;
            want[pair.ends()[1]] += to_j;
        }
        let mut out = vec![1.0; particles];
        let energy = chunks.scatter(&pairs, &mut out, |k, pair| {
            let [to_i, to_j] = term(k, pair.ends());
            (k as f64, to_i, to_j)
        });
        prop_assert_eq!(out, want);
        let numbers = (0..pairs.len()).sum::<usize>() as f64;
        prop_assert_eq!(energy, numbers);
        prop_assert_eq!(chunks.sum(&pairs, |k, _| k as f64), numbers);
    }

    #[test]
    fn pairs_of_some_firsts_are_those_a_filter_finds(
        (particles, pairs) in particles_and_pairs(),
        every in 1usize..7,
    ) {
        let firsts: Vec<u32> = (0..particles as u32).step_by(every).collect();
        let found: Vec<_> = pairs_of(&pairs, &firsts).collect();
        let wanted: Vec<_> = pairs.iter().enumerate().filter(|(_, [i, _])| i % every as u32 == 0).collect();
        prop_assert_eq!(found, wanted);
    }

    /// Each end of each pair is shown once as a part's own, to the part whose particles it is of, in the list's order.
    #[test]
    fn visit_shows_every_end_to_its_owner((particles, pairs) in particles_and_pairs()) {
        let chunks = PairChunks::new(particles, &pairs);
        let ranges: Vec<_> = chunks.ranges().collect();
        prop_assert_eq!(ranges.iter().cloned().flatten().collect::<Vec<_>>(), (0..particles).collect::<Vec<_>>());
        let mut seen = vec![Vec::new(); ranges.len()];
        chunks.visit(&pairs, seen.iter_mut().collect(), |seen: &mut &mut Vec<_>, k, pair, own| {
            assert_eq!(*pair, pairs[k]);
            seen.push((k, own));
        });
        for (range, seen) in ranges.iter().zip(&mut seen) {
            seen.sort_by_key(|&(k, _)| k);
            let own = |pair: &[u32; 2]| pair.ends().map(|end| range.contains(&end));
            let touching = pairs.iter().map(own).enumerate().filter(|(_, own)| own[0] || own[1]);
            prop_assert_eq!(&*seen, &touching.collect::<Vec<_>>());
        }
    }
}

#[test]
fn no_particles_and_no_pairs_are_no_work() {
    let chunks = PairChunks::new(0, &[] as &[[u32; 2]]);
    assert_eq!(chunks.ranges().count(), 0);
    assert_eq!(chunks.scatter(&[] as &[[u32; 2]], &mut [] as &mut [f64], |_, _| (1.0, 1.0, 1.0)), 0.0);
}

#[test]
#[should_panic(expected = "pairs of these particles, sorted")]
fn pairs_of_particles_beyond_the_last_are_refused() {
    PairChunks::new(10, &[[3, 4], [5, 10]]);
}

#[test]
#[should_panic(expected = "pairs of these particles, sorted")]
fn pairs_out_of_order_are_refused() {
    PairChunks::new(10, &[[3, 4], [2, 5]]);
}
