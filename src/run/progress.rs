use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Tells on stderr how far a run is: a bar on a terminal, a line now and then elsewhere.
pub enum ProgressDisplay {
    Bar(ProgressBar),
    Lines { first: u32, frames: u32, start: Instant, last: Option<Instant> },
    Quiet,
}

/// Lines come no closer than this, but for the last.
const PAUSE: Duration = Duration::from_secs(2);

impl ProgressDisplay {
    /// For a run of `frames` frames, the `first` of which are done.
    pub fn new(first: u32, frames: u32, quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !stderr().is_terminal() {
            return Self::Lines { first, frames, start: Instant::now(), last: None };
        }
        let style = ProgressStyle::with_template("{elapsed_precise} [{wide_bar}] frame {pos}/{len}  {msg}  left {eta}");
        let bar = ProgressBar::new(frames.into()).with_position(first.into());
        bar.set_style(style.expect("the template is a valid one"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self::Bar(bar)
    }

    /// A frame is done; `message` says what is worth knowing of it.
    pub fn frame(&mut self, frame: u32, message: &str) {
        match self {
            Self::Bar(bar) => {
                bar.set_message(message.to_owned());
                bar.set_position(frame.into());
            }
            Self::Lines { first, frames, start, last } => {
                if frame == *frames || last.is_none_or(|last| last.elapsed() >= PAUSE) {
                    *last = Some(Instant::now());
                    let spent = start.elapsed().as_secs_f64();
                    let left = spent / f64::from((frame - *first).max(1)) * f64::from(*frames - frame);
                    let percent = 100.0 * f64::from(frame) / f64::from(*frames);
                    eprintln!("Progress: {percent:.1}%  frame {frame}/{frames}  {message}  left {left:.0} s");
                }
            }
            Self::Quiet => {}
        }
    }

    /// Clears the bar away for as long as something else is told.
    pub fn suspend(&self, tell: impl FnOnce()) {
        match self {
            Self::Bar(bar) => bar.suspend(tell),
            _ => tell(),
        }
    }

    /// The run has ended.
    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
