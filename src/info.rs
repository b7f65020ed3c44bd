use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bdem_jobs::table;
use bdem_run::output::ply::{Frame, Vertex, read_frame};
use bdem_run::output::{Checkpoint, DEAD_AFTER, RECORD, RunRecord, RunStatus, write_named};
use bdem_run::run::LoadCurve;
use bdem_run::scene::MaterialTest;
use clap::{Args, ValueEnum};
use nalgebra::Vector3;

use super::{CliError, print};

/// Summarises a frame, a checkpoint or a run, or prints a table of runs, a row each
///
/// The table has values set, state, frames, breakage and seconds. State is packing (no frame yet), running, finished, stopped
/// (by a signal), failed (with the error), dead (killed), or absent: no run in the folder, or one that a wrong scene has kept
/// from beginning. Columns of --set values have the names of their keys. Runs with a specimen that have ended add the columns of
/// their results, in SI units: test, peak_load, displacement_at_peak, strength, modulus, poisson_ratio, fracture_energy.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A frame (PLY), a checkpoint, a run's folder or its run.json; or folders of runs, for a table
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Format of what is printed: a summary or a table [default: text for one path, csv for several]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// File of the summary or table [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Age of the heartbeat from which a run on another machine is dead, s
    #[arg(long, value_name = "S", default_value_t = DEAD_AFTER.as_secs())]
    dead_after: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A summary, a line a fact
    Text,
    /// A table with a row for each run
    Csv,
    /// A list of objects, with the values set under the key set, and results of material tests under specimen
    Json,
}

