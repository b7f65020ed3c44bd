use std::cell::RefCell;
use std::collections::HashMap;

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;

use super::bounds::free;
use super::record::Evaluations;

/// Edges of the first simplex without a sample, in free parameters.
const EDGE: f64 = 0.5;

/// Standard deviation of the simplex's losses, over the least at the start, at which it ends.
const SPREAD: f64 = 1e-6;

/// Most iterations: evaluations limit them.
const MAX_ITERATIONS: u64 = 100_000;

struct Known<'a, 'b> {
    evaluations: &'a Evaluations<'b>,
    losses: RefCell<HashMap<Vec<u64>, f64>>,
}

impl Known<'_, '_> {
    /// Losses at these points, side by side.
    fn evaluate(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, String> {
        let losses = self.evaluations.losses(points)?;
        let keys = points.iter().map(|point| key(point));
        self.losses.borrow_mut().extend(keys.zip(losses.iter().copied()));
        Ok(losses)
    }
}

fn key(point: &[f64]) -> Vec<u64> {
    point.iter().map(|x| x.to_bits()).collect()
}

impl CostFunction for &Known<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> Result<f64, Error> {
        if let Some(loss) = self.losses.borrow().get(&key(point)) {
            return Ok(*loss);
        }
        let losses = self.evaluate(std::slice::from_ref(point)).map_err(Error::msg)?;
        Ok(losses[0])
    }
}

/// Minimises from `start`. Returns why it ended.
pub(super) fn run(evaluations: &Evaluations, start: Vec<f64>, samples: usize) -> Result<String, String> {
    let problem = Known { evaluations, losses: RefCell::new(HashMap::new()) };
    let dimensions = start.len();
    let mut points = vec![start];
    points.extend(
        (1..=samples).map(|k| (0..dimensions).map(|axis| free(halton(k, PRIMES[axis % PRIMES.len()]))).collect()),
    );
    let mut losses = problem.evaluate(&points)?;
    // the simplex around the best point, with edges towards the middle of the bounds
    let best = (0..points.len()).min_by(|a, b| losses[*a].total_cmp(&losses[*b])).expect("a start");
    let corner = points[best].clone();
    let edge = |axis: usize| {
        let mut point = corner.clone();
        point[axis] += if point[axis] > 0.0 { -EDGE } else { EDGE };
        point
    };
    let simplex: Vec<Vec<f64>> = (0..dimensions).map(edge).collect();
    losses.extend(problem.evaluate(&simplex)?);
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let simplex = std::iter::once(corner).chain(simplex).collect();
    let solver = NelderMead::new(simplex)
        .with_sd_tolerance((SPREAD * least).max(f64::MIN_POSITIVE))
        .map_err(|error| error.to_string())?;
    let executor = Executor::new(&problem, solver).configure(|state| state.max_iters(MAX_ITERATIONS));
    let result = executor.timer(false).run().map_err(|error| error.to_string())?;
    Ok(result.state().get_termination_status().to_string())
}

/// Bases of the sample.
const PRIMES: [usize; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Number k of Halton's sequence, within 0 and 1.
fn halton(mut k: usize, base: usize) -> f64 {
    let (mut sum, mut share) = (0.0, 1.0);
    while k > 0 {
        share /= base as f64;
        sum += share * (k % base) as f64;
        k /= base;
    }
    sum
}
