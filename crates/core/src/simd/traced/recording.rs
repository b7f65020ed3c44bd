use super::graph::{self, Answer, Graph, Node, Op};
use super::{NotRecordable, Traced};

/// Most paths of [`Traced::all_paths`].
const MAX_PATHS: usize = 1024;

/// Recorded function of inputs: its operations in order, and which of them are its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Operations. Each has its operands before it.
    pub ops: Vec<Op>,
    /// Results.
    pub outputs: Vec<Node>,
}

impl Recording {
    /// Records a function of [`Traced::input`]s.
    pub fn new(function: impl FnOnce() -> Vec<Traced>) -> Result<Self, NotRecordable> {
        graph::start();
        let outputs = function().into_iter().map(Traced::node).collect();
        let Graph { ops, boxes, refusal, .. } = graph::start();
        let is_pending = boxes.iter().any(|number| number.is_pending);
        match refusal.or(is_pending.then_some(NotRecordable::Stored)) {
            Some(refusal) => Err(refusal),
            None => Self { ops, outputs }.pruned(),
        }
    }

    /// The operations that results depend on.
    fn pruned(self) -> Result<Self, NotRecordable> {
        let mut is_used = vec![false; self.ops.len()];
        self.outputs.iter().for_each(|node| is_used[node.0 as usize] = true);
        for k in (0..self.ops.len()).rev() {
            if is_used[k] {
                self.ops[k].operands().iter().for_each(|node| is_used[node.0 as usize] = true);
            }
        }
        let (mut places, mut ops) = (vec![Node(0); self.ops.len()], Vec::new());
        for (k, op) in self.ops.iter().enumerate().filter(|&(k, _)| is_used[k]) {
            match *op {
                Op::Const(bits) if f64::from_bits(bits).is_nan() => return Err(NotRecordable::NotANumber),
                Op::Pair(..) => return Err(NotRecordable::Halves),
                _ => {}
            }
            places[k] = Node(ops.len() as u32);
            ops.push(op.with_operands(|node| places[node.0 as usize]));
        }
        let outputs = self.outputs.iter().map(|node| places[node.0 as usize]).collect();
        Ok(Self { ops, outputs })
    }

    /// Results in double precision.
    pub fn evaluate(&self, inputs: &[f64]) -> Vec<f64> {
        let mut values = Vec::<f64>::with_capacity(self.ops.len());
        for op in &self.ops {
            values.push(op.value(|node| values[node.0 as usize], inputs));
        }
        self.outputs.iter().map(|&node| values[node.0 as usize]).collect()
    }

    /// Number of operations. Constants and inputs are none.
    pub fn count(&self) -> usize {
        self.ops.iter().filter(|op| !matches!(op, Op::Const(_) | Op::Input(_))).count()
    }
}

impl Op {
    /// Operands.
    pub fn operands(&self) -> Vec<Node> {
        let mut operands = Vec::new();
        self.with_operands(|node| {
            operands.push(node);
            node
        });
        operands
    }

    /// Result for these values of its operands and inputs.
    pub(super) fn value(&self, of: impl Fn(Node) -> f64, inputs: &[f64]) -> f64 {
        match *self {
            Self::Const(bits) => f64::from_bits(bits),
            Self::Input(k) => inputs[k as usize],
            Self::Add(a, b) => of(a) + of(b),
            Self::Sub(a, b) => of(a) - of(b),
            Self::Mul(a, b) => of(a) * of(b),
            Self::Div(a, b) => of(a) / of(b),
            Self::Neg(a) => -of(a),
            Self::Sqrt(a) => of(a).sqrt(),
            Self::InverseSqrt(a) => 1.0 / of(a).sqrt(),
            Self::Abs(a) => of(a).abs(),
            Self::Sign(a) => 1f64.copysign(of(a)),
            Self::Pick(a, b, below, other) => of(if of(a) < of(b) { below } else { other }),
            Self::Pair(..) => f64::NAN,
        }
    }

    /// The same operation on other operands.
    fn with_operands(self, mut of: impl FnMut(Node) -> Node) -> Self {
        match self {
            Self::Const(_) | Self::Input(_) => self,
            Self::Add(a, b) => Self::Add(of(a), of(b)),
            Self::Sub(a, b) => Self::Sub(of(a), of(b)),
            Self::Mul(a, b) => Self::Mul(of(a), of(b)),
            Self::Div(a, b) => Self::Div(of(a), of(b)),
            Self::Pair(a, b) => Self::Pair(of(a), of(b)),
            Self::Neg(a) => Self::Neg(of(a)),
            Self::Sqrt(a) => Self::Sqrt(of(a)),
            Self::InverseSqrt(a) => Self::InverseSqrt(of(a)),
            Self::Abs(a) => Self::Abs(of(a)),
            Self::Sign(a) => Self::Sign(of(a)),
            Self::Pick(a, b, c, d) => Self::Pick(of(a), of(b), of(c), of(d)),
        }
    }
}

impl Traced {
    /// Results of a function whose bit masks of comparisons decide: it is called with each answer in turn, and the results of
    /// both are picked from by the comparison.
    ///
    /// Elsewhere a bit mask is neither empty nor full, so that short cuts for registers whose lanes agree are not recorded.
    pub fn all_paths(function: impl Fn() -> Vec<Self>) -> Vec<Self> {
        graph::with(|graph| (graph.forks, graph.paths) = (true, 0));
        let results = paths(&[], &function);
        graph::with(|graph| graph.forks = false);
        results
    }
}

/// Results on all paths that begin with these answers.
fn paths(given: &[Answer], function: &dyn Fn() -> Vec<Traced>) -> Vec<Traced> {
    let too_many = graph::with(|graph| {
        graph.path = given.to_vec();
        graph.paths += 1;
        graph.paths > MAX_PATHS
    });
    let mut results: Vec<Traced> = function().into_iter().map(Traced::joined).collect();
    let path = graph::with(|graph| std::mem::take(&mut graph.path));
    if too_many {
        graph::refuse(NotRecordable::Paths { most: MAX_PATHS });
        return results;
    }
    for k in (given.len()..path.len()).rev() {
        let Answer { a, b, .. } = path[k];
        let mut other = path[..k].to_vec();
        other.push(Answer { a, b, is_below: true });
        let below = paths(&other, function);
        results = below.into_iter().zip(results).map(|(below, not)| Traced::picked(a, b, below, not)).collect();
    }
    results
}
