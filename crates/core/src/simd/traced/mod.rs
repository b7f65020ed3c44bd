//! Numbers that record how they are computed, for kernels of graphics cards. A function over [`Lanes`] that is called once with
//! them leaves a graph of its operations: a [`Recording`].
//!
//! A number is a base and a change of it, recorded apart and multiplied out exactly:
//!
//! ```text
//! (b + d) (c + e) = b c + (b e + d (c + e))
//! ```
//!
//! With `l = l0 + stretch` the bases of `l - l0` cancel, so that single precision loses nothing. Functions need no change.
//!
//! Memory, which [`Lanes::load`] reads, holds boxes: signalling NaNs with the index of a number. Arithmetic outside of lanes
//! makes them quiet, which is refused.

mod angle;
mod graph;
mod operators;
mod recording;

use nalgebra::{Quaternion, Vector3};
use thiserror::Error;

use super::{Lanes, PlainSingles, Row8};
use graph::{Answer, Boxed};

pub use graph::{Node, Op};
pub use recording::Recording;

/// Reason that a function cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRecordable {
    /// Arithmetic on stored numbers.
    #[error("it stores numbers and computes with them outside of lanes: use the operators of `Lanes`")]
    OutsideLanes,
    /// Stored numbers that are not loaded.
    #[error("it stores numbers and does not load them, so it may branch on their values: use `pick_below`")]
    Stored,
    /// Halves of a number that has none.
    #[error("it takes the halves of a number that `with_halves` did not make")]
    Halves,
    /// A number of bits outside of [`Traced::all_paths`].
    #[error("it makes a number of the bits of a comparison: use `pick_below`")]
    Bits,
    /// Too many paths of [`Traced::all_paths`].
    #[error("its comparisons, which it branches on, make more than {most} paths: use `pick_below`")]
    Paths {
        /// Limit.
        most: usize,
    },
    /// Constant that is not a number.
    #[error("it has a constant that is not a number")]
    NotANumber,
}

/// Number whose computation is recorded: a base and a change of it.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    base: Node,
    change: Node,
}

/// Bit mask of a comparison whose answer is open: neither empty nor that of one lane.
const MIXED: u32 = 2;

/// High half of a box's bits: a signalling NaN.
const BOX: u64 = 0xFFF4_7AC3 << 32;

impl Traced {
    /// Input of this number.
    pub fn input(k: u32) -> Self {
        Self::joint(graph::put(Op::Input(k)))
    }

    /// Number without a change.
    fn joint(base: Node) -> Self {
        Self { base, change: Node::constant(0.0) }
    }

    /// Sum of base and change.
    fn node(self) -> Node {
        self.base.add(self.change)
    }

    /// The same number with its change added to its base.
    pub fn joined(self) -> Self {
        Self::joint(self.node())
    }

    /// The number as memory holds it, for tables that [`Lanes::load`] reads.
    pub fn boxed(self) -> f64 {
        self.put_box(false)
    }

    fn put_box(self, is_pending: bool) -> f64 {
        graph::with(|graph| {
            graph.boxes.push(Boxed { value: self, is_pending });
            f64::from_bits(BOX | (graph.boxes.len() as u64 - 1))
        })
    }

    fn unboxed(number: f64) -> Self {
        let (high, low) = (number.to_bits() & super::lanes::HIGH, number.to_bits() & !super::lanes::HIGH);
        if high == BOX {
            return graph::with(|graph| {
                let number = &mut graph.boxes[low as usize];
                number.is_pending = false;
                number.value
            });
        }
        if number.is_nan() {
            graph::refuse(NotRecordable::OutsideLanes);
            return Self::splat(0.0);
        }
        Self::splat(number)
    }

    /// Sides of a comparison, less a base that both have.
    fn sides(self, b: Self) -> (Node, Node) {
        if self.base == b.base { (self.change, b.change) } else { (self.node(), b.node()) }
    }

    /// `below` where `a < b`, else `other`.
    fn picked(a: Node, b: Node, below: Self, other: Self) -> Self {
        Self { base: a.pick(b, below.base, other.base), change: a.pick(b, below.change, other.change) }
    }
}

