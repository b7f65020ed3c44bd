//! Graph of recorded operations, one a thread. Constants are folded, and equal operations shared.

use std::cell::RefCell;

use foldhash::HashMap;

use super::{NotRecordable, Traced};

/// Index of an operation in its recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// Operation. Its operands precede it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Bits of a constant of double precision.
    Const(u64),
    /// Input of this number.
    Input(u32),
    /// a + b.
    Add(Node, Node),
    /// a - b.
    Sub(Node, Node),
    /// a b.
    Mul(Node, Node),
    /// a/b.
    Div(Node, Node),
    /// -a.
    Neg(Node),
    /// Square root.
    Sqrt(Node),
    /// Inverse square root.
    InverseSqrt(Node),
    /// Absolute value.
    Abs(Node),
    /// 1 with the sign of a.
    Sign(Node),
    /// c where a < b, else d.
    Pick(Node, Node, Node, Node),
    /// Two numbers in one: see [`Lanes::halves`](crate::simd::Lanes::halves).
    Pair(Node, Node),
}

/// Answer to a comparison, `a < b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub a: Node,
    pub b: Node,
    pub is_below: bool,
}

/// Number in memory: see [`Traced::boxed`].
pub(super) struct Boxed {
    pub value: Traced,
    /// Whether the function stored it and has not loaded it since.
    pub is_pending: bool,
}

/// State of a recording.
#[derive(Default)]
pub(super) struct Graph {
    pub ops: Vec<Op>,
    places: HashMap<Op, Node>,
    pub boxes: Vec<Boxed>,
    /// Whether comparisons have both answers, in turn.
    pub forks: bool,
    /// Answers of the current path.
    pub path: Vec<Answer>,
    /// Number of paths so far.
    pub paths: usize,
    /// First reason that the function cannot be recorded.
    pub refusal: Option<NotRecordable>,
}

impl Graph {
    /// Node of an operation, which is that of an equal earlier one.
    pub(super) fn put(&mut self, op: Op) -> Node {
        let next = Node(self.ops.len() as u32);
        let node = *self.places.entry(op).or_insert(next);
        if node == next {
            self.ops.push(op);
        }
        node
    }
}

thread_local! {
    static GRAPH: RefCell<Graph> = RefCell::default();
}

/// Result of `of` on this thread's graph.
pub(super) fn with<R>(of: impl FnOnce(&mut Graph) -> R) -> R {
    GRAPH.with_borrow_mut(of)
}

/// Starts a new graph. Returns the one before.
pub(super) fn start() -> Graph {
    with(std::mem::take)
}

/// Notes why the function cannot be recorded. The first reason counts.
pub(super) fn refuse(why: NotRecordable) {
    with(|graph| {
        graph.refusal.get_or_insert(why);
    });
}

/// Answer to `a < b`, if known: of constants, or on the current path.
pub(super) fn known_answer(a: Node, b: Node) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return Some(a < b);
    }
    with(|graph| graph.path.iter().find(|answer| (answer.a, answer.b) == (a, b)).map(|answer| answer.is_below))
}

/// Node of an operation; of its value, if its operands are constants.
pub(super) fn put(op: Op) -> Node {
    let operands = op.operands();
    if !operands.is_empty() && operands.iter().all(|node| node.value().is_some()) {
        return Node::constant(op.value(|node| node.value().unwrap_or(f64::NAN), &[]));
    }
    with(|graph| graph.put(op))
}

impl Node {
    /// Node of a constant.
    pub(super) fn constant(value: f64) -> Self {
        // +0 for both zeros
        put(Op::Const((value + 0.0).to_bits()))
    }

    pub(super) fn op(self) -> Op {
        with(|graph| graph.ops[self.0 as usize])
    }

    /// The constant, if it is one.
    pub(super) fn value(self) -> Option<f64> {
        match self.op() {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.value() == Some(0.0)
    }

    pub(super) fn add(self, b: Self) -> Self {
        match (self.value(), b.value()) {
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return self,
            _ => {}
        }
        match (self.op(), b.op()) {
            (_, Op::Neg(b)) => self.sub(b),
            (Op::Neg(a), _) => b.sub(a),
            // (a - b) + b
            (Op::Sub(a, c), _) if c == b => a,
            (_, Op::Sub(a, c)) if c == self => a,
            _ => put(Op::Add(self.min(b), self.max(b))),
        }
    }

    pub(super) fn sub(self, b: Self) -> Self {
        if self == b {
            return Self::constant(0.0);
        }
        match (self.value(), b.value()) {
            (Some(0.0), _) => return b.neg(),
            (_, Some(0.0)) => return self,
            _ => {}
        }
        match (self.op(), b.op()) {
            (_, Op::Neg(b)) => self.add(b),
            (Op::Neg(a), _) => a.add(b).neg(),
            (Op::Add(a, c), _) if a == b => c,
            (Op::Add(a, c), _) if c == b => a,
            _ => put(Op::Sub(self, b)),
        }
    }

    pub(super) fn mul(self, b: Self) -> Self {
        match (self.value(), b.value()) {
            (Some(0.0), _) | (_, Some(0.0)) => return Self::constant(0.0),
            (Some(1.0), _) => return b,
            (_, Some(1.0)) => return self,
            (Some(-1.0), _) => return b.neg(),
            (_, Some(-1.0)) => return self.neg(),
            _ => {}
        }
        match (self.op(), b.op()) {
            (Op::Neg(a), _) => a.mul(b).neg(),
            (_, Op::Neg(b)) => self.mul(b).neg(),
            // factors that are constants, together
            (Op::Const(c), Op::Mul(x, y)) | (Op::Mul(x, y), Op::Const(c)) if x.value().or(y.value()).is_some() => {
                let (constant, other) = if x.value().is_some() { (x, y) } else { (y, x) };
                put(Op::Const(c)).mul(constant).mul(other)
            }
            _ => put(Op::Mul(self.min(b), self.max(b))),
        }
    }

    pub(super) fn div(self, b: Self) -> Self {
        match (self.value(), b.value()) {
            (Some(0.0), None) => return self,
            (None, Some(b)) => return self.mul(Self::constant(1.0 / b)),
            _ => {}
        }
        match (self.op(), b.op()) {
            _ if self == b => Self::constant(1.0),
            (Op::Neg(a), _) => a.div(b).neg(),
            (_, Op::Neg(b)) => self.div(b).neg(),
            _ => put(Op::Div(self, b)),
        }
    }

    pub(super) fn neg(self) -> Self {
        match self.op() {
            Op::Neg(a) => a,
            Op::Sub(a, b) => put(Op::Sub(b, a)),
            _ => put(Op::Neg(self)),
        }
    }

    /// `below` where `self < limit`, else `other`.
    pub(super) fn pick(self, limit: Self, below: Self, other: Self) -> Self {
        match known_answer(self, limit) {
            _ if below == other => below,
            Some(true) => below,
            Some(false) => other,
            None => put(Op::Pick(self, limit, below, other)),
        }
    }
}
