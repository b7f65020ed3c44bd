//! What holds for every scene holds for scenes at random, under every integrator.
//!
//! A scene is its number: `FROM=0 TO=1000 cargo test --release --test program random::many -- --ignored --nocapture` tries a
//! thousand and prints a table, `FROM=7 cargo test --release --test program random::text -- --ignored --nocapture` one as
//! TOML.

mod recipe;
mod table;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bdem::model::{State, World};
use bdem::output::{Checkpoint, RunRecord};
use bdem::run::{GaveUp, Progress, Simulation, Snapshot};

use recipe::Recipe;
use table::Table;

use super::INTEGRATORS;

/// Verlet at a quarter of its limit.
const REFERENCE: [&str; 2] = ["explicit-verlet", "{ limit = 0.25 }"];

/// Energy from nothing that no run ends with, as a share of what is at play.
const GAIN: f64 = 0.02;

/// What may become of momentum that nothing takes, as a share of its parts' sizes: rounding.
const DRIFT: f64 = 1e-9;

/// What a recipe becomes.
struct Case {
    recipe: Recipe,
    world: World,
    state: State,
}

impl Case {
    /// That of a number, if its bodies can be placed.
    fn new(number: u64) -> Option<Self> {
        let recipe = Recipe::of(number);
        let (world, state) = recipe.scene(&[]).build().ok()?;
        Some(Self { recipe, world, state })
    }

    /// Whether explicit runs take no more than a second.
    fn is_quick(&self) -> bool {
        let run = Run::new(self, ["explicit-verlet", "auto"]);
        run.simulation.plan.per_frame * run.frames <= 3000
    }

    /// Those that take it.
    fn integrators(&self) -> impl Iterator<Item = &'static str> {
        let has_rigid = self.recipe.has_rigid();
        INTEGRATORS.into_iter().filter(move |&integrator| integrator != "implicit-midpoint" || !has_rigid)
    }
}

/// A run of a case.
struct Run<'a> {
    case: &'a Case,
    how: [&'a str; 2],
    simulation: Simulation,
    frames: u32,
    progress: Progress,
}

impl<'a> Run<'a> {
    /// At its start, under an integrator and with a step.
    fn new(case: &'a Case, how: [&'a str; 2]) -> Self {
        let [integrator, step] = how;
        let bound = format!("time.control.energy_bound={GAIN}");
        let scene = case.recipe.scene(&[format!("time.integrator={integrator}"), format!("time.step={step}"), bound]);
        let simulation = Simulation::new(&scene, case.world.clone(), case.state.clone());
        Self { case, how, simulation, frames: scene.time.frames, progress: Progress::default() }
    }

    /// Makes so many frames.
    fn advance(&mut self, frames: u32) -> Result<(), GaveUp> {
        for _ in 0..frames {
            for _ in 0..self.simulation.plan.per_frame {
                self.simulation.advance(&mut self.progress)?;
            }
            self.simulation.audit()?;
        }
        Ok(())
    }

    /// A new simulation where this one is, by way of a file's bytes.
    fn taken_up(&self) -> Self {
        let checkpoint = Checkpoint::new(RunRecord::default(), &self.simulation.snapshot()).expect("it can be written");
        let snapshot: Snapshot = checkpoint.payload(1 << 30).expect("it can be read");
        let mut next = Self::new(self.case, self.how);
        next.simulation.recall(snapshot).expect("it is of the same scene");
        next
    }

    /// Momentum, and the sum of its parts' sizes, kg m/s.
    fn momentum(&self) -> (bdem::geometry::Vec3, f64) {
        let Simulation { world, state, .. } = &self.simulation;
        let sizes = state.v.iter().zip(&world.particles.mass).map(|(v, m)| v.norm() * m);
        (state.momentum(&world.particles).0, sizes.sum())
    }
}

