//! Newton's preconditioners, and which of them a solve takes.

use std::borrow::Cow;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::fracture::Pieces;
use crate::geometry::{Quat, rotation};
use crate::linalg::amg::{Amg, SavedAmg};
use crate::linalg::{BlockJacobi, Cg, CgOutcome, Operator, RowSource, Vec6};
use crate::model::{State, World};

use super::solver::Problem;
use super::{Objective, SolverSettings};

/// Block Jacobi, and a multigrid hierarchy where one has been built: it costs as much as many solves, and serves for as
/// long as it is good enough.
///
/// A whole body needs the hierarchy from some steps of 6 T on. Fragments, whose contacts come and go, wear one out
/// within a few steps, and have no soft motions that block Jacobi could not find. So which is taken goes by what either
/// has cost: see [`Costs`].
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    /// The diagonal blocks, inverted, where there is no hierarchy, whose smoother has them otherwise.
    jacobi: BlockJacobi<f32>,
    built: Option<Box<Built>>,
    costs: Costs,
    rubble: Rubble,
    /// With a trial under way.
    former: Option<Former>,
}

/// Costs and hierarchy of the start of a trial.
#[derive(Debug)]
struct Former {
    costs: Costs,
    /// Outer `None`: the hierarchy is the same. Inner `None`: there was none, or none that the trial could use.
    built: Option<Option<Box<Built>>>,
}

/// Whether a world with so many bonds is in pieces of which none has three quarters of the particles.
#[derive(Clone, Copy, Debug, Default)]
struct Rubble {
    bonds: usize,
    is: bool,
}

/// A multigrid hierarchy.
#[derive(Debug)]
pub(super) struct Built {
    amg: Amg,
    /// Step that it was built for, s.
    dt: f64,
    /// Which particles were held then.
    held: Vec<bool>,
    /// Orientations then.
    q: Vec<Quat>,
}

impl Built {
    pub fn new(matrix: &impl RowSource, objective: &Objective, x: &State, settings: &SolverSettings) -> Self {
        let radius = &objective.potential.world.particles.radius;
        let amg = Amg::build(matrix, &x.p, radius, objective.held, &settings.amg);
        Self { amg, dt: objective.dt, held: objective.held.to_vec(), q: x.q.clone() }
    }

    /// Turns the hierarchy by what each particle has turned since the build.
    fn turn(&mut self, x: &State) {
        /// Radians that are not worth turning for: a strain's size.
        const LEAST: f64 = 0.02;
        let turns = || x.q.iter().zip(&self.q).map(|(now, then)| now * then.conjugate());
        // the imaginary part is the sine of half the angle
        if turns().all(|turn| turn.imag().norm_squared() < (0.5 * LEAST) * (0.5 * LEAST)) {
            self.amg.turn([]);
        } else {
            self.amg.turn(turns().map(|turn| -> Matrix3<f32> { rotation::rotation_matrix(&turn).cast() }));
        }
    }

    /// Whether it was made for a step near enough, with the same particles free.
    fn is_for(&self, objective: &Objective) -> bool {
        self.held == objective.held && (0.2..5.0).contains(&(objective.dt / self.dt))
    }
}

/// What solves have cost, in iterations with block Jacobi.
///
/// An iteration with a V-cycle counts as [`CYCLE`] and a hierarchy as [`SETUP`] of them: counts, not clocks, so that a
/// run takes the same way on any machine. When a hierarchy has wasted what a new one costs, block Jacobi gets its turn,
/// for as long as its solves cost less than those with that hierarchy did, setup and all.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Costs {
    /// Solves with the hierarchy, and their iterations: of all, and of the first [`YOUNG`].
    solves: u32,
    iterations: f64,
    young: f64,
    /// Iterations that later ones took beyond the mean of those.
    excess: f64,
    /// Whether the hierarchy has wasted what a new one costs.
    is_worn_out: bool,
    /// The mean iterations with block Jacobi, since it has its turn.
    jacobi: Option<f64>,
}

/// What solves to come go by besides their matrix: the hierarchy that was built last, and the costs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memory<'a> {
    built: Option<SavedBuilt<'a>>,
    costs: Costs,
}

/// [`Built`], on a disk.
#[derive(Debug, Serialize, Deserialize)]
struct SavedBuilt<'a> {
    amg: SavedAmg<'a>,
    dt: f64,
    held: Cow<'a, [bool]>,
    q: Cow<'a, [Quat]>,
}

impl SavedBuilt<'_> {
    fn restore(self, settings: &SolverSettings) -> Option<Built> {
        let (held, q) = (self.held.into_owned(), self.q.into_owned());
        let amg = Amg::restore(self.amg, q.len(), &settings.amg)?;
        (held.len() == q.len()).then_some(Built { amg, dt: self.dt, held, q })
    }
}

/// Work of an iteration with a V-cycle, over one with block Jacobi.
const CYCLE: f64 = 4.5;

/// Work of a new hierarchy.
const SETUP: f64 = 270.0;

/// From so many periods T on, block Jacobi gets no turn where a large part is whole: at a residual that is as small, it leaves
/// more of the soft motions, 1e-3 radii in the flight of a block at 100 T. Rubble has none that are as soft.
const FAR: f64 = 50.0;

/// Solves that tell what a hierarchy is worth when it is new. Single ones differ by more than it grows worse in a step.
const YOUNG: u32 = 10;

/// Solves with block Jacobi that its mean forgets in.
const MEMORY: f64 = 10.0;

impl Costs {
    fn with_cycle(&mut self, iterations: f64) {
        if self.solves < YOUNG {
            self.young += iterations;
        } else {
            self.excess = (self.excess + iterations - self.young / f64::from(YOUNG)).max(0.0);
            self.is_worn_out = CYCLE * self.excess > SETUP;
        }
        self.solves += 1;
        self.iterations += iterations;
    }

