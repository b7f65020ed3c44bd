use std::sync::{Mutex, MutexGuard};

use crate::simd::Row8;

/// Arrays that loops over bonds work in, kept from one to the next so that none of them allocates.
#[derive(Debug, Default)]
pub struct Workspace(Mutex<WorkArrays>);

/// See [`Workspace`].
#[derive(Debug, Default)]
pub struct WorkArrays {
    /// Position (m) and orientation (x, y, z, w) of each particle.
    pub poses: Vec<Row8>,
    /// Velocity (m/s) and angular velocity (rad/s) of each particle, where it is asked for.
    pub velocities: Vec<Row8>,
    /// What each chunk of bonds adds up.
    pub chunks: Vec<ChunkSums>,
    /// Energy of each chunk's particles, J, and what the damping of bonds and of contacts takes.
    pub energies: Vec<[f64; 3]>,
}

/// Sums of a chunk of bonds.
#[derive(Debug, Default)]
pub struct ChunkSums {
    /// Gradient by position (J/m) and by rotation (J/rad), energy (J), and what damping takes, for each slot of the chunk.
    pub rows: Vec<Row8>,
    /// Indices, within the chunk, of bonds that may bear more than they can.
    pub overloaded: Vec<u32>,
}

impl Workspace {
    /// The arrays, for one loop at a time.
    pub fn lock(&self) -> MutexGuard<'_, WorkArrays> {
        self.0.lock().expect("no loop over bonds panics")
    }
}

impl Clone for Workspace {
    /// A workspace of its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}
