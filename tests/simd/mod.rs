//! Lanes against plain numbers: every operation, bit for bit.

mod traced;

use bdem_core::simd::{InstructionSet, Kernel, Lanes, Row8, Singles};
use proptest::prelude::*;

/// What the operations make of eight pairs of numbers.
#[derive(Debug, Default, PartialEq)]
struct Results {
    values: [[u64; 8]; 11],
    not_below: u32,
    columns: [[u64; 8]; 8],
    sums: [[u64; 8]; 9],
}

/// Every operation on eight pairs of numbers.
#[derive(Clone, Copy)]
struct Operate<'a> {
    a: &'a [f64; 8],
    b: &'a [f64; 8],
    rows: &'a [Row8],
    index: &'a [u32; 8],
}

impl Kernel for Operate<'_> {
    type Output = Results;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Results {
        let mut out = Results::default();
        operate::<L>(self, &mut out);
        out
    }
}

#[inline(always)]
fn operate<L: Lanes>(Operate { a, b, rows, index }: Operate, out: &mut Results) {
    let mut sums = [Row8::ZERO; 9];
    for part in (0..8).step_by(L::COUNT) {
        let (x, y) = (L::load(&a[part..]), L::load(&b[part..]));
        let (mut more, mut less) = (x, x);
        more += y;
        less -= y;
        let results =
            [x + y, x * y, x / y, -x, more - less, x.sqrt(), x.abs(), x.sign(), L::splat(a[0]), y.inverse_sqrt()];
        for (k, result) in results.into_iter().enumerate() {
            put(result, &mut out.values[k], part);
        }
        out.not_below |= x.not_below(y) << part;
        put(L::from_bits(x.not_below(y)), &mut out.values[10], part);
        let columns = L::columns(rows, &index[part..]);
        for (k, column) in columns.into_iter().enumerate() {
            put(column, &mut out.columns[k], part);
        }
        let turned = L::rows(columns);
        for lane in 0..L::COUNT {
            L::add_row(&turned, lane, &mut sums[part + lane]);
            L::add_row(&turned, lane, &mut sums[8]);
        }
    }
    for (out, sum) in out.sums.iter_mut().zip(sums) {
        *out = sum.0.map(f64::to_bits);
    }
}

#[inline(always)]
fn put<L: Lanes>(lanes: L, to: &mut [u64; 8], part: usize) {
    let mut values = [0.0; 8];
    lanes.store(&mut values);
    for lane in 0..L::COUNT {
        to[part + lane] = values[lane].to_bits();
    }
}

/// What the operations make of eight pairs of single numbers, and of eight rows.
type SingleResults = [[f32; 8]; 33];

/// Every operation on eight pairs of single numbers.
struct OperateSingles<'a> {
    a: &'a [f64; 8],
    b: &'a [f64; 8],
    rows: &'a [[f32; 8]; 8],
}

impl Kernel for OperateSingles<'_> {
    type Output = SingleResults;

    #[inline(always)]
    fn run<L: Lanes>(self) -> SingleResults {
        operate_singles::<L>(self)
    }
}

#[inline(always)]
fn operate_singles<L: Lanes>(OperateSingles { a, b, rows }: OperateSingles) -> SingleResults {
    type S<L> = <L as Lanes>::Singles;
    let (x, y) = (S::<L>::rounded(a), S::<L>::rounded(b));
    let (mut more, mut less) = (x, x);
    more += y;
    less -= y;
    let numbers = [x, x + y, x - y, x * y, x / y, -x, more * less, x.sqrt(), x.max(S::<L>::splat(2.0))];
    let columns = S::<L>::columns(std::array::from_fn(|k| &rows[k]));
    let mut out = [[0.0; 8]; 33];
    let sums = [x; 8];
    for (result, out) in numbers.into_iter().chain(columns).chain(S::<L>::rows(columns)).chain(sums).zip(&mut out) {
        result.store(out);
    }
    for (row, out) in S::<L>::rows(columns).into_iter().zip(&mut out[25..]) {
        row.add_to(out);
    }
    out
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -1e3f64..1e3, 1 => Just(0.0), 1 => Just(-0.0), 1 => Just(f64::INFINITY)]
}

proptest! {
    #[test]
    fn every_level_does_what_plain_numbers_do(
        a in prop::array::uniform8(number()),
        b in prop::array::uniform8(1e-3f64..1e3),
        entries in prop::collection::vec(prop::array::uniform8(number()), 20),
        index in prop::array::uniform8(0u32..20),
    ) {
        // roots of what is negative are NaN, whose sign is the machine's own affair
        let a = a.map(f64::abs);
        let rows: Vec<Row8> = entries.into_iter().map(Row8).collect();
        let operate = Operate { a: &a, b: &b, rows: &rows, index: &index };
        let plain = InstructionSet::Plain.run(operate);
        for instructions in InstructionSet::available() {
            let there = instructions.run(operate);
            prop_assert!(same(&there, &plain), "{:?}", instructions);
        }
        let singles: [[f32; 8]; 8] = std::array::from_fn(|k| rows[k].0.map(|value| value as f32));
        let operate = || OperateSingles { a: &a, b: &b, rows: &singles };
        let plain_singles = InstructionSet::Plain.run(operate());
        for instructions in InstructionSet::available() {
            let there = instructions.run(operate());
            prop_assert!(same_singles(&there, &plain_singles), "{:?}", instructions);
        }
        for lane in 0..8 {
            let [x, y] = [a[lane] as f32, b[lane] as f32];
            prop_assert_eq!(plain_singles[1][lane].to_bits(), (x + y).to_bits());
            prop_assert_eq!(plain_singles[8][lane].to_bits(), x.max(2.0).to_bits());
            prop_assert_eq!(plain_singles[9 + 2][lane].to_bits(), singles[lane][2].to_bits());
            prop_assert_eq!(plain_singles[17 + 2][lane].to_bits(), singles[2][lane].to_bits());
            prop_assert_eq!(plain.values[0][lane], (a[lane] + b[lane]).to_bits());
            prop_assert_eq!(plain.values[2][lane], (a[lane] / b[lane]).to_bits());
            prop_assert_eq!(plain.values[10][lane], f64::from(a[lane] >= b[lane]).to_bits());
            prop_assert_eq!(plain.columns[3][lane], rows[index[lane] as usize].0[3].to_bits());
        }
    }
}

/// Equal, but for which NaN it is.
fn same_singles(a: &SingleResults, b: &SingleResults) -> bool {
    let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    a.as_flattened().iter().zip(b.as_flattened()).all(same)
}

/// Equal, but for which NaN it is.
fn same(a: &Results, b: &Results) -> bool {
    let same = |a: &u64, b: &u64| a == b || (f64::from_bits(*a).is_nan() && f64::from_bits(*b).is_nan());
    let all = |a: &[[u64; 8]], b: &[[u64; 8]]| a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| same(a, b));
    all(&a.values, &b.values) && a.not_below == b.not_below && all(&a.columns, &b.columns) && all(&a.sums, &b.sums)
}

#[test]
fn what_is_not_a_number_is_not_below() {
    let [mut a, b] = [[0.0; 8], [1.0; 8]];
    a[3] = f64::NAN;
    a[6] = 2.0;
    for instructions in InstructionSet::available() {
        let operate = Operate { a: &a, b: &b, rows: &[Row8::ZERO], index: &[0; 8] };
        assert_eq!(instructions.run(operate).not_below, 0b0100_1000, "{instructions:?}");
    }
}
