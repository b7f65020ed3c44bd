use bdem_run::output::{FrameFile, Result};
use bdem_run::scene::Look;

use super::CutRun;
use crate::surface::{Source, SurfaceMesh};

/// Surfaces of a run's frames.
pub enum Surfaces {
    /// Surfaces around particles, by marching cubes.
    Marched(Source),
    /// Pieces cut from the bodies' meshes.
    Cut(Box<CutRun>),
}

impl Surfaces {
    /// Surface of a frame, and comments for its file.
    ///
    /// # Errors
    /// When the frame cannot be read, or does not match the run.
    pub fn mesh(&self, file: &FrameFile) -> Result<(SurfaceMesh, Vec<String>)> {
        match self {
            Self::Marched(source) => source.mesh(&file.path),
            Self::Cut(run) => {
                let frame = run.frame(file)?;
                Ok((run.mesh(&frame), frame.comments))
            }
        }
    }

    /// Particles that belong to no surface, ascending.
    pub fn loose(&self) -> &[u32] {
        match self {
            Self::Marched(_) => &[],
            Self::Cut(run) => &run.pieces.loose,
        }
    }

    /// Body of each particle. Empty where surfaces know no bodies.
    pub fn bodies(&self) -> &[u16] {
        match self {
            Self::Marched(_) => &[],
            Self::Cut(run) => &run.world.particles.body,
        }
    }

    /// Look of each body. Empty where surfaces know no bodies.
    pub fn looks(&self) -> Vec<Look> {
        match self {
            Self::Marched(_) => Vec::new(),
            Self::Cut(run) => run.looks(),
        }
    }
}
