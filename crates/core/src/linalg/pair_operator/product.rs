use std::cell::RefCell;

use super::PairOperator;
use super::diagonal::EndSums;
use crate::linalg::Operator;
use crate::linalg::vector::{LANES, Vec6};

/// Work arrays of products and diagonals. Their caller keeps them from one to the next, so that none allocates.
#[derive(Debug, Default)]
pub struct PairWorkspace {
    pub(super) sums: Vec<Vec6<f32>>,
    pub(super) scaled: Vec<Vec6<f32>>,
    pub(super) ends: Vec<EndSums>,
}

/// A [`PairOperator`] with work arrays of its caller, for solvers.
#[derive(Debug)]
pub struct PairProduct<'a> {
    operator: &'a PairOperator,
    work: RefCell<&'a mut PairWorkspace>,
}

impl PairOperator {
    /// This operator with work arrays.
    pub fn with<'a>(&'a self, work: &'a mut PairWorkspace) -> PairProduct<'a> {
        PairProduct { operator: self, work: RefCell::new(work) }
    }
}

impl Operator<f32> for PairProduct<'_> {
    fn apply(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.operator.product(&mut self.work.borrow_mut(), x, y, |_, y, ax| *y = ax);
    }

    fn residual(&self, b: &[Vec6<f32>], x: &[Vec6<f32>], r: &mut [Vec6<f32>]) {
        let subtract =
            |i: usize, r: &mut Vec6<f32>, ax: Vec6<f32>| (0..LANES).for_each(|k| r.0[k] = b[i].0[k] - ax.0[k]);
        self.operator.product(&mut self.work.borrow_mut(), x, r, subtract);
    }
}

/// Products with new work arrays each.
impl Operator<f32> for PairOperator {
    fn apply(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.with(&mut PairWorkspace::default()).apply(x, y);
    }

    fn residual(&self, b: &[Vec6<f32>], x: &[Vec6<f32>], r: &mut [Vec6<f32>]) {
        self.with(&mut PairWorkspace::default()).residual(b, x, r);
    }
}
