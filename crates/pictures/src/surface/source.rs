use std::io::{self, ErrorKind};
use std::path::Path;

use bdem_core::simulate::FractureEvent;
use bdem_run::output::ply::{read_frame, read_points};
use bdem_run::output::{OutputError, Result};

use super::rest::{Rest, number_pieces};
use super::{SurfaceMesh, SurfaceMesher};

/// Source of frames.
pub enum Source {
    /// Run of this program: particles at rest, and the bonds that broke, by time.
    Run {
        /// Mesher of the particles at rest.
        mesher: Box<SurfaceMesher>,
        /// Broken bonds, with the times at which they broke.
        fractures: Vec<FractureEvent>,
    },
    /// Frames of another program, or of this one without its run. Particles that touch in a frame are linked.
    Particles {
        /// Edge of the cubes over the smallest radius.
        resolution: f64,
        /// Radius of particles in files without radii, m.
        radius: Option<f64>,
    },
}

impl Source {
    /// Surface of the frame at `path`, and comments for its file.
    ///
    /// # Errors
    /// When the file cannot be read, or does not match the run.
    pub fn mesh(&self, path: &Path) -> Result<(SurfaceMesh, Vec<String>)> {
        match self {
            Self::Run { mesher, fractures } => of_run(mesher, fractures, path),
            Self::Particles { resolution, radius } => Ok((of_particles(path, *resolution, *radius)?, Vec::new())),
        }
    }
}

fn of_run(body: &SurfaceMesher, fractures: &[FractureEvent], path: &Path) -> Result<(SurfaceMesh, Vec<String>)> {
    let frame = read_frame(path)?;
    if frame.vertices.len() != body.particles() {
        let (there, expected) = (frame.vertices.len(), body.particles());
        return Err(unfit(path, format!("it has {there} particles, and the scene of its run {expected}")));
    }
    let time = frame.comment("time").and_then(|time| time.split_whitespace().next()?.parse::<f64>().ok());
    let time = time.ok_or_else(|| unfit(path, "its header has no time".to_owned()))?;
    let mut broken: Vec<u32> = fractures.iter().filter(|row| row.time <= time).map(|row| row.bond).collect();
    broken.sort_unstable();
    let mesh = body.surface(&frame.vertices, |bond| broken.binary_search(&bond).is_ok());
    Ok((SurfaceMesh { has_charge: frame.has_charge, ..mesh }, frame.comments))
}

fn of_particles(path: &Path, resolution: f64, radius: Option<f64>) -> Result<SurfaceMesh> {
    let mut points = read_points(path)?;
    if !points.has_radius {
        let missing = "its particles have neither pscale nor radius: give one with --radius".to_owned();
        let radius = radius.ok_or_else(|| unfit(path, missing))?;
        points.vertices.iter_mut().for_each(|vertex| vertex.pscale = radius as f32);
    }
    let sensible = |x: f32| x.is_finite() && x.abs() < 1e9;
    let good = points.vertices.iter().all(|v| [v.x, v.y, v.z].into_iter().all(sensible) && v.pscale > 1e-9);
    if points.vertices.is_empty() || !good {
        return Err(unfit(path, "it has no particles, or some without a valid position or radius".to_owned()));
    }
    let rest = Rest::of_frame(&points.vertices);
    if !points.has_piece {
        number_pieces(&rest, &mut points.vertices);
    }
    let mesh = SurfaceMesher::new(rest, resolution).surface(&points.vertices, |_| false);
    Ok(SurfaceMesh { has_charge: points.has_charge, ..mesh })
}

fn unfit(path: &Path, why: String) -> OutputError {
    OutputError::file("mesh the frame", path)(io::Error::new(ErrorKind::InvalidData, why))
}
