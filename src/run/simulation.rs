use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contact::{self, Neighbours, correct_velocities};
use crate::energy::Potential;
use crate::fracture::{self, BrokenBond};
use crate::integrate::{self, Integrator, StepError, StepReport};
use crate::model::{Fate, State, World};
use crate::output::{Fracture, Seconds};
use crate::scene::Scene;

use super::step_size::{Breakage, StepControl, StepPlan, Verdict};

/// A world in motion.
pub struct Simulation {
    pub world: World,
    pub state: State,
    pub contacts: Neighbours,
    pub plan: StepPlan,
    integrator: Box<dyn Integrator>,
    control: StepControl,
    /// The state before the step at hand, where a step may be done again.
    backup: Option<State>,
    /// Bonds that a step longer than the shortest may break, and that any may.
    tolerable: [usize; 2],
    breakable: bool,
}

/// All that a simulation goes on from, besides its scene.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    state: Cow<'a, State>,
    fates: Vec<Fate>,
    contacts: contact::Memory<'a>,
    integrator: integrate::Memory<'a>,
    control: Cow<'a, StepControl>,
}

/// What happened since it was last taken.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    pub steps: u64,
    pub step_cuts: u64,
    /// Those of the cuts where no acceptable state was found.
    pub failures: u64,
    pub newton_iterations: u64,
    pub cg_iterations: u64,
    /// Bonds that broke.
    pub broken: Vec<Fracture>,
    pub seconds: Seconds,
}

/// A step that no cut could save.
#[derive(Clone, Debug, PartialEq)]
pub struct GaveUp {
    /// Simulated time, s.
    pub time: f64,
    /// The last step that was tried, s.
    pub step: f64,
    pub cause: StepError,
    pub explicit: bool,
}

impl std::fmt::Display for GaveUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { time, step, cause, explicit } = self;
        write!(f, "the solver gave up at {time:.6} s: ")?;
        if let StepError::BeyondLimit(limit) = cause {
            return write!(
                f,
                "the explicit step {step:.3e} s is beyond the stable limit {limit:.3e} s; try time.step = {{ limit = 0.9 }} \
                 or shorter"
            );
        }
        write!(f, "{cause}, at a step of {step:.3e} s")?;
        if *explicit {
            write!(f, "; a step below the stability limit (`bdem check` prints it) should hold")
        } else {
            write!(f, "; a shorter time.step, a higher solver.step_halvings, or some damping may help")
        }
    }
}

impl std::error::Error for GaveUp {}

impl Simulation {
    pub fn new(scene: &Scene, world: World, state: State) -> Self {
        let plan = StepPlan::new(scene, &world, &state);
        let kind = scene.time.integrator;
        Self {
            contacts: Neighbours::new(&world, &state),
            control: StepControl::new(plan, scene.solver.deviation),
            tolerable: tolerable(scene, world.bonds().len()),
            breakable: world.bonds().iter().any(|b| b.strength.iter().any(|s| s.is_finite())),
            backup: (!kind.is_explicit()).then(State::default),
            plan,
            integrator: kind.build(&world, &scene.solver),
            world,
            state,
        }
    }

    /// Advances by one nominal step, in as many pieces as it needs.
    ///
    /// # Errors
    /// When a step fails that cannot be cut any more. The state is the one before it if the integrator is implicit, and of
    /// no use if it is explicit.
    pub fn advance(&mut self, progress: &mut Progress) -> Result<(), GaveUp> {
        while !self.try_step(progress)? {}
        Ok(())
    }

