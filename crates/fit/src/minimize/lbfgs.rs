use std::cell::RefCell;

use argmin::core::{
    CostFunction, Error, Executor, Gradient, IterState, KV, Problem, Solver, State, TerminationReason,
    TerminationStatus,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

use super::record::{Evaluations, HAS_CONVERGED};

/// Longest first step of any free parameter: an eighth of the way from the middle to a bound.
const FIRST_STEP: f64 = 0.5;

/// Gradient over the first one at which it ends.
const GRADIENT: f64 = 1e-9;

/// Most iterations: evaluations limit them.
const MAX_ITERATIONS: u64 = 100_000;

/// Loss and gradient for argmin, which asks for one after the other at the same point.
struct Scaled<'a, 'b> {
    evaluations: &'a Evaluations<'b>,
    /// Factor that makes the first step [`FIRST_STEP`] long.
    factor: f64,
    last: RefCell<(Vec<f64>, f64, Vec<f64>)>,
}

impl Scaled<'_, '_> {
    fn at(&self, free: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        if self.last.borrow().0 != free {
            let (loss, gradient) = self.evaluations.gradient(free).map_err(Error::msg)?;
            *self.last.borrow_mut() = (free.to_vec(), loss, gradient);
        }
        let last = self.last.borrow();
        Ok((last.1 * self.factor, last.2.iter().map(|by| by * self.factor).collect()))
    }
}

impl CostFunction for &Scaled<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, free: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(free)?.0)
    }
}

impl Gradient for &Scaled<'_, '_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, free: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(free)?.1)
    }
}

/// Iterations of argmin in free parameters.
type Iterations = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// A solver that also ends where its parameters have converged.
struct Converging<'a, 'b, S> {
    solver: S,
    evaluations: &'a Evaluations<'b>,
    /// Parameters and loss before the last iteration.
    last: Option<(Vec<f64>, f64)>,
    /// Number of iterations with small changes, one after another.
    small: u32,
}

/// Number of small changes that end it, and the decrease of the loss in them, as a share of it. Steps in a direction whose curvature
/// is not known yet are small too, but lower the loss.
const SMALL_CHANGES: u32 = 3;
const LEAST_DECREASE: f64 = 1e-6;

impl<O, S: Solver<O, Iterations>> Solver<O, Iterations> for Converging<'_, '_, S> {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn init(&mut self, problem: &mut Problem<O>, state: Iterations) -> Result<(Iterations, Option<KV>), Error> {
        self.solver.init(problem, state)
    }

    fn next_iter(&mut self, problem: &mut Problem<O>, state: Iterations) -> Result<(Iterations, Option<KV>), Error> {
        self.last = state.get_param().cloned().map(|free| (free, state.get_cost()));
        self.solver.next_iter(problem, state)
    }

    fn terminate(&mut self, state: &Iterations) -> TerminationStatus {
        let ends = self.last.as_ref().zip(state.get_param());
        let is_small = ends.is_some_and(|((last, loss), now)| {
            loss - state.get_cost() <= LEAST_DECREASE * loss && self.evaluations.has_converged(last, now)
        });
        self.small = if is_small { self.small + 1 } else { 0 };
        if self.small == SMALL_CHANGES {
            return TerminationStatus::Terminated(TerminationReason::SolverExit(HAS_CONVERGED.to_owned()));
        }
        self.solver.terminate(state)
    }
}

/// Minimises from `start`. Returns why it ended.
pub(super) fn run(evaluations: &Evaluations, start: Vec<f64>, memory: usize) -> Result<String, String> {
    let (loss, gradient) = evaluations.gradient(&start)?;
    let largest = gradient.iter().fold(0.0, |most: f64, by| most.max(by.abs()));
    if largest == 0.0 {
        return Ok("the loss does not change with any parameter".to_owned());
    }
    let factor = FIRST_STEP / largest;
    let problem = Scaled { evaluations, factor, last: RefCell::new((start.clone(), loss, gradient)) };
    let wrong = |error: Error| error.to_string();
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), memory)
        .with_tolerance_grad(GRADIENT * FIRST_STEP)
        .and_then(|solver| solver.with_tolerance_cost(0.0))
        .map_err(wrong)?;
    let solver = Converging { solver, evaluations, last: None, small: 0 };
    let executor = Executor::new(&problem, solver).configure(|state| state.param(start).max_iters(MAX_ITERATIONS));
    match executor.timer(false).run() {
        Ok(result) => Ok(match result.state().get_termination_reason() {
            Some(TerminationReason::SolverExit(why)) => why.clone(),
            _ => result.state().get_termination_status().to_string(),
        }),
        Err(error) => Ok(format!("the line search ended: {error}")),
    }
}
