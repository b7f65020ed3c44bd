mod equations;

use crate::contact::SurfaceMotion;
use crate::energy::account::displacement;
use crate::energy::{Curvature, Workspace};
use crate::geometry::rotation;
use crate::linalg::CgStop;
use crate::model::{Bond, Displacement, Gradient, State, World};
use crate::parallel::{self, CHUNK, sum_chunks};

use super::linear_system::LinearSystem;
use super::pairs::MARGIN;
use super::preconditioner::{SavedPreconditioner, is_short};
use super::rigid::RigidMotions;
use super::{Objective, SolverSettings};

/// Newton's method on the manifold of positions and unit quaternions (\[IBDEM\] section 4). Riemannian gradient and
/// Hessian in six unknowns a particle, steps along geodesics, Armijo's rule.
#[derive(Debug)]
pub struct Newton {
    settings: SolverSettings,
    system: LinearSystem,
    work: Workspace,
    gradient: Vec<Gradient>,
    step: Vec<Displacement>,
    /// Without velocities.
    trial: State,
}

/// Effort of a minimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Iterations that count for step control. With loaded tangential springs only those until the tolerance is met:
    /// the others settle resting contacts, in steps of any length.
    pub hard: u32,
    /// Iterations of conjugate gradients.
    pub cg_iterations: u32,
    /// Reference decrement of relative tolerances, a strain: that of the first iteration, or of an earlier
    /// minimisation.
    pub first: f64,
}

/// Stopping criteria of a minimisation.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Whether it is that of a linearly implicit step: one iteration, and further ones until the local decrement is below the
    /// first decrement. Otherwise it goes to the minimum.
    pub is_linear: bool,
    /// First decrement of an earlier minimisation of the same step, a strain; zero for the first minimisation.
    pub begun: f64,
    /// Bound on the work of residual forces over the step's displacements.
    pub work: WorkBound,
}

/// Bound on the work of residual forces. Only the sum over a run matters, so the bound is on the accumulated work.
#[derive(Clone, Copy, Debug)]
pub struct WorkBound {
    /// Accumulated work of the steps so far, J; negative for dissipation.
    pub done: f64,
    /// Bound on the accumulated work, J.
    pub(crate) budget: f64,
    /// Work (J) of a single step that is always permitted.
    pub small: f64,
}

impl WorkBound {
    /// No bound.
    pub(crate) const NONE: Self = Self { done: 0.0, budget: f64::INFINITY, small: f64::INFINITY };

    /// Whether a step may end with the residual `work`, J.
    fn permits(&self, work: f64) -> bool {
        work.abs() <= self.small || (self.done + work).abs() <= self.budget.max(self.done.abs())
    }
}

impl Goal {
    /// The minimum, without a bound on residual work.
    pub const MINIMUM: Self = Self { is_linear: false, begun: 0.0, work: WorkBound::NONE };
}

/// Reason of a failed minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NewtonFailure {
    /// The objective or a step is not finite.
    NotFinite,
    /// No convergence within the maximum number of iterations.
    NotConverged {
        /// Iterations.
        iterations: u32,
        /// The last decrement, a strain.
        decrement: f64,
    },
    /// A stop is requested.
    Interrupted,
    /// No step along the direction decreases the objective.
    LineSearch {
        /// Decrement of the direction, a strain.
        decrement: f64,
    },
}

/// Progress of a minimisation.
struct Progress {
    /// See [`energy_scale`].
    energy_scale: f64,
    /// Absolute tolerance of a decrement, a strain, and relative tolerance.
    tolerance: f64,
    share: f64,
    /// The objective, J.
    value: f64,
    /// Decrements of the first and of the last iteration, strains.
    first: f64,
    previous: f64,
    /// Whether it is a single iteration without multigrid, with its own tolerance of conjugate gradients.
    is_strict: bool,
    /// Relative residual at which the last solve stopped, unless it was strict.
    cg_tolerance: f64,
    /// Curvature of the matrix, and whether to fill it anew.
    curvature: Curvature,
    refill: bool,
    /// Gap below which an open contact counts as closed in the matrix, as a share of its reach. With loaded tangential
    /// springs it is zero after the first iteration: it slows the convergence of contacts that stay open.
    margin: f64,
    /// Whether tangential springs are loaded.
    has_friction: bool,
    work: WorkBound,
    /// Whether the residual work alone requires another iteration.
    exceeds_work: bool,
    report: NewtonReport,
}

