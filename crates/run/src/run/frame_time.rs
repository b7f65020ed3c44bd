/// Smoothed wall-clock time of a frame, s: an exponential average over the frames.
///
/// A plain average would estimate the time of debris from a cheap flight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameTime(Option<f64>);

/// Weight of the last frame.
const SHARE: f64 = 0.5;

impl FrameTime {
    /// Adds a frame of this wall-clock time, s.
    pub fn frame(&mut self, seconds: f64) {
        self.0 = Some(self.0.map_or(seconds, |before| before + SHARE * (seconds - before)));
    }

    /// Whether a frame has been added.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Estimated time of this number of `frames`, s. A `share` of the first took `seconds` so far; a frame takes no less.
    /// `None` if unknown.
    pub fn left(&self, frames: f64, share: f64, seconds: f64) -> Option<f64> {
        let a_frame = match self.0 {
            Some(before) => before.max(seconds),
            None if share > 0.0 => seconds / share,
            None => return None,
        };
        Some(a_frame * (frames - share))
    }
}
