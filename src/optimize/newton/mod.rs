mod equations;

use rayon::prelude::*;

use crate::contact::Slip;
use crate::energy::Curvature;
use crate::energy::account::way;
use crate::geometry::rotation;
use crate::interrupt;
use crate::linalg::CgStop;
use crate::model::{State, World, Wrench};
use crate::parallel::sum_chunks;

use super::linear_system::LinearSystem;
use super::pairs::MARGIN;
use super::preconditioner::{Memory, is_short};
use super::rigid::RigidMotions;
use super::{HessianKind, Objective, SolverSettings};

/// Newton's method on the manifold of positions and unit quaternions (\[IBDEM\] section 4): the Riemannian gradient and
/// Hessian in six unknowns a particle, a step along the geodesic, Armijo's rule.
#[derive(Debug)]
pub struct Newton {
    settings: SolverSettings,
    /// The same for a single iteration without multigrid.
    strict: SolverSettings,
    system: LinearSystem,
    gradient: Vec<Wrench>,
    step: Vec<Wrench>,
    trial: State,
}

/// What a minimisation took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    pub iterations: u32,
    /// Those that say how hard it was. Where friction's springs are drawn these are the ones that it took to come below the tolerance:
    /// what comes after is for what rests, in steps of any length.
    pub hard: u32,
    pub cg_iterations: u32,
    /// The decrement that others are measured by, a strain: the first iteration's, or that of minimisations before.
    pub first: f64,
}

/// How far a minimisation is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the minimum.
    Minimum,
    /// One iteration, or as few more as leave less than the first promised to win: all that a linearly implicit step takes.
    Once,
}

/// Where a minimisation may stop.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub extent: Extent,
    /// Decrement, a strain, that an earlier minimisation of the same step began with; zero for the first.
    pub begun: f64,
    /// Work over the step's displacements of the forces that are left unbalanced.
    pub work: WorkBound,
}

/// Bound on the work of unbalanced forces. It does harm by its sum over a run alone: a step that adds to a small sum need not be
/// solved as well as one that adds to a great one.
#[derive(Clone, Copy, Debug)]
pub struct WorkBound {
    /// Sum over the steps so far, J; negative where it took energy.
    pub done: f64,
    /// Greatest sum, J.
    pub budget: f64,
    /// Work (J) of a single step that is small whatever the sum.
    pub small: f64,
}

impl WorkBound {
    /// None.
    pub const NONE: Self = Self { done: 0.0, budget: f64::INFINITY, small: f64::INFINITY };

    /// Whether a step may end with this `work`, J.
    fn permits(&self, work: f64) -> bool {
        work.abs() <= self.small || (self.done + work).abs() <= self.budget.max(self.done.abs())
    }
}

impl Goal {
    /// To the minimum, whatever work the forces do that are left.
    pub const MINIMUM: Self = Self { extent: Extent::Minimum, begun: 0.0, work: WorkBound::NONE };
}

/// Why a minimisation failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NewtonFailure {
    /// The objective or a step is not finite.
    NotFinite,
    /// Still not converged after so many iterations; the last decrement is a strain.
    NotConverged { iterations: u32, decrement: f64 },
    /// A stop is requested: see [`interrupt`].
    Interrupted,
    /// No step along the direction lowers the objective.
    LineSearch { decrement: f64 },
}

/// How far a minimisation has come.
struct Progress {
    /// See [`energy_scale`].
    energy_scale: f64,
    /// Decrement that counts as small, a strain; and as a share of the first.
    tolerance: f64,
    share: f64,
    /// The objective, J.
    value: f64,
    /// Decrements, as strains, of the first iteration and of the last.
    first: f64,
    previous: f64,
    /// Whether conjugate gradients have to be exact.
    is_strict: bool,
    /// Which second derivatives the matrix takes, and whether it is to be filled anew.
    curvature: Curvature,
    refill: bool,
    /// Contacts that are open by no more than this share of their reach count as closed in the matrix; where friction's springs are drawn
    /// until it is known what closes, for what stays open converges slowly by it.
    margin: f64,
    /// Whether friction's springs are drawn.
    rubs: bool,
    work: WorkBound,
    /// Whether the work of unbalanced forces alone asks for another iteration.
    works: bool,
    report: NewtonReport,
}

