//! A run of a random scene, audited at every frame.

use std::fmt;
use std::time::Instant;

use bdem_core::energy::Potential;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::StepError;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Cause, GaveUp, Progress, Simulation, Snapshot};
use bdem_run::output::{Checkpoint, RunRecord};
use bdem_run::scene::SceneError;

use super::dice::Dice;
use super::recipe::Recipe;

/// Energy from nothing, as a share of the energy at play: the most that a run may have at any frame, and an implicit one,
/// whose steps are longer.
const GAIN: [f64; 2] = [0.01, 0.02];

/// Momentum from nothing in a world that nothing acts on, as a share of the sum of its particles' momenta: rounding.
const DRIFT: f64 = 1e-9;

/// Attempts for each step of Verlet at a quarter of its limit, and besides, after which a run is endless. The limit of that is
/// of the start; `auto` finds it anew as contacts by Hertz's law harden.
const ATTEMPTS: [u64; 2] = [4, 5000];

/// Samples of the elastic energy in a run.
const SAMPLES: f64 = 200.0;

/// An integrator and its step, by their names in a scene.
pub(super) type Method<'a> = [&'a str; 2];

/// Verlet at a quarter of its limit.
pub(super) const REFERENCE: Method = ["explicit-verlet", "{ limit = 0.25 }"];

/// Verlet in its default step.
pub(super) const COARSE: Method = ["explicit-verlet", "auto"];

/// A random scene, built.
pub(super) struct Case {
    pub recipe: Recipe,
    /// Values of its keys, as `key=value`.
    settings: Vec<String>,
    pub world: World,
    pub state: State,
    /// Attempts after which a run of it is endless.
    attempts: u64,
}

/// Why a run is no success.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Failure {
    GaveUp(GaveUp),
    /// So many attempts did not lead to the end.
    Endless(u64),
    /// This share of the energy at play from nothing: see [`GAIN`].
    Gains(f64),
    /// Momentum from nothing: see [`DRIFT`].
    Drifts(f64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::GaveUp(why) => why.fmt(f),
            Self::Endless(attempts) => write!(f, "not at its end after {attempts} attempts"),
            Self::Gains(share) => write!(f, "{:.2} % of the energy at play from nothing", 100.0 * share),
            Self::Drifts(share) => write!(f, "momentum drifts by {share:.1e}"),
        }
    }
}

impl Failure {
    /// One word for a table.
    pub(super) fn name(&self) -> String {
        match self {
            Self::GaveUp(GaveUp { cause: Cause::Account(balance, bound), .. }) => {
                if balance.gain() > *bound { "account: gain" } else { "account: open" }.to_owned()
            }
            Self::GaveUp(GaveUp { cause: Cause::Step(error), .. }) => {
                let text = format!("{error:?}");
                text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
            }
            Self::GaveUp(other) => other.to_string(),
            Self::Endless(_) => "endless".to_owned(),
            Self::Gains(_) => "gain".to_owned(),
            Self::Drifts(_) => "momentum".to_owned(),
        }
    }

    /// Whether the integrator says by name that the scene is not for it.
    fn is_refusal(&self, [integrator, _]: Method) -> bool {
        let Self::GaveUp(GaveUp { cause: Cause::Step(error), .. }) = self else { return false };
        // its map has no rotation of half a turn and more
        integrator == "explicit-rodrigues" && matches!(error, StepError::SpinsTooFast { .. })
    }
}

impl Case {
    /// The case of a number.
    ///
    /// # Errors
    /// When the scene is refused.
    pub(super) fn new(number: u64) -> Result<Self, SceneError> {
        Self::with(number, &[])
    }

    /// The case of a number, with other values of keys.
    ///
    /// # Errors
    /// When the scene is refused.
    pub(super) fn with(number: u64, settings: &[&str]) -> Result<Self, SceneError> {
        let recipe = Recipe::of(number);
        let settings: Vec<String> = settings.iter().map(|set| set.to_string()).collect();
        let (world, state) = recipe.scene(&settings)?.build()?;
        let mut case = Self { recipe, settings, world, state, attempts: 0 };
        let steps = Run::new(&case, REFERENCE, 0)?.steps();
        case.attempts = ATTEMPTS[0] * steps + ATTEMPTS[1];
        Ok(case)
    }

    /// About the work of a run of Verlet: evaluations of bonds and particles.
    pub(super) fn work(&self) -> f64 {
        let steps = Run::new(self, COARSE, 0).map_or(0, |run| run.steps());
        steps as f64 * (self.world.bonds().len() + self.state.len()) as f64
    }
}

/// A run of a case.
pub(super) struct Run<'a> {
    pub case: &'a Case,
    method: Method<'a>,
    pub simulation: Simulation,
    pub frames: u32,
    /// Of all frames, s.
    duration: f64,
    pub progress: Progress,
    /// s on the wall.
    pub seconds: f64,
    /// Greatest gain of any frame, see [`GAIN`], and greatest share that is not accounted for.
    pub gain: f64,
    pub open: f64,
    /// Integral of the elastic energy over time, J s, and its last sample: the time, s.
    elastic: f64,
    sampled: f64,
}

