use bdem_core::energy::{BondHessian, BondPose, Curvature};
use bdem_core::geometry::Vec3;
use bdem_core::internals::linalg::amg::Amg;
use bdem_core::internals::linalg::{BlockJacobi, BlockMatrix, Cg, CgOutcome, CgStop, IterationLimits, Vec6};
use bdem_core::internals::optimize::{Assembly, Objective};
use bdem_core::model::{Bond, Displacement, Gradient as Forces, State};
use bdem_core::simulate::SolverSettings;

use crate::error::FitError;

/// Relative residual of an adjoint. Errors of a gradient are of its order.
const TOLERANCE: f64 = 1e-8;

/// Most iterations of an adjoint.
const MAX_ITERATIONS: usize = 5000;

/// Growth of iterations at which a hierarchy is set up again.
const WORN_OUT: usize = 2;

/// Solver of the adjoints of implicit steps: the step's exact second derivatives, and the preconditioners of its Newton's method.
#[derive(Default)]
pub(super) struct Linear {
    assembly: Option<Assembly<f64>>,
    amg: Option<(Amg, usize)>,
    cg: Cg<f64>,
    /// The last two solutions, from which the first guess is extrapolated.
    last: [Vec<Vec6<f64>>; 2],
    /// Iterations so far.
    pub iterations: u64,
}

impl Linear {
    /// Solution of `Hess Phi mu = rhs` at `x`; `more` are second derivatives of bonds besides those of the objective's assembly.
    pub(super) fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        settings: &SolverSettings,
        more: impl Fn(usize, &Bond, &BondPose) -> Option<BondHessian> + Sync,
        rhs: &[Forces],
    ) -> Result<Vec<Displacement>, FitError> {
        let radius = &objective.potential.world.particles.radius;
        let mut assembly = self
            .assembly
            .take()
            .filter(|assembly| assembly.fits(objective))
            .unwrap_or_else(|| Assembly::new(objective));
        assembly.fill_with(objective, x, Curvature::Exact, more);
        let b: Vec<Vec6<f64>> = rhs.iter().zip(radius).map(|(g, r)| scaled(g, *r)).collect();
        let mut found = self.guess(b.len());
        let outcome = self.solve_scaled(&assembly.matrix, objective, x, settings, &b, &mut found);
        self.assembly = Some(assembly);
        self.iterations += outcome.iterations as u64;
        match outcome.stop {
            CgStop::Converged => {}
            CgStop::Interrupted => return Err(FitError::Interrupted),
            _ => {
                let CgOutcome { iterations, residual, .. } = outcome;
                return Err(FitError::Adjoint { time: x.time, residual, iterations });
            }
        }
        self.last.swap(0, 1);
        self.last[0].clone_from(&found);
        Ok(found.iter().zip(radius).map(|(found, r)| unscaled(found, *r)).collect())
    }

    /// First guess: the line through the last two solutions, or zero.
    fn guess(&self, particles: usize) -> Vec<Vec6<f64>> {
        let [last, before] = &self.last;
        if before.is_empty() {
            return vec![Vec6::ZERO; particles];
        }
        let line =
            |(last, before): (&Vec6<f64>, &Vec6<f64>)| Vec6::new(std::array::from_fn(|k| 2.0 * last[k] - before[k]));
        last.iter().zip(before).map(line).collect()
    }

    fn solve_scaled(
        &mut self,
        matrix: &BlockMatrix<f64>,
        objective: &Objective,
        x: &State,
        settings: &SolverSettings,
        b: &[Vec6<f64>],
        found: &mut [Vec6<f64>],
    ) -> CgOutcome {
        let interrupt = &objective.potential.world.interrupt;
        let limits = IterationLimits { tolerance: TOLERANCE, max_iterations: MAX_ITERATIONS, interrupt };
        let is_short = objective.dt / objective.period < settings.jacobi_below;
        if !is_short {
            let single: BlockMatrix<f32> = matrix.cast();
            let radius = &objective.potential.world.particles.radius;
            let build = || (Amg::build(&single, &x.p, radius, objective.held, &settings.amg, interrupt), 0);
            let (mut amg, first) = self.amg.take().unwrap_or_else(build);
            amg.smoother_mut().update(&single);
            let outcome = self.cg.solve(matrix, &mut amg.on(&single), b, found, limits);
            if outcome.stop != CgStop::IndefinitePreconditioner && outcome.stop != CgStop::NotConverged {
                let first = if first == 0 { outcome.iterations } else { first };
                if outcome.iterations <= WORN_OUT * first.max(1) {
                    self.amg = Some((amg, first));
                }
                return outcome;
            }
            found.fill(Vec6::ZERO);
        }
        self.cg.solve(matrix, &mut BlockJacobi::new(matrix), b, found, limits)
    }
}

/// In unknowns of translations and radii times rotations, as the assembly.
fn scaled(g: &Forces, radius: f64) -> Vec6<f64> {
    let (f, t) = (g.p, g.theta / radius);
    Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z])
}

fn unscaled(found: &Vec6<f64>, radius: f64) -> Displacement {
    let [a, b, c, d, e, f] = found.to_array();
    Displacement { translation: Vec3::new(a, b, c), rotation: Vec3::new(d, e, f) / radius }
}
