//! Integrators that take blocks of steps.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bdem_core::energy::StepForces;
use bdem_core::energy::account::Flows;
use bdem_core::fracture::OverloadedBond;
use bdem_core::integrate::{BlockDecay, History, Integrator, Step, StepError, StepReport, Trial, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::prelude::*;
use bdem_run::run::{LogLevel, LogOptions, Refusal, RunOptions, StepDevice, simulate};

use crate::common::scenes;

/// Numbers of steps.
type Counts = Arc<Mutex<Vec<u32>>>;

/// Verlet that takes blocks of steps, and notes their numbers.
struct Blocks {
    verlet: Verlet,
    end: State,
    flows: Flows,
    counts: Counts,
    begun: Option<Step>,
    on_begin: Box<dyn FnMut(Step) + Send>,
}

impl Blocks {
    fn new(world: &World, counts: &Counts) -> Self {
        let (end, flows) = (State::default(), Flows::default());
        let on_begin = Box::new(|_| {});
        Self { verlet: Verlet::new(world), end, flows, counts: counts.clone(), begun: None, on_begin }
    }
}

impl Integrator for Blocks {
    fn begin(&mut self, _: &World, _: &Contacts, _: &State, step: Step, _: &BlockDecay) {
        (self.on_begin)(step);
        self.begun = Some(step);
    }

    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        assert!(self.begun.take().is_none_or(|begun| begun == step), "the trial is of the step that is begun");
        self.counts.lock().expect("numbers").push(step.count);
        (self.end, self.flows) = (state.clone(), Flows::default());
        for _ in 0..step.count {
            self.verlet.trial(world, contacts, &self.end, Step { count: 1, ..step })?;
            self.flows += self.verlet.commit(world, contacts, &mut self.end);
        }
        Ok(Trial { end: &self.end, report: StepReport::default(), overloaded: &[], broken: &[] })
    }

    fn commit(&mut self, _: &World, _: &mut Contacts, state: &mut State) -> Flows {
        state.clone_from(&self.end);
        self.flows
    }

    fn after_breakage(&mut self, _: &World, _: &Contacts, _: &State, _: &[OverloadedBond]) {}

    fn above_shadow(&self) -> f64 {
        self.verlet.above_shadow()
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        self.verlet.forces()
    }

    fn takes_blocks(&self) -> bool {
        true
    }

    fn held(&self) -> &[bool] {
        self.verlet.held()
    }

    fn history(&self) -> History<'_> {
        self.verlet.history()
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        self.verlet.restore(history, particles)
    }
}

/// A bar between a grip that turns back at 7 ms and one that lets go at 12.5 ms, in frames of 5 ms.
const BAR: &str = r#"
[scene]
name = "blocks"
[time]
frame_rate = 200.0
frames = 4
integrator = "explicit-verlet"
step = 1e-4
[materials.rubber]
density = 1000.0
young_modulus = 1e6
poisson_ratio = 0.25
[[bodies]]
name = "bar"
material = "rubber"
particle_radius = 0.01
shape = { box = { size = [0.2, 0.04, 0.04] } }
[[constraints]]
body = "bar"
region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.08, 1.0, 1.0] } }
motion = { keyframes = { keys = [{ time = 0.0, position = [0.0, 0.0, 0.0] }, { time = 0.007, position = [-0.001, 0.0, 0.0] }, { time = 0.02, position = [0.0, 0.0, 0.0] }] } }
[[constraints]]
body = "bar"
region = { box = { min = [0.08, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
motion = "fixed"
release = 0.0125
"#;

#[test]
fn blocks_end_at_frames_and_kinks_and_have_the_same_bits() {
    let scene = scenes::scene(BAR, &[]);
    let counts = Arc::default();
    let run = |blocks: bool| {
        let (world, state) = scene.build().expect("a world");
        let integrator = blocks.then(|| Box::new(Blocks::new(&world, &counts)) as Box<dyn Integrator>);
        let parts = Extensions { integrator, ..Extensions::default() };
        let mut simulation = Simulation::extended(world, state, &scene.simulation_settings(), parts);
        let mut progress = Progress::default();
        for _ in 0..scene.time.frames {
            simulation.advance_frame(&mut progress).expect("a frame");
        }
        assert_eq!([progress.steps, progress.explicit_steps], [200; 2]);
        simulation
    };
    let (single, blocks) = (run(false), run(true));
    assert_eq!(*counts.lock().expect("numbers"), [50, 20, 30, 25, 25, 50]);
    assert!(single.state == blocks.state, "the same bits");
    let scale = single.balance.scale;
    assert!((single.balance.unaccounted - blocks.balance.unaccounted).abs() < 1e-12 * scale);
}

/// Device of blocks that notes their numbers of steps, and those of frames that are written when blocks begin.
#[derive(Debug)]
struct BlockDevice {
    output: PathBuf,
    begun: Counts,
    counts: Counts,
}

impl StepDevice for BlockDevice {
    fn name(&self) -> &str {
        "blocks"
    }

    fn integrator(&self, world: &World, _: &State) -> Result<Box<dyn Integrator>, Refusal> {
        let (output, begun) = (self.output.clone(), self.begun.clone());
        let written =
            move || (0..).take_while(|frame| output.join(format!("ply/blocks.{frame:04}.ply")).exists()).count();
        let on_begin = Box::new(move |_| begun.lock().expect("numbers").push(written() as u32));
        Ok(Box::new(Blocks { on_begin, ..Blocks::new(world, &self.counts) }))
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// A device takes the first block of each frame while the frame before is written.
#[test]
fn frames_are_written_while_a_block_is_under_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = Arc::new(BlockDevice { output: folder.path().into(), begun: Arc::default(), counts: Arc::default() });
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let options =
        RunOptions { output: folder.path().into(), log, device: Some(device.clone()), ..RunOptions::default() };
    let record = simulate(&scenes::scene(BAR, &[]), &options).expect("a run");
    assert_eq!((record.frames, record.steps), (4, 200));
    // the first block of each frame while one frame less is written than of the second
    assert_eq!(*device.begun.lock().expect("numbers"), [0, 1, 2, 2, 3, 3]);
    assert_eq!(*device.counts.lock().expect("numbers"), [50, 20, 30, 25, 25, 50]);
}
