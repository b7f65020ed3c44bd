use crate::energy::Curvature;
use crate::linalg::CgStop;
use crate::model::{State, Wrench};

use super::linear_system::LinearSystem;
use super::{HessianKind, Objective, SolverSettings};

/// Newton's method on the manifold of positions and unit quaternions (\[IBDEM\] section 4): the Riemannian gradient and Hessian in
/// six unknowns a particle, a step along the geodesic, Armijo's rule.
#[derive(Debug)]
pub struct Newton {
    settings: SolverSettings,
    system: LinearSystem,
    gradient: Vec<Wrench>,
    step: Vec<Wrench>,
    trial: State,
}

/// What a minimisation took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    pub iterations: u32,
    pub cg_iterations: u32,
}

/// Why a minimisation failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NewtonFailure {
    /// The objective or a step is not finite.
    NotFinite,
    /// Still not converged after so many iterations; the last decrement is a strain.
    NotConverged { iterations: u32, decrement: f64 },
    /// No step along the direction lowers the objective.
    LineSearch { decrement: f64 },
}

/// Below this share of the tolerance there is nothing left to win, whatever the first decrement was.
const FLOOR: f64 = 1e-4;

/// Below this, a strain, a decrement is rounding.
const ROUNDING: f64 = 1e-12;

/// A decrement that shrinks less than this from one iteration to the next asks for the exact Hessian.
const SLOW: f64 = 0.3;

impl Newton {
    pub fn new(settings: SolverSettings) -> Self {
        Self {
            settings,
            system: LinearSystem::default(),
            gradient: Vec::new(),
            step: Vec::new(),
            trial: State::default(),
        }
    }

    /// Moves `x` to a minimum of `objective`; velocities stay as they are.
    ///
    /// # Errors
    /// When there is no convergence; `x` is the last iterate then.
    pub fn minimise(&mut self, objective: &Objective, x: &mut State) -> Result<NewtonReport, NewtonFailure> {
        self.gradient.resize(x.len(), Wrench::default());
        self.step.resize(x.len(), Wrench::default());
        self.trial.clone_from(x);
        let energy_scale = energy_scale(objective);
        let mut report = NewtonReport::default();
        let mut curvature = self.first_curvature();
        let mut value = objective.gradient(x, &mut self.gradient);
        let (mut first, mut previous) = (f64::NAN, f64::INFINITY);
        let mut refill = true;
        while report.iterations < self.settings.newton_iterations {
            if !value.is_finite() {
                return Err(NewtonFailure::NotFinite);
            }
            let slope = self.direction(objective, x, &mut curvature, refill, &mut report)?;
            let decrement = (slope.abs() / energy_scale).sqrt();
            report.iterations += 1;
            if report.iterations == 1 {
                first = decrement;
            }
            if decrement <= ROUNDING.max(FLOOR * self.settings.newton_tolerance) {
                return Ok(report);
            }
            let length;
            (value, length) = self.line_search(objective, x, value, slope, energy_scale)?;
            let shrinks = decrement / previous;
            let foreseen = decrement * shrinks.clamp(self.settings.cg_tolerance, 1.0);
            let is_nearly_done = length == 1.0 && self.is_small(foreseen, first);
            if is_nearly_done {
                let local = (self.system.local_decrement(objective, &self.gradient) / energy_scale).sqrt();
                if self.is_small(local, first) {
                    return Ok(report);
                }
            }
            // the matrix serves on while it makes good steps, and no contact is known to have opened or closed
            let is_slow = length == 1.0 && shrinks > SLOW;
            refill = length < 1.0 || is_slow || is_nearly_done;
            // full steps that win little: the curvature is wrong, and not a contact that opens or closes
            if is_slow && report.iterations > 2 && curvature == Curvature::GaussNewton {
                curvature = Curvature::Exact;
            }
            previous = decrement;
        }
        Err(NewtonFailure::NotConverged { iterations: report.iterations, decrement: previous })
    }

    fn first_curvature(&self) -> Curvature {
        match self.settings.hessian {
            HessianKind::GaussNewton => Curvature::GaussNewton,
            HessianKind::Exact => Curvature::Exact,
            HessianKind::Projected => Curvature::Projected,
        }
    }

    fn is_small(&self, decrement: f64, first: f64) -> bool {
        let s = &self.settings;
        decrement <= s.newton_tolerance && decrement <= s.newton_relative_tolerance * first
    }

    /// Solves for the step at `x`, and projects the Hessian where it proves indefinite. Returns the slope of the objective
    /// along the step, which is negative, or zero at a stationary point.
    fn direction(
        &mut self,
        objective: &Objective,
        x: &State,
        curvature: &mut Curvature,
        mut refill: bool,
        report: &mut NewtonReport,
    ) -> Result<f64, NewtonFailure> {
        loop {
            if refill {
                self.system.fill(objective, x, *curvature);
            }
            let outcome = self.system.solve(objective, x, &self.gradient, &self.settings, &mut self.step);
            report.cg_iterations += outcome.iterations as u32;
            match outcome.stop {
                CgStop::NegativeCurvature if *curvature == Curvature::Exact => {
                    *curvature = Curvature::Projected;
                    refill = true;
                }
                CgStop::NotFinite => return Err(NewtonFailure::NotFinite),
                _ => {
                    let slope = self.gradient.iter().zip(&self.step).map(|(g, s)| g.dot(s)).sum::<f64>();
                    return if slope <= 0.0 { Ok(slope) } else { Err(NewtonFailure::LineSearch { decrement: slope }) };
                }
            }
        }
    }

    /// Moves `x` along the step by the longest of 1, 1/2, 1/4, ... that wins Armijo's share of the decrease that the slope
    /// promises; the gradient there is left in `self.gradient`. Returns the objective there, and the length.
    fn line_search(
        &mut self,
        objective: &Objective,
        x: &mut State,
        value: f64,
        slope: f64,
        energy_scale: f64,
    ) -> Result<(f64, f64), NewtonFailure> {
        // what rounding may add to the sums
        let noise = 1e-14 * (value.abs() + 1e-3 * energy_scale.sqrt() * slope.abs().sqrt());
        let mut length = 1.0;
        for _ in 0..=self.settings.line_search_halvings {
            self.move_trial(x, length);
            let there = objective.gradient(&self.trial, &mut self.gradient);
            if there <= value + self.settings.armijo * length * slope + noise {
                std::mem::swap(&mut x.p, &mut self.trial.p);
                std::mem::swap(&mut x.q, &mut self.trial.q);
                return Ok((there, length));
            }
            length *= 0.5;
        }
        Err(NewtonFailure::LineSearch { decrement: (slope.abs() / energy_scale).sqrt() })
    }

    fn move_trial(&mut self, x: &State, length: f64) {
        let trial = &mut self.trial;
        trial.p.copy_from_slice(&x.p);
        trial.q.copy_from_slice(&x.q);
        for (i, step) in self.step.iter().enumerate() {
            trial.displace(i, &Wrench { force: step.force * length, torque: step.torque * length });
        }
    }
}

/// The energy that strain one would hold: the sum of E S l0 over as many bonds as a packing of these particles has (J). A
/// decrement over it is a strain squared.
fn energy_scale(objective: &Objective) -> f64 {
    let world = objective.potential.world;
    let of = |i: usize| 6.0 * world.contact_stiffness_of(i) * (2.0 * world.particles.radius[i]).powi(2);
    (0..world.particles.len()).map(of).sum()
}
