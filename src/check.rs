use bdem_core::charge::Method;
use bdem_core::energy::ElectricState;
use bdem_core::integrate::stability::FieldLimit;
use bdem_core::model::{BondModel, State, World};
use bdem_core::simulate::{GaveUp, Simulation};
use bdem_run::mesh::MeshReport;
use bdem_run::run::runtime_estimate::{Impact, RuntimeEstimate, Striker, duration, processor_time};
use bdem_run::run::{KeptPackings, StillRunning, memory};
use bdem_run::scene::{BodyMeasures, BodyModuli, Filling, Scene, Until, Wholeness};
use clap::Args;

use super::tune::tune;
use super::{CliError, RunArguments, SceneArguments, packing_cache, print};

/// Checks a scene, and estimates its run time and memory
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Number of pieces of four particles or more into which the scene's bodies shall break: prints the strengths found by coarse runs of
    /// about a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pieces: Option<u32>,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem check scenes/plate.toml
  bdem check scenes/slab.toml --set bodies.slab.particle_radius=0.0008      at full size
  bdem check scenes/plate.toml --pieces 40                                  finds the strength for some 40 pieces";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let _waiting = (!arguments.run.log().is_silent()).then(|| StillRunning::start("checking the scene"));
    // on a thread of the pool, as a run: its memory is compared
    rayon::scope(|_| check(arguments))
}

fn check(arguments: &Arguments) -> Result<(), CliError> {
    let scene = arguments.scene.load(arguments.run.log())?;
    arguments.run.check_memory(&[&scene])?;
    let start = processor_time();
    let mut packings = KeptPackings::new(Vec::new(), packing_cache(), arguments.run.log());
    let (world, state) = scene.build_with(&mut packings)?;
    let bodies = scene.wholeness(&world, &state);
    scene.check_whole(&bodies)?.iter().for_each(|warning| arguments.run.log().warn(&warning.to_string()));
    let simulation = Simulation::new(world, state, &scene.simulation_settings());
    let setup = processor_time() - start;
    let limit = simulation.stability_limit();
    let report = report(&scene, &simulation, limit, &bodies);
    let mut body_moduli = scene.body_moduli(&simulation.world);
    let body = simulation.world.particles.body.clone();
    let output = memory::of_output(&simulation.world);
    let estimate = RuntimeEstimate::new(&scene, simulation, setup);
    // the trial has all that the steps of a run hold
    let memory = memory::peak().map_or_else(|| memory::estimate(&scene), |peak| peak + output);
    // bars of packings take memory that a run does not
    scene.measure_solids(&mut body_moduli, &mut packings);
    let moduli: String = body_moduli.iter().map(|of| moduli(&scene, of)).collect();
    let report = format!("{report}{moduli}memory         about {:.0} MB\n", memory as f64 * 1e-6);
    match estimate {
        Ok(estimate) => {
            let impacts: String = estimate.trial.impacts.iter().map(|met| impact(&scene, met)).collect();
            print(&(report + &impacts + &time(&estimate, scene.time.until.as_ref())))?;
            arguments.pieces.map_or(Ok(()), |wanted| print(&tune(&scene, wanted)?))
        }
        Err(why) => {
            print(&(report + &unknown(&why)))?;
            Err(scene.gives_up(&why, &body).into())
        }
    }
}

