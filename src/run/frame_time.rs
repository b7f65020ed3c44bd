/// How fast a run goes on now: the seconds that its last frames took, each counting half as much as the one after it.
///
/// An average over all frames would tell how long debris takes by a flight that took no time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameTime(Option<f64>);

/// What the last frame counts, of all.
const SHARE: f64 = 0.5;

impl FrameTime {
    /// A frame is done that took so many seconds.
    pub fn frame(&mut self, seconds: f64) {
        self.0 = Some(self.0.map_or(seconds, |before| before + SHARE * (seconds - before)));
    }

    /// Seconds until so many `frames` are done, of which this `share` of the first is, in so many `seconds`. A frame takes no
    /// less than that one has taken. `None` where nothing is known yet.
    pub fn left(&self, frames: f64, share: f64, seconds: f64) -> Option<f64> {
        let a_frame = match self.0 {
            Some(before) => before.max(seconds),
            None if share > 0.0 => seconds / share,
            None => return None,
        };
        Some(a_frame * (frames - share))
    }
}