impl Progress {
    fn new(energy_scale: f64, curvature: Curvature) -> Self {
        Self {
            energy_scale,
            tolerance: 0.0,
            share: 0.0,
            is_strict: false,
            cg_tolerance: 1.0,
            value: f64::NAN,
            first: f64::NAN,
            previous: f64::INFINITY,
            curvature,
            refill: true,
            margin: MARGIN,
            has_friction: false,
            work: WorkBound::NONE,
            exceeds_work: false,
            report: NewtonReport::default(),
        }
    }

    /// Strain of an energy, J.
    fn strain_of(&self, energy: f64) -> f64 {
        (energy.abs() / self.energy_scale).sqrt()
    }
}

/// Bound on the local decrement after a single iteration, over the first decrement. Below it, contacts that opened or
/// closed have not increased the error.
const MAX_LOCAL_DECREMENT: f64 = 1.0;

/// Decrement over the tolerance at which iterations end, for any first decrement.
const FLOOR: f64 = 1e-4;

/// Decrement at the level of rounding, a strain.
const ROUNDING: f64 = 1e-12;

/// Decrement below the objective's resolution, a strain.
const OBJECTIVE_RESOLUTION: f64 = 1e-9;

/// Decrement over the tolerance below which a change to the exact Hessian does not pay.
const EXACT_HESSIAN_FACTOR: f64 = 10.0;

/// Ratio of successive decrements above which convergence is slow: then the exact Hessian is used.
const SLOW_CONVERGENCE: f64 = 0.3;

/// Ratio of successive decrements above which the matrix is refilled, with loaded tangential springs.
const REUSE_LIMIT: f64 = 0.1;

impl Newton {
    /// Minimiser with these settings.
    pub fn new(settings: SolverSettings) -> Self {
        Self {
            settings,
            system: LinearSystem::default(),
            work: Workspace::default(),
            gradient: Vec::new(),
            step: Vec::new(),
            trial: State::default(),
        }
    }

    /// Work arrays of its evaluations, for those between minimisations.
    pub(crate) fn workspace(&mut self) -> &mut Workspace {
        &mut self.work
    }