    /// Tries one step within a nominal one, which may have to be done again at less length; says whether the nominal one is
    /// complete.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn try_step(&mut self, progress: &mut Progress) -> Result<bool, GaveUp> {
        Ok(self.attempt(progress)? && self.control.is_at_nominal())
    }

    /// Tries a step; says whether it stands, or is to be done again at less length.
    fn attempt(&mut self, progress: &mut Progress) -> Result<bool, GaveUp> {
        let (time, dt) = (self.state.time, self.control.length());
        if let Some(limit) = self.plan.exceeded_limit() {
            return Err(GaveUp { time, step: dt, cause: StepError::BeyondLimit(limit), explicit: true });
        }
        if let Some(backup) = &mut self.backup {
            backup.clone_from(&self.state);
        }
        let start = Instant::now();
        let outcome = self.integrator.step(&self.world, &mut self.contacts, &mut self.state, dt);
        progress.seconds.integrate += start.elapsed().as_secs_f64();
        let stands = match outcome {
            Ok(report) => self.finish(&report, dt, progress),
            Err(_) if self.control.cut() => {
                progress.failures += 1;
                false
            }
            Err(cause) => {
                self.restore();
                return Err(GaveUp { time, step: dt, cause, explicit: self.backup.is_none() });
            }
        };
        if !stands {
            self.restore();
            self.integrator.undo();
            progress.step_cuts += 1;
        }
        Ok(stands)
    }

    /// Breaks bonds and applies friction after a step, unless it is to be done again.
    fn finish(&mut self, report: &StepReport, dt: f64, progress: &mut Progress) -> bool {
        let seconds = &mut progress.seconds;
        seconds.integrate -= report.contact_seconds;
        seconds.contact += report.contact_seconds;
        progress.newton_iterations += u64::from(report.newton_iterations);
        progress.cg_iterations += u64::from(report.cg_iterations);

        let start = Instant::now();
        let overloaded = self.overloaded();
        if self.control.judge(report.deviation, self.breakage(overloaded.len())) == Verdict::Redo {
            return false;
        }
        self.control.advance(report.deviation, !overloaded.is_empty(), report.hardest);
        self.integrator.settle(&self.world, &mut self.contacts, &self.state);
        progress.steps += 1;
        self.break_bonds(&overloaded, progress);
        progress.seconds.fracture += start.elapsed().as_secs_f64();

        let start = Instant::now();
        correct_velocities(&self.world, &self.contacts, self.integrator.held(), &mut self.state, dt);
        progress.seconds.contact += start.elapsed().as_secs_f64();
        true
    }

    fn overloaded(&self) -> Vec<usize> {
        match self.integrator.overloaded() {
            _ if !self.breakable => Vec::new(),
            Some(candidates) => fracture::overloaded_among(&self.world, &self.state, candidates),
            None => fracture::overloaded(&self.world, &self.state),
        }
    }

    fn breakage(&self, broken: usize) -> Breakage {
        let [few, most] = self.tolerable;
        match broken {
            b if b > most => Breakage::Runaway,
            b if b > few => Breakage::Much,
            _ => Breakage::Tolerable,
        }
    }

    fn break_bonds(&mut self, indices: &[usize], progress: &mut Progress) {
        if indices.is_empty() {
            return;
        }
        let broken = fracture::break_bonds(&mut self.world, &self.state, indices);
        if self.backup.is_some() {
            // implicit integrators build matrices of the bonds, broken ones and all
            self.world.compact();
        }
        self.contacts.admit(&self.world, broken.iter().map(|b| [b.bond.i, b.bond.j]));
        self.integrator.bonds_broken(&self.contacts, &self.state, &broken);
        progress.broken.extend(broken.iter().map(|broken| fracture(self.state.time, broken)));
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let (linear, spin) = self.state.kinetic_energy(&self.world.particles);
        linear + spin + Potential::new(&self.world, &self.contacts).energies(&self.state).total()
    }

    /// All that [`Self::recall`] needs to go on from here, to the bit.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            state: Cow::Borrowed(&self.state),
            fates: self.world.fates(),
            contacts: self.contacts.memory(),
            integrator: self.integrator.memory(),
            control: Cow::Borrowed(&self.control),
        }
    }

    /// Goes on from where another simulation of the same scene was; this one has just begun. `None` if the snapshot makes no
    /// sense here, and this one is of no use then.
    pub fn recall(&mut self, snapshot: Snapshot) -> Option<()> {
        let state = snapshot.state.into_owned();
        let control = snapshot.control.into_owned();
        if !state.is_of(self.state.len()) || !control.is_of(&self.plan) {
            return None;
        }
        self.world.recall(&snapshot.fates)?;
        self.contacts = Neighbours::recall(snapshot.contacts, &self.world, &state)?;
        self.integrator.recall(snapshot.integrator, state.len())?;
        (self.state, self.control) = (state, control);
        Some(())
    }

    fn restore(&mut self) {
        if let Some(backup) = &self.backup {
            self.state.clone_from(backup);
        }
    }
}

/// So few broken bonds are no runaway, whatever share of a small body they are.
const FEW: usize = 32;

/// See [`Simulation::tolerable`].
fn tolerable(scene: &Scene, bonds: usize) -> [usize; 2] {
    let of = |share: f64| (share * bonds as f64) as usize;
    [of(scene.solver.broken_share), of(scene.solver.runaway_share).max(FEW)]
}

/// A row for a bond that broke at `time`, s.
fn fracture(time: f64, BrokenBond { bond, place, sigma, tau }: &BrokenBond) -> Fracture {
    let (x, y, z) = (place.x, place.y, place.z);
    Fracture { time, bond: bond.id, i: bond.i, j: bond.j, x, y, z, sigma: *sigma, tau: *tau }
}