fn report(scene: &Scene, simulation: &Simulation, limit: f64, bodies: &[Wholeness]) -> String {
    let Simulation { world, plan, .. } = simulation;
    let period = world.period();
    let springs = world.bonds().iter().filter(|bond| bond.model == BondModel::AXIAL).count();
    let explicit = plan.explicit_substeps.map_or(1, |substeps| u64::from(substeps.steps));
    let most = |n: u32| (u64::from(n) * explicit) << plan.finest;
    let steps = match (plan.finest, plan.per_frame) {
        (0, n) if plan.explicit_substeps.is_some() => format!("{n} to {}, depending on events", most(n)),
        (0, n) => format!("{n}, of {:.3e} s ({:.2} T)", plan.step, plan.step / period),
        (_, n) => format!("{n} to {}, depending on events", most(n)),
    };
    format!(
        "scene          {} ({} frames of 1/{} s, {})\n\
         {}particles      {}\n\
         bonds          {}\n\
         {}{}{}{}{}{}\
         period T       {period:.4e} s\n\
         explicit limit {}\n\
         steps a frame  {steps}\n",
        scene.name(),
        scene.time.frames,
        scene.time.frame_rate,
        scene.time.integrator,
        preset(scene) + &scene.time.until.iter().map(|until| format!("until          {until}\n")).collect::<String>(),
        world.particles.len(),
        world.bonds().len() - springs,
        if springs > 0 { format!("springs        {springs}\n") } else { String::new() },
        scene.mesh_reports().iter().map(mesh).collect::<String>(),
        scene.measures(world, &simulation.state).iter().map(|of| measures(scene, of)).collect::<String>(),
        packings(scene, world),
        bodies.iter().map(|whole| pieces(scene, whole)).collect::<String>(),
        charges(scene, simulation).unwrap_or_default(),
        longest_step(limit, period),
    )
}

/// Lines of a preset's row.
fn preset(scene: &Scene) -> String {
    let line = |(set, is_own): (&str, bool)| {
        let own = if is_own { "; the scene has its own" } else { "" };
        format!("preset         {}{own}\n", set.replacen('=', " = ", 1))
    };
    scene.preset_row().into_iter().map(line).collect()
}

/// Longest stable explicit step, in seconds and periods.
fn longest_step(limit: f64, period: f64) -> String {
    if limit.is_infinite() {
        return "none: there are no bonds and no contacts".to_owned();
    }
    format!("{limit:.4e} s ({:.2} T)", limit / period)
}

/// Estimate of the run time: a line for the whole, and one of the trial.
fn time(estimate: &RuntimeEstimate, until: Option<&Until>) -> String {
    let RuntimeEstimate { frames, trial, tried, a_frame, .. } = estimate;
    let whole = estimate.whole();
    let why = match until {
        Some(_) => " at most: time.until may end the run before its last frame",
        None if whole.is_narrow() => "",
        None => ", depending on events",
    };
    let rest = if tried < frames { format!("; {a_frame} for each other") } else { String::new() };
    let seconds = duration(trial.seconds);
    format!(
        "time           {whole} of processor time in all{why}\n  \
         trial        {tried:.1} of {frames} frames simulated in {seconds}{rest}\n"
    )
}

/// Line in place of the estimate, where the solver gives up.
fn unknown(why: &GaveUp) -> String {
    format!("time           unknown: {why}\n")
}

/// Lines of the charges when they are largest, at the particles' first places: their sum, the method of their field, and
/// their forces and time scale beside the longest step. None without charges, or without a field.
fn charges(scene: &Scene, Simulation { world, state, plan, .. }: &Simulation) -> Option<String> {
    let electrostatics = &world.electrostatics;
    let count = electrostatics.particles().len();
    if count == 0 {
        return None;
    }
    let time = electrostatics.time_of_largest(f64::from(scene.time.frames) / scene.time.frame_rate);
    let electric = ElectricState::of(world, &State { time, ..state.clone() }).ok()?;
    let method = match electrostatics.method.resolve(count).ok()? {
        Method::Exact => "all pairs, exact".to_owned(),
        Method::Ddef(settings) => format!("domain-discretised, {} points, no bound of its error", settings.points),
        Method::Tree { tolerance } | Method::Auto { tolerance } => format!("multipoles, error below {tolerance:e}"),
    };
    let force = match electric.max_force_over_weight(world) {
        ratio if ratio.is_finite() => format!("largest force {ratio:.3e} of the weight; "),
        _ => String::new(),
    };
    let scale = FieldLimit::time_scale(world, &State { time, ..state.clone() });
    Some(format!(
        "charges        {count}, {:.3e} C in all at {time} s; {method}\n\
         field          {force}time scale {scale:.3e} s, {:.2e} of the longest step\n",
        electric.total_charge(),
        scale / plan.step
    ))
}

