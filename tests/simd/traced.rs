//! Numbers that record: folding, sharing, and bases apart from changes.

use bdem_core::simd::traced::{NotRecordable, Op, Recording, Traced};
use bdem_core::simd::{Lanes, Row8};

fn recorded(of: impl FnOnce(Traced, Traced) -> Vec<Traced>) -> Recording {
    Recording::new(|| of(Traced::input(0), Traced::input(1))).expect("it is a function of lanes")
}

fn splat(value: f64) -> Traced {
    Traced::splat(value)
}

#[test]
fn constants_are_folded_and_equal_operations_shared() {
    let constant = recorded(|x, _| vec![splat(2.0) * splat(3.0) + x * splat(0.0), x - x, x / x, -(-x)]);
    assert_eq!(constant.count(), 0);
    assert_eq!(constant.evaluate(&[7.0, 0.0]), [6.0, 0.0, 1.0, 7.0]);
    // x y + 1 once, and a product
    let shared = recorded(|x, y| vec![(x * y + splat(1.0)) * (splat(1.0) + y * x)]);
    assert_eq!(shared.count(), 3);
    assert_eq!(shared.evaluate(&[2.0, 5.0]), [121.0]);
    assert_eq!(recorded(|x, y| vec![(x + y) - y, (x - y) + y]).count(), 0);
}

#[test]
fn results_alone_are_kept() {
    let recording = recorded(|x, y| {
        let _ = x.sqrt() / y;
        vec![x + y]
    });
    assert_eq!(recording.ops.len(), 3);
}

#[test]
fn bases_cancel() {
    // a change of 1e-30 beside 1 is lost in a sum, but not beside it
    let of = |x: Traced, change: Traced| {
        let near = Traced::near(x, change);
        let squared = near * near - x * x;
        let inverse = splat(1.0) / near - splat(1.0) / x;
        vec![near - x, squared, inverse, near.sqrt() - x.sqrt()]
    };
    let results = recorded(of).evaluate(&[1.0, 1e-30]);
    for (result, slope) in results.into_iter().zip([1.0, 2.0, -1.0, 0.5]) {
        assert!((result / (slope * 1e-30) - 1.0).abs() < 1e-15, "{result}");
    }
    // comparisons with the base, too
    let below = recorded(|x, change| vec![Traced::near(x, change).pick_below(x, splat(1.0), splat(2.0))]);
    assert_eq!(below.evaluate(&[1.0, -1e-30]), [1.0]);
}

#[test]
fn memory_holds_numbers() {
    let through = recorded(|x, y| {
        let mut row = Row8([0.0; 8]);
        let rows = Traced::rows([x, y, x * y, splat(4.0), x, x, x, x]);
        Traced::store_row(&rows, 0, &mut row);
        Traced::add_row(&rows, 0, &mut row);
        let mut eight = [0.0; 8];
        y.store(&mut eight);
        let [a, b, c, d, ..] = Traced::columns(&[row], &[0]);
        vec![a, b, c, d, Traced::load(&eight)]
    });
    assert_eq!(through.evaluate(&[3.0, 5.0]), [6.0, 10.0, 30.0, 8.0, 5.0]);
}

#[test]
fn masks_are_open_or_forked() {
    // neither short cut is taken
    let open = recorded(|x, y| {
        let bits = x.not_below(y);
        assert!(bits != 0 && bits != 1);
        vec![x.pick_below(y, x, y)]
    });
    assert_eq!([open.evaluate(&[1.0, 2.0]), open.evaluate(&[3.0, 2.0])], [[1.0], [2.0]]);
    let forked = recorded(|x, y| {
        Traced::all_paths(|| {
            let (a, b) = (x.not_below(y), x.not_below(splat(0.0)));
            vec![Traced::from_bits(a & b), if a == 1 { x * y } else { splat(7.0) }]
        })
    });
    for (x, y) in [(1.0, 2.0), (-1.0, -2.0), (3.0, 2.0), (-1.0, 2.0), (2.0, 2.0)] {
        let (a, b) = (x >= y, x >= 0.0);
        let expected = [f64::from(u8::from(a && b)), if a { x * y } else { 7.0 }];
        assert_eq!(forked.evaluate(&[x, y]), expected, "{x} {y}");
    }
}

#[test]
fn halves_are_those_of_pairs() {
    let halves = recorded(|x, y| Traced::with_halves(x, y).halves().to_vec());
    assert_eq!(halves.evaluate(&[1.0, 2.0]), [1.0, 2.0]);
    let refused = Recording::new(|| Traced::input(0).halves().to_vec());
    assert_eq!(refused, Err(NotRecordable::Halves));
}

#[test]
fn refusals_have_reasons() {
    let of = |of: fn(Traced) -> Traced| Recording::new(|| vec![of(Traced::input(0))]).expect_err("it does not record");
    assert_eq!(of(|x| Traced::load(&[x.boxed() * 2.0])), NotRecordable::OutsideLanes);
    assert_eq!(of(|x| Traced::from_bits(x.not_below(splat(0.0)))), NotRecordable::Bits);
    assert_eq!(of(|x| x + splat(-1.0).sqrt()), NotRecordable::NotANumber);
    let stored = of(|x| {
        x.store(&mut [0.0; 8]);
        x
    });
    assert_eq!(stored, NotRecordable::Stored);
    // a recording after one that was refused begins anew
    assert_eq!(recorded(|x, _| vec![x]).ops, [Op::Input(0)]);
}