impl Lanes for Traced {
    const COUNT: usize = 1;

    type Singles = PlainSingles;

    fn splat(value: f64) -> Self {
        Self::joint(Node::constant(value))
    }

    fn load(from: &[f64]) -> Self {
        Self::unboxed(from[0])
    }

    fn store(self, to: &mut [f64]) {
        to[0] = self.put_box(true);
    }

    fn near(base: Self, change: Self) -> Self {
        Self { base: base.node(), change: change.node() }
    }

    fn sqrt(self) -> Self {
        let root = |node: Node| graph::put(Op::Sqrt(node));
        if self.change.is_zero() || self.base.is_zero() {
            return Self { base: root(self.base), change: root(self.change) };
        }
        let base = root(self.base);
        Self { base, change: self.change.div(root(self.node()).add(base)) }
    }

    fn inverse_sqrt_estimate(self) -> Self {
        self.inverse_sqrt()
    }

    fn inverse_sqrt(self) -> Self {
        Self::joint(graph::put(Op::InverseSqrt(self.node())))
    }

    fn abs(self) -> Self {
        let magnitude = |node: Node| graph::put(Op::Abs(node));
        if self.change.is_zero() || self.base.is_zero() {
            return Self { base: magnitude(self.base), change: magnitude(self.change) };
        }
        self * self.sign()
    }

    fn sign(self) -> Self {
        Self::joint(graph::put(Op::Sign(self.node())))
    }

    fn halves(self) -> [Self; 2] {
        match self.base.op() {
            Op::Pair(a, b) => [a, b].map(Self::joint),
            Op::Const(0) => [self; 2],
            _ => {
                graph::refuse(NotRecordable::Halves);
                [self; 2]
            }
        }
    }

    fn with_halves(high: Self, low: Self) -> Self {
        let pair = Op::Pair(high.node(), low.node());
        Self::joint(graph::with(|graph| graph.put(pair)))
    }

    fn not_below(self, limit: Self) -> u32 {
        let (a, b) = self.sides(limit);
        if let Some(is_below) = graph::known_answer(a, b) {
            return u32::from(!is_below);
        }
        graph::with(|graph| {
            if !graph.forks {
                return MIXED;
            }
            graph.path.push(Answer { a, b, is_below: false });
            1
        })
    }

    fn from_bits(bits: u32) -> Self {
        if !graph::with(|graph| graph.forks) {
            graph::refuse(NotRecordable::Bits);
        }
        Self::splat(f64::from(bits & 1))
    }

    fn pick_below(self, limit: Self, below: Self, other: Self) -> Self {
        let (a, b) = self.sides(limit);
        Self::picked(a, b, below, other)
    }

    fn lane_by_lane(self, limit: f64, series: Self, of: impl Fn(f64) -> [f64; 2]) -> Self {
        self.pick_below(Self::splat(limit), series, angle::polynomial(self.joined(), |x| of(x)[0]))
    }

    fn columns(rows: &[Row8], index: &[u32]) -> [Self; 8] {
        rows[index[0] as usize].0.map(Self::unboxed)
    }

    fn triples(rows: &[Vector3<f64>], index: &[u32]) -> [Self; 3] {
        let row = &rows[index[0] as usize];
        [row.x, row.y, row.z].map(Self::unboxed)
    }

    fn quads(rows: &[Quaternion<f64>], index: &[u32]) -> [Self; 4] {
        let row = &rows[index[0] as usize].coords;
        [row.x, row.y, row.z, row.w].map(Self::unboxed)
    }

    type Rows = [Self; 8];

    fn rows(columns: [Self; 8]) -> [Self; 8] {
        columns
    }

    fn add_row(rows: &[Self; 8], _: usize, to: &mut Row8) {
        to.0 = std::array::from_fn(|k| (Self::unboxed(to.0[k]) + rows[k]).boxed());
    }

    fn store_row(rows: &[Self; 8], _: usize, to: &mut Row8) {
        to.0 = rows.map(Self::boxed);
    }
}