impl Progress {
    fn new(energy_scale: f64, curvature: Curvature) -> Self {
        Self {
            energy_scale,
            tolerance: 0.0,
            share: 0.0,
            is_strict: false,
            value: f64::NAN,
            first: f64::NAN,
            previous: f64::INFINITY,
            curvature,
            refill: true,
            margin: MARGIN,
            rubs: false,
            work: WorkBound::NONE,
            works: false,
            report: NewtonReport::default(),
        }
    }

    /// The strain whose energy (J) it is.
    fn strain_of(&self, energy: f64) -> f64 {
        (energy.abs() / self.energy_scale).sqrt()
    }
}

/// A few iterations are enough that leave a lesser decrement in single particles than this share of the first: contacts that
/// opened or closed have not made it worse.
const GOOD: f64 = 1.0;

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Below this share of the tolerance there is nothing left to win, whatever the first decrement was.
const FLOOR: f64 = 1e-4;

/// Below this, a strain, a decrement is rounding.
const ROUNDING: f64 = 1e-12;

/// Below this, a strain, a decrement may be too small for the objective to show.
const LOST: f64 = 1e-9;

/// Times the tolerance: less than this is not worth another Hessian.
const MUCH: f64 = 10.0;

/// A decrement that shrinks less than this from one iteration to the next asks for the exact Hessian.
const SLOW: f64 = 0.3;

/// A decrement that shrinks less than this where friction's springs are drawn asks for the matrix as it is now.
const SERVES: f64 = 0.1;

impl Newton {
    pub fn new(settings: SolverSettings) -> Self {
        Self {
            strict: SolverSettings { cg_tolerance: settings.linear_cg_tolerance, ..settings.clone() },
            settings,
            system: LinearSystem::default(),
            gradient: Vec::new(),
            step: Vec::new(),
            trial: State::default(),
        }
    }