const EXAMPLES: &str = "Examples:
  bdem info out/plate                               a run
  bdem info out/plate/ply/plate.0012.ply            one of its frames
  bdem info out/drop_*                              a table, CSV: a row for each run
  bdem info out/* --format json -o sweep.json
  bdem info out/* | grep -c ,finished,              counts the finished ones
  bdem info out/tension --format csv                with strength and modulus in full precision";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let dead_after = Duration::from_secs(arguments.dead_after);
    let paths = &arguments.paths;
    let default = if paths.len() == 1 { Format::Text } else { Format::Csv };
    let text = match arguments.format.unwrap_or(default) {
        Format::Text => {
            let summaries = paths.iter().map(|path| describe(path, dead_after));
            summaries.collect::<Result<Vec<_>, _>>()?.join("\n")
        }
        Format::Csv => table::csv(&table::rows(paths, dead_after)?),
        Format::Json => table::json(&table::rows(paths, dead_after)?),
    };
    match &arguments.output {
        Some(path) => Ok(write_named(path, |out| out.write_all(text.as_bytes()))?),
        None => print(&text),
    }
}

/// Summary of a frame (`.ply`), a checkpoint (`.ckpt`) or a run (its folder or its `run.json`), a line a fact.
///
/// # Errors
/// When the file cannot be read or is of another kind.
fn describe(path: &Path, dead_after: Duration) -> Result<String, CliError> {
    let facts = match path.extension().and_then(OsStr::to_str) {
        _ if path.is_dir() => of_run(path, dead_after)?,
        Some("json") => record(&RunRecord::read(path)?),
        Some("ckpt") => record(&Checkpoint::read(path)?.record),
        _ => frame(&read_frame(path)?),
    };
    Ok(in_columns(&facts))
}

/// Facts of the run in a folder: its record, and the results of its material test. Only the folder tells whether a run that
/// has not ended still lives.
fn of_run(path: &Path, dead_after: Duration) -> Result<Facts, CliError> {
    let mut facts = record(&RunRecord::read(&path.join(RECORD))?);
    if let (RunStatus::Dead, _) = RunStatus::read(path, dead_after)?
        && let Some((_, state)) = facts.iter_mut().find(|(key, _)| key == "state")
    {
        state.push_str(", but its process is dead");
    }
    let Some(curve) = LoadCurve::read(path)? else { return Ok(facts) };
    facts.extend(material_test(&curve));
    Ok(facts)
}

/// Results of a material test, with their formulas.
fn material_test(curve: &LoadCurve) -> Facts {
    let results = curve.results();
    let number =
        |value: Option<f64>, unit: &str| value.map_or("none".to_owned(), |value| format!("{value:.4e} {unit}"));
    let formula = |text: &str| format!("  ({text})");
    let place = results.displacement_at_peak.map_or(String::new(), |place| format!(" at {place:.4e} m"));
    let mut facts = vec![
        fact("test", curve.test),
        fact("peak load", number(results.peak_load, "N") + &place),
        fact("strength", number(results.strength, "Pa") + &formula(curve.test.strength_formula())),
    ];
    let modulus = curve.test.modulus_formula();
    facts.extend(modulus.map(|text| fact("modulus", number(results.modulus, "Pa") + &formula(text))));
    facts.extend(results.poisson_ratio.map(|ratio| fact("Poisson's ratio", format!("{ratio:.4}"))));
    let energy = |energy| number(Some(energy), "J/m2") + &formula(MaterialTest::FRACTURE_ENERGY_FORMULA);
    facts.extend(results.fracture_energy.map(|found| fact("fracture energy", energy(found))));
    facts
}

/// Number of pieces that are listed, from the largest.
const SIZES: usize = 12;

/// Particles of each piece, the largest first.
fn piece_sizes(vertices: &[Vertex]) -> Vec<usize> {
    let mut sizes = BTreeMap::new();
    for vertex in vertices {
        *sizes.entry(vertex.piece).or_insert(0) += 1;
    }
    let mut sizes: Vec<usize> = sizes.into_values().collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

type Facts = Vec<(String, String)>;

fn frame(frame: &Frame) -> Facts {
    let comments = frame.comments.iter().filter_map(|comment| comment.split_once(": "));
    let mut facts: Facts = comments.map(|(key, value)| fact(key, value)).collect();
    let vertices = &frame.vertices;
    let pieces = piece_sizes(vertices);
    facts.push(fact("particles", vertices.len()));
    facts.push(fact("pieces", pieces.len()));
    let largest: Vec<String> = pieces.iter().take(SIZES).map(usize::to_string).collect();
    facts.push(fact("largest of them", format!("{} particles", largest.join(", "))));
    facts.push(fact(
        "bonds",
        frame.edges.as_ref().map_or("not in the file".to_owned(), |edges| edges.len().to_string()),
    ));
    facts.push(fact("radius", range(vertices, |v| v.pscale, "m")));
    facts.push(fact("x", range(vertices, |v| v.x, "m")));
    facts.push(fact("y", range(vertices, |v| v.y, "m")));
    facts.push(fact("z", range(vertices, |v| v.z, "m")));
    facts.push(fact("speed", range(vertices, |v| Vector3::new(v.vx, v.vy, v.vz).norm(), "m/s")));
    facts.push(fact("damage", range(vertices, |v| v.damage, "of the first bonds")));
    facts.push(fact("stress", range(vertices, |v| v.stress, "Pa")));
    if frame.has_displacement {
        facts.push(fact("displacement", range(vertices, |v| v.displacement().norm() as f32, "m")));
    }
    if frame.has_charge {
        facts.push(fact("charge", range(vertices, |v| v.charge, "C")));
    }
    facts
}

fn record(run: &RunRecord) -> Facts {
    let seconds = &run.seconds;
    let mut facts = vec![
        fact("scene", &run.scene),
        fact("scene digest", &run.digest),
        fact("written by", format!("{} {} ({})", env!("CARGO_PKG_NAME"), run.version, run.build)),
        fact("command line", run.command_line.join(" ")),
        fact("state", run.state),
        fact("resumed", format!("{} times", run.resumed)),
    ];
    facts.extend(run.error.iter().map(|error| fact("error", error)));
    facts.extend(run.ended.iter().map(|condition| fact("ended", condition)));
    facts.extend([
        fact("integrator", &run.integrator),
        fact("device", run.device()),
        fact("threads", run.threads),
        fact("frames", run.frames),
        fact("time", format!("{} s", run.time)),
        fact("step", format!("{:.4e} s = {:.4} periods of {:.4e} s", run.step, run.step_in_periods, run.period)),
        fact(
            "steps",
            format!(
                "{}, {} of them explicit, {} with sleeping pieces, {} repeated at a shorter length",
                run.steps, run.explicit_steps, run.asleep_steps, run.step_cuts
            ),
        ),
        fact("iterations", format!("{} Newton, {} conjugate gradient", run.newton_iterations, run.cg_iterations)),
        fact("particles", run.particles),
        fact("bonds", format!("{} whole, {} broken", run.bonds, run.bonds_broken)),
        fact("pieces", format!("{}, the largest of {} particles", run.pieces, run.largest_piece)),
        fact("seconds", format!("{:.2}", seconds.total)),
    ]);
    let phases = [
        ("setup", seconds.setup),
        ("integrate", seconds.integrate),
        ("fracture", seconds.fracture),
        ("contact", seconds.contact),
        ("output", seconds.output),
    ];
    facts.extend(phases.map(|(phase, seconds)| fact(&format!("  {phase}"), format!("{seconds:.2}"))));
    facts
}

fn fact(key: &str, value: impl ToString) -> (String, String) {
    (key.to_owned(), value.to_string())
}

/// Range of a property, as `0.1 to 0.2 m`.
fn range(vertices: &[Vertex], value: impl Fn(&Vertex) -> f32, unit: &str) -> String {
    let ends = |(least, greatest): (f32, f32), x: f32| (least.min(x), greatest.max(x));
    let (least, greatest) = vertices.iter().map(value).fold((f32::INFINITY, f32::NEG_INFINITY), ends);
    if vertices.is_empty() { "none".to_owned() } else { format!("{least} to {greatest} {unit}") }
}

/// Facts in two columns.
fn in_columns(facts: &[(String, String)]) -> String {
    let width = facts.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    facts.iter().fold(String::new(), |mut text, (key, value)| {
        // writing to a string cannot fail
        let _ = writeln!(text, "{key:width$}  {value}");
        text
    })
}
