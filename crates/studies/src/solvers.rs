//! Solvers of implicit steps, as \[IBDEM\] prints them and others: iterations, failures and time on ten scenes.

use bdem_core::model::{State, World};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::RunError;
use bdem_run::scene::{Preset, Scene};

use super::{Cell, Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "solvers", about: "iterations and time of the solver of [IBDEM] and of others, on ten scenes", run };

/// Solvers: names, and keys beside the defaults.
fn solvers() -> [(&'static str, Vec<&'static str>); 6] {
    let printed = Preset::Ibdem.row().iter().copied().filter(|set| set.starts_with("solver."));
    [
        ("default", Vec::new()),
        ("ibdem", printed.collect()),
        ("projected", vec!["solver.hessian=projected"]),
        ("exact", vec!["solver.hessian=exact"]),
        ("forcing", vec!["solver.cg_tolerance=forcing"]),
        ("first-order", vec!["solver.hessian=first-order", "solver.newton_iterations=2000"]),
    ]
}

/// Scene from a time on.
struct Case {
    name: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
    /// Steps with the default solver before those that count.
    before: u32,
}

const FALLS: &str = "time.step={periods=20}";

const CASES: [Case; 10] = [
    Case { name: "stretched beam", scene: "beam_stretch", set: &["bodies.beam.particle_radius=0.02"], before: 0 },
    Case { name: "twisted beam", scene: "beam_twist", set: &["bodies.beam.particle_radius=0.02"], before: 0 },
    Case { name: "sagging beam", scene: "beam_drape", set: &["bodies.beam.particle_radius=0.02"], before: 0 },
    Case { name: "soft sagging beam", scene: "beam_drape_soft", set: &["bodies.beam.particle_radius=0.02"], before: 0 },
    Case {
        name: "stretched beam, a second later",
        scene: "beam_stretch",
        set: &["bodies.beam.particle_radius=0.02"],
        before: 60,
    },
    Case { name: "bar in impact", scene: "bar", set: &[FALLS, "bodies.bar.position=[0, 0, 0.0655]"], before: 0 },
    Case { name: "slab in impact", scene: "slab", set: &[FALLS, "bodies.slab.position=[0, 0, 0.0345]"], before: 0 },
    Case {
        name: "debris of the slab",
        scene: "slab",
        set: &[FALLS, "bodies.slab.position=[0, 0, 0.0345]"],
        before: 100,
    },
    Case { name: "woven cloth", scene: "cloth_woven", set: &["time.step={periods=10}"], before: 0 },
    Case { name: "soft jelly", scene: "jelly", set: &["time.step={periods=20}"], before: 20 },
];

/// Cost of steps.
struct Cost {
    steps: u64,
    newton: u64,
    cg: u64,
    failures: u64,
    seconds: f64,
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("scene", ""),
        ("particles", ""),
        ("solver", ""),
        ("steps", ""),
        ("Newton iterations a step", ""),
        ("CG iterations a step", ""),
        ("failures", ""),
        ("time a step", "ms"),
    ];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let mut slower = Vec::new();
    for case in &CASES[..setup.choose(CASES.len(), 2)] {
        setup.log.note(case.name);
        let scene = case.scene(&[])?;
        let (world, state) = case.start(&scene, setup)?;
        let mut times = Vec::new();
        for (name, set) in solvers() {
            let cost = cost(&case.scene(&set)?, (world.clone(), state.clone()), setup.choose(20, 2));
            let per_step = |count: u64| count as f64 / cost.steps.max(1) as f64;
            let time = 1e3 * cost.seconds / cost.steps.max(1) as f64;
            times.push(time);
            report.table.rows.push(vec![
                case.name.into(),
                state.len().into(),
                name.into(),
                (cost.steps as f64).into(),
                per_step(cost.newton).into(),
                per_step(cost.cg).into(),
                (cost.failures as f64).into(),
                Cell::from(time),
            ]);
        }
        slower.push(times[1] / times[0]);
    }
    slower.sort_by(f64::total_cmp);
    let median = slower.get(slower.len() / 2).copied().unwrap_or(f64::NAN);
    report.claims = vec![Claim::new("time of ibdem over the default, median of the scenes", "[IBDEM]", "none", median)];
    Ok(report)
}

impl Case {
    /// Its scene, with implicit Euler steps of one length.
    fn scene(&self, set: &[&str]) -> Result<Scene, RunError> {
        let steps = ["time.integrator=implicit-euler", "time.control.broken_share=1", "time.control.runaway_share=1"];
        let set: Vec<String> = steps.iter().chain(self.set).chain(set).map(|&set| set.to_owned()).collect();
        Ok(load(self.scene, &set)?)
    }

    /// World and state from which steps count.
    fn start(&self, scene: &Scene, setup: &Setup) -> Result<(World, State), RunError> {
        let (world, state) = scene.build()?;
        let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
        let mut progress = Progress::default();
        while progress.steps < setup.choose(self.before, self.before.min(2)).into() {
            simulation.try_step(&mut progress)?;
        }
        Ok((simulation.world, simulation.state))
    }
}

/// Cost of `steps` steps of a scene from a start, or of those until the solver gives up.
fn cost(scene: &Scene, (world, state): (World, State), steps: u64) -> Cost {
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let mut progress = Progress::default();
    let mut gave_up = 0;
    // on a thread of the pool, as a run
    rayon::scope(|_| {
        while progress.steps < steps && gave_up == 0 {
            gave_up = u64::from(simulation.try_step(&mut progress).is_err());
        }
    });
    Cost {
        steps: progress.steps,
        newton: progress.newton_iterations,
        cg: progress.cg_iterations,
        failures: progress.failures + gave_up,
        seconds: progress.seconds.integrate + progress.seconds.contact,
    }
}
