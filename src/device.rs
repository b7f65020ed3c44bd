//! Devices that take the steps of runs: `--device`, and `bdem devices`.

use std::sync::Arc;

use bdem_jobs::check::{CheckOptions, is_faster};
use bdem_run::run::{RunOptions, StepDevice};
use bdem_run::scene::Scene;
use clap::Args;

use super::{CliError, print};

/// Choice of a device.
#[derive(Debug, Args)]
pub(super) struct DeviceArguments {
    /// Device for the steps of explicit-verlet: cpu, gpu (the first graphics card), auto (that card where it is faster), or a part of
    /// a name that `bdem devices` lists
    #[arg(long, value_name = "NAME", default_value = "cpu", help_heading = "Running", value_parser = name)]
    device: String,
}

/// Name of a device. `gpu`, for one, is not spelt in one way only.
fn name(text: &str) -> Result<String, String> {
    let (text, lower) = (text.trim(), text.trim().to_lowercase());
    match &lower[..] {
        "cpu" | "gpu" | "auto" => Ok(lower),
        _ if lower.chars().filter(|letter| letter.is_alphanumeric()).count() < 2 => {
            Err("a name has two letters or digits at least; `bdem devices` lists them".to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

impl DeviceArguments {
    /// The device; none for the processors. `auto` tries both on the first steps of `scene`.
    pub(super) fn of(&self, scene: &Scene, options: &CheckOptions) -> Result<Option<Arc<dyn StepDevice>>, CliError> {
        match &self.device[..] {
            "cpu" => Ok(None),
            "auto" => Ok(fastest(scene, options)),
            name => graphics::open(name).map(Some),
        }
    }

    /// Options of runs of `scene` that have this device.
    pub(super) fn of_runs(&self, scene: &Scene, options: RunOptions) -> Result<RunOptions, CliError> {
        let check = CheckOptions {
            log: options.log,
            packing_cache: options.packing_cache.clone(),
            interrupt: options.interrupt.clone(),
            ..CheckOptions::default()
        };
        Ok(RunOptions { device: self.of(scene, &check)?, ..options })
    }

    /// Name of the device, for another call of the program; none for the processors.
    pub(super) fn name(&self) -> Option<&str> {
        Some(&self.device[..]).filter(|name| *name != "cpu")
    }
}

/// The first graphics card, if it takes the first steps of `scene` faster than the processors. A note says why it does not.
fn fastest(scene: &Scene, options: &CheckOptions) -> Option<Arc<dyn StepDevice>> {
    let faster = faster_card(scene, options);
    faster.map_err(|why| options.log.note(&format!("--device auto: the processors; {why}"))).ok()
}

/// The first graphics card, or why the processors are better.
fn faster_card(scene: &Scene, options: &CheckOptions) -> Result<Arc<dyn StepDevice>, String> {
    let integrator = scene.time.integrator;
    if !integrator.is_explicit() {
        return Err(format!("a card takes explicit-verlet, and the scene's integrator is {integrator}"));
    }
    let card = graphics::open("gpu").map_err(|why| why.message)?;
    match is_faster(scene, &*card, options) {
        Ok(true) => Ok(card),
        Ok(false) => Err(format!("they are faster than {}", card.name())),
        Err(why) => Err(why.to_string()),
    }
}

/// Lists the devices that may take the steps of runs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {}

const EXAMPLES: &str = "Examples:
  bdem devices
  bdem simulate scenes/plate.toml --integrator explicit-verlet --device gpu";

pub(super) fn run(_: &Arguments) -> Result<(), CliError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    print(&format!("cpu: this machine's processors, {threads} threads\n{}", graphics::list()))
}

/// Graphics cards by `bdem-gpu`.
#[cfg(feature = "gpu")]
mod graphics {
    use std::sync::Arc;

    use bdem_core::integrate::Integrator;
    use bdem_core::model::{State, World};
    use bdem_gpu::block::Card;
    use bdem_gpu::device::{Choice, Device, Found};
    use bdem_gpu::refuse;
    use bdem_run::run::{Refusal, StepDevice};

    use crate::CliError;

    #[derive(Debug)]
    struct Graphics(Device);

    impl StepDevice for Graphics {
        fn name(&self) -> &str {
            self.0.name()
        }

        fn integrator(&self, world: &World, _: &State) -> Result<Box<dyn Integrator>, Refusal> {
            match Card::new(&self.0, world) {
                Ok(card) => Ok(Box::new(card)),
                Err(refuse::Refusal { part, why }) => Err(Refusal { part, why }),
            }
        }

        fn bytes(&self) -> u64 {
            self.0.bytes()
        }
    }

    pub(super) fn open(name: &str) -> Result<Arc<dyn StepDevice>, CliError> {
        let choice = if name == "gpu" { Choice::Card } else { Choice::Named(name.to_owned()) };
        match Device::open(&choice) {
            Ok(device) => Ok(Arc::new(Graphics(device))),
            Err(why) => Err(CliError { code: 2, message: format!("--device {name}: {why}") }),
        }
    }

    pub(super) fn list() -> String {
        let line = |found: &Found| {
            let kind = if found.is_card() { "graphics card" } else { "the processors as a graphics card, for tests" };
            let lack = if found.is_fit() { "" } else { "; it has no 64-bit integers in shaders, and takes no steps" };
            let largest = found.largest_buffer() as f64 * 1e-6;
            format!("{}: {kind}, buffers up to {largest:.0} MB{lack}\n", found.name())
        };
        let all: String = Found::all().iter().map(line).collect();
        let none = "no graphics card has a driver here; on Linux packages such as mesa-vulkan-drivers have them\n";
        if all.is_empty() { none.to_owned() } else { all }
    }
}

/// None in this build.
#[cfg(not(feature = "gpu"))]
mod graphics {
    use std::sync::Arc;

    use bdem_run::run::StepDevice;

    use crate::CliError;

    const NONE: &str =
        "this build takes no graphics cards: `cargo install --path . --features gpu` makes one that does";

    pub(super) fn open(name: &str) -> Result<Arc<dyn StepDevice>, CliError> {
        Err(CliError { code: 2, message: format!("--device {name}: {NONE}") })
    }

    pub(super) fn list() -> String {
        format!("{NONE}\n")
    }
}
