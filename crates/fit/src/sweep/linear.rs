use bdem_core::energy::{BondHessian, BondPose, Curvature};
use bdem_core::geometry::Vec3;
use bdem_core::internals::linalg::amg::Amg;
use bdem_core::internals::linalg::{BlockJacobi, BlockMatrix, Cg, CgOutcome, CgStop, IterationLimits, Vec6};
use bdem_core::internals::optimize::{Assembly, Objective};
use bdem_core::model::{Bond, Displacement, Gradient as Forces, State};
use bdem_core::simulate::SolverSettings;

use crate::error::FitError;

/// Relative residual of an adjoint. Errors of a gradient are of its order.
const TOLERANCE: f64 = 1e-9;

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
    /// Sets the matrix Hess Phi at `x`; `more` are second derivatives of bonds besides those of the objective's assembly.
    pub(super) fn fill(
        &mut self,
        objective: &Objective,
        x: &State,
        more: impl Fn(usize, &Bond, &BondPose) -> Option<BondHessian> + Sync,
    ) {
        let kept = self.assembly.take().filter(|assembly| assembly.fits(objective));
        let mut assembly = kept.unwrap_or_else(|| Assembly::new(objective));
        assembly.fill_with(objective, x, Curvature::Exact, more);
        self.assembly = Some(assembly);
    }

    /// Solution of `Hess Phi mu = rhs` at `x`, from the last solutions.
    pub(super) fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        settings: &SolverSettings,
        rhs: &[Forces],
    ) -> Result<Vec<Displacement>, FitError> {
        let guess = self.guess(rhs.len());
        let found = self.solve_from(guess, objective, x, settings, rhs)?;
        self.last.swap(0, 1);
        self.last[0].clone_from(&found);
        Ok(unscaled(&found, objective))
    }

    /// Solution `mu` of `(Hess Phi + E) mu = rhs` from that without E: the series of mu_(k+1) = -Hess Phi^-1 E mu_k.
    pub(super) fn correct(
        &mut self,
        objective: &Objective,
        x: &State,
        settings: &SolverSettings,
        rhs: &[Forces],
        mut mu: Vec<Displacement>,
        product: impl Fn(&[Displacement]) -> Vec<Forces>,
    ) -> Result<Vec<Displacement>, FitError> {
        /// Terms of the series at most. Those of friction fall by the friction coefficient at least.
        const MAX_TERMS: usize = 100;
        let whole = size(rhs, objective);
        let (mut part, mut residual) = (mu.clone(), 0.0);
        for _ in 0..MAX_TERMS {
            let rest: Vec<Forces> = product(&part).iter().map(|of| Forces { p: -of.p, theta: -of.theta }).collect();
            residual = size(&rest, objective) / whole;
            if residual <= TOLERANCE || whole == 0.0 {
                return Ok(mu);
            }
            let zero = vec![Vec6::ZERO; rhs.len()];
            part = unscaled(&self.solve_from(zero, objective, x, settings, &rest)?, objective);
            for (mu, part) in mu.iter_mut().zip(&part) {
                mu.translation += part.translation;
                mu.rotation += part.rotation;
            }
        }
        Err(FitError::Adjoint { time: x.time, residual, iterations: MAX_TERMS })
    }

    fn solve_from(
        &mut self,
        mut found: Vec<Vec6<f64>>,
        objective: &Objective,
        x: &State,
        settings: &SolverSettings,
        rhs: &[Forces],
    ) -> Result<Vec<Vec6<f64>>, FitError> {
        let assembly = self.assembly.take().expect("the matrix is set");
        let b = scaled(rhs, objective);
        let outcome = self.solve_scaled(&assembly.matrix, objective, x, settings, &b, &mut found);
        self.assembly = Some(assembly);
        self.iterations += outcome.iterations as u64;
        match outcome.stop {
            CgStop::Converged => Ok(found),
            CgStop::Interrupted => Err(FitError::Interrupted),
            _ => {
                let CgOutcome { iterations, residual, .. } = outcome;
                Err(FitError::Adjoint { time: x.time, residual, iterations })
            }
        }
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
        // a hierarchy is set up once, and block Jacobi takes its many iterations again for each digit
        let digits = libm::log10(TOLERANCE) / libm::log10(settings.cg_tolerance.greatest());
        let is_short = objective.dt / objective.period * digits < settings.jacobi_below;
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
fn scaled(of: &[Forces], objective: &Objective) -> Vec<Vec6<f64>> {
    let scaled = |(g, radius): (&Forces, &f64)| {
        let (f, t) = (g.p, g.theta / *radius);
        Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z])
    };
    of.iter().zip(&objective.potential.world.particles.radius).map(scaled).collect()
}

/// Norm in these unknowns, N.
fn size(of: &[Forces], objective: &Objective) -> f64 {
    scaled(of, objective).iter().flat_map(|v| v.to_array()).map(|x| x * x).sum::<f64>().sqrt()
}

fn unscaled(found: &[Vec6<f64>], objective: &Objective) -> Vec<Displacement> {
    let unscaled = |(found, radius): (&Vec6<f64>, &f64)| {
        let [a, b, c, d, e, f] = found.to_array();
        Displacement { translation: Vec3::new(a, b, c), rotation: Vec3::new(d, e, f) / *radius }
    };
    found.iter().zip(&objective.potential.world.particles.radius).map(unscaled).collect()
}
