use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_core::simulate::FractureEvent;
use bdem_run::output::ply::{Frame, read_frame};
use bdem_run::output::{
    DEAD_AFTER, FRACTURES, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, RunFolder, RunStatus, Table, frames_of,
};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions};
use bdem_run::scene::{Look, Scene};

use super::{BodyMesh, CrackSettings, CutError, Motion, Pieces, RestParticles, Skin, kept_pieces};
use crate::surface::SurfaceMesh;

/// Run with its pieces.
pub struct CutRun {
    /// Its walls and its camera are in the coordinates of the frames.
    pub scene: Scene,
    /// World of the scene.
    pub world: World,
    /// Pieces at rest.
    pub pieces: Pieces,
    state: State,
    /// Median radius of each body's particles, m.
    radii: Vec<f64>,
    /// Skins of all pieces, once some body bends.
    skins: OnceLock<Vec<Skin>>,
}

impl CutRun {
    /// Pieces of the run in `folder`, which are kept there. `packings` is the folder of packings that runs share.
    ///
    /// # Errors
    /// When the run goes on, a file is missing or does not match, or a mesh cannot be cut.
    pub fn load(folder: &Path, settings: &CrackSettings, packings: Option<PathBuf>) -> Result<Self, CutError> {
        check_ended(folder)?;
        let resolved = folder.join(RESOLVED_SCENE);
        let scene = Scene::load_resolved(&resolved)?;
        let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
        let mut packings = KeptPackings::new(vec![RunFolder::packings(folder)], packings, log);
        let (world, state) = scene.build_with(&mut packings)?;
        let files = frames_of(folder, &FrameRanges::default())?;
        check_start(&files, &state, &world, &Vec3::from(scene.output.origin.unwrap_or_default()))?;
        let last = files.last().expect("a series has frames");
        let last = frame(last, state.len())?;
        let piece: Vec<u32> = last.vertices.iter().map(|particle| particle.piece as u32).collect();
        let particles = RestParticles {
            places: &state.p,
            radius: &world.particles.radius,
            body: &world.particles.body,
            piece: &piece,
        };
        let radii = particles.median_radii(scene.bodies.len());
        let make =
            || -> Result<Pieces, CutError> { Ok(Pieces::cut(BodyMesh::all(&scene, &radii)?, &particles, settings)?) };
        let pieces = kept_pieces(&RunFolder::pieces(folder), &scene.physics_digest(), &particles, settings, make)?;
        Ok(Self { scene: Scene::load_in_frames(&resolved)?, world, pieces, state, radii, skins: OnceLock::new() })
    }

    /// Checks that there are pieces of the run in `folder`.
    ///
    /// # Errors
    /// When no body has a mesh or a shape, or all end as crumbs.
    pub fn expect_pieces(&self, folder: &Path) -> Result<(), CutError> {
        if !self.pieces.pieces.is_empty() {
            return Ok(());
        }
        let has_mesh = self.pieces.bodies.iter().any(Option::is_some);
        Err(if has_mesh { CutError::Crumbs(folder.to_owned()) } else { CutError::NoMesh(folder.to_owned()) })
    }

    /// Name of the first body that has a mesh or a shape and ends as crumbs, of which surfaces show nothing.
    pub fn crumbled_body(&self) -> Option<&str> {
        let has_piece = |index: usize| self.pieces.pieces.iter().any(|piece| usize::from(piece.body) == index);
        let bodies = self.pieces.bodies.iter().enumerate();
        let mut crumbled = bodies.filter_map(|(index, body)| body.as_ref().filter(|_| !has_piece(index)));
        crumbled.next().map(|body| body.name.as_str())
    }

    /// Whether the run in `folder` has ended, and all its bodies have a mesh or a shape to cut.
    pub fn is_whole(folder: &Path) -> bool {
        let has_ended = check_ended(folder).is_ok();
        let scene = has_ended.then(|| Scene::load_resolved(&folder.join(RESOLVED_SCENE)).ok()).flatten();
        scene.is_some_and(|scene| {
            let mut bodies = scene.bodies.iter().zip(scene.solids());
            bodies.all(|(body, solid)| body.shape.is_some() && solid.is_some())
        })
    }

    /// Motion of the pieces.
    pub fn motion(&self) -> Motion<'_> {
        Motion {
            pieces: &self.pieces,
            places: &self.state.p,
            turns: &self.state.q,
            body: &self.world.particles.body,
            mass: &self.world.particles.mass,
            radii: &self.radii,
        }
    }

    /// Pieces in a frame.
    pub fn mesh(&self, frame: &Frame) -> SurfaceMesh {
        self.motion().posed(&frame.vertices, &self.skins)
    }

    /// Those pieces of a frame that bend.
    pub fn bent(&self, frame: &Frame) -> SurfaceMesh {
        self.motion().bent(&frame.vertices, &self.skins)
    }

    /// Look of each body.
    pub fn looks(&self) -> Vec<Look> {
        self.scene.bodies.iter().map(|body| self.scene.look(body)).collect()
    }

    /// Frame of the run.
    ///
    /// # Errors
    /// When it cannot be read, or has another number of particles.
    pub fn frame(&self, file: &FrameFile) -> Result<Frame, OutputError> {
        frame(file, self.state.len())
    }

    /// Broken bonds of the run in `folder`, by time.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn fractures(folder: &Path) -> Result<Vec<FractureEvent>, OutputError> {
        Table::read(&folder.join(FRACTURES))
    }
}

/// Frame with this number of particles.
fn frame(file: &FrameFile, particles: usize) -> Result<Frame, OutputError> {
    let frame = read_frame(&file.path)?;
    if frame.vertices.len() == particles {
        return Ok(frame);
    }
    let why = format!("it has {} particles, and the scene of its run {particles}", frame.vertices.len());
    Err(unfit(file, why))
}

/// Checks that the run does not go on: its last pieces are not known before.
fn check_ended(folder: &Path) -> Result<(), CutError> {
    let (status, _) = RunStatus::read(folder, DEAD_AFTER)?;
    match status {
        RunStatus::Running | RunStatus::Packing => {
            Err(CutError::GoesOn { folder: folder.to_owned(), status: status.to_string() })
        }
        _ => Ok(()),
    }
}

/// Checks that the first frame, relative to `origin` (m), is the scene's start: a mesh that changed since has other particles.
fn check_start(files: &[FrameFile], state: &State, world: &World, origin: &Vec3) -> Result<(), CutError> {
    let Some(file) = files.first().filter(|file| file.number == 0) else { return Ok(()) };
    let first = frame(file, state.len())?;
    let is_off = |i: &usize| {
        let particle = &first.vertices[*i];
        let place = Vec3::new(particle.x.into(), particle.y.into(), particle.z.into());
        (place + origin - state.p[*i]).norm() > 0.01 * world.particles.radius[*i] + 1e-6 * place.norm()
    };
    match (0..state.len()).find(is_off) {
        None => Ok(()),
        Some(i) => {
            Err(unfit(file, format!("particle {i} is not where the scene puts it: did its mesh change?")).into())
        }
    }
}

fn unfit(file: &FrameFile, why: String) -> OutputError {
    OutputError::file("cut the pieces of", &file.path)(io::Error::new(io::ErrorKind::InvalidData, why))
}
