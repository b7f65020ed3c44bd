use bdem_core::model::{State, World};

use super::StateGradient;

/// Loss of a run: a sum over its frames.
pub trait Loss: Sync {
    /// Loss of the state at `frame`, 0 for the start. Its derivatives by the state are added to `by`.
    fn at(&self, frame: u32, world: &World, state: &State, by: Option<&mut StateGradient>) -> f64;
}