impl<'a> Run<'a> {
    /// At its start. A `member` of an ensemble but the first has its particles moved by 1e-9 of their radii.
    ///
    /// # Errors
    /// When the scene is refused under this integrator.
    pub(super) fn new(case: &'a Case, method: Method<'a>, member: u64) -> Result<Self, SceneError> {
        let [integrator, step] = method;
        let method_of = [format!("time.integrator={integrator}"), format!("time.step={step}")];
        let scene = case.recipe.scene(&[&case.settings[..], &method_of].concat())?;
        let (mut state, mut dice) = (case.state.clone(), Dice::new(member));
        if member > 0 {
            let moved = state.p.iter_mut().zip(&case.world.particles.radius);
            moved.for_each(|(p, radius)| *p += Vec3::from(dice.vector(1e-9)) * *radius);
        }
        let simulation = Simulation::new(case.world.clone(), state, &scene.simulation_settings());
        let (frames, progress) = (scene.time.frames, Progress::default());
        let duration = f64::from(frames) / scene.time.frame_rate;
        Ok(Self {
            case,
            method,
            simulation,
            frames,
            duration,
            progress,
            seconds: 0.0,
            gain: 0.0,
            open: 0.0,
            elastic: 0.0,
            sampled: 0.0,
        })
    }

    /// Nominal steps in all.
    pub(super) fn steps(&self) -> u64 {
        u64::from(self.simulation.plan.per_frame) * u64::from(self.frames)
    }

    /// Makes all frames.
    ///
    /// # Errors
    /// When it fails.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        let (before, _) = self.momentum();
        self.advance(self.frames)?;
        let (after, size) = self.momentum();
        let drift = (after - before).norm() / size;
        if self.case.recipe.is_free() && drift > DRIFT { Err(Failure::Drifts(drift)) } else { Ok(()) }
    }

    /// Makes so many frames.
    ///
    /// # Errors
    /// When it gives up, or is endless.
    pub(super) fn advance(&mut self, frames: u32) -> Result<(), Failure> {
        let start = Instant::now();
        let ended = (0..frames).try_for_each(|_| self.frame());
        self.seconds += start.elapsed().as_secs_f64();
        ended
    }

    fn frame(&mut self) -> Result<(), Failure> {
        for _ in 0..self.simulation.plan.per_frame {
            while !self.simulation.try_step(&mut self.progress).map_err(Failure::GaveUp)? {
                self.sample();
                let attempts = self.progress.steps + self.progress.step_cuts;
                if attempts > self.case.attempts {
                    return Err(Failure::Endless(attempts));
                }
            }
            self.sample();
        }
        let audit = self.simulation.audit();
        self.gain = self.gain.max(self.simulation.balance.gain());
        self.open = self.open.max(self.simulation.balance.open());
        audit.map_err(Failure::GaveUp)?;
        let most = GAIN[usize::from(self.method[0].starts_with("implicit"))];
        if self.gain > most { Err(Failure::Gains(self.gain)) } else { Ok(()) }
    }

    /// Mean elastic energy, J.
    pub(super) fn elastic(&self) -> f64 {
        self.elastic / self.sampled
    }

    /// Adds the elastic energy to its mean, where the last sample is long enough ago.
    fn sample(&mut self) {
        let Simulation { world, contacts, state, .. } = &self.simulation;
        let since = state.time - self.sampled;
        if since * SAMPLES >= self.duration {
            let energies = Potential::new(world, contacts).energies(state);
            self.elastic += since * (energies.elastic());
            self.sampled = state.time;
        }
    }

    /// A new simulation where this one is, by way of a file's bytes.
    pub(super) fn resumed(&self) -> Self {
        let checkpoint =
            Checkpoint::new(&RunRecord::default(), &self.simulation.snapshot()).expect("it can be written");
        let snapshot: Snapshot = checkpoint.payload(1 << 30).expect("it can be read");
        let mut next = Self::new(self.case, self.method, 0).expect("the same scene");
        next.simulation.restore(snapshot).expect("it is of the same scene");
        next
    }

    /// Momentum, and the sum of its parts' sizes, kg m/s.
    fn momentum(&self) -> (Vec3, f64) {
        let Simulation { world, state, .. } = &self.simulation;
        let sizes = state.v.iter().zip(&world.particles.mass).map(|(v, m)| v.norm() * m);
        (state.momentum(&world.particles).0, sizes.sum())
    }
}

/// How a run ended.
pub(super) enum Ended<'a> {
    /// With its last frame.
    Whole(Run<'a>),
    /// The integrator does not take the scene, and says so.
    Refused,
    Failed(Run<'a>, Failure),
}

/// Makes a whole run.
pub(super) fn run<'a>(case: &'a Case, method: Method<'a>, member: u64) -> Ended<'a> {
    let Ok(mut run) = Run::new(case, method, member) else { return Ended::Refused };
    match run.finish() {
        Ok(()) => Ended::Whole(run),
        Err(failure) if failure.is_refusal(method) => Ended::Refused,
        Err(failure) => Ended::Failed(run, failure),
    }
}
