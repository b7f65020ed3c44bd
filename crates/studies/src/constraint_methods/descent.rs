use super::blocks::{dot, mapped, scaled};
use super::line_search::line_search;
use super::series::{SeriesRecorder, StopReason};
use super::{Method, Problem, Series, Until};

/// First-order manifold optimisation (\[IBDEM\] Algorithm 1): steepest descent along geodesics.
#[derive(Clone, Copy, Debug)]
pub struct Descent;

impl Method for Descent {
    fn name(&self) -> &'static str {
        "first-order"
    }

    fn minimise(&self, problem: &Problem, until: &Until) -> Series {
        let mut log = SeriesRecorder::new(self.name(), problem, until);
        let mut x = problem.start.clone();
        let mut length = longest(problem);
        while log.note(&x, 0) {
            let gradient = mapped(&problem.projectors(&x), &problem.gradient(&x));
            let step = scaled(&gradient, -1.0);
            let moved = |length: f64| problem.along_geodesic(&x, &step, length);
            let slope = dot(&gradient, &step);
            let found = line_search(problem.value(&x), slope, length, |length| problem.value(&moved(length)));
            let Some(found) = found else {
                log.stop(StopReason::Stalled);
                break;
            };
            x = moved(found);
            length = 2.0 * found;
        }
        log.finish()
    }
}

/// First step length to try, m/N: that to the minimum of inertia alone.
fn longest(problem: &Problem) -> f64 {
    let masses = &problem.objective.potential.world.particles.mass;
    problem.objective.dt.powi(2) / masses.iter().copied().fold(f64::INFINITY, f64::min)
}
