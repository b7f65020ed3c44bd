use std::io::{Error, ErrorKind};
use std::path::Path;

use bdem_run::output::ply::read_points;
use bdem_run::output::{FrameFile, OutputError, Result};
use bdem_run::scene::Look;

use super::CutRun;
use crate::surface::{SurfaceMesh, march_touching};

/// Surfaces of frames.
pub enum Surfaces {
    /// Pieces of a run, and surfaces around its particles without a mesh.
    Cut(Box<CutRun>),
    /// Surfaces around the particles of frames of another program, or of this one without its run.
    Particles {
        /// Radius of particles in files without radii, m.
        radius: Option<f64>,
    },
}

impl Surfaces {
    /// Surface of a frame, and comments for its file.
    ///
    /// # Errors
    /// When the frame cannot be read, or does not match the run.
    pub fn mesh(&self, file: &FrameFile) -> Result<(SurfaceMesh, Vec<String>)> {
        match self {
            Self::Particles { radius } => Ok((of_particles(&file.path, *radius)?, Vec::new())),
            Self::Cut(run) => {
                let frame = run.frame(file)?;
                Ok((run.mesh(&frame), frame.comments))
            }
        }
    }

    /// Particles that belong to no surface, ascending.
    pub fn loose(&self) -> &[u32] {
        match self {
            Self::Particles { .. } => &[],
            Self::Cut(run) => &run.crumbs,
        }
    }

    /// Body of each particle. Empty where surfaces know no bodies.
    pub fn bodies(&self) -> &[u16] {
        match self {
            Self::Particles { .. } => &[],
            Self::Cut(run) => &run.world.particles.body,
        }
    }

    /// Look of each body. Empty where surfaces know no bodies.
    pub fn looks(&self) -> Vec<Look> {
        match self {
            Self::Particles { .. } => Vec::new(),
            Self::Cut(run) => run.looks(),
        }
    }
}

fn of_particles(path: &Path, radius: Option<f64>) -> Result<SurfaceMesh> {
    let unfit = |why: &str| OutputError::file("mesh the frame", path)(Error::new(ErrorKind::InvalidData, why));
    let mut points = read_points(path)?;
    if !points.has_radius {
        let missing = "its particles have neither pscale nor radius: give one with --radius";
        let radius = radius.ok_or_else(|| unfit(missing))?;
        points.vertices.iter_mut().for_each(|vertex| vertex.pscale = radius as f32);
    }
    let mesh = march_touching(&mut points.vertices, points.has_piece).map_err(unfit)?;
    Ok(SurfaceMesh { has_charge: points.has_charge, ..mesh })
}
