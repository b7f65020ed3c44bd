use crate::simd::Row8;

/// Work arrays of sums over bonds. Their caller keeps them from one evaluation to the next, so that none allocates.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Position (m) and orientation (x, y, z, w) of each particle.
    pub poses: Vec<Row8>,
    /// Velocity (m/s) and angular velocity (rad/s) of each particle, if needed.
    pub velocities: Vec<Row8>,
    /// Sums of each chunk of bonds.
    pub(super) chunks: Vec<ChunkSums>,
    /// Energy of each chunk's particles, J, and dissipation by the damping of bonds and of contacts.
    pub(super) energies: Vec<[f64; 3]>,
}

/// Sums of a chunk of bonds.
#[derive(Debug, Default)]
pub(super) struct ChunkSums {
    /// Gradient with respect to position (J/m) and rotation (J/rad), energy (J), and dissipation, for each slot of the
    /// chunk.
    pub rows: Vec<Row8>,
    /// Indices, within the chunk, of bonds that may have reached their strength.
    pub overloaded: Vec<u32>,
}
