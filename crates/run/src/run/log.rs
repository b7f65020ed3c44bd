use std::time::Instant;

use bdem_core::simulate::IntegratorKind;
use serde::{Serialize, Serializer};

use super::progress::ProgressDisplay;
use crate::console;
use crate::output::{Metrics, RunRecord, TableRow};

/// Log of a run on stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Whether the log is JSON, one [`Event`] a line; otherwise text, with lines of progress for farms.
    pub is_json: bool,
    /// Level of detail.
    pub level: LogLevel,
}

/// Level of detail of the log. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Fatal errors only.
    Quiet,
    /// Progress and warnings.
    #[default]
    Normal,
    /// One line a frame.
    Verbose,
}

/// Event of a run. In JSON its kind is the key `event`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// The run starts or resumes: `run.json` so far.
    Start(&'a RunRecord),
    /// A frame is complete: its row of `metrics.csv`.
    Frame {
        /// Last frame of the scene.
        of: u32,
        /// Wall-clock time since the frame before.
        seconds: f64,
        /// Physics and solver up to the frame.
        #[serde(flatten, serialize_with = "as_map")]
        metrics: &'a Metrics,
    },
    /// Note on the course of the run.
    Note {
        /// Text of the note.
        message: &'a str,
    },
    /// Warning that does not end the run.
    Warning {
        /// Text of the warning.
        message: &'a str,
    },
    /// Error that ended the program, and its exit code.
    Error {
        /// Text of the error.
        message: &'a str,
        /// Exit code of the program.
        code: u8,
    },
    /// The run has ended: the final `run.json`.
    End(&'a RunRecord),
}

/// Serializes a row by the names of its columns.
fn as_map<S: Serializer>(metrics: &&Metrics, serializer: S) -> Result<S::Ok, S::Error> {
    metrics.as_map(serializer)
}

impl LogOptions {
    /// Whether progress is omitted: its lines are no JSON.
    pub fn is_silent(self) -> bool {
        self.level == LogLevel::Quiet || self.is_json
    }

    /// Reports a note, unless the log is quiet.
    pub fn note(self, message: &str) {
        self.tell(LogLevel::Normal, &Event::Note { message });
    }

    /// Reports a warning, unless the log is quiet.
    pub fn warn(self, message: &str) {
        self.tell(LogLevel::Normal, &Event::Warning { message });
    }

    /// Reports a fatal error, at every level.
    pub fn fail(self, message: &str, code: u8) {
        self.tell(LogLevel::Quiet, &Event::Error { message, code });
    }

    fn tell(self, level: LogLevel, event: &Event) {
        if self.level < level {
            return;
        }
        match (self.is_json, event) {
            (true, event) => {
                console::message(&serde_json::to_string(event).expect("events have only what JSON can say"));
            }
            (_, Event::Note { message }) => console::message(message),
            (_, Event::Warning { message }) => console::message(&format!("warning: {message}")),
            (_, Event::Error { message, .. }) => console::message(&format!("error: {message}")),
            (_, Event::Frame { of, seconds, metrics }) => console::message(&frame_line(*of, *seconds, metrics)),
            // the command line reports these
            (_, Event::Start(_) | Event::End(_)) => {}
        }
    }
}

fn frame_line(of: u32, seconds: f64, metrics: &Metrics) -> String {
    let Metrics { frame, time, bonds_broken, pieces, steps, explicit_steps, asleep_steps, step_cuts, .. } = metrics;
    let Metrics { newton_iterations, cg_iterations, .. } = metrics;
    format!(
        "frame {frame}/{of}  {time:.6} s  {bonds_broken} bonds broken, {pieces} pieces; steps {steps}, explicit {explicit_steps}, \
         asleep {asleep_steps}, cut {step_cuts}; Newton {newton_iterations}, conjugate gradients {cg_iterations}; {seconds:.2} s on the wall"
    )
}

/// Kinds of the steps of a frame.
fn by_turns(metrics: &Metrics) -> String {
    let Metrics { steps, explicit_steps, asleep_steps, .. } = metrics;
    match asleep_steps {
        0 => format!("{explicit_steps} of {steps} steps explicit"),
        _ => format!("{explicit_steps} of {steps} steps explicit, {asleep_steps} with sleeping pieces"),
    }
}

/// Log of a run in progress.
pub(super) struct Log {
    options: LogOptions,
    display: ProgressDisplay,
    frames: u32,
    /// Whether implicit and explicit steps alternate.
    by_turns: bool,
    last: Instant,
}

impl Log {
    /// Starts the log of the run of `record` with this number of `frames`.
    pub(super) fn start(options: LogOptions, record: &RunRecord, frames: u32) -> Self {
        options.tell(LogLevel::Normal, &Event::Start(record));
        let display = ProgressDisplay::new(record.frames, frames, options.is_silent());
        let by_turns = record.integrator == IntegratorKind::Auto.to_string();
        Self { options, display, frames, by_turns, last: Instant::now() }
    }

    /// Reports the completed share of the current frame.
    pub(super) fn within(&mut self, share: f64) {
        self.display.within(share);
    }

    /// Reports a completed frame. `failures` is the number of steps without an acceptable state, which were shortened.
    pub(super) fn frame(&mut self, metrics: &Metrics, failures: u64) {
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let Self { options, display, frames, .. } = self;
        let level = if options.is_json { LogLevel::Normal } else { LogLevel::Verbose };
        display.suspend(|| {
            if failures > 0 {
                let frame = metrics.frame;
                let message =
                    format!("frame {frame}: no acceptable state in {failures} steps, which were made shorter");
                // step control is meant for it, and nearly every run that breaks has some
                options.tell(LogLevel::Verbose, &Event::Warning { message: &message });
            }
            options.tell(level, &Event::Frame { of: *frames, seconds, metrics });
        });
        let by_turns = self.by_turns.then(|| format!(", {}", by_turns(metrics)));
        let message =
            format!("{} bonds broken, {} pieces{}", metrics.bonds_broken, metrics.pieces, by_turns.unwrap_or_default());
        let is_flight = metrics.asleep_steps == metrics.steps && metrics.bonds_broken == 0;
        display.frame(metrics.frame, &message, is_flight);
    }

    /// Reports a warning about the run.
    pub(super) fn warn(&self, message: &str) {
        self.display.suspend(|| self.options.warn(message));
    }

    /// Reports the end of the run of `record`.
    pub(super) fn end(&self, record: &RunRecord) {
        self.display.end();
        self.options.tell(LogLevel::Normal, &Event::End(record));
    }
}