    /// What the next minimisation goes by besides its objective.
    pub fn memory(&self) -> Memory<'_> {
        self.system.memory()
    }

    /// Goes on from a memory of `particles`. `None` if it makes no sense.
    pub fn recall(&mut self, memory: Memory, particles: usize) -> Option<()> {
        self.system.recall(memory, particles, &self.settings)
    }

    /// The particle that the last iteration would have moved farthest, or by what is not a number.
    pub fn farthest(&self) -> usize {
        let sizes = self.step.iter().map(|step| step.force.norm()).enumerate();
        sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(particle, _)| particle)
    }

    /// Marks the start of a step's trial, which [`Self::abandon_trial`] goes back to.
    pub fn begin_trial(&mut self) {
        self.system.begin_trial();
    }

    /// Makes [`Self::memory`] what it was when the trial began. The trial was interrupted.
    pub fn abandon_trial(&mut self) {
        self.system.abandon_trial();
    }

    /// Moves `x` to a minimum of `objective`; velocities stay as they are. Where others came before it that differed in friction's
    /// limits, the first of them has begun with such a decrement (a strain), and what is left is measured by that.
    ///
    /// # Errors
    /// When there is no convergence; `x` is the last iterate then.
    pub fn minimise(
        &mut self,
        objective: &Objective,
        x: &mut State,
        Goal { extent, begun, work }: Goal,
    ) -> Result<NewtonReport, NewtonFailure> {
        let mut at = self.begin(objective, x);
        at.work = WorkBound { small: work.small.max(at.energy_scale * self.settings.newton_tolerance.powi(2)), ..work };
        at.is_strict = extent == Extent::Once && is_short(objective, &self.settings);
        at.value = objective.gradient(x, &mut self.gradient);
        while at.report.iterations < self.settings.newton_iterations {
            if !at.value.is_finite() {
                return Err(NewtonFailure::NotFinite);
            }
            let slope = self.direction(objective, x, &mut at)?;
            let decrement = at.strain_of(slope);
            at.report.iterations += 1;
            if at.report.iterations == 1 || !at.works && (at.previous > at.tolerance || !at.rubs) {
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
                // what is left is within the tolerance, and lost in the rounding of the objective
                Err(NewtonFailure::LineSearch { .. }) if self.is_lost(decrement, &at) => return Ok(at.report),
                length => length?,
            };
            if extent == Extent::Once && self.is_good(objective, length, &at) {
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
        self.gradient.resize(x.len(), Wrench::default());
        self.step.resize(x.len(), Wrench::default());
        self.trial.clone_from(x);
        let mut at = Progress::new(energy_scale(objective), self.first_curvature());
        at.rubs = objective.potential.contacts.rubs().are_loaded();
        at.tolerance = self.settings.newton_tolerance * leniency(objective.periods());
        at
    }

    /// Whether a step that the line search made `length` long leaves so little to win that it may be the last of few.
    fn is_good(&mut self, objective: &Objective, length: f64, at: &Progress) -> bool {
        let left = at.strain_of(self.system.local_decrement(objective, &self.gradient));
        length == 1.0 && left <= (GOOD * at.first).max(at.tolerance)
    }

    /// Judges a step of `decrement` that the line search made `length` long: whether there is nothing left to do, and
    /// if there is, whether the matrix still serves and which curvature it needs.
    fn is_converged(
        &mut self,
        objective: &Objective,
        x: &State,
        decrement: f64,
        length: f64,
        at: &mut Progress,
    ) -> bool {
        let shrinks = decrement / at.previous;
        let foreseen = decrement * shrinks.clamp(self.settings.cg_tolerance, 1.0);
        let is_nearly_done = length == 1.0 && self.is_small(foreseen, at);
        if is_nearly_done {
            let local = at.strain_of(self.system.local_decrement(objective, &self.gradient));
            if self.is_small(local, at) {
                at.works = !at.work.permits(self.residual_work(objective, x));
                if !at.works {
                    return true;
                }
            }
        }
        let is_slow = length == 1.0 && shrinks > SLOW;
        let was_guessed = at.margin > 0.0;
        if at.rubs {
            at.margin = 0.0;
        }
        // the matrix serves on while it makes good steps, and no contact is known to have opened or closed
        let (is_guessed, serves) = if at.rubs { (was_guessed, SERVES) } else { (false, SLOW) };
        at.refill = length < 1.0 || shrinks > serves || is_guessed || is_nearly_done;
        // full steps that win little while much is left: the curvature is wrong, and not a contact that opens or closes
        if is_slow
            && decrement > MUCH * at.tolerance
            && at.report.iterations > 2
            && at.curvature == Curvature::GaussNewton
        {
            at.curvature = Curvature::Exact;
        }
        false
    }

    /// Work (J) over the step's displacements of the forces that are left unbalanced at `x`; none where the objective does not
    /// know where the step began.
    fn residual_work(&self, objective: &Objective, x: &State) -> f64 {
        let Slip::Since(before) = objective.potential.slip else { return 0.0 };
        let g = &self.gradient;
        sum_chunks(x.len(), CHUNK, |nodes| nodes.map(|i| g[i].dot(&way(before, x, i))).sum())
    }

    /// By what share of the first a decrement is to shrink. What rests on friction begins within the tolerance, and yet has to be
    /// solved: its springs are drawn by what is left, step after step, and it would creep.
    fn share(&self, at: &Progress) -> f64 {
        const AT_REST: f64 = 0.01;
        let share = self.settings.newton_relative_tolerance;
        let rests = at.first <= at.tolerance && at.rubs;
        if rests { share.min(AT_REST) } else { share }
    }

    fn first_curvature(&self) -> Curvature {
        match self.settings.hessian {
            HessianKind::GaussNewton => Curvature::GaussNewton,
            HessianKind::Exact => Curvature::Exact,
            HessianKind::Projected => Curvature::Projected,
        }
    }

    fn is_small(&self, decrement: f64, at: &Progress) -> bool {
        decrement <= at.tolerance && decrement <= at.share * at.first
    }

    /// Whether so little is left that the objective's rounding may hide it; a good first guess may leave no more than that.
    fn is_lost(&self, decrement: f64, at: &Progress) -> bool {
        self.is_small(decrement, at) || decrement <= LOST.min(at.tolerance)
    }

    /// Solves for the step at `x`, and projects the Hessian where it proves indefinite. Returns the slope of the objective
    /// along the step, which is negative, or zero at a stationary point.
    fn direction(&mut self, objective: &Objective, x: &State, at: &mut Progress) -> Result<f64, NewtonFailure> {
        loop {
            if at.refill {
                self.system.fill(objective, x, at.curvature, at.margin);
            }
            let settings = if at.is_strict { &self.strict } else { &self.settings };
            let outcome = self.system.solve(objective, x, &self.gradient, settings, &mut self.step);
            at.report.cg_iterations += outcome.iterations as u32;
            match outcome.stop {
                CgStop::NegativeCurvature if at.curvature == Curvature::Exact => {
                    (at.curvature, at.refill) = (Curvature::Projected, true);
                }
                CgStop::NotFinite => return Err(NewtonFailure::NotFinite),
                CgStop::Interrupted => return Err(NewtonFailure::Interrupted),
                _ => {
                    let (g, s) = (&self.gradient, &self.step);
                    let slope = sum_chunks(x.len(), CHUNK, |nodes| nodes.map(|i| g[i].dot(&s[i])).sum());
                    if slope < 0.0 {
                        return Ok(slope);
                    }
                    // a step of nothing is convergence only where nothing is left to win
                    let local = at.strain_of(self.system.local_decrement(objective, &self.gradient));
                    let done = slope == 0.0 && local <= at.tolerance;
                    return if done { Ok(slope) } else { Err(NewtonFailure::LineSearch { decrement: local }) };
                }
            }
        }
    }

    /// Moves `x` along the step by the longest of 1, 1/2, 1/4, ... that wins Armijo's share of the decrease that the slope
    /// promises; the objective and gradient there are left behind. Returns the length.
    fn line_search(
        &mut self,
        objective: &Objective,
        x: &mut State,
        slope: f64,
        at: &mut Progress,
    ) -> Result<f64, NewtonFailure> {
        // what rounding may add to the sums
        let noise = 1e-14 * (at.value.abs() + 1e-3 * (at.energy_scale * slope.abs()).sqrt());
        let mut length = 1.0;
        for _ in 0..=self.settings.line_search_halvings {
            if interrupt::is_requested() {
                return Err(NewtonFailure::Interrupted);
            }
            self.move_trial(objective.potential.world, x, length);
            let there = objective.gradient(&self.trial, &mut self.gradient);
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
        let places = (p, q).into_par_iter().zip((&x.p, &x.q)).zip(&self.step).with_min_len(CHUNK);
        places.for_each(|(((p, q), (from_p, from_q)), step)| {
            *p = from_p + step.force * length;
            *q = rotation::turn(from_q, &(step.torque * length));
        });
        RigidMotions::stiffen(world, x, &self.step, length, &mut self.trial);
    }
}

/// How much greater a strain may be left in a short step than in a long one: what is left in one place moves others no
/// further away than a wave runs in the step, 1.03 radii a period, and so adds up to less.
fn leniency(periods: f64) -> f64 {
    /// The step, in periods, that the tolerance is meant for, and what is enough in the shortest.
    const LONG: f64 = 100.0;
    const MOST: f64 = 20.0;
    (LONG / periods).clamp(1.0, MOST)
}

/// The energy that strain one would hold: the sum of E S l0 over as many bonds as a packing of these particles has (J). A
/// decrement over it is a strain squared.
fn energy_scale(objective: &Objective) -> f64 {
    let world = objective.potential.world;
    let of = |i: usize| 6.0 * world.contact_stiffness_of(i) * (2.0 * world.particles.radius[i]).powi(2);
    (0..world.particles.len()).map(of).sum()
}