    /// State of the preconditioner, for a checkpoint.
    pub(crate) fn save(&self) -> SavedPreconditioner<'_> {
        self.system.save()
    }

    /// Restores a saved state for `particles`. `None` if it is inconsistent.
    pub(crate) fn restore(&mut self, saved: SavedPreconditioner, particles: usize) -> Option<()> {
        self.system.restore(saved, particles, &self.settings)
    }

    /// Particle of the largest displacement in the last iteration, where NaN counts as largest.
    pub(crate) fn farthest(&self) -> usize {
        let sizes = self.step.iter().map(|step| step.translation.norm()).enumerate();
        sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(particle, _)| particle)
    }

    /// Marks the start of a step's trial, to which [`Self::abandon_trial`] returns.
    pub(crate) fn begin_trial(&mut self) {
        self.system.begin_trial();
    }

    /// Returns [`Self::save`] to its value at the start of the trial, which was interrupted.
    pub(crate) fn abandon_trial(&mut self) {
        self.system.abandon_trial();
    }

    /// Minimum of `objective`, from `x` and into `x`; velocities are unchanged. `begun` is the first decrement (a
    /// strain) of minimisations with earlier friction limits; relative tolerances refer to it.
    ///
    /// # Errors
    /// When there is no convergence; `x` is the last iterate then.
    pub fn minimise(
        &mut self,
        objective: &Objective,
        x: &mut State,
        Goal { is_linear, begun, work }: Goal,
    ) -> Result<NewtonReport, NewtonFailure> {
        let is_linear = is_linear && self.settings.hessian != Curvature::FirstOrder;
        let mut at = self.begin(objective, x);
        at.work = WorkBound { small: work.small.max(at.energy_scale * self.settings.newton_tolerance.powi(2)), ..work };
        at.is_strict = is_linear && is_short(objective, &self.settings);
        at.value = objective.gradient_with(x, &mut self.work, &mut self.gradient);
        while at.report.iterations < self.settings.newton_iterations {
            if !at.value.is_finite() {
                return Err(NewtonFailure::NotFinite);
            }
            let slope = self.direction(objective, x, &mut at)?;
            let decrement = at.strain_of(slope);
            at.report.iterations += 1;
            if at.report.iterations == 1 || !at.exceeds_work && (at.previous > at.tolerance || !at.has_friction) {
                at.report.hard += 1;
            }
            if at.report.iterations == 1 {
                at.first = decrement.max(begun);
                at.report.first = at.first;
                at.share = self.share(&at);
            }
            if decrement <= ROUNDING.max(FLOOR * at.tolerance) {
                return Ok(at.report);
            }
            let length = match self.line_search(objective, x, slope, &mut at) {
                // the remainder is within the tolerance, and below the resolution of the objective
                Err(NewtonFailure::LineSearch { .. }) if self.is_unresolved(decrement, &at) => return Ok(at.report),
                length => length?,
            };
            if is_linear && self.is_sufficient(objective, length, &at) {
                return Ok(at.report);
            }
            if self.is_converged(objective, x, decrement, length, &mut at) {
                return Ok(at.report);
            }
            at.is_strict = false;
            at.previous = decrement;
        }
        Err(NewtonFailure::NotConverged { iterations: at.report.iterations, decrement: at.previous })
    }

    fn begin(&mut self, objective: &Objective, x: &State) -> Progress {
        self.gradient.resize(x.len(), Gradient::default());
        self.step.resize(x.len(), Displacement::default());
        self.trial.time = x.time;
        self.trial.p.clone_from(&x.p);
        self.trial.q.clone_from(&x.q);
        let mut at = Progress::new(energy_scale(objective), self.settings.hessian);
        at.has_friction = objective.potential.contacts.has_friction();
        at.tolerance = self.settings.newton_tolerance * tolerance_factor(objective.periods());
        at
    }

    /// Whether a single iteration suffices after a line search with step length `length`.
    fn is_sufficient(&mut self, objective: &Objective, length: f64, at: &Progress) -> bool {
        let left = self.local_decrement(objective, at);
        length == 1.0 && left <= (MAX_LOCAL_DECREMENT * at.first).max(at.tolerance)
    }

    /// Convergence after a step of `decrement` with step length `length`. Without convergence it also chooses whether
    /// to refill the matrix, and its curvature.
    fn is_converged(
        &mut self,
        objective: &Objective,
        x: &State,
        decrement: f64,
        length: f64,
        at: &mut Progress,
    ) -> bool {
        let ratio = decrement / at.previous;
        let predicted = decrement * ratio.clamp(at.cg_tolerance, 1.0);
        let is_nearly_done = length == 1.0 && self.is_small(predicted, at);
        if is_nearly_done {
            let local = self.local_decrement(objective, at);
            if self.is_small(local, at) {
                at.exceeds_work = !at.work.permits(self.residual_work(objective, x));
                if !at.exceeds_work {
                    return true;
                }
            }
        }
        let is_slow = length == 1.0 && ratio > SLOW_CONVERGENCE;
        let was_guessed = at.margin > 0.0;
        if at.has_friction {
            at.margin = 0.0;
        }
        // the matrix is reused while the decrement falls fast and no contact is known to have opened or closed
        let (is_guessed, reuse_limit) =
            if at.has_friction { (was_guessed, REUSE_LIMIT) } else { (false, SLOW_CONVERGENCE) };
        at.refill = !self.settings.reuse_matrix || length < 1.0 || ratio > reuse_limit || is_guessed || is_nearly_done;
        // full steps, slow convergence and a large decrement: the curvature is wrong, not the contact state
        if is_slow
            && decrement > EXACT_HESSIAN_FACTOR * at.tolerance
            && at.report.iterations > 2
            && at.curvature == Curvature::Semidefinite
        {
            at.curvature = Curvature::Exact;
        }
        false
    }

    /// Work (J) of the residual forces at `x` over the step's displacements; zero if the objective does not know the
    /// start of the step.
    fn residual_work(&self, objective: &Objective, x: &State) -> f64 {
        let SurfaceMotion::Since(before) = objective.potential.motion else { return 0.0 };
        let g = &self.gradient;
        sum_chunks(x.len(), CHUNK, |nodes| nodes.map(|i| g[i].dot(&displacement(before, x, i))).sum())
    }

    /// Relative tolerance of the decrement. Resting frictional contacts start within the absolute tolerance, yet have
    /// to be solved: residuals load their springs step after step, and they would creep.
    fn share(&self, at: &Progress) -> f64 {
        /// Bound on the relative tolerance of resting frictional contacts.
        const AT_REST: f64 = 0.01;
        let share = self.settings.newton_relative_tolerance;
        let rests = at.first <= at.tolerance && at.has_friction;
        if rests { share.min(AT_REST) } else { share }
    }

    fn is_small(&self, decrement: f64, at: &Progress) -> bool {
        decrement <= at.tolerance && decrement <= at.share * at.first
    }

    /// Whether the remainder may be below the objective's resolution, as it is after a good first guess.
    fn is_unresolved(&self, decrement: f64, at: &Progress) -> bool {
        self.is_small(decrement, at) || decrement <= OBJECTIVE_RESOLUTION.min(at.tolerance)
    }

    /// Newton direction at `x`, with the projected Hessian if the exact one is indefinite. Returns the slope of the
    /// objective along it: negative, or zero at a stationary point.
    fn direction(&mut self, objective: &Objective, x: &State, at: &mut Progress) -> Result<f64, NewtonFailure> {
        if at.curvature == Curvature::FirstOrder {
            return Ok(self.descend(objective));
        }
        loop {
            if at.refill {
                self.system.fill(objective, x, at.curvature, at.margin);
            }
            at.cg_tolerance = self.settings.cg_tolerance.at(|| gradient_norm(objective, &self.gradient));
            let tolerance = if at.is_strict { self.settings.linear_cg_tolerance } else { at.cg_tolerance };
            let outcome = self.system.solve(objective, x, &self.gradient, &self.settings, tolerance, &mut self.step);
            at.report.cg_iterations += outcome.iterations as u32;
            match outcome.stop {
                CgStop::NegativeCurvature if at.curvature == Curvature::Exact => {
                    (at.curvature, at.refill) = (Curvature::Projected, true);
                }
                CgStop::NotFinite => return Err(NewtonFailure::NotFinite),
                CgStop::Interrupted => return Err(NewtonFailure::Interrupted),
                _ => {
                    let slope = self.slope();
                    if slope < 0.0 {
                        return Ok(slope);
                    }
                    // a zero step means convergence only with a small local decrement
                    let local = self.local_decrement(objective, at);
                    let done = slope == 0.0 && local <= at.tolerance;
                    return if done { Ok(slope) } else { Err(NewtonFailure::LineSearch { decrement: local }) };
                }
            }
        }
    }

    /// Slope of the objective along the step.
    fn slope(&self) -> f64 {
        let (g, s) = (&self.gradient, &self.step);
        sum_chunks(g.len(), CHUNK, |nodes| nodes.map(|i| g[i].dot(&s[i])).sum())
    }

    /// Direction of steepest descent in lengths and in radii times angles. It is as long as the stiffest motion permits,
    /// whose eigenvalue is the one of inertia and that of the period T. Returns the slope of the objective along it.
    fn descend(&mut self, objective: &Objective) -> f64 {
        let particles = &objective.potential.world.particles;
        let heaviest = particles.mass.iter().copied().fold(0.0, f64::max);
        let length = 1.0 / (heaviest * (objective.dt.powi(-2) + 4.0 * objective.period.powi(-2)));
        let steps = (parallel::each_mut(&mut self.step), parallel::each(&self.gradient));
        parallel::for_each_item(steps, CHUNK, |i, (step, g)| {
            let r = particles.radius[i];
            *step = Displacement { translation: g.p * -length, rotation: g.theta * (-length / (r * r)) };
        });
        self.slope()
    }

    /// Decrement at the last gradient by block Jacobi, a strain, or by steepest descent where there is no matrix.
    fn local_decrement(&mut self, objective: &Objective, at: &Progress) -> f64 {
        at.strain_of(match at.curvature {
            Curvature::FirstOrder => self.descend(objective),
            _ => self.system.local_decrement(objective, &self.gradient),
        })
    }

    /// Backtracking line search by Armijo's rule: the largest of 1, 1/2, 1/4, ... with sufficient decrease. Moves `x`
    /// along the step and leaves objective and gradient there. Returns the step length.
    fn line_search(
        &mut self,
        objective: &Objective,
        x: &mut State,
        slope: f64,
        at: &mut Progress,
    ) -> Result<f64, NewtonFailure> {
        // rounding of the sums
        let noise = 1e-14 * (at.value.abs() + 1e-3 * (at.energy_scale * slope.abs()).sqrt());
        let mut length = 1.0;
        for _ in 0..=self.settings.line_search_halvings {
            if objective.potential.world.interrupt.is_requested() {
                return Err(NewtonFailure::Interrupted);
            }
            self.move_trial(objective.potential.world, x, length);
            let there = objective.gradient_with(&self.trial, &mut self.work, &mut self.gradient);
            if there <= at.value + self.settings.armijo * length * slope + noise {
                std::mem::swap(&mut x.p, &mut self.trial.p);
                std::mem::swap(&mut x.q, &mut self.trial.q);
                at.value = there;
                return Ok(length);
            }
            length *= 0.5;
        }
        Err(NewtonFailure::LineSearch { decrement: at.strain_of(slope) })
    }

    fn move_trial(&mut self, world: &World, x: &State, length: f64) {
        let State { p, q, .. } = &mut self.trial;
        let places = (parallel::each_mut(p), parallel::each_mut(q), parallel::each(&self.step));
        parallel::for_each_item(places, CHUNK, |i, (p, q, step)| {
            *p = x.p[i] + step.translation * length;
            *q = rotation::turn(&x.q[i], &(step.rotation * length));
        });
        RigidMotions::make_rigid(world, x, &self.step, length, &mut self.trial);
    }
}

