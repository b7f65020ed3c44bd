//! What holds for every scene holds for scenes at random.
//!
//! A scene is its number. `FROM=0 TO=1000 cargo test --release --test program random::many -- --ignored --nocapture` tries a
//! thousand under `auto` and Verlet, prints each failure and a table; `WITH=all` takes all integrators, `SAVE=DIR` saves
//! the scenes that fail as `DIR/NUMBER.toml`. `FROM=7 cargo test --release --test program random::text -- --ignored
//! --nocapture` prints one as TOML.
//!
//! Every end but the last frame is a failure, unless a scene or an integrator refuses the scene by name.

mod dice;
mod likeness;
mod recipe;
mod run;
mod table;

use std::sync::Mutex;

use likeness::{Likeness, Sample};
use recipe::Recipe;
use run::{COARSE, Case, Ended, Failure, Method, REFERENCE, Run, run};
use table::Table;

/// Work of a scene that the suite has time for: see [`Case::work`].
const QUICK: f64 = 5e5;

/// The first is what the others are compared with. The last makes energy and takes endless steps in a tenth of these scenes.
const INTEGRATORS: [&str; 6] =
    ["explicit-verlet", "auto", "implicit-euler", "implicit-bdf2", "explicit-rodrigues", "implicit-midpoint"];

/// Of these the suite tries so many.
const TRUSTED: usize = 5;