/// Line of the moduli of a body's bonds, and of the solid, as a pull on a bar of its packing measures them.
fn moduli(scene: &Scene, of: &BodyModuli) -> String {
    let BodyModuli { body, material, bonds: [e, g], solid, by_direction, softening, .. } = of;
    let solid = solid.map(|(e, nu)| {
        let range = by_direction.map(|range| range.map(|share| format!("{:.3e}", share * e)));
        let range = range.map(|[least, most]| format!(" ({least} to {most} by direction)")).unwrap_or_default();
        format!("; solid E = {e:.3e} Pa{range}, nu = {nu:.3}")
    });
    let solid = solid.unwrap_or_default();
    let softening = match (scene.materials[material].fracture_energy, softening) {
        (Some(_), Some(limit)) => format!("softening      {body}: to {limit:.2} times the strain at the strength\n"),
        (Some(_), None) => format!(
            "softening      {body}: none, since a bond holds more than fracture_energy at its strength; smaller particles \
             would soften\n"
        ),
        _ => String::new(),
    };
    format!("moduli         {body}, {material}: bonds E = {e:.3e} Pa, G = {g:.3e} Pa{solid}\n{softening}")
}

/// Line of a mesh's shells and parts. Empty for a mesh of one shell.
fn mesh((file, report): &(String, MeshReport)) -> String {
    let &MeshReport { shells, turned, parts, is_united } = report;
    if shells == 1 && turned == 0 {
        return String::new();
    }
    let overlap = if is_united { "overlapping, united to " } else { "" };
    let turned = if turned > 0 { format!("; {turned} turned outwards") } else { String::new() };
    format!("mesh           {file}: {shells} shells, {overlap}{parts} {}{turned}\n", plural("part", parts))
}

/// Line of a body's mass, bulk density and size.
fn measures(scene: &Scene, &BodyMeasures { body, mass, bulk_density, size }: &BodyMeasures) -> String {
    let density = bulk_density.map(|density| format!(", {density:.1} kg/m3")).unwrap_or_default();
    let [x, y, z] = size.map(|side| (side * 1e6).round() / 1e6).into();
    format!("body           {}: {mass:.4e} kg{density}, {x} x {y} x {z} m\n", scene.bodies[body].name)
}

/// Line for each body with a packing without a lattice.
fn packings(scene: &Scene, world: &World) -> String {
    let line = |Filling { body, solid_fraction, coordination }: Filling| {
        format!(
            "packing        {body}: {solid_fraction:.3} of the shape is solid, {coordination:.2} bonds a particle\n"
        )
    };
    scene.fillings(world).into_iter().map(line).collect()
}

/// Line of a bonded body's pieces and walls.
fn pieces(scene: &Scene, whole: &Wholeness) -> String {
    let Wholeness { body, pieces, wall, .. } = whole;
    let noun = plural("piece", *pieces);
    let (name, across) = (&scene.bodies[*body].name, whole.across());
    format!("pieces         {name}: {pieces} {noun}; {across:.1} particles across its thinnest walls of {wall:.3e} m\n")
}

/// `noun` for this count of things.
fn plural(noun: &str, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// Line of an impact on a body: what strikes it, and tensile strength over the stress of the impact's wave.
fn impact(scene: &Scene, met: &Impact) -> String {
    let Impact { body, striker, time, strength, speed, wave } = *met;
    let (name, by, ratio, outcome) =
        (&scene.bodies[body].name, striker_name(scene, striker), met.ratio(), met.outcome());
    format!(
        "impact         {name}: {speed:.2} m/s, {by} at {time:.3} s, strength {strength:.2e} Pa / rho c v {wave:.2e} Pa = \
         {ratio:.2}: {outcome}\n"
    )
}

/// Kind and name of what strikes a body, or its index where it has no name.
fn striker_name(scene: &Scene, striker: Striker) -> String {
    let (kind, index, name) = match striker {
        Striker::Body(index) => ("body", index, Some(&scene.bodies[index].name)),
        Striker::Collider(index) => ("collider", index, scene.colliders[index].name.as_ref()),
        Striker::Constraint(index) => ("constraint", index, scene.constraints[index].name.as_ref()),
    };
    name.map_or_else(|| format!("{kind} {index}"), |name| format!("{kind} {name:?}"))
}