    fn with_jacobi(&mut self, iterations: f64) {
        let mean = self.jacobi.get_or_insert(iterations);
        *mean += (iterations - *mean) / MEMORY;
    }

    /// What a solve with the hierarchy has cost, on the mean.
    fn of_cycle(&self) -> f64 {
        (CYCLE * self.iterations + SETUP) / f64::from(self.solves)
    }

    /// Whether it is block Jacobi's turn.
    fn favours_jacobi(&self) -> bool {
        self.is_worn_out && self.jacobi.is_none_or(|mean| mean <= self.of_cycle())
    }
}

impl Preconditioner {
    /// Looks at what the bonds still hold together.
    pub fn look(&mut self, world: &World) {
        let bonds = world.whole_bond_count();
        if self.rubble.bonds != bonds {
            self.rubble = Rubble { bonds, is: 4 * Pieces::of(world).largest < 3 * world.particles.len() };
        }
    }

    /// Whether the next solve is to have a new hierarchy first.
    pub fn needs_hierarchy(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        !self.takes_jacobi(objective, settings) && !self.built.as_deref().is_some_and(|built| built.is_for(objective))
    }

    fn takes_jacobi(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        let may = objective.periods() < FAR || self.rubble.is;
        is_short(objective, settings) || (may && self.costs.favours_jacobi())
    }

    pub fn memory(&self) -> Memory<'_> {
        let built = self.built.as_deref().map(|built| SavedBuilt {
            amg: built.amg.save(),
            dt: built.dt,
            held: Cow::Borrowed(&built.held),
            q: Cow::Borrowed(&built.q),
        });
        Memory { built, costs: self.costs.clone() }
    }

    /// The preconditioner of `particles` that remembers, once it is given the diagonal blocks. `None` if the memory makes no sense.
    pub fn recall(memory: Memory, particles: usize, settings: &SolverSettings) -> Option<Self> {
        let built = match memory.built {
            Some(built) => Some(Box::new(built.restore(settings).filter(|built| built.q.len() == particles)?)),
            None => None,
        };
        Some(Self { built, costs: memory.costs, ..Self::default() })
    }

    /// Takes a new hierarchy, whose smoother has yet to be given the diagonal blocks.
    pub fn set_hierarchy(&mut self, built: Built) {
        self.built = Some(Box::new(built));
    }

    /// Makes room for a new hierarchy, which begins without costs.
    pub fn clear(&mut self, objective: &Objective) {
        // one for another step has done nothing in this trial, and would be replaced again
        let used = self.built.take().filter(|built| built.is_for(objective));
        self.keep_former(used);
        (self.jacobi, self.costs) = (BlockJacobi::default(), Costs::default());
    }

    /// Marks the start of a step's trial, which [`Self::abandon_trial`] goes back to.
    pub fn begin_trial(&mut self) {
        self.former = Some(Former { costs: self.costs.clone(), built: None });
    }

    /// Makes [`Self::memory`] what it was when the trial began.
    pub fn abandon_trial(&mut self) {
        let Some(former) = self.former.take() else { return };
        self.costs = former.costs;
        if let Some(built) = former.built {
            self.built = built;
        }
    }

    /// Keeps the hierarchy that the trial under way began with, which it has no use for any more.
    fn keep_former(&mut self, built: Option<Box<Built>>) {
        if let Some(former) = &mut self.former {
            former.built.get_or_insert(built);
        }
    }

    /// The diagonal blocks, inverted.
    pub fn diagonal_mut(&mut self) -> &mut BlockJacobi<f32> {
        match &mut self.built {
            Some(built) => built.amg.smoother_mut(),
            None => &mut self.jacobi,
        }
    }

    /// Makes ready for solves at `x`.
    pub fn follow(&mut self, x: &State) {
        if let Some(built) = &mut self.built {
            built.turn(x);
        }
    }

    /// The hierarchy, if the solve is to take it.
    pub fn hierarchy(&mut self, problem: &Problem) -> Option<&mut Amg> {
        let takes_jacobi = self.takes_jacobi(problem.objective, problem.settings);
        self.built.as_mut().filter(|_| !takes_jacobi).map(|built| &mut built.amg)
    }

    /// Solves `operator solution = rhs` from zero.
    pub fn solve(
        &mut self,
        cg: &mut Cg<f32>,
        operator: &impl Operator<f32>,
        rhs: &[Vec6<f32>],
        solution: &mut [Vec6<f32>],
        problem: &Problem,
    ) -> CgOutcome {
        let (motions, effort) = (problem.motions, problem.effort());
        solution.fill(Vec6::ZERO);
        match self.hierarchy(problem) {
            Some(amg) => motions.solve(cg, operator, &mut amg.on(operator), rhs, solution, effort),
            None => motions.solve(cg, operator, self.diagonal_mut(), rhs, solution, effort),
        }
    }

    /// Notes how many iterations a solve took.
    pub fn watch(&mut self, problem: &Problem, iterations: usize) {
        if is_short(problem.objective, problem.settings) {
            return;
        }
        if self.hierarchy(problem).is_none() {
            self.costs.with_jacobi(iterations as f64);
            return;
        }
        self.costs.with_cycle(iterations as f64);
        if self.costs.is_worn_out
            && let Some(mut built) = self.built.take()
        {
            self.jacobi = std::mem::take(built.amg.smoother_mut());
            self.keep_former(Some(built));
        }
    }
}

/// Whether block Jacobi is all that the step needs.
pub(super) fn is_short(objective: &Objective, settings: &SolverSettings) -> bool {
    objective.periods() < settings.jacobi_below
}
