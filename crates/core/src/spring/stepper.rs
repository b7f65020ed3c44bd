use super::local_global::LocalGlobal;
use super::solver::minimize;
use super::{Solver, SpringError, SpringState, SpringSystem, StepObjective};
use crate::geometry::Vec3;

/// Time integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The paper's: implicit Euler for the springs, the charges' forces at the step's beginning (\[MSC\] eqs 10-12).
    ImplicitEuler,
    /// Backward differences of second order for the springs, the charges' forces extrapolated from the step's beginning
    /// and the one before.
    ImplicitBdf2,
    /// Velocity Verlet: explicit, charges at both ends of the step.
    Verlet,
}

/// Settings of the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSettings {
    /// Length h, s.
    pub step: f64,
    /// Time integrator.
    pub rule: Rule,
    /// Solver of implicit steps.
    pub solver: Solver,
    /// Bound on the residual of an implicit step: unbalanced force over the forces.
    pub tolerance: f64,
    /// Most iterations of a step.
    pub max_iterations: usize,
}

impl StepSettings {
    /// Steps of the paper of length h (s), solved by Newton's method.
    pub fn new(step: f64) -> Self {
        let (rule, solver) = (Rule::ImplicitEuler, Solver::Newton);
        Self { step, rule, solver, tolerance: 1e-9, max_iterations: 1000 }
    }
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutcome {
    /// State at its end.
    pub state: SpringState,
    /// Number of iterations of the solver.
    pub iterations: usize,
    /// Unbalanced force over the forces. It is above the tolerance after the most iterations, or where rounding is.
    pub residual: f64,
}

/// Steps of a system. It keeps at most the local-global iteration's matrix, and nothing of states: a step depends on the
/// states that it is given alone.
pub struct Stepper {
    settings: StepSettings,
    local_global: LocalGlobal,
}

impl Stepper {
    /// Steps of `system`; the positions of `state` determine the order in which the local-global matrix is factored.
    pub fn new(system: &SpringSystem, state: &SpringState, settings: StepSettings) -> Self {
        Self { settings, local_global: LocalGlobal::new(system, &state.x) }
    }

    /// Step from `state`. BDF2 needs the state one step `previous`; without it, at the beginning, it is implicit Euler.
    ///
    /// # Errors
    /// When the step is not positive, or the charges have no field at its end.
    pub fn step(
        &mut self,
        system: &SpringSystem,
        state: &SpringState,
        previous: Option<&SpringState>,
    ) -> Result<StepOutcome, SpringError> {
        let StepSettings { step, rule, .. } = self.settings;
        if !(step > 0.0 && step.is_finite()) {
            return Err(SpringError::Step { value: step });
        }
        if rule == Rule::Verlet {
            return Ok(StepOutcome { state: verlet(system, state, step)?, iterations: 0, residual: 0.0 });
        }
        let objective = objective(system, state, previous.filter(|_| rule == Rule::ImplicitBdf2), step);
        let (x, iterations, residual) = minimize(system, &objective, &self.settings, &mut self.local_global);
        let v = x.iter().zip(&objective.history).map(|(x, before)| (x - before) / objective.weight).collect();
        Ok(StepOutcome { state: system.state_at(state.time + step, x, v)?, iterations, residual })
    }
}

/// Objective of implicit Euler, or with a previous state that of BDF2: x' = (4 x_t - x_(t-h))/3, v' alike, and the charges'
/// forces 2 f_t - f_(t-h), which are of second order.
fn objective<'a>(
    system: &'a SpringSystem,
    state: &SpringState,
    previous: Option<&SpringState>,
    step: f64,
) -> StepObjective<'a> {
    let Some(previous) = previous else {
        return StepObjective::new(system, state, step, [state.x.clone(), state.v.clone()]);
    };
    let blend = |now: &[Vec3], before: &[Vec3]| now.iter().zip(before).map(|(a, b)| a + (a - b) / 3.0).collect();
    let history = [blend(&state.x, &previous.x), blend(&state.v, &previous.v)];
    let mut objective = StepObjective::new(system, state, 2.0 / 3.0 * step, history);
    let changes = state.coulomb.iter().zip(&previous.coulomb).map(|(now, before)| now - before);
    objective.force.iter_mut().zip(changes).for_each(|(force, change)| *force += change);
    objective
}

fn verlet(system: &SpringSystem, state: &SpringState, step: f64) -> Result<SpringState, SpringError> {
    let mut middle = state.v.clone();
    kick(system, state, &state.v, 0.5 * step, &mut middle);
    let x = state.x.iter().zip(&middle).map(|(x, v)| x + v * step).collect();
    let mut end = system.state_at(state.time + step, x, middle.clone())?;
    // dashpots at the velocities of the end, up to h^2
    let ahead: Vec<Vec3> = middle.iter().zip(&state.v).map(|(middle, v)| middle * 2.0 - v).collect();
    let mut v = middle;
    kick(system, &end, &ahead, 0.5 * step, &mut v);
    end.v = v;
    Ok(end)
}

/// Adds to `v` the acceleration over a time (s), by the forces of `state` and dashpots at the velocities `damped`.
fn kick(system: &SpringSystem, state: &SpringState, damped: &[Vec3], time: f64, v: &mut [Vec3]) {
    let mut forces = system.conservative_forces(state);
    system.springs.add_damping(&state.x, damped, &mut forces);
    for ((v, force), mass) in v.iter_mut().zip(forces).zip(&system.mass) {
        *v += force * (time / mass);
    }
}
