use bdem_core::geometry::Vec3;
use bdem_core::spring::{Energies, Rule, SpringState, SpringSystem, StepSettings, Stepper};

use super::systems::Start;

/// Time integrator of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integrator {
    /// One of the program.
    Rule(Rule),
    /// BDF2 with the charges' forces at the step's beginning, as the paper's implicit Euler has them.
    LaggedBdf2,
    /// Explicit Euler for springs and charges, the black line of Fig 4.
    ExplicitEuler,
}

impl Integrator {
    /// All, the paper's first.
    pub(super) const ALL: [Self; 5] = [
        Self::Rule(Rule::ImplicitEuler),
        Self::Rule(Rule::ImplicitBdf2),
        Self::LaggedBdf2,
        Self::Rule(Rule::Verlet),
        Self::ExplicitEuler,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rule(Rule::ImplicitEuler) => "implicit Euler, as the paper",
            Self::Rule(Rule::ImplicitBdf2) => "implicit BDF2",
            Self::Rule(Rule::Verlet) => "Verlet",
            Self::LaggedBdf2 => "implicit BDF2, charges lagged",
            Self::ExplicitEuler => "explicit Euler",
        }
    }
}

/// States of a run at equal intervals, the first at its beginning. It ends where a state has no field or no finite energy.
pub(super) struct Trace {
    pub states: Vec<SpringState>,
    pub energies: Vec<Energies>,
}

impl Trace {
    /// `samples` intervals of `interval` (s) in steps of `step` (s), the nearest whole number.
    pub(super) fn new(start: &Start, integrator: Integrator, step: f64, (samples, interval): (usize, f64)) -> Self {
        let Start { system, state } = start;
        let rule = match integrator {
            Integrator::Rule(rule) => rule,
            Integrator::LaggedBdf2 => Rule::ImplicitBdf2,
            Integrator::ExplicitEuler => Rule::Verlet,
        };
        let mut stepper = Stepper::new(system, state, StepSettings { rule, ..StepSettings::new(step) });
        let steps = (interval / step).round() as usize;
        let mut trace = Self { states: vec![state.clone()], energies: vec![system.energies(state)] };
        let (mut state, mut previous): (SpringState, Option<SpringState>) = (state.clone(), None);
        for _ in 0..samples {
            for _ in 0..steps {
                if let (Integrator::LaggedBdf2, Some(previous)) = (integrator, &mut previous) {
                    // without a change there is nothing to extrapolate
                    previous.coulomb.clone_from(&state.coulomb);
                }
                let next = match integrator {
                    Integrator::Rule(_) | Integrator::LaggedBdf2 => {
                        stepper.step(system, &state, previous.as_ref()).map(|outcome| outcome.state)
                    }
                    Integrator::ExplicitEuler => explicit_euler(system, &state, step),
                };
                let Ok(next) = next else { return trace };
                previous = Some(std::mem::replace(&mut state, next));
            }
            let energies = system.energies(&state);
            if !energies.total().is_finite() {
                break;
            }
            trace.states.push(state.clone());
            trace.energies.push(energies);
        }
        trace
    }

    /// Relative errors of the total energy.
    pub(super) fn energy_errors(&self, reference: &Self) -> Vec<f64> {
        let error = |of: &Energies, right: &Energies| ((of.total() - right.total()) / right.total()).abs();
        compare(&self.energies, &reference.energies, error)
    }

    /// Relative errors of kinetic energy and those of springs and charges together: norm of the differences over the norm.
    pub(super) fn part_errors(&self, reference: &Self) -> Vec<f64> {
        let parts = |of: &Energies| Vec3::new(of.kinetic, of.springs, of.charges);
        let error = |of: &Energies, right: &Energies| (parts(of) - parts(right)).norm() / parts(right).norm();
        compare(&self.energies, &reference.energies, error)
    }

    /// Root mean squares of the distances between vertices, m.
    pub(super) fn distances(&self, reference: &Self) -> Vec<f64> {
        let distance = |of: &SpringState, right: &SpringState| {
            let squares: f64 = of.x.iter().zip(&right.x).map(|(a, b)| (a - b).norm_squared()).sum();
            (squares / of.x.len() as f64).sqrt()
        };
        compare(&self.states, &reference.states, distance)
    }

    /// Times of the samples, s.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        self.states.iter().map(|state| state.time)
    }
}

fn compare<A>(of: &[A], reference: &[A], error: impl Fn(&A, &A) -> f64) -> Vec<f64> {
    of.iter().zip(reference).map(|(of, reference)| error(of, reference)).collect()
}

/// Positions and velocities from those at the step's beginning.
fn explicit_euler(
    system: &SpringSystem,
    state: &SpringState,
    step: f64,
) -> Result<SpringState, bdem_core::spring::SpringError> {
    let forces = system.conservative_forces(state);
    let x = state.x.iter().zip(&state.v).map(|(x, v)| x + v * step).collect();
    let v = state.v.iter().zip(forces).zip(&system.mass).map(|((v, force), mass)| v + force * (step / mass)).collect();
    let end = system.state(x, v)?;
    Ok(SpringState { time: state.time + step, ..end })
}

/// Mean and standard deviation; NaN of none.
pub(super) fn mean_and_deviation(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    [mean, (squares / n).sqrt()]
}

/// Largest value; 0 of none.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
