use super::blocks::{dot, mapped, scaled};
use super::line_search::line_search;
use super::series::{SeriesRecorder, StopReason};
use super::{Problem, Series, Until};

/// Steepest descent along geodesics (\[IBDEM\] Algorithm 1).
pub(super) fn minimise(name: &'static str, problem: &Problem, until: &Until) -> Series {
    let mut log = SeriesRecorder::new(name, problem, until);
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

/// First step length to try, m/N: that to the minimum of inertia alone.
fn longest(problem: &Problem) -> f64 {
    let masses = &problem.objective.potential.world.particles.mass;
    problem.objective.dt.powi(2) / masses.iter().copied().fold(f64::INFINITY, f64::min)
}
