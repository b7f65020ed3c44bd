//! Compressed transfer operators between two levels.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::geometry::NodeGeometry;
use super::sparse_row::SparseRow;
use crate::linalg::block_csr::{accumulate, are_sound};
use crate::linalg::vector::{LANES, add_scaled};
use crate::linalg::{Block, Vec6};
use crate::parallel::{SERIAL_ROWS, for_each_chunk};
use crate::simd::{InstructionSet, Kernel, Lanes};

/// Entries of a block.
const ENTRIES: usize = 36;

/// Padding behind the last column of six, which is read as eight entries.
const PADDING: usize = LANES - 6;

/// A prolongator or restrictor in compressed blocks. The block of a node's own aggregate is in single precision. Blocks
/// of other aggregates have 16 bits an entry, multiples of 2/32767. Their rounding error is compensated in the own
/// block. So rigid motions of the aggregates, which cost no energy, are interpolated exactly. It takes half the bytes
/// of padded blocks of `f32`, and the same iterations.
///
/// The restrictor is the prolongator's transpose to the bit, so a cycle stays symmetric.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Transfer {
    own: Packed<f32>,
    others: Packed<i16>,
}

/// Unit of the 16-bit entries. Entries are below 0.5 in a packing. An entry above 2 would be clamped, and compensated
/// like rounding.
const UNIT: f32 = 2.0 / 32767.0;

/// Consecutive rows of a prolongator under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    own: PackedRows<f32>,
    others: PackedRows<i16>,
}

/// Entries of each row: its length, its columns, its blocks.
#[derive(Clone, Debug, Default)]
struct PackedRows<T> {
    lengths: Vec<u32>,
    column: Vec<u32>,
    entries: Vec<T>,
}

impl Part {
    /// Capacity for `rows` rows with `others` other aggregates each.
    pub(super) fn with_capacity(rows: usize, others: usize) -> Self {
        Self { own: PackedRows::with_capacity(rows, 1), others: PackedRows::with_capacity(rows, others) }
    }

    /// Adds the empty row of a node without aggregate.
    pub(super) fn push_empty(&mut self) {
        self.own.lengths.push(0);
        self.others.lengths.push(0);
    }

    /// Adds the row of a node of aggregate `own`, one of the row's columns. `coarse` is the geometry of the aggregates.
    pub(super) fn push_row(&mut self, coarse: &NodeGeometry, own: u32, row: &SparseRow) {
        let place = row.column.iter().position(|&column| column == own).expect("a row has its own aggregate");
        let mut own_block = row.block[place];
        for (&column, block) in row.column.iter().zip(&row.block).filter(|(column, _)| **column != own) {
            let mut rest = *block;
            for (k, value) in block.columns().flatten().enumerate() {
                let entry = nearest(value / UNIT);
                rest[(k % 6, k / 6)] -= UNIT * f32::from(entry);
                self.others.entries.push(entry);
            }
            self.others.column.push(column);
            coarse.rigid_from(own, coarse, column).add_product(&rest, &mut own_block);
        }
        self.others.lengths.push(row.column.len() as u32 - 1);
        self.own.entries.extend(own_block.columns().flatten());
        self.own.column.push(own);
        self.own.lengths.push(1);
    }
}

impl<T> PackedRows<T> {
    fn with_capacity(rows: usize, blocks: usize) -> Self {
        let (lengths, column) = (Vec::with_capacity(rows), Vec::with_capacity(rows * blocks));
        Self { lengths, column, entries: Vec::with_capacity(ENTRIES * rows * blocks) }
    }
}

impl Transfer {
    /// The prolongator from `columns` aggregates, made of consecutive parts.
    pub(super) fn new(columns: usize, parts: Vec<Part>) -> Self {
        let (own, others) = parts.into_iter().map(|part| (part.own, part.others)).unzip();
        Self { own: Packed::new(columns, own), others: Packed::new(columns, others) }
    }

    /// The transpose. Linear time.
    pub fn transpose(&self) -> Self {
        Self { own: self.own.transpose(), others: self.others.transpose() }
    }

    /// Consistency of sizes and arrays, for data from a file.
    pub(super) fn is_sound(&self, rows: usize, columns: usize) -> bool {
        self.own.is_sound(rows, columns) && self.others.is_sound(rows, columns)
    }

    /// Number of columns, in nodes.
    pub fn columns(&self) -> usize {
        self.own.columns
    }

    /// Whether a row has no entries.
    pub(crate) fn is_empty(&self, row: usize) -> bool {
        self.own.slots(row).is_empty() && self.others.slots(row).is_empty()
    }

    /// Column and block of each entry of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, Block<f32>)> + '_ {
        self.own.row(row, 1.0).chain(self.others.row(row, UNIT))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.own.bytes() + self.others.bytes()
    }

    /// `y = A x`.
    pub fn multiply(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.for_each_row(x, y, |y, ax| *y = ax);
    }

    /// `y += A x`.
    pub fn multiply_add(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.for_each_row(x, y, |y, ax| (0..LANES).for_each(|lane| y.0[lane] += ax.0[lane]));
    }

    /// Calls `put(y[row], (A x)[row])` for every row; the bits are the same at any level.
    fn for_each_row(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>], put: impl Fn(&mut Vec6<f32>, Vec6<f32>) + Sync) {
        assert_eq!((y.len() + 1, x.len()), (self.own.row_start.len(), self.columns()));
        let instructions = InstructionSet::best();
        for_each_chunk(y, SERIAL_ROWS, |first, y| instructions.run(PutRows { matrix: self, first, x, y, put: &put }));
    }
}

