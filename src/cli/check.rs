use std::time::Instant;

use clap::Args;

use crate::contact::Neighbours;
use crate::energy::Potential;
use crate::integrate::stability;
use crate::model::{Material, State, World, Wrench, lattice};
use crate::run::{StepPlan, memory};
use crate::scene::{Filling, Scene};

use super::{CliError, RunArguments, SceneArguments, print};

/// Checks a scene, and tells what it will take
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem check scenes/plate.toml
  bdem check scenes/plate.toml --set bodies.plate.particle_radius=0.0008      what the full size would take";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let scene = arguments.scene.load()?;
    arguments.run.admit(&[&scene])?;
    let (world, state) = scene.build()?;
    print(&report(&scene, &world, &state))
}

fn report(scene: &Scene, world: &World, state: &State) -> String {
    let period = world.period();
    let plan = StepPlan::new(scene, world, state);
    let limit = plan.limit.unwrap_or_else(|| stability::limit(world, state));
    let steps = match (plan.finest, plan.per_frame) {
        (0, n) => format!("{n}, of {:.3e} s ({:.2} T)", plan.step, plan.step / period),
        (finest, n) => format!("{n} to {}, by what happens", u64::from(n) << finest),
    };
    let seconds = seconds_a_frame(scene, world, state, &plan);
    format!(
        "scene          {} ({} frames of 1/{} s, {})\n\
         particles      {}\n\
         bonds          {}\n\
         {}{}\
         period T       {period:.4e} s\n\
         explicit limit {limit:.4e} s ({:.2} T)\n\
         steps a frame  {steps}\n\
         memory         about {:.0} MB\n\
         time           about {}, roughly {} in all\n",
        scene.name(),
        scene.time.frames,
        scene.time.frame_rate,
        scene.time.integrator,
        world.particles.len(),
        world.bonds().len(),
        packings(scene, world),
        world.materials.iter().map(moduli).collect::<String>(),
        limit / period,
        memory::estimate(scene) as f64 * 1e-6,
        duration(seconds),
        duration(seconds * f64::from(scene.time.frames)),
    )
}

/// A line for what a material's bonds are made of, and what that makes of a solid hexagonally packed.
fn moduli(material: &Material) -> String {
    let Material { name, young_modulus, shear_modulus, .. } = material;
    let solid = if material.grain.is_none() {
        let (e, nu) = lattice::solid_moduli(*young_modulus, *shear_modulus);
        format!("solid E = {e:.3e} Pa, nu = {nu:.3}")
    } else {
        "more along the grain".to_owned()
    };
    format!("moduli         {name}: bonds E = {young_modulus:.3e} Pa, G = {shear_modulus:.3e} Pa; {solid}\n")
}

/// A line for each body that is packed at random.
fn packings(scene: &Scene, world: &World) -> String {
    let line = |Filling { body, solid_fraction, coordination }: Filling| {
        format!(
            "packing        {body}: {solid_fraction:.3} of the shape is solid, {coordination:.2} bonds a particle\n"
        )
    };
    scene.fillings(world).into_iter().map(line).collect()
}

/// Steps of implicit Euler cost about as much as so many gradients.
const GRADIENTS_A_STEP: f64 = 40.0;

/// Times a gradient on this machine, and multiplies.
fn seconds_a_frame(scene: &Scene, world: &World, state: &State, plan: &StepPlan) -> f64 {
    let contacts = Neighbours::none(world, state);
    let potential = Potential::new(world, &contacts);
    let mut out = vec![Wrench::default(); state.len()];
    potential.gradient(state, &mut out);
    let start = Instant::now();
    potential.gradient(state, &mut out);
    let gradient = start.elapsed().as_secs_f64();
    let (gradients, steps) = if scene.time.integrator.is_explicit() {
        (1.5, f64::from(plan.per_frame))
    } else {
        (GRADIENTS_A_STEP, f64::from(plan.per_frame) * libm::exp2(0.5 * f64::from(plan.finest)))
    };
    gradient * gradients * steps
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