/// Calls `test` for each number, on a thread of its own for every processor.
fn each(numbers: impl Iterator<Item = u64> + Send, test: impl Fn(u64) + Sync) {
    let numbers = Mutex::new(numbers);
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let next = || numbers.lock().expect("no test panics here").next();
        while let Some(number) = next() {
            pool.install(|| test(number));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

/// The cases that the suite has time for, from a number on. That a scene is refused is a failure here.
fn quick_from(number: u64) -> impl Iterator<Item = u64> {
    let has_time = |&number: &u64| {
        let case = Case::new(number).unwrap_or_else(|why| panic!("{number} is refused: {why}"));
        case.work() <= QUICK
    };
    (number..).filter(has_time)
}

/// That of a number from [`quick_from`].
fn case(number: u64) -> Case {
    Case::new(number).expect("it was built before")
}

/// Failures, as lines to be shown.
#[derive(Default)]
struct Failures(Mutex<Vec<String>>);

impl Failures {
    fn add(&self, number: u64, integrator: &str, why: impl std::fmt::Display) {
        self.0.lock().expect("no test panicked").push(format!("{number} under {integrator}: {why}"));
    }

    fn assert_none(self) {
        let lines = self.0.into_inner().expect("no test panicked");
        assert!(lines.is_empty(), "{} failures\n{}", lines.len(), lines.join("\n"));
    }
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Forty scenes.
#[test]
fn all_integrators_end_and_make_no_energy() {
    let failures = Failures::default();
    each(quick_from(0).take(40), |number| {
        let case = case(number);
        for integrator in &INTEGRATORS[..TRUSTED] {
            if let Ended::Failed(_, why) = run(&case, [integrator, "auto"], 0) {
                failures.add(number, integrator, why);
            }
        }
    });
    failures.assert_none();
}

/// Thirty scenes, six runs of each.
#[test]
fn auto_breaks_and_stores_as_much_as_verlet() {
    let (failures, all) = (Failures::default(), Mutex::new(Vec::new()));
    each(quick_from(200).take(30), |number| match ensembles(&case(number), 6) {
        Ok(samples) => {
            let likeness = Likeness::new(&samples[0], &samples[1], samples[2].first());
            if !likeness.is_good() {
                failures.add(number, "auto", format!("{likeness:.2?} of {samples:.3?}"));
            }
            all.lock().expect("no test panicked").push(samples);
        }
        Err(why) => failures.add(number, "auto", why),
    });
    failures.assert_none();
    let all = all.into_inner().expect("no test panicked");
    let sum = |which: usize, of: fn(&Sample) -> f64| all.iter().flat_map(|both| &both[which]).map(of).sum::<f64>();
    let ratios = [sum(0, |s| s.broken) / sum(1, |s| s.broken), sum(0, |s| s.elastic) / sum(1, |s| s.elastic)];
    println!("auto over Verlet: broken, elastic {ratios:.3?}");
    for ((ratio, of), off) in ratios.iter().zip(["broken bonds", "elastic energy"]).zip([0.04, 0.1]) {
        assert!((ratio - 1.0).abs() < off, "{of}: {ratio}");
    }
}

/// Ten scenes, six runs of each, in which nothing may sleep: the first step has to see the first wave.
#[test]
fn auto_breaks_as_much_as_verlet_where_nothing_sleeps() {
    let all = Mutex::new(Vec::new());
    each(quick_from(200).take(10), |number| {
        let case = Case::with(number, &["time.control.sleep_below=0"]).expect("a good scene");
        let samples = ensembles(&case, 6).unwrap_or_else(|why| panic!("{number}: {why}"));
        all.lock().expect("no test panicked").push((number, samples.map(|of| mean_broken(&of))));
    });
    let all = all.into_inner().expect("no test panicked");
    let [auto, verlet] = [0, 1].map(|which| all.iter().map(|(_, broken)| broken[which]).sum::<f64>());
    assert!(verlet > 0.0 && (auto / verlet - 1.0).abs() < 0.1, "{auto} for {verlet}: {all:?}");
}

fn mean_broken(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.broken).sum::<f64>() / samples.len() as f64
}

/// So many runs of `auto`, as many of Verlet at a quarter of its limit, and one of Verlet in its default step.
fn ensembles(case: &Case, members: u64) -> Result<[Vec<Sample>; 3], String> {
    let mut at_play = 0.0;
    let mut samples = |method: Method, members: u64| {
        let sample = |member| match run(case, method, member) {
            Ended::Whole(run) => {
                at_play = if at_play > 0.0 { at_play } else { run.simulation.balance.scale };
                Ok(Sample::of(&run, at_play))
            }
            Ended::Refused => Err(format!("{} is refused", method[0])),
            Ended::Failed(_, why) => Err(format!("{}: {why}", method[0])),
        };
        (0..members).map(sample).collect::<Result<Vec<_>, _>>()
    };
    let reference = samples(REFERENCE, members)?;
    Ok([samples(["auto", "auto"], members)?, reference, samples(COARSE, 1)?])
}

/// Stopped and resumed half-way, to the bit.
#[test]
fn resumed_runs_go_on_to_the_bit() {
    let failures = Failures::default();
    each(quick_from(100).take(12), |number| {
        let case = case(number);
        for integrator in &INTEGRATORS[..TRUSTED] {
            let Ok(mut whole) = Run::new(&case, [integrator, "auto"], 0) else { continue };
            let half = whole.frames.min(8) / 2;
            if let Err(why) = whole.advance(half) {
                failures.add(number, integrator, why);
                continue;
            }
            let mut resumed = whole.resumed();
            if whole.advance(half) != resumed.advance(half) {
                failures.add(number, integrator, "ends otherwise when resumed");
                continue;
            }
            let ends =
                [&whole, &resumed].map(|run| (&run.simulation.state, run.simulation.flows(), run.simulation.balance));
            if ends[0] != ends[1] {
                failures.add(number, integrator, "other bits when resumed");
            }
        }
    });
    failures.assert_none();
}

#[test]
#[ignore = "an hour for a thousand"]
fn many() {
    let table = Mutex::new(Table::default());
    let all = std::env::var("WITH").is_ok_and(|with| with == "all");
    let integrators = &INTEGRATORS[..if all { INTEGRATORS.len() } else { 2 }];
    let table = || table.lock().expect("no test panics here");
    each(variable("FROM", 0)..variable("TO", 100), |number| {
        let fails = |integrator: &str, why: &Failure| {
            println!("{number} {:?} under {integrator}: {}: {why}", Recipe::of(number).kind, why.name());
            if let Ok(folder) = std::env::var("SAVE") {
                std::fs::create_dir_all(&folder).expect("space");
                std::fs::write(format!("{folder}/{number}.toml"), Recipe::of(number).text).expect("space");
            }
        };
        let kind = Recipe::of(number).kind;
        let case = match Case::new(number) {
            Ok(case) => case,
            Err(why) => {
                println!("{number} is refused: {why}");
                return table().refused("reference", kind);
            }
        };
        let reference = match run(&case, REFERENCE, 0) {
            Ended::Whole(run) => Some(run),
            Ended::Refused => None,
            Ended::Failed(run, why) => {
                fails("reference", &why);
                table().add("reference", kind, &run, Err(&why));
                None
            }
        };
        let sample = |run: &Run, reference: &Run| Sample::of(run, reference.simulation.balance.scale);
        let mut coarse = None;
        for integrator in integrators {
            match run(&case, [integrator, "auto"], 0) {
                Ended::Refused => table().refused(integrator, kind),
                Ended::Failed(run, why) => {
                    fails(integrator, &why);
                    table().add(integrator, kind, &run, Err(&why));
                }
                Ended::Whole(run) => {
                    let likeness = reference.as_ref().map(|reference| {
                        let both = [&run, reference].map(|run| sample(run, reference));
                        let likeness = Likeness::new(&both[..1], &both[1..], coarse.as_ref());
                        if *integrator == COARSE[0] {
                            coarse = Some(both[0]);
                        }
                        if !likeness.is_good() {
                            println!("{number} {kind:?} under {integrator} is unlike: {likeness:.2?} of {both:.3?}");
                        }
                        likeness
                    });
                    table().add(integrator, kind, &run, Ok(likeness));
                }
            }
        }
        if let Some(reference) = &reference {
            table().add("reference", kind, reference, Ok(None));
        }
    });
    println!("{}", table());
}

#[test]
#[ignore = "prints a scene"]
fn text() {
    println!("{}", Recipe::of(variable("FROM", 0)).text);
}

/// The same number makes the same scene.
#[test]
fn recipes_are_what_their_numbers_say() {
    assert!(Recipe::of(3).text == Recipe::of(3).text && Recipe::of(3).text != Recipe::of(4).text);
}
