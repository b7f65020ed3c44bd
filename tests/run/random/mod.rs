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

use bdem::model::State;
use bdem::output::{Checkpoint, RunRecord};
use bdem::run::{GaveUp, Progress, Simulation, Snapshot};

use recipe::Recipe;
use table::Table;

const INTEGRATORS: [&str; 5] =
    ["implicit-euler", "implicit-bdf2", "implicit-midpoint", "explicit-verlet", "explicit-rodrigues"];

/// Verlet at a quarter of its limit.
const REFERENCE: [&str; 2] = ["explicit-verlet", "{ limit = 0.25 }"];

/// Energy from nothing that no run ends with, as a share of what is at play.
const GAIN: f64 = 0.02;

/// A run of a recipe.
struct Run {
    recipe: Recipe,
    settings: Vec<String>,
    simulation: Simulation,
    frames: u32,
    progress: Progress,
}

impl Run {
    /// At its start, if its bodies can be placed as the recipe has it.
    fn new(recipe: &Recipe, [integrator, step]: [&str; 2]) -> Option<Self> {
        let bound = format!("time.control.energy_bound={GAIN}");
        let settings = vec![format!("time.integrator={integrator}"), format!("time.step={step}"), bound];
        let scene = recipe.scene(&settings)?;
        let (world, state) = scene.build().expect("it was built before");
        let simulation = Simulation::new(&scene, world, state);
        Some(Self {
            recipe: recipe.clone(),
            settings,
            simulation,
            frames: scene.time.frames,
            progress: Progress::default(),
        })
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
        let [integrator, step] = [0, 1].map(|k| self.settings[k].split_once('=').expect("a setting").1);
        let mut next = Self::new(&self.recipe, [integrator, step]).expect("it was placed before");
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

/// Whether an integrator takes a recipe.
fn takes(integrator: &str, recipe: &Recipe) -> bool {
    integrator != "implicit-midpoint" || !recipe.has_rigid()
}

/// Tries all that holds for a recipe under an integrator; how it ended, if its bodies can be placed.
fn try_one(number: u64, recipe: &Recipe, integrator: &str) -> Option<(Run, Result<(), GaveUp>)> {
    let mut run = Run::new(recipe, [integrator, "auto"])?;
    let (before, _) = run.momentum();
    let frames = run.frames;
    let outcome = run.advance(frames);
    let what = format!("{number} under {integrator}");
    match &outcome {
        Ok(()) => {
            let (after, size) = run.momentum();
            assert!(run.simulation.state.is_finite(), "{what}");
            assert!(run.simulation.balance.gain() <= GAIN, "{what}: {:?}", run.simulation.balance);
            assert!(!recipe.is_free() || (after - before).norm() <= 1e-4 * size, "{what}: {before} {after} {size}");
        }
        Err(why) => {
            let text = why.to_string();
            assert!(text.contains("time.step") || text.contains("stability limit"), "{what}: {text}");
            if integrator.starts_with("explicit") {
                let mut finer = Run::new(recipe, [integrator, REFERENCE[1]]).expect("it was placed before");
                finer.advance(frames).unwrap_or_else(|why| panic!("{what}, at a quarter of the limit too: {why}"));
            }
        }
    }
    Some((run, outcome))
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
    let placed = AtomicU64::new(0);
    each(0..24, |number| {
        let recipe = Recipe::of(number);
        let takers = INTEGRATORS.into_iter().filter(|integrator| takes(integrator, &recipe));
        let runs = takers.filter_map(|integrator| try_one(number, &recipe, integrator)).count();
        placed.fetch_add(u64::from(runs > 0), Ordering::Relaxed);
    });
    assert!(placed.into_inner() > 20, "most recipes make a scene");
}

/// Stopped and taken up half-way, to the bit.
#[test]
fn some_are_taken_up() {
    each(100..106, |number| {
        let recipe = Recipe::of(number);
        for integrator in INTEGRATORS.into_iter().filter(|integrator| takes(integrator, &recipe)) {
            let Some(mut whole) = Run::new(&recipe, [integrator, "auto"]) else { return };
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
        let recipe = Recipe::of(number);
        let Some(mut reference) = Run::new(&recipe, REFERENCE) else { return };
        let frames = reference.frames;
        if let Err(why) = reference.advance(frames) {
            println!("{number} under Verlet at a quarter of its limit: {why}");
            return;
        }
        let table = |number, integrator: &str, run: &Run, outcome| {
            table.lock().expect("no test panics here").add(number, integrator, run, outcome, &reference);
        };
        for integrator in INTEGRATORS.into_iter().filter(|integrator| takes(integrator, &recipe)) {
            let (run, outcome) = try_one(number, &recipe, integrator).expect("it was placed before");
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
    let state = |number| -> Option<State> { Run::new(&Recipe::of(number), REFERENCE).map(|run| run.simulation.state) };
    assert!(state(3) == state(3) && Recipe::of(3).text() != Recipe::of(4).text());
}
