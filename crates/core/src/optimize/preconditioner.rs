//! Newton's preconditioners, and the choice between them.

use std::borrow::Cow;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::fracture::Pieces;
use crate::geometry::{Quat, rotation};
use crate::linalg::amg::{Amg, SavedAmg};
use crate::linalg::{BlockJacobi, Cg, CgOutcome, Operator, RowSource, Vec6};
use crate::model::{Identity, State, World};

use super::solver::Problem;
use super::{Objective, SolverSettings};

/// Block Jacobi, and a multigrid hierarchy once it has been built. The setup of a hierarchy costs as much as many
/// solves, so it is reused.
///
/// A whole body needs the hierarchy in steps above some 6 T. Fragments, whose contacts open and close, degrade one
/// within a few steps. They have no soft modes that block Jacobi would not resolve. So the choice is by the cost of
/// either: see [`Costs`].
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    /// Inverse diagonal blocks; empty with a hierarchy, whose smoother holds them.
    jacobi: BlockJacobi<f32>,
    hierarchy: Option<Box<Hierarchy>>,
    costs: Costs,
    fragmented: Fragmented,
    /// `None` outside a trial.
    trial_start: Option<TrialStart>,
}

/// Costs and hierarchy at the start of a trial.
#[derive(Debug)]
struct TrialStart {
    costs: Costs,
    /// Outer `None`: the hierarchy is the same. Inner `None`: there was none, or none usable in the trial.
    hierarchy: Option<Option<Box<Hierarchy>>>,
}

/// Whether no piece has three quarters of the particles, with these bonds.
#[derive(Clone, Copy, Debug, Default)]
struct Fragmented {
    bonds: Option<Identity>,
    is: bool,
}

/// A multigrid hierarchy and the conditions of its setup.
#[derive(Debug)]
pub(super) struct Hierarchy {
    amg: Amg,
    /// Time step of the setup, s.
    dt: f64,
    /// Held particles at the setup.
    held: Vec<bool>,
    /// Orientations at the setup.
    q: Vec<Quat>,
}

impl Hierarchy {
    pub(super) fn new(matrix: &impl RowSource, objective: &Objective, x: &State, settings: &SolverSettings) -> Self {
        let world = objective.potential.world;
        let amg = Amg::build(matrix, &x.p, &world.particles.radius, objective.held, &settings.amg, &world.interrupt);
        Self { amg, dt: objective.dt, held: objective.held.to_vec(), q: x.q.clone() }
    }

    /// Rotates the hierarchy with the particles since the setup.
    fn rotate_to(&mut self, x: &State) {
        /// Largest rotation that is ignored, rad: the order of a strain.
        const MIN_ROTATION: f64 = 0.02;
        let turns = || x.q.iter().zip(&self.q).map(|(now, then)| now * then.conjugate());
        // the imaginary part has the length sin(angle/2)
        if turns().all(|turn| turn.imag().norm_squared() < (0.5 * MIN_ROTATION) * (0.5 * MIN_ROTATION)) {
            self.amg.turn([]);
        } else {
            self.amg.turn(turns().map(|turn| -> Matrix3<f32> { rotation::rotation_matrix(&turn).cast() }));
        }
    }

    /// Whether it applies: a similar time step, and the same held particles.
    fn is_for(&self, objective: &Objective) -> bool {
        self.held == objective.held && (0.2..5.0).contains(&(objective.dt / self.dt))
    }
}

/// Costs of solves, in iterations with block Jacobi.
///
/// An iteration with a V-cycle counts as [`CYCLE_COST`], a setup as [`SETUP_COST`]. Counts, not clocks, so that a run
/// is reproducible on any machine. When the excess of a hierarchy reaches the cost of a setup, block Jacobi is used. It
/// stays in use while its solves cost less than those with the hierarchy, setup included.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Costs {
    /// Solves with the hierarchy, their iterations, and the iterations of the first [`FIRST_SOLVES`].
    solves: u32,
    iterations: f64,
    first_iterations: f64,
    /// Iterations of later solves beyond the mean of the first.
    excess: f64,
    /// Whether the excess has reached the cost of a setup.
    is_worn_out: bool,
    /// Mean iterations with block Jacobi, while it is in use.
    jacobi: Option<f64>,
}

