use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::runtime_estimate::duration;
use crate::console;

/// Progress of packings on stderr: on a terminal one line that is updated, elsewhere a line at intervals.
pub(super) struct PackingDisplay {
    is_quiet: bool,
    line: Option<ProgressBar>,
    /// Start of the packing under way.
    begun: Option<Instant>,
    told: Option<Instant>,
}

/// Time before a packing is reported, and interval of its lines.
const PAUSE: Duration = Duration::from_secs(2);

/// Interval of the updates on a terminal.
const TICK: Duration = Duration::from_millis(500);

impl PackingDisplay {
    pub(super) fn new(is_quiet: bool) -> Self {
        Self { is_quiet, line: None, begun: None, told: None }
    }

    /// Reports the completed `share` of the packing of `body`; 1 ends it.
    pub(super) fn tell(&mut self, body: &str, share: f64) {
        if share >= 1.0 {
            self.line.iter().for_each(ProgressBar::finish_and_clear);
            *self = Self::new(self.is_quiet);
            return;
        }
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let (on_terminal, elapsed) = (stderr().is_terminal(), begun.elapsed());
        let pause = if on_terminal { TICK } else { PAUSE };
        if self.is_quiet || self.told.unwrap_or(begun).elapsed() < pause {
            return;
        }
        self.told = Some(Instant::now());
        let left = duration(elapsed.as_secs_f64() * (1.0 - share) / share);
        let text = format!("packing {body}: {:.0} %, {left} left", 100.0 * share);
        if on_terminal {
            self.line.get_or_insert_with(ProgressBar::new_spinner).set_message(text);
            console::mark_line();
        } else {
            console::message(&text);
        }
    }
}