/// Rows of a product from `first` on; the compiler finds the lanes.
struct PutRows<'a, P> {
    matrix: &'a Transfer,
    first: usize,
    x: &'a [Vec6<f32>],
    y: &'a mut [Vec6<f32>],
    put: &'a P,
}

impl<P: Fn(&mut Vec6<f32>, Vec6<f32>)> Kernel for PutRows<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { matrix: Transfer { own, others }, first, x, y, put } = self;
        for (row, y) in (first..).zip(y) {
            let (own, others) = (own.row_times(row, x), others.row_times(row, x));
            put(y, Vec6::new(std::array::from_fn(|lane| own[lane] + UNIT * others[lane])));
        }
    }
}

/// Rows of blocks without padding.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Packed<T> {
    columns: usize,
    row_start: Vec<u32>,
    column: Vec<u32>,
    /// Blocks in column-major order, then [`PADDING`].
    entries: Vec<T>,
}

impl<T: Copy + Default + Into<f32>> Packed<T> {
    /// The rows of all parts.
    fn new(columns: usize, parts: Vec<PackedRows<T>>) -> Self {
        let lengths = parts.iter().flat_map(|part| part.lengths.iter().copied());
        let column = parts.iter().flat_map(|part| &part.column).copied().collect();
        let mut all = Self::zeros(columns, lengths, column);
        let mut rest = &mut all.entries[..];
        for part in parts {
            rest.split_off_mut(..part.entries.len()).expect("room for all").copy_from_slice(&part.entries);
        }
        all
    }

    /// Zero blocks at `column`, in rows of `lengths`.
    fn zeros(columns: usize, lengths: impl Iterator<Item = u32>, column: Vec<u32>) -> Self {
        let mut row_start: Vec<u32> = std::iter::once(0).chain(lengths).collect();
        accumulate(&mut row_start);
        let entries = vec![T::default(); ENTRIES * column.len() + PADDING];
        Self { columns, row_start, column, entries }
    }

    fn transpose(&self) -> Self {
        let rows = self.row_start.len() - 1;
        let mut lengths = vec![0; self.columns];
        self.column.iter().for_each(|&j| lengths[j as usize] += 1);
        let mut transpose = Self::zeros(rows, lengths.into_iter(), vec![0; self.column.len()]);
        let mut next = transpose.row_start.clone();
        for row in 0..rows {
            for slot in self.slots(row) {
                let next = &mut next[self.column[slot] as usize];
                let place = *next as usize;
                *next += 1;
                transpose.column[place] = row as u32;
                let (from, to) = (&self.entries[ENTRIES * slot..], &mut transpose.entries[ENTRIES * place..]);
                (0..ENTRIES).for_each(|k| to[k] = from[k % 6 * 6 + k / 6]);
            }
        }
        transpose
    }

    fn is_sound(&self, rows: usize, columns: usize) -> bool {
        self.columns == columns
            && self.row_start.len() == rows + 1
            && are_sound(&self.row_start, &self.column, columns)
            && self.entries.len() == ENTRIES * self.column.len() + PADDING
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.row_start[..]) + size_of_val(&self.column[..]) + size_of_val(&self.entries[..])
    }

    #[inline(always)]
    fn slots(&self, row: usize) -> Range<usize> {
        self.row_start[row] as usize..self.row_start[row + 1] as usize
    }

    /// A block and its padding or the start of the next.
    #[inline(always)]
    fn entries(&self, slot: usize) -> &[T; ENTRIES + PADDING] {
        self.entries[ENTRIES * slot..][..ENTRIES + PADDING].try_into().expect("of that length")
    }

    /// Column and block, times `unit`, of each entry of a row.
    #[inline(always)]
    fn row(&self, row: usize, unit: f32) -> impl Iterator<Item = (u32, Block<f32>)> + '_ {
        self.slots(row).map(
            #[inline(always)]
            move |slot| (self.column[slot], self.block(slot, unit)),
        )
    }

    #[inline(always)]
    fn block(&self, slot: usize, unit: f32) -> Block<f32> {
        let entries = self.entries(slot);
        let column = |k: usize| {
            let mut column = std::array::from_fn(|lane| unit * entries[6 * k + lane].into());
            // entries of the next column
            (column[6], column[7]) = (0.0, 0.0);
            column
        };
        Block(std::array::from_fn(column))
    }

    /// `(A x)[row]`, and two unused lanes. Even and odd columns have separate sums: one chain of additions would stall
    /// on its latency.
    #[inline(always)]
    fn row_times(&self, row: usize, x: &[Vec6<f32>]) -> [f32; LANES] {
        let mut sums = [[0.0; LANES]; 2];
        for slot in self.slots(row) {
            let (entries, x) = (self.entries(slot), &x[self.column[slot] as usize]);
            for c in 0..6 {
                let column: [f32; LANES] = std::array::from_fn(|lane| entries[6 * c + lane].into());
                add_scaled(&mut sums[c % 2], x.0[c], &column);
            }
        }
        std::array::from_fn(|lane| sums[0][lane] + sums[1][lane])
    }
}

/// The nearest 16-bit integer.
#[inline(always)]
fn nearest(value: f32) -> i16 {
    /// 1.5 * 2^23: adding it rounds to an integer.
    const WHOLE: f32 = 12_582_912.0;
    ((value + WHOLE) - WHOLE) as i16
}