/// State of the preconditioner in a checkpoint: the last hierarchy, and the costs.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedPreconditioner<'a> {
    hierarchy: Option<SavedHierarchy<'a>>,
    costs: Costs,
}

/// [`Hierarchy`] in serializable form.
#[derive(Debug, Serialize, Deserialize)]
struct SavedHierarchy<'a> {
    amg: SavedAmg<'a>,
    dt: f64,
    held: Cow<'a, [bool]>,
    q: Cow<'a, [Quat]>,
}

impl SavedHierarchy<'_> {
    fn restore(self, settings: &SolverSettings) -> Option<Hierarchy> {
        let (held, q) = (self.held.into_owned(), self.q.into_owned());
        let amg = Amg::restore(self.amg, q.len(), &settings.amg)?;
        (held.len() == q.len()).then_some(Hierarchy { amg, dt: self.dt, held, q })
    }
}

/// Cost of an iteration with a V-cycle, over one with block Jacobi. Measured.
const CYCLE_COST: f64 = 4.5;

/// Cost of a setup, in iterations with block Jacobi. Measured.
const SETUP_COST: f64 = 270.0;

/// Longest step in which block Jacobi may replace the hierarchy of a large piece, in periods T. At an equal residual it
/// leaves more error in the soft modes: 1e-3 radii in the flight of a block at 100 T. Fragments have no such modes.
const JACOBI_MAX_PERIODS: f64 = 50.0;

/// Solves that define the cost of a new hierarchy. Single solves vary by more than it degrades in a step.
const FIRST_SOLVES: u32 = 10;

/// Window of the running mean of block Jacobi's iterations, in solves.
const MEAN_WINDOW: f64 = 10.0;

impl Costs {
    fn with_cycle(&mut self, iterations: f64) {
        if self.solves < FIRST_SOLVES {
            self.first_iterations += iterations;
        } else {
            self.excess = (self.excess + iterations - self.first_iterations / f64::from(FIRST_SOLVES)).max(0.0);
            self.is_worn_out = CYCLE_COST * self.excess > SETUP_COST;
        }
        self.solves += 1;
        self.iterations += iterations;
    }

    fn with_jacobi(&mut self, iterations: f64) {
        let mean = self.jacobi.get_or_insert(iterations);
        *mean += (iterations - *mean) / MEAN_WINDOW;
    }

    /// Mean cost of a solve with the hierarchy.
    fn of_cycle(&self) -> f64 {
        (CYCLE_COST * self.iterations + SETUP_COST) / f64::from(self.solves)
    }

    /// Whether block Jacobi is cheaper.
    fn favours_jacobi(&self) -> bool {
        self.is_worn_out && self.jacobi.is_none_or(|mean| mean <= self.of_cycle())
    }
}

impl Preconditioner {
    /// Updates whether the world is fragmented.
    pub(super) fn update_fragments(&mut self, world: &World) {
        let bonds = Some(world.unbroken_bonds());
        if self.fragmented.bonds != bonds {
            self.fragmented = Fragmented { bonds, is: 4 * Pieces::of(world).largest < 3 * world.particles.len() };
        }
    }

    /// Whether the next solve needs a new hierarchy.
    pub(super) fn needs_hierarchy(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        !self.uses_jacobi(objective, settings)
            && !self.hierarchy.as_deref().is_some_and(|hierarchy| hierarchy.is_for(objective))
    }

    fn uses_jacobi(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        let may = objective.periods() < JACOBI_MAX_PERIODS || self.fragmented.is;
        is_short(objective, settings) || (may && self.costs.favours_jacobi())
    }

