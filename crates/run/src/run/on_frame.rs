use std::fmt::{self, Debug, Formatter};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use bdem_core::simulate::Simulation;

/// Function of the caller at the end of every frame, before the frame is written: it gets the frame's number, and may look, change
/// velocities by [`Simulation::change_velocities`], or end the run. A run that resumes calls it for the frames that it makes anew. Without
/// changes a run has the same bits as without the function.
#[derive(Clone)]
pub struct OnFrame(Arc<Mutex<Call>>);

type Call = dyn FnMut(u32, &mut Simulation) -> ControlFlow<()> + Send;

impl OnFrame {
    /// The function.
    pub fn new(call: impl FnMut(u32, &mut Simulation) -> ControlFlow<()> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(call)))
    }

    /// Calls it. Returns whether the run ends.
    pub(super) fn call(&self, frame: u32, simulation: &mut Simulation) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)(frame, simulation).is_break()
    }
}

impl Debug for OnFrame {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("OnFrame")
    }
}
