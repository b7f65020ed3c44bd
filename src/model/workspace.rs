use std::sync::{Mutex, MutexGuard};

use crate::simd::Row8;

/// Work arrays of loops over bonds, reused without allocation.
#[derive(Debug, Default)]
pub struct Workspace(Mutex<WorkArrays>);

/// The arrays of a [`Workspace`].
#[derive(Debug, Default)]
pub struct WorkArrays {
    /// Position (m) and orientation (x, y, z, w) of each particle.
    pub poses: Vec<Row8>,
    /// Velocity (m/s) and angular velocity (rad/s) of each particle, if needed.
    pub velocities: Vec<Row8>,
    /// Sums of each chunk of bonds.
    pub chunks: Vec<ChunkSums>,
    /// Energy of each chunk's particles, J, and dissipation by the damping of bonds and of contacts.
    pub energies: Vec<[f64; 3]>,
}

/// Sums of a chunk of bonds.
#[derive(Debug, Default)]
pub struct ChunkSums {
    /// Gradient with respect to position (J/m) and rotation (J/rad), energy (J), and dissipation, for each slot of the
    /// chunk.
    pub rows: Vec<Row8>,
    /// Indices, within the chunk, of bonds that may have reached their strength.
    pub overloaded: Vec<u32>,
}

impl Workspace {
    /// The arrays, for one loop at a time.
    pub fn lock(&self) -> MutexGuard<'_, WorkArrays> {
        self.0.lock().expect("no loop over bonds panics")
    }
}

impl Clone for Workspace {
    /// A new workspace.
    fn clone(&self) -> Self {
        Self::default()
    }
}
