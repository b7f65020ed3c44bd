use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, State, World};
use bdem_core::simulate::FractureEvent;
use bdem_run::output::ply::{Frame, read_frame};
use bdem_run::output::{FRACTURES, FrameFile, FrameRanges, OutputError, RESOLVED_SCENE, RunFolder, Table, frames_of};
use bdem_run::run::{KeptPackings, LogLevel, LogOptions};
use bdem_run::scene::{Look, Scene};

use super::keep::{digest, kept_pieces};
use super::{BodyMesh, CrackSettings, Cracks, CutError, Motion, Pieces, RestBond, RestParticles, Skin};
use crate::surface::{Shapeless, SurfaceMesh};

/// Run with the world of its scene at the start.
pub struct BuiltRun {
    /// Its scene.
    pub scene: Scene,
    /// World of the scene.
    pub world: World,
    /// State at the start.
    pub state: State,
    /// Broken bonds, by time.
    pub fractures: Vec<FractureEvent>,
    /// Last frame.
    last: Frame,
}

impl BuiltRun {
    /// World of the run in `folder`. `packings` is the folder of packings that runs share.
    ///
    /// # Errors
    /// When a file is missing or does not match.
    pub fn load(folder: &Path, packings: Option<PathBuf>) -> Result<Self, CutError> {
        let scene = Scene::load_resolved(&folder.join(RESOLVED_SCENE))?;
        let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
        let mut packings = KeptPackings::new(vec![RunFolder::packings(folder)], packings, log);
        let (world, state) = scene.build_with(&mut packings)?;
        let files = frames_of(folder, &FrameRanges::default())?;
        check_start(&files, &state, &world, &Vec3::from(scene.output.origin.unwrap_or_default()))?;
        let last = frame(files.last().expect("a series has frames"), state.len())?;
        let fractures: Vec<FractureEvent> = Table::read(&folder.join(FRACTURES))?;
        Ok(Self { scene, world, state, fractures, last })
    }

    /// Pairs of particles whose bonds are whole in a frame.
    pub fn whole_bonds(&self, frame: &Frame) -> Vec<[u32; 2]> {
        if let Some(edges) = &frame.edges {
            return edges.iter().map(|edge| [edge.vertex1, edge.vertex2].map(i32::cast_unsigned)).collect();
        }
        let now = time(frame);
        let bonds = rest_bonds(&self.world, &self.fractures).into_iter();
        bonds.filter(|bond| bond.broke > now).map(|bond| bond.ends).collect()
    }

    /// Frame of the run.
    ///
    /// # Errors
    /// When it cannot be read, or has another number of particles.
    pub fn frame(&self, file: &FrameFile) -> Result<Frame, OutputError> {
        frame(file, self.state.len())
    }
}

/// Run with its pieces.
pub struct CutRun {
    /// Its walls and its camera are in the coordinates of the frames.
    pub scene: Scene,
    /// World of the scene.
    pub world: World,
    /// Pieces at rest.
    pub pieces: Pieces,
    /// Digest of what the cut depends on.
    pub digest: String,
    /// Broken bonds, by time.
    pub fractures: Vec<FractureEvent>,
    /// Particles of bodies with a mesh that belong to no piece, ascending.
    pub(crate) crumbs: Vec<u32>,
    shapeless: Shapeless,
    state: State,
    /// Median radius of each body's particles, m.
    radii: Vec<f64>,
    cracks: Cracks,
    /// Skins of the pieces that bend.
    skins: Vec<OnceLock<Skin>>,
}

