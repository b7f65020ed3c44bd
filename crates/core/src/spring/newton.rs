use super::objective::{dot, norm};
use super::{Hessian, SpringSystem, StepObjective};
use crate::geometry::{Mat3, Vec3};
use crate::parallel;

/// Share of the decrease that the gradient predicts, below which a step is halved (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Most halvings of a step: below them rounding decides.
const MAX_HALVINGS: usize = 30;

/// Most iterations of conjugate gradients for a step. A longer solution is used as it is.
const MAX_CG_ITERATIONS: usize = 1000;

/// Largest residual of a linear solution over the gradient; it falls with the root of the latter (Nocedal and Wright,
/// section 7.1).
const MAX_FORCING: f64 = 0.1;

/// One step of Newton's method from `x`, whose gradient over the size of its terms is `residual`. None where the Hessian is
/// not positive, or rounding leaves no decrease.
pub(super) fn step(
    system: &SpringSystem,
    objective: &StepObjective,
    x: &[Vec3],
    gradient: &[Vec3],
    residual: f64,
) -> Option<Vec<Vec3>> {
    let size = norm(gradient);
    let linear = Linear::new(system, objective, x);
    let step = linear.solve(gradient, residual.sqrt().min(MAX_FORCING) * size)?;
    let (slope, value) = (dot(&step, gradient), objective.value(x));
    let mut share = 1.0;
    for _ in 0..MAX_HALVINGS {
        let moved: Vec<Vec3> = x.iter().zip(&step).map(|(x, step)| x - step * share).collect();
        let decrease = value - objective.value(&moved);
        // near the minimum the decrease is below rounding, and the gradient tells
        if decrease >= SUFFICIENT_DECREASE * share * slope || norm(&objective.gradient(&moved)) < 0.5 * size {
            return Some(moved);
        }
        share *= 0.5;
    }
    None
}

/// Newton's linear system, with the inverses of its diagonal blocks as preconditioner.
struct Linear<'a> {
    system: &'a SpringSystem,
    hessian: Hessian<Mat3>,
    inverse: Vec<Mat3>,
}

impl<'a> Linear<'a> {
    fn new(system: &'a SpringSystem, objective: &StepObjective, x: &[Vec3]) -> Self {
        let hessian = objective.hessian(x);
        // a bound of the blocks, where compressed springs leave one indefinite
        let bound = Hessian::constant(system, objective.weight).diagonal;
        let mut inverse = vec![Mat3::zeros(); x.len()];
        parallel::for_each_chunk(&mut inverse, parallel::SERIAL_BELOW, |first, inverse| {
            for (i, inverse) in (first..).zip(inverse) {
                let positive = hessian.diagonal[i].cholesky();
                *inverse = positive.map_or_else(|| Mat3::identity() / bound[i], |factor| factor.inverse());
            }
        });
        Self { system, hessian, inverse }
    }

    /// Conjugate gradients until the residual is below `tolerance`. None where a direction has no positive curvature.
    fn solve(&self, gradient: &[Vec3], tolerance: f64) -> Option<Vec<Vec3>> {
        let mut solution = vec![Vec3::zeros(); gradient.len()];
        let mut residual = gradient.to_vec();
        let mut direction = self.precondition(&residual);
        let mut product = dot(&residual, &direction);
        for _ in 0..MAX_CG_ITERATIONS {
            let image = self.hessian.product(self.system, &direction);
            let curvature = dot(&direction, &image);
            if curvature <= 0.0 {
                return None;
            }
            let length = product / curvature;
            add(&mut solution, &direction, length);
            add(&mut residual, &image, -length);
            if norm(&residual) <= tolerance {
                break;
            }
            let preconditioned = self.precondition(&residual);
            let next = dot(&residual, &preconditioned);
            let share = next / product;
            parallel::for_each_chunk(&mut direction, parallel::SERIAL_BELOW, |first, direction| {
                for (i, direction) in (first..).zip(direction) {
                    *direction = preconditioned[i] + *direction * share;
                }
            });
            product = next;
        }
        Some(solution)
    }

    fn precondition(&self, residual: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::zeros(); residual.len()];
        parallel::for_each_chunk(&mut out, parallel::SERIAL_BELOW, |first, out| {
            (first..).zip(out).for_each(|(i, out)| *out = self.inverse[i] * residual[i]);
        });
        out
    }
}

/// Adds a multiple of `b` to `a`.
fn add(a: &mut [Vec3], b: &[Vec3], times: f64) {
    parallel::for_each_chunk(a, parallel::SERIAL_BELOW, |first, a| {
        (first..).zip(a).for_each(|(i, a)| *a += b[i] * times);
    });
}
