//! Pieces of a run, cut or kept, for the commands that show them.

use std::io;
use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_pictures::pieces::{
    BodyMesh, CrackNoise, CrackSettings, Motion, PieceError, Pieces, RestParticles, kept_pieces,
};
use bdem_run::output::ply::{Frame, read_frame};
use bdem_run::output::{
    DEAD_AFTER, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, RunFolder, RunStatus, frames_of,
};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions};
use bdem_run::scene::Scene;
use clap::Args;

use super::{CliError, packing_cache};

/// Form of cracks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cracks between pieces")]
pub(super) struct CrackArguments {
    /// Smoothness of crack faces, in particle radii: 0.5 to 5. Pieces that are thinner become crumbs
    #[arg(long, value_name = "RADII", default_value = "2", value_parser = smooth)]
    crack_smooth: f64,
    /// Edge of the triangles of crack faces, in particle radii: 0.5 to 4
    #[arg(long, value_name = "RADII", default_value = "1", value_parser = mesh)]
    crack_mesh: f64,
    /// Roughness of crack faces, m: 0.5 radii at a wavelength of 3 look like ceramic
    #[arg(long, value_name = "AMPLITUDE,WAVELENGTH", value_parser = noise)]
    crack_noise: Option<CrackNoise>,
    /// Minimum number of particles of a piece. Smaller ones are crumbs
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    min_particles: u32,
}

impl CrackArguments {
    fn settings(&self) -> CrackSettings {
        CrackSettings {
            smooth: self.crack_smooth,
            spacing: self.crack_mesh,
            noise: self.crack_noise,
            min_particles: self.min_particles as usize,
        }
    }
}

fn smooth(text: &str) -> Result<f64, String> {
    between(text, 0.5, 5.0)
}

fn mesh(text: &str) -> Result<f64, String> {
    between(text, 0.5, 4.0)
}

fn between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("expected a number from {low} to {high}"))
}

fn noise(text: &str) -> Result<CrackNoise, String> {
    let length = |text: &str| text.trim().parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    let both = text.split_once(',').and_then(|(first, second)| Some((length(first)?, length(second)?)));
    let (amplitude, wavelength) =
        both.ok_or("expected AMPLITUDE,WAVELENGTH: two positive numbers of metres, such as 0.001,0.006")?;
    Ok(CrackNoise { amplitude, wavelength })
}

/// Run with its pieces.
pub(super) struct CutRun {
    /// Its walls and its camera are in the coordinates of the frames.
    pub(super) scene: Scene,
    pub(super) world: World,
    state: State,
    /// Median radius of each body's particles, m.
    radii: Vec<f64>,
    pub(super) pieces: Pieces,
}

impl CutRun {
    /// Pieces of the run in `folder`, which are kept there.
    pub(super) fn load(folder: &Path, cracks: &CrackArguments) -> Result<Self, CliError> {
        check_ended(folder)?;
        let resolved = folder.join(RESOLVED_SCENE);
        let scene = Scene::load(&resolved)?;
        let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
        let mut packings = KeptPackings::new(vec![RunFolder::packings(folder)], packing_cache(), log);
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
        let settings = cracks.settings();
        let make =
            || -> Result<Pieces, CliError> { Ok(Pieces::cut(BodyMesh::all(&scene, &radii)?, &particles, &settings)?) };
        let pieces = kept_pieces(&RunFolder::pieces(folder), &scene.physics_digest(), &particles, &settings, make)?;
        if pieces.pieces.is_empty() {
            let message = format!("{}: no body has a shape or a mesh to cut", folder.display());
            return Err(CliError { code: 2, message });
        }
        Ok(Self { scene: Scene::load_in_frames(&resolved)?, world, state, radii, pieces })
    }

    /// Motion of the pieces.
    pub(super) fn motion(&self) -> Motion<'_> {
        Motion {
            pieces: &self.pieces,
            places: &self.state.p,
            turns: &self.state.q,
            body: &self.world.particles.body,
            mass: &self.world.particles.mass,
            radii: &self.radii,
        }
    }

    /// Frame of the run.
    pub(super) fn frame(&self, file: &FrameFile) -> Result<Frame, OutputError> {
        frame(file, self.state.len())
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
fn check_ended(folder: &Path) -> Result<(), CliError> {
    let (status, _) = RunStatus::read(folder, DEAD_AFTER)?;
    if !matches!(status, RunStatus::Running | RunStatus::Packing) {
        return Ok(());
    }
    let message = format!("{} is still {status}: its pieces are known when it has ended", folder.display());
    Err(CliError { code: 2, message })
}

/// Checks that the first frame, relative to `origin` (m), is the scene's start: a mesh that changed since has other particles.
fn check_start(files: &[FrameFile], state: &State, world: &World, origin: &Vec3) -> Result<(), CliError> {
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

/// Number in a frame's header, such as its time.
pub(super) fn header_number(frame: &Frame, key: &str) -> Option<f64> {
    frame.comment(key)?.split_whitespace().next()?.parse().ok()
}

impl From<PieceError> for CliError {
    fn from(e: PieceError) -> Self {
        Self { code: 3, message: e.to_string() }
    }
}
