use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;

use bdem_run::scene::Setting;

use super::{CheckedSweep, Point, TABLE};
use crate::error::JobError;

/// Options of an array job.
#[derive(Clone, Debug)]
pub struct SlurmOptions {
    /// Threads of each run.
    pub threads: NonZeroUsize,
    /// Limit on the tasks at once. None leaves it to Slurm.
    pub jobs: Option<NonZeroUsize>,
    /// Device of each run, as of `--device`. None for the processors.
    pub device: Option<String>,
}

/// Most tasks of an array: Slurm's default limit on their numbers, `MaxArraySize`, is 1001. Of more runs, task k makes k, k + 1000, k + 2000 and so on.
const MOST_TASKS: usize = 1000;

/// Script that runs a sweep as an array job of Slurm, with its runs in the folder `output`, and then a job that makes the table. Paths are
/// from the folder in which it is submitted.
///
/// # Errors
/// When a path is no text.
pub fn slurm(sweep: &CheckedSweep, output: &Path, options: &SlurmOptions) -> Result<String, JobError> {
    let (scene, output) = (quoted(text(&sweep.sweep.scene)?), quoted(text(output)?));
    let tasks = sweep.points.len().min(MOST_TASKS);
    let value = |name: &str| match name {
        "NAME" => sweep.name.clone(),
        "RUNS" => sweep.points.len().to_string(),
        "TASKS" => tasks.to_string(),
        "THREADS" => options.threads.to_string(),
        "AT_ONCE" => options.jobs.map_or_else(String::new, |jobs| format!("%{jobs}")),
        "DEVICE" => options.device.as_ref().map_or_else(String::new, |name| format!(" --device {}", quoted(name))),
        "TABLE" => TABLE.to_owned(),
        "SCENE" => scene.clone(),
        "OUTPUT" => output.clone(),
        "SWEEP" => scene.clone() + &sweep_words(sweep),
        "CASES" => sweep.points.iter().enumerate().map(case).collect(),
        other => unreachable!("the script has no {other}"),
    };
    // from the left to the right, so that nothing is replaced in the texts of users
    let mut parts = include_str!("slurm.sh").split("{{");
    let mut script = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").expect("each name of the script has its end");
        script += &value(name);
        script += rest;
    }
    Ok(script)
}

/// Words of `bdem sweep` after the scene, each behind a blank.
fn sweep_words(sweep: &CheckedSweep) -> String {
    let sweep = &sweep.sweep;
    let mut words = sets(&sweep.settings);
    for varied in &sweep.varied {
        let list = format!("{}=[{}]", varied.key, varied.values.join(", "));
        let _ = write!(words, " --vary {}", quoted(&list));
    }
    if !sweep.seeds.is_empty() {
        let _ = write!(words, " --seeds {}", ranges(&sweep.seeds));
    }
    words
}

/// Line of a run.
fn case((number, point): (usize, &Point)) -> String {
    format!("    {number}) set --{} -o \"$output\"/{} ;;\n", sets(&point.settings), quoted(&point.name))
}

fn sets(settings: &[Setting]) -> String {
    settings.iter().map(|setting| format!(" --set {}", quoted(&setting.set))).collect()
}

/// Seeds with ranges in place of their numbers, as far as they follow each other.
fn ranges(seeds: &[u64]) -> String {
    let runs = seeds.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let words: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            _ => format!("{}-{}", run[0], run[run.len() - 1]),
        })
        .collect();
    words.join(",")
}

/// Word of a shell that is this text, whatever its letters.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn text(path: &Path) -> Result<&str, JobError> {
    let message = || JobError::Usage(format!("{} is no text, which a script needs: name another path", path.display()));
    path.to_str().ok_or_else(message)
}
