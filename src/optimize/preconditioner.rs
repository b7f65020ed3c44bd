//! Newton's preconditioners, and how long they serve.

use nalgebra::Matrix3;

use crate::geometry::{Quat, rotation};
use crate::linalg::amg::Amg;
use crate::linalg::{BlockJacobi, Cg, CgOutcome, Operator, RowSource, Vec6};
use crate::model::State;

use super::{Objective, SolverSettings};

#[derive(Debug)]
pub(super) enum Preconditioner {
    Jacobi(BlockJacobi<f32>),
    Amg(Box<Built>),
}

/// A multigrid hierarchy, which costs as much as many solves and serves for as long as it is good enough.
#[derive(Debug)]
pub(super) struct Built {
    amg: Amg,
    /// Step that it was built for, s.
    dt: f64,
    /// Orientations then.
    q: Vec<Quat>,
    /// Iterations of the first solve with it.
    first: Option<usize>,
    /// Whether the last took far more.
    is_tired: bool,
}

impl Built {
    pub fn new(matrix: &impl RowSource, objective: &Objective, x: &State, settings: &SolverSettings) -> Self {
        let radius = &objective.potential.world.particles.radius;
        let amg = Amg::build(matrix, &x.p, radius, objective.held, &settings.amg);
        Self { amg, dt: objective.dt, q: x.q.clone(), first: None, is_tired: false }
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
}

impl Preconditioner {
    /// Whether it is of the right kind for the step, and was made for one near enough.
    pub fn serves(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        let short = is_short(objective, settings);
        match self {
            Self::Jacobi(_) => short,
            Self::Amg(built) => !built.is_tired && !short && (0.2..5.0).contains(&(objective.dt / built.dt)),
        }
    }

    /// The diagonal blocks, inverted.
    pub fn diagonal_mut(&mut self) -> &mut BlockJacobi<f32> {
        match self {
            Self::Jacobi(jacobi) => jacobi,
            Self::Amg(built) => built.amg.smoother_mut(),
        }
    }

    /// The hierarchy, where there is one.
    pub fn amg_mut(&mut self) -> Option<&mut Amg> {
        match self {
            Self::Jacobi(_) => None,
            Self::Amg(built) => Some(&mut built.amg),
        }
    }

    /// Makes ready for solves at `x`.
    pub fn follow(&mut self, x: &State) {
        if let Self::Amg(built) = self {
            built.turn(x);
        }
    }

    /// Solves `operator solution = rhs` from zero.
    pub fn solve(
        &mut self,
        cg: &mut Cg<f32>,
        operator: &impl Operator<f32>,
        rhs: &[Vec6<f32>],
        solution: &mut [Vec6<f32>],
        settings: &SolverSettings,
    ) -> CgOutcome {
        let (tolerance, most) = (settings.cg_tolerance, settings.cg_iterations as usize);
        solution.fill(Vec6::ZERO);
        match self {
            Self::Amg(built) => cg.solve(operator, &mut built.amg.on(operator), rhs, solution, tolerance, most),
            Self::Jacobi(jacobi) => cg.solve(operator, jacobi, rhs, solution, tolerance, most),
        }
    }

    /// Notes how many iterations a solve took: a hierarchy that has become so much worse than when it was new is due to be
    /// replaced.
    pub fn watch(&mut self, iterations: usize) {
        if let Self::Amg(built) = self {
            let first = *built.first.get_or_insert(iterations);
            built.is_tired = iterations > first + first / 2 + 6;
        }
    }
}

/// Whether block Jacobi is all that the step needs.
pub(super) fn is_short(objective: &Objective, settings: &SolverSettings) -> bool {
    objective.periods() < settings.jacobi_below
}
