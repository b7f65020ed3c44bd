use bdem_core::energy::{ElectricState, Potential};
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, StepError, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Action, Constraint, Electrostatics, Gradient, State, World, Wrench};
use bdem_core::simulate::{CgTolerance, SolverSettings};

/// Time integrator of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integrator {
    /// The paper's: the charges' forces at the step's beginning (\[MSC\] eqs 10-12).
    ImplicitEuler,
    /// BDF2 with extrapolated forces of the charges.
    ImplicitBdf2,
    /// BDF2 with the charges' forces at the step's beginning, as the paper's implicit Euler has them.
    LaggedBdf2,
    /// Charges at both ends of a step.
    Verlet,
    /// Explicit Euler for springs and charges, the black line of Fig 4.
    ExplicitEuler,
}

impl Integrator {
    /// All, the paper's first.
    pub(super) const ALL: [Self; 5] =
        [Self::ImplicitEuler, Self::ImplicitBdf2, Self::LaggedBdf2, Self::Verlet, Self::ExplicitEuler];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ImplicitEuler => "implicit Euler, as the paper",
            Self::ImplicitBdf2 => "implicit BDF2",
            Self::LaggedBdf2 => "implicit BDF2, charges lagged",
            Self::Verlet => "Verlet",
            Self::ExplicitEuler => "explicit Euler",
        }
    }

    /// The program's integrator; none of explicit Euler.
    fn of_world(self, world: &World) -> Option<Box<dyn bdem_core::integrate::Integrator>> {
        // near the last digit, also where compressed springs slow Newton's method
        let settings = SolverSettings {
            newton_tolerance: 1e-8,
            newton_relative_tolerance: 1e-5,
            newton_iterations: 1000,
            cg_tolerance: CgTolerance::Fixed(1e-3),
            ..SolverSettings::default()
        };
        let implicit =
            |rule| -> Box<dyn bdem_core::integrate::Integrator> { Box::new(Implicit::new(rule, world, &settings)) };
        match self {
            Self::ImplicitEuler => Some(implicit(TimeRule::Euler)),
            Self::ImplicitBdf2 | Self::LaggedBdf2 => Some(implicit(TimeRule::Bdf2)),
            Self::Verlet => Some(Box::new(Verlet::new(world))),
            Self::ExplicitEuler => None,
        }
    }
}

/// Steps of equal length of a world without contacts.
pub(super) struct Steps {
    world: World,
    integrator: Integrator,
    of_world: Option<Box<dyn bdem_core::integrate::Integrator>>,
    contacts: Contacts,
    /// s.
    step: f64,
}

impl Steps {
    pub(super) fn new(world: &World, state: &State, integrator: Integrator, step: f64) -> Self {
        let (of_world, contacts) = (integrator.of_world(world), Contacts::new(world, state));
        Self { world: world.clone(), integrator, of_world, contacts, step }
    }

    /// Step from `state` to its end.
    pub(super) fn advance(&mut self, state: &mut State) -> Result<(), StepError> {
        let Self { world, contacts, step, .. } = self;
        let Some(of_world) = &mut self.of_world else {
            return explicit_euler(world, contacts, state, *step);
        };
        let world = if self.integrator == Integrator::LaggedBdf2 { &lagged(world, state)? } else { &*world };
        of_world.step(world, contacts, state, *step).map(|_| ())
    }
}

/// `world` with the charges' forces at `state` as loads.
fn lagged(world: &World, state: &State) -> Result<World, StepError> {
    let electric = ElectricState::of(world, state).map_err(StepError::Field)?;
    let load = |(i, force): (&u32, &Vec3)| {
        Constraint::new(vec![*i], Action::Load(Wrench { force: *force, torque: Vec3::zeros() }))
    };
    let constraints: Vec<Constraint> =
        world.electrostatics.particles().iter().zip(electric.forces()).map(load).collect();
    let mut lagged = world.clone();
    (lagged.electrostatics, lagged.constraints) = (Electrostatics::default(), constraints);
    Ok(lagged)
}

/// Positions and velocities from those at the step's beginning.
fn explicit_euler(world: &World, contacts: &Contacts, state: &mut State, step: f64) -> Result<(), StepError> {
    let electric = ElectricState::of(world, state).map_err(StepError::Field)?;
    let mut gradient = vec![Gradient::default(); state.len()];
    Potential::new(world, contacts).gradient(state, &mut gradient);
    for (i, force) in electric.forces().iter().enumerate() {
        let v = state.v[i];
        state.p[i] += v * step;
        state.v[i] += (force - gradient[i].p) * (step / world.particles.mass[i]);
    }
    state.time += step;
    Ok(())
}

/// Energies of a state, J.
pub(super) struct Energies {
    kinetic: f64,
    springs: f64,
    charges: f64,
}

impl Energies {
    /// None where a state has no field.
    fn of(world: &World, contacts: &Contacts, state: &State) -> Option<Self> {
        let (kinetic, _) = state.kinetic_energy(&world.particles);
        let springs = Potential::new(world, contacts).value(state);
        Some(Self { kinetic, springs, charges: ElectricState::of(world, state).ok()?.energy() })
    }

    fn total(&self) -> f64 {
        self.kinetic + self.springs + self.charges
    }
}

/// States of a run at equal intervals, the first at its beginning. It ends where a step fails, or a state has no field or no
/// finite energy.
pub(super) struct Trace {
    pub states: Vec<State>,
    pub energies: Vec<Energies>,
}

impl Trace {
    /// `samples` intervals of `interval` (s) in steps of `step` (s), the nearest whole number.
    pub(super) fn new(
        (world, start): &(World, State),
        integrator: Integrator,
        step: f64,
        (samples, interval): (usize, f64),
    ) -> Self {
        let mut motion = Steps::new(world, start, integrator, step);
        let steps = (interval / step).round() as usize;
        let mut trace = Self { states: Vec::new(), energies: Vec::new() };
        let mut state = start.clone();
        for sample in 0..=samples {
            let advances = sample == 0 || (0..steps).all(|_| motion.advance(&mut state).is_ok());
            let energies = Energies::of(world, &motion.contacts, &state);
            let Some(energies) = energies.filter(|energies| advances && energies.total().is_finite()) else { break };
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
        let distance = |of: &State, right: &State| {
            let squares: f64 = of.p.iter().zip(&right.p).map(|(a, b)| (a - b).norm_squared()).sum();
            (squares / of.p.len() as f64).sqrt()
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
