//! Derivatives of 1/r and translations of multipoles with them, in vector lanes.

use super::order::{MAX_ORDER, minus, plus};
use crate::simd::dispatch;
use crate::simd::{Lanes, Row8};

/// Maximum number of derivatives with c < 3, 3n of degree n > 0.
const MAX_DERIVATIVES: usize = 1 + 3 * MAX_ORDER * (MAX_ORDER + 1) / 2;

/// Maximum number of harmonic multi-indices.
const MAX_HARMONICS: usize = (MAX_ORDER + 1) * (MAX_ORDER + 1);

/// Recurrences of the derivatives of 1/r, and the derivatives that translations use.
#[derive(Debug)]
pub(super) struct DerivativeTables {
    rules: Vec<Rule>,
    /// Place of the derivative n + k, for each harmonic k and each harmonic n up to degree p - |k|.
    taken: Vec<u16>,
    /// Number of these n, for each harmonic k.
    count: Vec<u16>,
}

/// Recurrence of one derivative.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// `(sum first_i x_i f_i + sum second_i f_i)/r^2` over lower derivatives f_i: signed factors, and places of f_i.
    Recurrence { to: u16, first: [(f64, u16); 3], second: [(f64, u16); 2] },
    /// Minus the sum of two others, as the Laplacian is zero.
    Laplace { to: u16, of: [u16; 2] },
}

impl DerivativeTables {
    pub(super) fn new(p: usize) -> Self {
        let mut rules = Vec::new();
        for n in 1..=p {
            for c in 0..3.min(n + 1) {
                rules.extend((0..=n - c).map(|b| rule([n - b - c, b, c])));
            }
        }
        let harmonic = |p: usize| {
            (0..=p).flat_map(|n| (0..2.min(n + 1)).flat_map(move |c| (0..=n - c).map(move |b| [n - b - c, b, c])))
        };
        let sum = |k: [usize; 3], n: [usize; 3]| place([k[0] + n[0], k[1] + n[1], k[2] + n[2]]);
        let degree = |k: [usize; 3]| k.iter().sum::<usize>();
        let taken = harmonic(p).flat_map(|k| harmonic(p - degree(k)).map(move |n| sum(k, n))).collect();
        let count = harmonic(p).map(|k| ((p + 1 - degree(k)) * (p + 1 - degree(k))) as u16).collect();
        Self { rules, taken, count }
    }
}

/// Place among derivatives with c < 3.
fn place([a, b, c]: [usize; 3]) -> u16 {
    let n = a + b + c;
    let first = if n == 0 { 0 } else { 1 + 3 * n * (n - 1) / 2 };
    (first + (0..c).map(|c| n - c + 1).sum::<usize>() + b) as u16
}

/// With f = 1/r and n the degree of k: n r^2 f_k + (2n - 1) sum k_i x_i f_{k-e_i} + (n - 1) sum k_i (k_i - 1)
/// f_{k-2e_i} = 0.
fn rule(k: [usize; 3]) -> Rule {
    let (to, n) = (place(k), k.iter().sum::<usize>() as f64);
    if k[2] == 2 {
        let less = minus(k, 2, 2);
        return Rule::Laplace { to, of: [place(plus(less, 0, 2)), place(plus(less, 1, 2))] };
    }
    let lower = |axis: usize, by: usize, factor: f64| {
        if k[axis] < by { (0.0, 0) } else { (factor, place(minus(k, axis, by))) }
    };
    let first = [0, 1, 2].map(|axis| lower(axis, 1, -(2.0 * n - 1.0) / n * k[axis] as f64));
    let second = [0, 1].map(|axis| lower(axis, 2, -(n - 1.0) / n * (k[axis] * k[axis] - k[axis]) as f64));
    Rule::Recurrence { to, first, second }
}

