/// Times of a run's frames in another program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Number of the first frame there.
    pub start: f64,
    /// Frames per second of playback.
    pub fps: f64,
    /// Seconds of the run per second of playback.
    pub speed: f64,
}

impl Timing {
    /// Frame there of a time (s) after the first frame of the run.
    pub fn code(&self, time: f64) -> f64 {
        self.start + self.playback(time) * self.fps
    }

    /// Seconds of playback of a time (s) of the run. It has a millionth of a frame, so that codes that are whole numbers
    /// look like it.
    pub fn playback(&self, time: f64) -> f64 {
        let frames = time / self.speed * self.fps;
        (frames * 1e6).round() * 1e-6 / self.fps
    }
}