/// Tries all that holds for a case under an integrator; says how it ended.
fn try_one<'a>(number: u64, case: &'a Case, integrator: &'a str) -> (Run<'a>, Result<(), GaveUp>) {
    let mut run = Run::new(case, [integrator, "auto"]);
    let (before, _) = run.momentum();
    let frames = run.frames;
    let outcome = run.advance(frames);
    let what = format!("{number} under {integrator}");
    match &outcome {
        Ok(()) => {
            let (after, size) = run.momentum();
            assert!(run.simulation.state.is_finite(), "{what}");
            assert!(run.simulation.balance.gain() <= GAIN, "{what}: {:?}", run.simulation.balance);
            let drift = (after - before).norm() / size;
            assert!(!case.recipe.is_free() || drift <= DRIFT, "{what}: momentum drifts by {drift:.1e}");
        }
        Err(why) => {
            let text = why.to_string();
            assert!(text.contains("time.step") || text.contains("stability limit"), "{what}: {text}");
            if integrator.starts_with("explicit") {
                let mut finer = Run::new(case, [integrator, REFERENCE[1]]);
                finer.advance(frames).unwrap_or_else(|why| panic!("{what}, at a quarter of the limit too: {why}"));
            }
        }
    }
    (run, outcome)
}

/// Calls `test` for each number, on a thread of its own for every processor.
fn each(numbers: Range<u64>, test: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(numbers.start);
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return;
            }
            pool.install(|| test(number));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

/// Explicit steps are right at a quarter of their limit; longer and implicit ones are, or say what to change.
#[test]
fn some() {
    let tried = AtomicU64::new(0);
    each(0..36, |number| {
        if let Some(case) = Case::new(number).filter(Case::is_quick) {
            case.integrators().for_each(|integrator| drop(try_one(number, &case, integrator)));
            tried.fetch_add(1, Ordering::Relaxed);
        }
    });
    let tried = tried.into_inner();
    assert!(tried >= 18, "{tried} scenes");
}

/// Friction that corrects velocities between a half kick and a drift was booked with the kick's part: 2 and 4 % from nothing.
#[test]
fn friction_of_rigid_pieces_is_accounted_for() {
    for number in [1070, 1133] {
        let case = Case::new(number).expect("a scene");
        let (run, outcome) = try_one(number, &case, "auto");
        let (balance, flows) = (run.simulation.balance, run.simulation.flows());
        assert!(outcome == Ok(()) && balance.open() < 5e-3, "{number}: {outcome:?} {balance:?}");
        assert!(flows.friction > 0.1 * balance.scale, "{number}: friction decides: {flows:?}");
    }
}

/// Stopped and taken up half-way, to the bit.
#[test]
fn some_are_taken_up() {
    each(100..110, |number| {
        let Some(case) = Case::new(number).filter(Case::is_quick) else { return };
        for integrator in case.integrators() {
            let mut whole = Run::new(&case, [integrator, "auto"]);
            if whole.advance(4).is_err() {
                continue;
            }
            let mut broken = whole.taken_up();
            assert_eq!(whole.advance(4), broken.advance(4), "{number} under {integrator}");
            let ends =
                [&whole, &broken].map(|run| (&run.simulation.state, run.simulation.flows(), run.simulation.balance));
            assert!(ends[0] == ends[1], "{number} under {integrator}");
        }
    });
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
#[ignore = "an hour for a thousand"]
fn many() {
    let table = Mutex::new(Table::default());
    each(variable("FROM", 0)..variable("TO", 100), |number| {
        let Some(case) = Case::new(number) else { return };
        let mut reference = Run::new(&case, REFERENCE);
        let frames = reference.frames;
        if let Err(why) = reference.advance(frames) {
            println!("{number} under Verlet at a quarter of its limit: {why}");
            return;
        }
        let table = |number, integrator: &str, run: &Run, outcome| {
            table.lock().expect("no test panics here").add(number, integrator, run, outcome, &reference);
        };
        for integrator in case.integrators() {
            let (run, outcome) = try_one(number, &case, integrator);
            table(number, integrator, &run, outcome);
        }
        table(number, "reference", &reference, Ok(()));
    });
    println!("{}", table.into_inner().expect("no test panicked"));
}

#[test]
#[ignore = "prints a scene"]
fn text() {
    println!("{}", Recipe::of(variable("FROM", 0)).text());
}

/// The same number makes the same scene.
#[test]
fn recipes_are_what_their_numbers_say() {
    assert!(Recipe::of(3).text() == Recipe::of(3).text() && Recipe::of(3).text() != Recipe::of(4).text());
}