/// Factor on Newton's tolerance, >= 1 in steps shorter than `REFERENCE_PERIODS`. A local residual moves particles no
/// further away than a wave runs in the step, 1.03 radii a period. So its effect sums up to less.
fn tolerance_factor(periods: f64) -> f64 {
    /// Step at which the factor is 1, in periods T, and its bound in the shortest steps.
    const REFERENCE_PERIODS: f64 = 100.0;
    const MAX_FACTOR: f64 = 20.0;
    (REFERENCE_PERIODS / periods).clamp(1.0, MAX_FACTOR)
}

/// Norm of a gradient, with torques over radii, in the unit of [`super::CgTolerance::Forcing`].
fn gradient_norm(objective: &Objective, gradient: &[Gradient]) -> f64 {
    let world = objective.potential.world;
    let force = |bond: &Bond| {
        let [sigma, _] = bond.strength;
        if sigma.is_finite() { sigma * bond.area() } else { bond.k.n * bond.l0 }
    };
    let unit = world.whole_bonds().map(force).sum::<f64>() / world.whole_bond_count().max(1) as f64;
    let radius = &world.particles.radius;
    let of = |i: usize| gradient[i].p.norm_squared() + (gradient[i].theta / radius[i]).norm_squared();
    let squares = sum_chunks(gradient.len(), CHUNK, |nodes| nodes.map(of).sum());
    if unit > 0.0 { squares.sqrt() / unit } else { f64::INFINITY }
}

/// Reference energy of a decrement, J: the sum of E S l0 over the bonds of a dense packing of these particles. A
/// decrement over it is a strain squared.
fn energy_scale(objective: &Objective) -> f64 {
    let world = objective.potential.world;
    let of = |i: usize| 6.0 * world.contact_stiffness_of(i) * (2.0 * world.particles.radius[i]).powi(2);
    (0..world.particles.len()).map(of).sum()
}