impl CutRun {
    /// Pieces in the last frame of the run in `folder`, which are kept there. `packings` is the folder of packings that runs share.
    ///
    /// # Errors
    /// When a file is missing or does not match, or a mesh cannot be cut.
    pub fn load(folder: &Path, settings: &CrackSettings, packings: Option<PathBuf>) -> Result<Self, CutError> {
        let BuiltRun { scene, world, state, fractures, last } = BuiltRun::load(folder, packings)?;
        let piece: Vec<u32> = last.vertices.iter().map(|particle| particle.piece as u32).collect();
        let particles = RestParticles {
            places: &state.p,
            radius: &world.particles.radius,
            body: &world.particles.body,
            piece: &piece,
        };
        let radii = particles.median_radii(scene.bodies.len());
        let cracks = Cracks::new(&particles, &rest_bonds(&world, &fractures), scene.bodies.len());
        let make = || -> Result<Pieces, CutError> {
            Ok(Pieces::cut(BodyMesh::all(&scene, &radii)?, &particles, &cracks, settings)?)
        };
        let digest = digest(&scene.physics_digest(), &particles, &cracks, settings);
        let pieces = kept_pieces(&RunFolder::pieces(folder), &digest, &particles, make)?;
        let scene = Scene::load_in_frames(&folder.join(RESOLVED_SCENE))?;
        let has_mesh = |i: &u32| pieces.bodies[usize::from(world.particles.body[*i as usize])].is_some();
        let (crumbs, shapeless) = pieces.loose.iter().copied().partition(has_mesh);
        let shapeless = Shapeless::new(&world, &state, shapeless, &fractures);
        let skins = pieces.pieces.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { scene, world, pieces, digest, fractures, cracks, crumbs, shapeless, state, radii, skins })
    }

    /// Marches around all particles of bodies without pieces, such as those without bonds.
    pub fn march_loose(&mut self) {
        let mut has_piece = vec![false; self.pieces.bodies.len()];
        self.pieces.pieces.iter().for_each(|piece| has_piece[usize::from(piece.body)] = true);
        let is_shapeless = |i: &u32| !has_piece[usize::from(self.world.particles.body[*i as usize])];
        let shapeless = self.pieces.loose.iter().copied().filter(is_shapeless).collect();
        self.shapeless = Shapeless::new(&self.world, &self.state, shapeless, &self.fractures);
    }

    /// Checks that there are pieces of the run in `folder`.
    ///
    /// # Errors
    /// When no body has a mesh or a shape, or all particles are loose.
    pub fn expect_pieces(&self, folder: &Path) -> Result<(), CutError> {
        if !self.pieces.pieces.is_empty() {
            return Ok(());
        }
        Err(if self.has_mesh() { CutError::Loose(folder.to_owned()) } else { CutError::NoMesh(folder.to_owned()) })
    }

    /// Whether some body has a mesh or a shape.
    pub fn has_mesh(&self) -> bool {
        self.pieces.bodies.iter().any(Option::is_some)
    }

    /// Whether some body of the run in `folder` has a mesh or a shape to cut.
    pub fn can_be_cut(folder: &Path) -> bool {
        Scene::load_resolved(&folder.join(RESOLVED_SCENE)).is_ok_and(|scene| {
            let mut bodies = scene.bodies.iter().zip(scene.solids());
            bodies.any(|(body, solid)| body.shape.is_some() && solid.is_some())
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
            cracks: &self.cracks,
        }
    }

    /// Pieces in a frame, and surfaces around particles without a mesh.
    pub fn mesh(&self, frame: &Frame) -> SurfaceMesh {
        self.with_shapeless(self.motion().posed(&frame.vertices, time(frame), &self.skins), frame)
    }

    /// The same without pieces that do not bend.
    pub fn bent(&self, frame: &Frame) -> SurfaceMesh {
        self.with_shapeless(self.motion().bent(&frame.vertices, time(frame), &self.skins), frame)
    }

    fn with_shapeless(&self, mut mesh: SurfaceMesh, frame: &Frame) -> SurfaceMesh {
        mesh.add(self.shapeless.mesh(frame, &self.world.particles.body));
        mesh.has_charge = frame.has_charge;
        mesh
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
}

/// Time of a frame, s. Frames without one are after all breakage.
fn time(frame: &Frame) -> f64 {
    frame.time().unwrap_or(f64::MAX)
}

/// Bonds of a world at rest, and the times at which they break.
fn rest_bonds(world: &World, fractures: &[FractureEvent]) -> Vec<RestBond> {
    let broke: HashMap<u32, f64> = fractures.iter().map(|event| (event.bond, event.time)).collect();
    let bond = |bond: &Bond| {
        let broke = broke.get(&bond.id).copied().unwrap_or(f64::INFINITY);
        RestBond { ends: [bond.i, bond.j], broke }
    };
    world.bonds().iter().map(bond).collect()
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

/// Checks that the first frame, relative to `origin` (m), is the scene's start: a mesh that changed since has other particles.
fn check_start(files: &[FrameFile], state: &State, world: &World, origin: &Vec3) -> Result<(), CutError> {
    let Some(file) = files.first().filter(|file| file.number == 0) else { return Ok(()) };
    let first = frame(file, state.len())?;
    let is_off = |i: &usize| {
        let particle = &first.vertices[*i];
        let place = particle.place();
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
    OutputError::file("match to its scene", &file.path)(io::Error::new(io::ErrorKind::InvalidData, why))
}
