use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::runtime_estimate::duration;
use super::{FrameTime, StillRunning};
use crate::console;

/// Progress of a run on stderr: a bar on a terminal, otherwise a line at intervals.
pub(super) struct ProgressDisplay {
    face: Face,
    frames: u32,
    /// Completed frames.
    done: u32,
    frame_time: FrameTime,
    /// Start of the current frame.
    begun: Instant,
    told: Option<Instant>,
    /// Message about the last frame.
    message: String,
}

enum Face {
    Bar(ProgressBar),
    Lines(StillRunning),
    Quiet,
}

/// Minimum interval between lines at ends of frames, except the last.
const PAUSE: Duration = Duration::from_secs(2);

/// Minimum interval between lines within a frame.
const LONG_PAUSE: Duration = Duration::from_secs(20);

/// Interval of the bar's updates within a frame.
const TICK: Duration = Duration::from_millis(500);

/// Resolution of the bar within a frame.
const PARTS: f64 = 1000.0;

impl ProgressDisplay {
    /// Display for a run of `frames` frames, the `first` of which are complete.
    pub(super) fn new(first: u32, frames: u32, quiet: bool) -> Self {
        let face = match quiet {
            true => Face::Quiet,
            false if stderr().is_terminal() => Face::Bar(bar(first, frames)),
            false => {
                Face::Lines(StillRunning::start(&progress(first.into(), frames, &format!("frame {first}/{frames}"))))
            }
        };
        let (frame_time, message) = (FrameTime::default(), String::new());
        Self { face, frames, done: first, frame_time, begun: Instant::now(), told: None, message }
    }

    /// Reports a completed frame, with a `message` about it. The time of free flight at the start does not predict that of later
    /// frames.
    pub(super) fn frame(&mut self, frame: u32, message: &str, is_flight: bool) {
        if !is_flight || self.frame_time.is_known() {
            self.frame_time.frame(self.begun.elapsed().as_secs_f64());
        }
        (self.begun, self.done) = (Instant::now(), frame);
        message.clone_into(&mut self.message);
        let pause = if matches!(self.face, Face::Bar(_)) || frame == self.frames { Duration::ZERO } else { PAUSE };
        self.tell(0.0, pause);
    }

    /// Reports the completed share of the current frame.
    pub(super) fn within(&mut self, share: f64) {
        let pause = if matches!(self.face, Face::Bar(_)) { TICK } else { LONG_PAUSE };
        // the first frame of a run may be long, with no line before it
        if self.told.is_some() || self.begun.elapsed() >= pause {
            self.tell(share.clamp(0.0, 1.0), pause);
        }
    }

    /// Updates the display, unless the last update was less than `pause` ago.
    fn tell(&mut self, share: f64, pause: Duration) {
        if self.told.is_some_and(|told| told.elapsed() < pause) {
            return;
        }
        self.told = Some(Instant::now());
        let Self { frames, done, message, .. } = &*self;
        let far = f64::from(*done) + share;
        let text = format!("frame {done}/{frames}  {message}  left {}", self.left(share));
        match &self.face {
            Face::Bar(bar) => {
                bar.set_message(text);
                bar.set_position((PARTS * far) as u64);
            }
            Face::Lines(running) => {
                console::message(&progress(far, self.frames, &text));
                running.set(&progress(far, self.frames, &format!("frame {done}/{frames}")));
            }
            Face::Quiet => {}
        }
    }

    /// Estimated remaining time.
    fn left(&self, share: f64) -> String {
        let left = self.frame_time.left(f64::from(self.frames - self.done), share, self.begun.elapsed().as_secs_f64());
        left.map_or_else(|| "unknown".to_owned(), duration)
    }

    /// Hides the bar during other output.
    pub(super) fn suspend(&self, tell: impl FnOnce()) {
        match &self.face {
            Face::Bar(bar) => bar.suspend(tell),
            Face::Lines(_) | Face::Quiet => tell(),
        }
    }

    /// Removes the bar at the end of the run.
    pub(super) fn end(&self) {
        if let Face::Bar(bar) = &self.face {
            bar.finish_and_clear();
        }
    }
}

/// Line of progress, as farms read it.
fn progress(done: f64, frames: u32, text: &str) -> String {
    format!("Progress: {:.1}%  {text}", 100.0 * done / f64::from(frames))
}

fn bar(first: u32, frames: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed_precise} [{wide_bar}] {msg}");
    let parts = |frames: u32| u64::from(frames) * PARTS as u64;
    let bar = ProgressBar::new(parts(frames)).with_position(parts(first));
    bar.set_style(style.expect("the template is a valid one"));
    bar.enable_steady_tick(TICK);
    bar
}