dispatch! {
    /// Adds to `out` (harmonic, about `centre`) the potential of the multipoles of cells `sources`, a multiple of eight.
    /// `centres` has a row (x, y, z) a cell; `rows` has a row of eight harmonic moments a cell, for each eight.
    pub(super) fn translate<'a>(
        tables: &DerivativeTables,
        centre: [f64; 3],
        centres: &[Row8],
        rows: &[Vec<Row8>],
        sources: &[u32],
        out: &'a mut [f64],
    ) = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(
    tables: &DerivativeTables,
    centre: [f64; 3],
    centres: &[Row8],
    rows: &[Vec<Row8>],
    sources: &[u32],
    out: &mut [f64],
) {
    let zero = L::splat(0.0);
    let mut derivatives = [zero; MAX_DERIVATIVES];
    let mut moments = [zero; MAX_HARMONICS + 8];
    for part in (0..8).step_by(L::COUNT) {
        let mut sums = [zero; MAX_HARMONICS];
        for eight in sources.chunks_exact(8) {
            let cells = &eight[part..];
            let [x, y, z, ..] = L::columns(centres, cells);
            let r = [L::splat(centre[0]) - x, L::splat(centre[1]) - y, L::splat(centre[2]) - z];
            derive(&tables.rules, r, &mut derivatives);
            for (k, rows) in rows.iter().enumerate() {
                let columns = L::columns(rows, cells);
                for (n, column) in columns.into_iter().enumerate() {
                    moments[8 * k + n] = column;
                }
            }
            let mut taken = &tables.taken[..];
            for (k, &count) in tables.count.iter().enumerate() {
                let (now, rest) = taken.split_at(usize::from(count));
                taken = rest;
                sums[k] += contract(now, &derivatives, &moments);
            }
        }
        for (sum, out) in sums.iter().zip(&mut *out) {
            let mut lanes = [0.0; 8];
            sum.store(&mut lanes);
            for lane in &lanes[..L::COUNT] {
                *out += lane;
            }
        }
    }
}

/// All derivatives of 1/r at `x`.
#[inline(always)]
fn derive<L: Lanes>(rules: &[Rule], x: [L; 3], out: &mut [L; MAX_DERIVATIVES]) {
    let squared = x[2].mul_add(x[2], x[1].mul_add(x[1], x[0] * x[0]));
    let inverse = squared.inverse_sqrt();
    let inverse_squared = inverse * inverse;
    let scaled = [x[0] * inverse_squared, x[1] * inverse_squared, x[2] * inverse_squared];
    out[0] = inverse;
    for rule in rules {
        match rule {
            Rule::Recurrence { to, first, second } => {
                let mut sum = L::splat(0.0);
                for axis in 0..3 {
                    let (factor, of) = first[axis];
                    if factor != 0.0 {
                        sum = (L::splat(factor) * scaled[axis]).mul_add(out[usize::from(of)], sum);
                    }
                }
                for (factor, of) in second {
                    if *factor != 0.0 {
                        sum = (L::splat(*factor) * inverse_squared).mul_add(out[usize::from(*of)], sum);
                    }
                }
                out[usize::from(*to)] = sum;
            }
            Rule::Laplace { to, of } => out[usize::from(*to)] = -(out[usize::from(of[0])] + out[usize::from(of[1])]),
        }
    }
}

/// Sum of products; four sums in turns, so that one need not wait for another.
#[inline(always)]
fn contract<L: Lanes>(taken: &[u16], derivatives: &[L; MAX_DERIVATIVES], moments: &[L; MAX_HARMONICS + 8]) -> L {
    let zero = L::splat(0.0);
    let mut sums = [zero; 4];
    let (fours, rest) = (taken.chunks_exact(4), taken.len() / 4 * 4);
    for (k, four) in fours.enumerate() {
        for lane in 0..4 {
            sums[lane] = derivatives[usize::from(four[lane])].mul_add(moments[4 * k + lane], sums[lane]);
        }
    }
    for (k, of) in taken.iter().enumerate().skip(rest) {
        sums[k % 4] = derivatives[usize::from(*of)].mul_add(moments[k], sums[k % 4]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
