use super::Motion;

/// Particles whose motion is prescribed.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub particles: Vec<u32>,
    pub motion: Motion,
}
