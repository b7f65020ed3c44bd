//! Tests of `crates/core/src/parallel`: each part comes once, and no sum depends on the threads.

mod halo;

use std::sync::atomic::{AtomicU32, Ordering};

use bdem_core::internals::parallel::{self, chunks, chunks_mut, chunks_mut_if_any, each, each_mut};
use rayon::ThreadPoolBuilder;

/// `work` on each of some numbers of threads.
fn on_threads<A: Send>(work: impl Fn() -> A + Sync) -> Vec<A> {
    let on = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(&work);
    [1, 2, 3, 8].into_iter().map(on).collect()
}

/// Terms of sums whose rounding shows their order.
fn term(i: usize) -> f64 {
    1.0 / (1.0 + i as f64) * if i.is_multiple_of(3) { -1e6 } else { 1.0 }
}

#[test]
fn chunks_are_neither_small_nor_many_and_tile_the_nodes() {
    for nodes in [0, 1, 255, 256, 257, 1000, 32_767, 32_768, 32_769, 1_000_003] {
        let ranges: Vec<_> = parallel::chunk_ranges(nodes).collect();
        assert!(ranges.len() <= 128 && ranges.iter().flat_map(Clone::clone).eq(0..nodes), "{nodes}");
        assert!(ranges.iter().rev().skip(1).all(|range| range.len() == parallel::chunk_len(nodes)), "{nodes}");
        assert!(parallel::chunk_len(nodes) >= 256);
    }
}

#[test]
fn sums_have_the_bits_of_the_chunks_in_order() {
    for nodes in [0, 1, 300, 5000, 100_000] {
        let of = |nodes: std::ops::Range<usize>| nodes.map(term).sum::<f64>();
        let by_hand = parallel::chunk_ranges(nodes).map(of).fold(0.0, |sum, part| sum + part);
        for serial_below in [0, usize::MAX] {
            let sums = on_threads(|| parallel::sum_chunks(nodes, serial_below, of));
            assert!(sums.iter().all(|sum| sum.to_bits() == by_hand.to_bits()), "{nodes}: {sums:?}, {by_hand}");
        }
        let values: Vec<f64> = (0..nodes).map(term).collect();
        let of_chunks = |len| parallel::sum(chunks(&values, len), |_, part: &[f64]| part.iter().sum::<f64>());
        let by_hand = values.chunks(70).map(|part| part.iter().sum::<f64>()).fold(0.0, |sum, part| sum + part);
        assert!(on_threads(|| of_chunks(70)).iter().all(|sum| sum.to_bits() == by_hand.to_bits()), "{nodes}");
    }
}

#[test]
fn sums_may_write_to_what_they_sum() {
    let sums = on_threads(|| {
        let (mut a, mut b) = (vec![0.0; 3000], vec![0usize; 3000]);
        let sum = parallel::sum_chunks_of_two(&mut a, &mut b, 0, |first, a, b| {
            let places = (first..).zip(a.iter_mut().zip(b));
            places
                .map(|(i, (a, b))| {
                    (*a, *b) = (term(i), i);
                    *a
                })
                .sum()
        });
        assert!(b.iter().copied().eq(0..3000) && (0..3000).all(|i| a[i] == term(i)));
        let again = parallel::sum_chunks_mut(&mut a, 0, |_, part| part.iter_mut().map(std::mem::take).sum());
        assert!(a.iter().all(|a| *a == 0.0) && again == sum);
        sum
    });
    assert!(sums.iter().all(|sum| *sum == sums[0]));
}

#[test]
fn every_part_comes_once() {
    for count in [0, 1, 7, 1000, 1023] {
        let visits: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
        let mut items = vec![0; count];
        on_threads(|| {
            parallel::for_each_item(each(&visits), 10, |_, visit| {
                visit.fetch_add(1, Ordering::Relaxed);
            })
        });
        parallel::for_each((chunks_mut(&mut items, 10), chunks(&visits, 10)), |k, (items, visits)| {
            let places = (10 * k..).zip(items).zip(visits);
            places.for_each(|((i, item), visit)| *item = i as u32 + visit.load(Ordering::Relaxed));
        });
        assert!(items.iter().copied().eq((0..count as u32).map(|i| i + 4)), "{count}");
        parallel::for_each_chunk(&mut items, 0, |first, part| {
            (first..).zip(part).for_each(|(i, item)| *item -= i as u32)
        });
        assert!(items.iter().all(|item| *item == 4), "{count}");
    }
}

#[test]
fn a_tuple_has_as_many_parts_as_its_shortest_member() {
    let (mut short, long) = (vec![0; 3], vec![5; 30]);
    parallel::for_each((each_mut(&mut short), each(&long), 7..50), |_, (item, five, index)| *item = five + index);
    assert_eq!(short, [12, 13, 14]);
    let mut none: Vec<u8> = Vec::new();
    let empty = |_, (part, k): (&mut [u8], usize)| assert!(part.is_empty() && k < 4);
    parallel::for_each((chunks_mut_if_any(&mut none, 8, 4), 0..4), empty);
}

#[test]
fn maps_keep_their_order() {
    for count in [0, 1, 99, 1234] {
        let squares = on_threads(|| parallel::map(count, 16, |i| i * i));
        let repeated = on_threads(|| {
            parallel::flat_map(count, 16, |range, out| out.extend(range.flat_map(|i| std::iter::repeat_n(i, i % 3))))
        });
        let wanted: Vec<usize> = (0..count).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
        assert!(squares.iter().all(|squares| squares.iter().copied().eq((0..count).map(|i| i * i))), "{count}");
        assert!(repeated.iter().all(|repeated| *repeated == wanted), "{count}");
        let firsts = parallel::map_chunks(count, |range| range.start);
        assert!(firsts.into_iter().eq(parallel::chunk_ranges(count).map(|range| range.start)));
    }
}

#[test]
fn what_is_searched_is_found() {
    for (count, wanted) in [(0, None), (10, None), (5000, Some(2500)), (5000, Some(0)), (5000, Some(4999))] {
        let is_found = |i: usize| wanted.is_some_and(|first| i >= first);
        let found = on_threads(|| parallel::find_first(count, 16, is_found));
        assert!(found.iter().all(|found| *found == wanted), "{found:?}");
        let counted = on_threads(|| parallel::count(count, 16, is_found));
        assert!(counted.iter().all(|n| *n == wanted.map_or(0, |first| count - first)), "{counted:?}");
        let least = on_threads(|| parallel::fold(f64::INFINITY, count, 16, |i| (i as f64 - 77.3).abs(), f64::min));
        let by_hand = (0..count).map(|i| (i as f64 - 77.3).abs()).fold(f64::INFINITY, f64::min);
        assert!(least.iter().all(|least| *least == by_hand), "{least:?}");
    }
}
