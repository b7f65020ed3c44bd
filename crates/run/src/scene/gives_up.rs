//! Errors of a solver that gives up, as errors of the scene.

use bdem_core::integrate::StepError;
use bdem_core::simulate::{Cause, GaveUp};

use super::check::At;
use super::{Scene, SceneError};

impl Scene {
    /// Error of a run of this scene that ends since the solver gives up, at the line that has to change: the step, or the body
    /// of the particle concerned. `bodies` has the body of each particle.
    pub fn gives_up(&self, why: &GaveUp, bodies: &[u16]) -> SceneError {
        let body = why.particle.and_then(|(particle, _)| bodies.get(particle));
        let at = match (&why.cause, body) {
            (Cause::Step(StepError::BeyondLimit(_)), _) | (_, None) => At::root().key("time").key("step"),
            (_, Some(&body)) => At::root().key("bodies").key(usize::from(body)),
        };
        self.source.locate(at.wrong(format!("`bdem simulate` would end with exit code 4: {why}")))
    }
}