    pub(super) fn save(&self) -> SavedPreconditioner<'_> {
        let hierarchy = self.hierarchy.as_deref().map(|hierarchy| SavedHierarchy {
            amg: hierarchy.amg.save(),
            dt: hierarchy.dt,
            held: Cow::Borrowed(&hierarchy.held),
            q: Cow::Borrowed(&hierarchy.q),
        });
        SavedPreconditioner { hierarchy, costs: self.costs.clone() }
    }

    /// The saved preconditioner of `particles`, once it has got the diagonal blocks. `None` if the data are
    /// inconsistent.
    pub(super) fn restore(saved: SavedPreconditioner, particles: usize, settings: &SolverSettings) -> Option<Self> {
        let hierarchy = match saved.hierarchy {
            Some(hierarchy) => {
                Some(Box::new(hierarchy.restore(settings).filter(|hierarchy| hierarchy.q.len() == particles)?))
            }
            None => None,
        };
        Some(Self { hierarchy, costs: saved.costs, ..Self::default() })
    }

    /// Sets a new hierarchy, whose smoother lacks the diagonal blocks.
    pub(super) fn set_hierarchy(&mut self, hierarchy: Hierarchy) {
        self.hierarchy = Some(Box::new(hierarchy));
    }

    /// Drops the hierarchy and the costs, before a new setup.
    pub(super) fn clear(&mut self, objective: &Objective) {
        // a hierarchy for another step was not used in this trial, and would be replaced again
        let used = self.hierarchy.take().filter(|hierarchy| hierarchy.is_for(objective));
        self.keep_for_trial(used);
        (self.jacobi, self.costs) = (BlockJacobi::default(), Costs::default());
    }

    /// Marks the start of a step's trial, to which [`Self::abandon_trial`] returns.
    pub(super) fn begin_trial(&mut self) {
        self.trial_start = Some(TrialStart { costs: self.costs.clone(), hierarchy: None });
    }

    /// Returns [`Self::save`] to its value at the start of the trial.
    pub(super) fn abandon_trial(&mut self) {
        let Some(trial_start) = self.trial_start.take() else { return };
        self.costs = trial_start.costs;
        if let Some(hierarchy) = trial_start.hierarchy {
            self.hierarchy = hierarchy;
        }
    }

    /// Keeps the hierarchy of the start of the trial after it fell out of use.
    fn keep_for_trial(&mut self, hierarchy: Option<Box<Hierarchy>>) {
        if let Some(trial_start) = &mut self.trial_start {
            trial_start.hierarchy.get_or_insert(hierarchy);
        }
    }

    /// The inverse diagonal blocks.
    pub(super) fn diagonal_mut(&mut self) -> &mut BlockJacobi<f32> {
        match &mut self.hierarchy {
            Some(hierarchy) => hierarchy.amg.smoother_mut(),
            None => &mut self.jacobi,
        }
    }

    /// Rotates the hierarchy to the orientations of `x`.
    pub(super) fn rotate_to(&mut self, x: &State) {
        if let Some(hierarchy) = &mut self.hierarchy {
            hierarchy.rotate_to(x);
        }
    }

    /// The hierarchy, if the solve uses it.
    pub(super) fn hierarchy(&mut self, problem: &Problem) -> Option<&mut Amg> {
        let uses_jacobi = self.uses_jacobi(problem.objective, problem.settings);
        self.hierarchy.as_mut().filter(|_| !uses_jacobi).map(|hierarchy| &mut hierarchy.amg)
    }

    /// Solves `operator solution = rhs` from a zero guess.
    pub(super) fn solve(
        &mut self,
        cg: &mut Cg<f32>,
        operator: &impl Operator<f32>,
        rhs: &[Vec6<f32>],
        solution: &mut [Vec6<f32>],
        problem: &Problem,
    ) -> CgOutcome {
        let (motions, limits) = (problem.motions, problem.limits());
        solution.fill(Vec6::ZERO);
        match self.hierarchy(problem) {
            Some(amg) => motions.solve(cg, operator, &mut amg.on(operator), rhs, solution, limits),
            None => motions.solve(cg, operator, self.diagonal_mut(), rhs, solution, limits),
        }
    }

    /// Records the iterations of a solve.
    pub(super) fn record(&mut self, problem: &Problem, iterations: usize) {
        if is_short(problem.objective, problem.settings) {
            return;
        }
        if self.hierarchy(problem).is_none() {
            self.costs.with_jacobi(iterations as f64);
            return;
        }
        self.costs.with_cycle(iterations as f64);
        if self.costs.is_worn_out
            && let Some(mut hierarchy) = self.hierarchy.take()
        {
            self.jacobi = std::mem::take(hierarchy.amg.smoother_mut());
            self.keep_for_trial(Some(hierarchy));
        }
    }
}

/// Whether block Jacobi suffices for the time step.
pub(super) fn is_short(objective: &Objective, settings: &SolverSettings) -> bool {
    objective.periods() < settings.jacobi_below
}
